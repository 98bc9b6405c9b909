"""Quantiles on small tables: the exact law of a choice, of both neighbours, and broken twins."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import overbar
from overbar.calibration.quantile_kind import quantile_plan
from overbar.frames.ladders import ladder_of
from overbar.frames.quantiles import QuantileQuestion
from overbar.mechanism.quantile_draw import _nearest, distances
from overbar.sampling.entropy import system

SHARES = [Fraction(1, 2), Fraction(3, 4), Fraction(1, 5)]
#: How many persons have each of four values.
TABLES = [table for table in product(range(4), repeat=4) if sum(table) <= 4]


def plan_at(share, epsilon=3):
    return quantile_plan(epsilon, [share], 4, intervals=False)


def law(steps, plan):
    """Return the chance of each place: the highest of score, floored noise, and a uniform key."""
    ratio = math.exp(-float(plan.grid / plan.query_noise.scale))
    return _law(tuple(score - max(steps) for score in steps), ratio)


@cache
def _law(steps, ratio):
    tops = np.arange(math.ceil(30 / -math.log(ratio)))
    gaps = tops - np.array(steps)[:, None]
    below, at = 1 - ratio**gaps, (1 - ratio) * ratio**gaps
    keys, weights = np.polynomial.legendre.leggauss(4)  # exact for products of three lines
    keys = (keys + 1) / 2
    behind = below[:, :, None] + at[:, :, None] * keys
    chances = [
        (at[place] * (np.delete(behind, place, axis=0).prod(axis=0) @ weights) / 2).sum()
        for place in range(len(steps))
    ]
    return np.array(chances)


def below_of(table):
    return np.cumsum(table)


def with_one_more(table, value, times=1):
    return tuple(count + times * (place == value) for place, count in enumerate(table))


def worst(share, score=distances, times=1):
    """Return the largest log ratio of any outcome, over all neighbours and in both directions."""
    plan, largest = plan_at(share), 0.0
    for table in TABLES:
        one = law([-int(d) for d in score(plan, share, below_of(table))], plan)
        for value in range(4):
            more = below_of(with_one_more(table, value, times))
            other = law([-int(d) for d in score(plan, share, more)], plan)
            largest = max(largest, float(np.abs(np.log(one / other)).max()))
    return largest


def one_choice(share):
    """Return what one choice may cost."""
    _, picks = plan_at(share).paid()
    return float(overbar.guarantee(picks).epsilon)


@pytest.mark.parametrize("share", SHARES)
def test_no_outcome_tells_more_than_is_claimed(share):
    claimed = one_choice(share)
    assert 0.5 * claimed < worst(share) <= claimed * (1 + 1e-9)


def test_the_whole_is_what_its_parts_cost():
    plan = quantile_plan("0.3", ("0.25", "0.5", "0.75"), 4)
    counted, picks = plan.paid()
    assert overbar.guarantee(counted).epsilon == Fraction(3, 100)
    assert overbar.guarantee(picks).epsilon == Fraction(27, 100) == plan.picks * Fraction(3, 100)
    assert overbar.guarantee(plan).epsilon == Fraction(3, 10)
    assert overbar.accounting.spent(plan, 4) == Fraction(3, 10)


def test_twin_a_public_number_of_persons_is_caught():
    share = Fraction(1, 2)

    def public_total(plan, q, below):
        steps = int(1 / plan.grid) // max(q.numerator, q.denominator - q.numerator)
        aimed, reached = 4 * q.numerator, below * q.denominator
        before = np.concatenate([[0], reached[:-1]])
        return np.maximum(np.maximum(aimed - reached, before - aimed), 0) * steps

    assert worst(share, public_total) > one_choice(share) * 1.05


@pytest.mark.parametrize("share", SHARES)
def test_twin_two_values_of_one_person_are_caught(share):
    assert worst(share, times=2) > one_choice(share) * 1.05


def test_twin_a_last_rung_read_off_the_data_is_caught():
    share = Fraction(1, 2)
    plan = plan_at(share)

    def outcomes(table):
        rungs = max(place for place, count in enumerate(table) if count) + 1
        near = law([-int(d) for d in distances(plan, share, below_of(table)[:rungs])], plan)
        return np.pad(near, (0, 4 - rungs))

    one, other = outcomes((2, 1, 0, 0)), outcomes((2, 1, 0, 1))
    assert (other > 0.01).all()
    assert one[3] == 0  # which a neighbour gives


def test_the_ladder_is_known_before_the_table():
    question = QuantileQuestion.of(value="v", person="p", epsilon=1)
    assert question.ladder == ladder_of("numbers")
    assert question.plan.rungs == len(question.ladder.rungs)


@pytest.mark.parametrize("share", SHARES)
def test_the_draw_has_this_law(share):
    plan, below, runs = plan_at(share), below_of((1, 2, 0, 3)), 800
    expected = law([-int(d) for d in distances(plan, share, below)], plan)
    drawn = [_nearest(plan, share, below, 0, system) for _ in range(runs)]
    often = np.bincount(drawn, minlength=4) / runs
    # Each is off by less than 6.5 standard deviations: a chance below 1e-9.
    assert (np.abs(often - expected) < 6.5 * np.sqrt(expected / runs) + 1e-4).all()
    assert np.argmax(expected) == np.argmin(distances(plan, share, below))


@pytest.mark.parametrize("share", SHARES)
def test_the_rung_at_no_distance_is_the_quantile(share):
    values, plan = [1, 1, 2, 3, 3, 3, 7], plan_at(share)
    ladder = ladder_of((0, 1, 2, 3, 5, 8))
    ones = np.ones(len(values), dtype=np.int64)

    def right(found):
        steps = np.array(values, dtype=np.int64) * 10**found
        near = distances(plan, share, ladder.below(steps, ones, found))
        return [ladder.rungs[place] for place in np.flatnonzero(near == 0)]

    wanted = next(v for v in ladder.rungs if sum(x <= v for x in values) >= share * len(values))
    assert wanted in right(3)
    strict = next(v for v in ladder.rungs if sum(x < v for x in values) >= share * len(values))
    assert strict != wanted  # `<` for `<=` would not pass
