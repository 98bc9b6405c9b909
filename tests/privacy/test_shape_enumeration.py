"""Means and shapes of small tables: the law of all that comes out, of neighbours, and twins."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product

import numpy as np
import pytest

import overbar
from overbar.accounting import guarantee
from overbar.calibration.quantile_kind import mean_plan
from overbar.frames.ladders import ladder_of
from overbar.frames.scoring import RankedValues
from overbar.mechanism.quantile_draw import aim, distances
from overbar.noise import Gaussian, Gumbel
from overbar.plans.quantile_plan import MEAN_STEPS, QuantilePlan
from overbar.plans.shape_plan import Columns, ShapePlan
from tests.privacy.test_quantile_enumeration import law, with_one_more

LADDER = ladder_of((-1, 0, 2, 7))
#: How many persons have each of four values, which are rungs.
TABLES = [table for table in product(range(3), repeat=4) if sum(table) <= 2]
EPSILON = 3


def total_of(table, low, high):
    values = np.array([int(rung) for rung in LADDER.rungs], dtype=np.int64)
    return RankedValues(values, np.array(table), 0).total(low, high)


def unclamped(table, low, high):
    half = (high - low) / 2 or 1
    away = [(rung - (low + high) / 2) / half * MEAN_STEPS for rung in LADDER.rungs]
    return sum(int(one) * many for one, many in zip(away, table, strict=True))


def bound_laws(plan, table, persons):
    """Return the law of both bounds, where so many persons were counted."""
    below, laws = np.cumsum(table), []
    for share in plan.shares:
        level, shift = aim(plan, share, LADDER.levels, persons)
        laws.append(law([-int(d) for d in distances(plan, share, below[level], shift)], plan))
    return laws


def worst_of_a_mean(total=total_of, times=1):
    """Return the largest log ratio along any path: count, bounds, and a sum that knows them."""
    plan, largest = mean_plan(EPSILON, 4), 0.0
    counts, sums = (1 / float(noise.scale) for noise in (plan.persons, plan.total))
    for table, value in product(TABLES, range(4)):
        more, by_bounds = with_one_more(table, value, times), 0.0
        for persons in (0, 3, 40):
            one, other = (bound_laws(plan, some, persons) for some in (table, more))
            ratios = [np.log(a / b) for a, b in zip(one, other, strict=True)]
            for low, high in product(range(4), repeat=2):
                bounds = sorted((LADDER.rungs[max(0, low - 1)], LADDER.rungs[high]))
                moved = abs(total(table, *bounds) - total(more, *bounds)) / MEAN_STEPS
                by_sign = abs(ratios[0][low] + ratios[1][high])
                by_bounds = max(by_bounds, by_sign + moved * sums)
        largest = max(largest, by_bounds + times * counts)
    return largest


def test_a_mean_tells_no_more_than_is_claimed():
    assert guarantee(mean_plan(EPSILON, 4)) == overbar.PureDP(EPSILON)
    assert 0.6 * EPSILON < worst_of_a_mean() <= EPSILON * (1 + 1e-9)


def test_twin_values_that_are_not_clamped_are_caught():
    assert worst_of_a_mean(unclamped) > EPSILON * 1.2


def test_twin_two_values_of_one_person_are_caught():
    assert worst_of_a_mean(times=2) > EPSILON * 1.2


def test_twin_bounds_read_off_the_data_are_caught():
    """A neighbour's largest value is given out with certainty; ours never is, for it has noise."""

    def largest(table):
        return max(rung for rung, many in zip(LADDER.rungs, table, strict=True) if many)

    table, more = (2, 1, 0, 0), (2, 1, 0, 1)
    assert largest(table) != largest(more)
    for some in (table, more):
        _, high = bound_laws(mean_plan(EPSILON, 4), some, 3)
        assert (high > 0.01).all()


# The shape of a table -----------------------------------------------------------------------------

RUNGS, SHARES = 4, (Fraction(1, 4), Fraction(3, 4))
LEVELS = (np.arange(RUNGS), np.array([1, 3]))
PLAN = ShapePlan(
    Gaussian(Fraction(4)),
    (Columns(QuantilePlan(Gumbel(Fraction(9)), SHARES, RUNGS, None, False), 1),),
)


def gaussian(center, width=40):
    """Return the discrete Gaussian law of a count, and where it is."""
    places = np.arange(-width, width + 8)
    weights = np.exp(-((places - center) ** 2) / (2 * float(PLAN.persons.scale) ** 2))
    return places, weights / weights.sum()


def shape_law(table, empty, aimed_by=None):
    """Return the chance of every outcome: two counts, and a rung for each share."""
    plan, below = PLAN.columns[0].plan, np.cumsum(table)
    _, everybody = gaussian(sum(table) + empty)
    places, there = gaussian(sum(table))
    picks = []
    for place in places if aimed_by is None else [aimed_by] * len(places):
        chances = np.ones(1)
        for share in SHARES:
            level, shift = aim(plan, share, LEVELS, max(0, int(place)))
            away = distances(plan, share, below[level], shift) * float(plan.grid)
            weights = np.zeros(RUNGS)
            weights[level] = np.exp(-away / float(plan.query_noise.scale))
            chances = np.outer(chances, weights / weights.sum()).ravel()
        picks.append(chances)
    return np.einsum("i,j,jk->ijk", everybody, there, np.array(picks)).ravel()


def told(one, other, epsilon):
    """Return the δ that two laws need at an ε, in both directions."""
    factor = math.exp(epsilon)
    return max(np.maximum(a - factor * b, 0).sum() for a, b in ((one, other), (other, one)))


def worst_shape(epsilon, times=1, by_truth=False):
    largest = 0.0
    for table in [(3, 0, 0, 2), (0, 0, 4, 0), (1, 1, 1, 1), (0, 0, 0, 0)]:
        for value in (0, 2, 3):
            more = with_one_more(table, value, times)
            aims = (sum(table), sum(more)) if by_truth else (None, None)
            one, other = shape_law(table, 2, aims[0]), shape_law(more, 2, aims[1])
            largest = max(largest, told(one, other, epsilon))
    return largest


@pytest.mark.parametrize("epsilon", ["0.1", "0.4", "0.8"])
def test_a_shape_tells_no_more_than_is_claimed(epsilon):
    claimed = guarantee(PLAN).delta(epsilon)
    assert 0.02 * claimed < worst_shape(float(epsilon)) <= claimed


def test_twin_two_values_in_a_column_are_caught():
    assert worst_shape(0.4, times=2) > guarantee(PLAN).delta("0.4")


def test_twin_columns_paid_as_one_are_caught():
    """Six columns have the same values, so a person tells six times."""
    plan, half = QuantilePlan(Gumbel(Fraction(2)), (SHARES[1],), RUNGS, None, False), SHARES[1]

    def columns(table):
        away = distances(plan, half, np.cumsum(table)) * float(plan.grid) / 2
        return reduce(lambda one, other: np.outer(one, other).ravel(), [_softmax(-away)] * 6)

    laws = [
        (columns(table), columns(with_one_more(table, value)))
        for table in TABLES
        for value in range(RUNGS)
    ]
    one_column, six = (guarantee(one) for one in (plan.merged(1)[0], plan.merged(6)[0]))
    for at in ("0.5", "1"):
        worst = max(told(*pair, float(at)) for pair in laws)
        assert one_column.delta(at) < worst <= six.delta(at)


def _softmax(logs):
    weights = np.exp(logs)
    return weights / weights.sum()


def test_the_whole_is_what_its_parts_cost():
    columns = PLAN.columns[0]
    picks, counted = replace(PLAN, columns=(replace(columns, count=7),)).paid()
    assert picks.cutoff == 7 * len(SHARES)
    assert (counted.cutoff, counted.items_per_person) == (8, 8)
    orders = [2.0, 5.0, 30.0]
    one, seven = (
        replace(PLAN, columns=(replace(columns, count=count),)).paid()[0] for count in (1, 7)
    )
    for order in orders:
        assert guarantee(seven).renyi(order) >= 7 * guarantee(one).renyi(order) * (1 - 1e-9)
    assert all(a < b for a, b in pairwise(guarantee(seven).renyi(order) for order in orders))
