"""A number of items that is found first: the exact law of small tables, and broken twins.

Each person holds some of two items. It is found whether one item of each counts or all do; then
comes the top one, by a histogram for one item or by the plan that needs no number.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import overbar
from overbar.accounting import PureDP, guarantee
from overbar.accounting.gaussian_potential import potential_cost
from overbar.accounting.guarantees import proved_about
from overbar.accounting.instalments import renyi_instalments
from overbar.accounting.one_of import ONE_OF, Dearest
from overbar.accounting.pure import pure_epsilon
from overbar.calibration.bounds_kind import bounds_plan
from overbar.errors import ParameterError
from overbar.frames.bounds_first import ladder_for
from overbar.frames.found_first import bounds_at
from overbar.mechanism.guess_and_check import found_bounds
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.plans import Bar, Composed, HistogramPlan, Plan, RankedPlan, Reach
from overbar.plans.one_of_plan import OneOf
from overbar.sampling.entropy import system
from tests.privacy.test_bounds_enumeration import law, log_ratio, winner_law

#: What a person may hold, of two items.
HELD = [(0,), (1,), (0, 1)]
TABLES = [table for size in range(4) for table in combinations_with_replacement(HELD, size)]
LONGER = [tuple(HELD[:1] * few + HELD[2:] * many) for few in range(6) for many in range(6)]
COUNTS, GRID, EPSILON = Reach(0, 1), Fraction(1, 4), Fraction(3)


def whole_plan(few=1, epsilon=EPSILON):
    """Return the top one: by a histogram if few items of each person count, or a ranked plan."""
    part = epsilon / 3
    bounds = bounds_plan(part, rungs=2, inside=Fraction(3, 4), surely=True)
    bar = Bar(bounds.bar.noise, Fraction(-1, 4))  # so all answers occur
    bounds = replace(bounds, bar=bar, most=Fraction(3, 4))
    usual = RankedPlan(Exponential(1 / (epsilon - part)), None, 1, COUNTS, GRID)
    own = HistogramPlan(Laplace(few / (epsilon - part)), None, 1, COUNTS, GRID, few)
    return Composed(usual, bounds=bounds, instead=(own,))


def within(table):
    """Return how many persons have at most one item, and all of them."""
    return np.array([sum(len(held) <= 1 for held in table), len(table)])


def outside(plan, below):
    """Return how many have more than each rung, less what is allowed, in quarters of a person.

    A quarter of all persons is allowed, but never more than three quarters of a person.
    """
    assert (plan.grid, plan.most) == (Fraction(1, 4), Fraction(3, 4))
    return 4 * (below[-1] - below) - min(int(below[-1]), 3)


def found_law(plan, table):
    """Return the chance that one item counts, and that all do."""
    return law(plan, [within(table)], outside)


def worst_found(plan):
    ways = ((table, (*table, more)) for table in LONGER[:-1] for more in HELD)
    return max(log_ratio(found_law(plan, one), found_law(plan, other)) for one, other in ways)


@cache
def histogram_law(plan, scores):
    """Return the chance that each of two wins, by Laplace noise on the grid; ties by lot."""
    ratio = math.exp(-float(plan.grid / plan.query_noise.scale))
    reach = math.ceil(40 / -math.log(ratio))
    noise = np.arange(-reach, reach + 1)
    weights = (1 - ratio) / (1 + ratio) * ratio ** np.abs(noise)
    gap = scores[0] - scores[1] + noise[:, None] - noise[None, :]
    first = (weights[:, None] * weights[None, :] * ((gap > 0) + 0.5 * (gap == 0))).sum()
    return np.array([first, 1 - first])


def score(table, plan):
    """Return the scores of both items in grid steps."""
    return tuple(sum(item in held for held in table) * int(1 / plan.grid) for item in (0, 1))


def few_law(plan, table):
    """Return the law of the winner where one item of each person counts, by lot."""
    lots = list(product(*([(item,) for item in held] for held in table)))
    laws = [histogram_law(plan, score(lot, plan)) for lot in lots]
    return sum(laws) / len(lots)


def joint(plan, table, chosen=None):
    """Return the law of the number found and of the winner."""
    usual, few = plan.ways
    found = found_law(plan.bounds, table) if chosen is None else chosen(table)
    return np.concatenate(
        [
            found[0] * few_law(few, table),
            found[1] * winner_law(usual, score(table, usual)),
        ]
    )


def worst(plan, **how):
    largest = 0.0
    for table in TABLES:
        if len(table) < 3:
            one = joint(plan, table, **how)
            for more in HELD:
                other = joint(plan, tuple(sorted((*table, more))), **how)
                with np.errstate(divide="ignore", invalid="ignore"):
                    ratios = np.abs(np.log(one / other))
                largest = max(largest, float(np.nanmax(ratios)))
    return largest


def test_the_number_and_what_comes_after_keep_what_is_claimed():
    plan = whole_plan()
    claimed = float(guarantee(plan).epsilon)
    assert claimed == 3
    assert 0.5 * claimed < worst(plan) <= claimed * (1 + 1e-9)


def test_the_number_alone_keeps_its_part():
    bounds = whole_plan().bounds
    assert pure_epsilon(bounds) == 1
    assert 0.5 < worst_found(bounds) <= 1 + 1e-9


def test_one_person_moves_a_score_as_far_as_the_plan_says_and_no_further():
    """A reach up to the share inside, as without the limit, would be too short."""
    plan = bounds_plan(Fraction(1), rungs=5, inside=Fraction(9, 10), surely=True)
    moved = set()
    for persons in range(400):
        allowed = [plan.taken_off(n) * plan.grid for n in (persons, persons + 1)]
        moved |= {more - (allowed[1] - allowed[0]) for more in (0, 1)}
    assert (min(moved), max(moved)) == (plan.reach.low, plan.reach.high) == (Fraction(-1, 10), 1)


@pytest.mark.parametrize("persons", [(0, 2), (4, 1), (2, 4)])
def test_the_draw_has_this_law(persons):
    table, runs = tuple(HELD[:1] * persons[0] + HELD[2:] * persons[1]), 1500
    bounds = whole_plan().bounds
    expected = found_law(bounds, table)
    ones = sum(found_bounds(bounds, [within(table)], system)[0] == 0 for _ in range(runs))
    # Off by less than 6.5 standard deviations: a chance below 1e-9.
    deviation = math.sqrt(expected[0] * expected[1] / runs)
    assert abs(ones / runs - expected[0]) < 6.5 * deviation + 1e-3


def test_twin_a_number_read_off_the_data_is_caught():
    def most_held(table):
        return np.array([0.0, 1.0] if any(len(held) > 1 for held in table) else [1.0, 0.0])

    assert worst(whole_plan(), chosen=most_held) > 3 * 1.05


def passing(plan, scores, bar=16):
    """Return the law of which items reach a bar: what is moved for both shows for both."""
    ratio = math.exp(-float(plan.grid / plan.query_noise.scale))
    tails = [ratio ** (bar - score) / (1 + ratio) for score in scores]  # bars above all scores
    return np.array([a * b for a in (tails[0], 1 - tails[0]) for b in (tails[1], 1 - tails[1])])


@pytest.mark.parametrize("limited", [True, False])
def test_twin_all_items_count_under_noise_for_one(limited):
    few = whole_plan().ways[1]  # pure 2
    largest = 0.0
    for table in TABLES[:10]:
        laws = []
        for each in (table, (*table, (0, 1))):
            ways = [[(item,) for item in held] if limited else [held] for held in each]
            lots = [passing(few, score(lot, few)) for lot in product(*ways)]
            laws.append(sum(lots) / len(lots))
        largest = max(largest, log_ratio(*laws))
    assert (largest <= 2 * (1 + 1e-9)) == limited


def test_bounds_are_read_off_the_ladder():
    plan = whole_plan()
    ladder = ladder_for(plan)
    assert ladder.rungs == (1, 2)
    assert [bounds_at(ladder, [place]) for place in (0, 1)] == [(1,), (0,)]
    assert plan.taking(1).labels == plan.instead[0]
    assert set(plan.taking(1).ways) == set(plan.ways)
    assert plan.taking(1).taking(1) == plan
    assert Plan.from_json(plan.to_json()) == plan


def test_the_dearest_is_paid_whichever_is_run():
    plan = whole_plan()
    dearer = replace(plan, instead=(replace(plan.instead[0], query_noise=Laplace(Fraction(1, 4))),))
    assert pure_epsilon(dearer) == 1 + 4
    assert pure_epsilon(dearer.taking(1)) == pure_epsilon(dearer) == pure_epsilon(dearer, 0)
    # Ranked selection pays for what it found; where it might have been a histogram it does not.
    assert pure_epsilon(replace(plan, instead=()), 0) < pure_epsilon(plan, 0)


def test_what_may_be_run_instead_is_checked():
    plan = whole_plan()
    for wrong in (
        {"bounds": None, "first": RankedPlan(Exponential(1), None, 1, COUNTS, GRID)},
        {"instead": (plan.bounds,)},
        {"instead": (plan,)},
        {"instead": (3,)},
        {"instead": plan.instead * 2},
        {"labels": plan.instead[0]},  # nothing where all items count
    ):
        with pytest.raises(ParameterError):
            replace(plan, **wrong)


# Where some are more than pure --------------------------------------------------------------------


def hockey_stick(one, other, epsilon):
    return float(np.maximum(one - math.exp(epsilon) * other, 0).sum())


def response(epsilon):
    """Return the laws of randomised response on two neighbours."""
    high = 1 / (1 + math.exp(-epsilon))
    return np.array([high, 1 - high]), np.array([1 - high, high])


def leaky(delta):
    """Return the laws of what gives all away with probability δ, and nothing else."""
    return np.array([delta, 0.0, 1 - delta]), np.array([0.0, delta, 1 - delta])


def after_response(first, pairs):
    """Return the laws where the answer of randomised response says which pair comes next."""
    chances = response(first)
    return [
        np.concatenate([chances[side][place] * pairs[place][side] for place in (0, 1)])
        for side in (0, 1)
    ]


def test_the_largest_of_the_sums_would_be_too_little():
    """Of two plans one is dearer at a small ε and one at a large: an adversary meets both."""
    first, one, other = 0.2, response(0.4), leaky(0.05)
    level = 0.3
    pairs = [after_response(first, ways) for ways in ((one, other), (other, one))]
    together = max(hockey_stick(*pair, level) for pair in pairs)
    alone = max(hockey_stick(*after_response(first, (same, same)), level) for same in (one, other))
    assert together > alone * 1.01

    def profile(pair, epsilon):
        return hockey_stick(*pair, epsilon)

    high = 1 / (1 + math.exp(-first))
    dearest = [max(profile(one, e), profile(other, e)) for e in (level - first, level + first)]
    assert together <= high * dearest[0] + (1 - high) * dearest[1] + 1e-12


def with_delta():
    """Return a plan whose ways are dearest in turn: one at a large δ, the other at a small δ."""
    bounds = bounds_plan(Fraction(1, 30), rungs=2, inside=Fraction(3, 4), surely=True)
    usual = RankedPlan(Gumbel(Fraction(12)), None, 20, COUNTS, GRID)
    own = HistogramPlan(Gaussian(Fraction(5)), None, 20, COUNTS, GRID, 1)
    return Composed(usual, bounds=bounds, instead=(own,))


def test_a_curve_is_that_of_the_dearest_at_every_place():
    plan = with_delta()
    one_of = plan.paid()[0]
    assert isinstance(one_of, OneOf)
    ways, together = [proved_about(way) for way in plan.ways], proved_about(one_of)
    for epsilon in (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(2)):
        deltas = [way.delta(epsilon) for way in ways]
        assert max(deltas) <= together.delta(epsilon) <= max(deltas) * (1 + 1e-9)
    for delta in ("1e-2", "1e-6", "1e-30"):
        needed = [way.at(delta) for way in ways]
        assert max(needed) <= together.at(delta) <= max(needed) * (1 + 1e-9)
    for order in (1.5, 2.0, 30.0):
        assert together.renyi(order) == max(way.renyi(order) for way in ways)
    assert guarantee(plan).at("1e-6") > together.at("1e-6")
    assert guarantee(plan).renyi(2.0) >= together.renyi(2.0) + PureDP(Fraction(1, 30)).renyi(2.0)


def test_a_gaussian_way_takes_away_what_is_pure():
    assert not isinstance(guarantee(with_delta()), PureDP)
    with pytest.raises(overbar.NoGuaranteeError):
        guarantee(with_delta()).at(0)
    assert ONE_OF.covers(with_delta().paid()[0])
    assert not ONE_OF.covers(whole_plan().paid()[0])
    assert Dearest((PureDP(1),)).log_delta(1.0) == -math.inf


def test_a_ledger_charges_the_dearest_in_the_potential():
    plan, reserve = with_delta(), Fraction(1)
    bounds = plan.bounds

    def cost(one):
        return potential_cost(one, reserve)

    ways, own = [cost(way) for way in plan.ways], cost(bounds)
    assert min(ways) < max(ways)
    assert max(ways) + own <= cost(plan) <= (max(ways) + own) * Fraction(1001, 1000)
    assert cost(plan.taking(1)) == cost(plan)
    assert not renyi_instalments(plan, 2.0)  # nothing is paid on the way
