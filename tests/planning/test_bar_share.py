"""The bar of a ranked selection: free with few items, and close to the best split with many."""

from fractions import Fraction

import pytest

import overbar
from overbar.accuracy.correction import margin
from overbar.accuracy.difference import Difference
from overbar.noise import Exponential


def split(cutoff, monotonic, share):
    """Return the noises of a run with ε = 1 whose bar gets so much of what one item gets."""
    each = 1 / (cutoff - 1 + Fraction(share))
    shift = 1 if monotonic else 2
    return Exponential(shift / each), Exponential(1 / (share * each))


@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("cutoff", [1, 5, 10, 20, 50, 150, 500])
def test_no_split_is_much_better(cutoff, monotonic):
    plan = overbar.plan(epsilon=1, cutoff=cutoff, monotonic=monotonic, candidates=1000 * cutoff)
    assert plan.pure() == 1

    def width(noises):
        return margin(*noises, wanted=1, candidates=1000)

    shares = [Fraction(tenths, 10) for tenths in (*range(10, 60, 2), *range(60, 200, 20))]
    least = min(width(split(cutoff, monotonic, share)) for share in shares)
    assert width((plan.query_noise, plan.threshold_noise)) <= 1.01 * least


def test_the_bar_that_is_free_is_not_the_best_of_many():
    """A control: the split that was taken before is far from the best at a cutoff of 50."""
    free, better = (
        margin(*split(50, True, share), wanted=1, candidates=1000) for share in (1, Fraction(12, 5))
    )
    assert free > 1.05 * better
    few = overbar.plan(epsilon=1, cutoff=5, monotonic=True, candidates=100)
    assert few.query_noise.scale == few.threshold_noise.scale == 5


def test_more_rounds_never_raise_the_bar():
    told = {"epsilon": 1, "cutoff": 5, "monotonic": True, "candidates": 1000}
    told |= {"mechanism": "sparse-vector"}

    def bars(correction):
        rounds = (1, 5, 20, 10**6)
        return [
            overbar.plan(**told, rounds=asked, correction=correction).correction for asked in rounds
        ]

    assert len(set(bars("halfway"))) == 1
    assert bars("optimal") == sorted(set(bars("optimal")))  # a control: the round-aware one rises


@pytest.mark.parametrize(("mechanism", "passing"), [("ranked", 2.0), ("sparse-vector", 0.25)])
def test_the_default_bar_lies_halfway(mechanism, passing):
    told = {"epsilon": 1, "cutoff": 5, "monotonic": True, "candidates": 1000}
    plan = overbar.plan(**told, mechanism=mechanism)
    law = Difference(plan.query_noise, plan.threshold_noise)
    wanted = (law.isf(passing * 5 / 1000) + law.isf(0.5)) / 2
    assert 0 <= float(plan.correction) - wanted < plan.grid
    assert abs(float(plan.correction) - (law.isf(5 / 1000) + law.isf(0.5)) / 2) > plan.grid
