"""Bounds that are found first: exact laws on small tables, with what comes after, and twins."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import overbar
from overbar.accounting.pure import pure_epsilon
from overbar.calibration.bounds_kind import after_bounds, bounds_plan
from overbar.frames.found_first import bounds_at
from overbar.frames.ladders import Ladder
from overbar.mechanism.guess_and_check import found_bounds
from overbar.noise import Exponential
from overbar.plans import Bar, RankedPlan, Reach
from overbar.plans.bounds_plan import BoundsPlan
from overbar.plans.composed_plan import rescaled
from overbar.sampling.entropy import system

LADDER = Ladder("bounds", (Fraction(0), Fraction(1), Fraction(2)))
RUNGS = np.array([0, 1, 2])
INSIDE = [Fraction(1), Fraction(3, 4)]
#: The sums of a person for two items, each.
PERSONS = [(0, 0), (1, 0), (2, 1), (-1, 2), (-2, -2), (3, -1)]
TABLES = [
    tuple(sorted(table)) for size in range(4) for table in product(range(len(PERSONS)), repeat=size)
]
TABLES = sorted(set(TABLES), key=lambda table: (len(table), table))


def plan_of(inside=Fraction(1), sides=2, epsilon=Fraction(2)):
    """Return a plan that asks for few persons, so that small tables have all answers."""
    plan = bounds_plan(epsilon, rungs=3, sides=sides, inside=inside)
    return replace(plan, bar=Bar(plan.bar.noise, Fraction(1)))


def within(table, rungs=RUNGS):
    """Return how many persons have no sum above each rung, and none below its negative."""
    high = [max(PERSONS[who]) for who in table]
    low = [-min(PERSONS[who]) for who in table]
    return [
        np.array([*(sum(x <= v for x in side) for v in rungs[:-1]), len(table)])
        for side in (high, low)
    ]


def upper(table):
    """Return the upper side alone."""
    return within(table)[:1]


def score(plan, below):
    """Return how many lie outside, less the share that may, in grid steps."""
    unit = int(1 / plan.grid)
    return int(below[-1]) * int(plan.inside * unit) - below * unit


def law(plan, sides, score=score):
    """Return the chance of each place on each side: sums over the noise of each threshold."""
    scores = tuple(tuple(map(int, score(plan, below))) for below in sides)
    return _law(plan, scores)


@cache
def _law(plan, scores):
    grid, level = plan.grid, plan.level(0)
    ratio = math.exp(-float(grid / plan.bar.noise.scale))
    noise = np.arange(math.ceil(40 / -math.log(ratio)))
    weights = (1 - ratio) * ratio**noise
    places = []
    for side in scores:
        gaps = np.maximum(0, level + noise[:, None] - np.array(side))
        passes = np.exp(-gaps * float(grid / plan.query_noise.scale))
        left, chances = np.ones(len(noise)), []
        for place in range(len(side) - 1, 0, -1):
            chances.append(left * passes[:, place - 1])
            left = left * (1 - passes[:, place - 1])
        places.append([left, *reversed(chances)])
    joint = np.ones(1)
    for side in places:
        joint = np.outer(joint, np.array(side) @ weights).ravel()
    return joint


def log_ratio(one, other):
    return float(np.abs(np.log(one / other)).max())


def worst(plan, score=score, times=1, read=within):
    """Return the largest log ratio over all neighbours, in both directions."""
    largest = 0.0
    for table in TABLES:
        if len(table) + times > 4:
            continue
        one = law(plan, read(table), score)
        for who in range(len(PERSONS)):
            more = law(plan, read((*table, *[who] * times)), score)
            largest = max(largest, log_ratio(one, more))
    return largest


@pytest.mark.parametrize("inside", INSIDE)
def test_no_bounds_tell_more_than_is_claimed(inside):
    plan = plan_of(inside)
    claimed = float(pure_epsilon(plan))
    assert claimed == 2
    assert 0.7 * claimed < worst(plan) <= claimed * (1 + 1e-9)


#: Scales of the threshold and of answers; shares inside, with a limit in quarters of a person.
SCALES = [(1, 1), (1, 2), (2, 1), (Fraction(7, 10), Fraction(1, 2))]
SHARES = [(Fraction(1), None), (Fraction(3, 4), None), (Fraction(3, 4), Fraction(3, 4))]
#: How many persons have the value of each of four rungs.
HELD = list(product(range(4), repeat=4))


def one_side(bar, scale, inside, most, enough=1):
    return BoundsPlan(Exponential(scale), Bar(Exponential(bar), enough), inside, most=most)


def losses(plan, asked=lambda below: below):
    """Return the least and the largest loss of adding a person, over all tables of `HELD`."""

    def of(held):
        below = np.cumsum(held)
        taken = plan.taken_off(int(below[-1]))
        scores = (below[-1] - below) * int(1 / plan.grid) - taken
        return _law(plan, (tuple(map(int, asked(scores))),))

    ratios = []
    for held in HELD:
        for value in range(4):
            more = [number + (place == value) for place, number in enumerate(held)]
            ratios.append(np.log(of(tuple(more)) / of(held)))
    return float(np.min(ratios)), float(np.max(ratios))


@pytest.mark.parametrize(("inside", "most"), SHARES)
@pytest.mark.parametrize(("bar", "scale"), SCALES)
def test_what_one_more_person_makes_more_or_less_likely(bar, scale, inside, most):
    plan = one_side(bar, scale, inside, most)
    least, largest = losses(plan)
    outside, high = float(1 - inside), float(inside if most is None else 1)
    assert -max(outside / scale, high / bar) * (1 + 1e-9) <= least
    assert largest <= (outside / bar + 1 / scale) * (1 + 1e-9)
    claimed = float(pure_epsilon(plan))
    assert max(-least, largest) <= claimed * (1 + 1e-9)
    if inside == 1:  # met to the last digit, so it cannot be less
        assert max(-least, largest) >= claimed * (1 - 1e-9)


def test_twin_asked_from_the_narrowest_is_caught():
    """The larger of both costs is enough only inwards: a person is inside from one rung on."""
    plan = one_side(1, 1, Fraction(1), None)

    def outwards(scores):  # the last is not asked
        return [*scores[-2::-1], scores[-1]]

    least, largest = losses(plan, outwards)
    assert max(-least, largest) > 1.2 * float(pure_epsilon(plan))


def test_twin_a_person_who_is_outside_of_wide_rungs_alone_is_caught():
    plan = one_side(1, 1, Fraction(1), None)
    one = _law(plan, ((2, 2, 2, 0),))
    other = _law(plan, ((2, 3, 2, 0),))  # one more outside of a rung, and not of a narrower one
    assert log_ratio(one, other) > 1.2 * float(pure_epsilon(plan))


@pytest.mark.parametrize("inside", INSIDE)
def test_twin_two_values_of_one_person_are_caught(inside):
    plan = plan_of(inside, sides=1)
    assert worst(plan, read=upper) <= 2 * (1 + 1e-9)
    assert worst(plan, times=2, read=upper) > 2 * 1.02


def test_twin_a_public_number_of_persons_is_caught():
    plan = plan_of(Fraction(3, 4), sides=1)
    noise = Exponential(plan.query_noise.scale / 4), Exponential(plan.bar.noise.scale / 4)
    wrong = replace(plan, query_noise=noise[0], bar=Bar(noise[1], Fraction(1)))

    def public_total(plan, below):  # as if the aim did not move, and only it did
        return 3 * 3 - below * int(1 / plan.grid)

    assert worst(wrong, public_total, read=upper) > 2 * 1.05


def test_twin_strictly_below_is_noticed():
    table = (1, 1, 2)  # two with at most 1, one with 2
    strict = [np.array([0, 1, 3])]  # how many are < 0, < 1 and all
    plan = plan_of(sides=1)
    assert within(table)[0].tolist() == [0, 2, 3]
    assert not np.allclose(law(plan, within(table)[:1]), law(plan, strict))


@pytest.mark.parametrize("inside", INSIDE)
def test_the_draw_has_this_law(inside):
    plan, table, runs = plan_of(inside), (0, 2, 3, 5), 1500
    expected = law(plan, within(table))
    drawn = [found_bounds(plan, within(table), system) for _ in range(runs)]
    often = np.bincount([high * 3 + low for high, low in drawn], minlength=9) / runs
    # Each is off by less than 6.5 standard deviations: a chance below 1e-9.
    assert (np.abs(often - expected) < 6.5 * np.sqrt(expected / runs) + 1e-3).all()


# With what comes after ----------------------------------------------------------------------------


def whole_plan(epsilon=Fraction(3)):
    """Return the top one of two sums in a range that is found first, on a coarse grid."""
    bounds = plan_of(epsilon=epsilon / 3)
    top = RankedPlan(Exponential(1 / epsilon), None, 1, Reach(0, 1), Fraction(1, 4))
    return after_bounds(bounds, lambda share: rescaled(top, 1 / share), epsilon, Fraction(0))


def winner_law(plan, scores):
    """Return the chance that the first of two wins: floored exponential noise, ties by lot."""
    ratio = math.exp(-float(plan.grid / plan.query_noise.scale))
    noise = np.arange(math.ceil(40 / -math.log(ratio)))
    weights = (1 - ratio) * ratio**noise
    gap = scores[0] - scores[1] + noise[:, None] - noise[None, :]
    first = weights[:, None] * weights[None, :] * ((gap > 0) + 0.5 * (gap == 0))
    return np.array([first.sum(), 1 - first.sum()])


def joint(plan, table, ends=None):
    """Return the law of the range and of the winner within it."""
    found = law(plan.bounds, within(table))
    outcomes = []
    for places, chance in zip(product(range(3), repeat=2), found, strict=True):
        low, high = bounds_at(LADDER, places) if ends is None else ends(table)
        inside = rescaled(plan, Fraction(1), high - low)
        sums = [
            sum(round(min(max(PERSONS[who][item], low), high) / inside.grid) for who in table)
            for item in range(2)
        ]
        outcomes += list(chance * winner_law(inside.labels, sums))
    return np.array(outcomes)


def worst_joint(plan, ends=None):
    largest = 0.0
    for table in TABLES:
        if len(table) < 3 and (ends is None or table):
            one = joint(plan, table, ends)
            for who in range(len(PERSONS)):
                largest = max(largest, log_ratio(one, joint(plan, (*table, who), ends)))
    return largest


def test_bounds_and_what_comes_after_keep_what_is_claimed():
    plan = whole_plan()
    claimed = float(overbar.guarantee(plan).epsilon)
    assert claimed == 3
    assert 0.5 * claimed < worst_joint(plan) <= claimed * (1 + 1e-9)


def test_twin_a_range_read_off_the_data_is_caught():
    plan = whole_plan()

    def of_the_data(table):
        sums = [one for who in table for one in PERSONS[who]]
        return min(0, *sums), max(1, *sums)

    assert worst_joint(plan, of_the_data) > 3 * 1.05
