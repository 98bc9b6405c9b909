"""The chance that an item of one person is selected, against sums over the threshold noise."""

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy.read_off_candidates import MOST_POINTS, unlisted_delta
from tests.reference.plans import any_plan

ONE = Fraction(1)


def log_cdf(noise, x):
    z = x / float(noise.scale)
    with np.errstate(over="ignore", divide="ignore"):
        if isinstance(noise, Exponential):
            return np.where(z > 0, np.log1p(-np.exp(-np.maximum(z, 0))), -np.inf)
        if isinstance(noise, Gumbel):
            return -np.exp(-z)
        return np.where(z > 0, np.log1p(-np.exp(-np.abs(z)) / 2), -np.abs(z) - math.log(2))


def expected(plan, threshold, rounds):
    """E over the threshold noise of one minus the chance to stay negative in every round."""
    level = math.ceil((threshold + plan.correction) / plan.grid) - plan.reach.most / plan.grid
    if plan.threshold_noise is None:
        points, masses = np.zeros(1), np.ones(1)
    else:
        scale = float(plan.threshold_noise.scale / plan.grid)
        reach = math.ceil(90 * scale)
        points = np.arange(-reach, reach + 1, dtype=np.float64)
        law = np.abs(points / scale)
        masses = np.exp(-law if isinstance(plan.threshold_noise, Laplace) else -law * law / 2)
        masses /= masses.sum()
    x = (float(level) + points) * float(plan.grid)
    return float(np.sum(masses * -np.expm1(rounds * log_cdf(plan.query_noise, x))))


@pytest.mark.parametrize("query", [Exponential(3), Gumbel(3), Laplace(3)], ids=lambda n: n.name)
@pytest.mark.parametrize("law", [None, Laplace("2.5"), Gaussian("2.5")], ids=str)
@pytest.mark.parametrize("rounds", [1, 4])
@pytest.mark.parametrize("grid", [ONE, Fraction(1, 3)])
@pytest.mark.parametrize("threshold", [-20, 0, 1, 9, 40])
def test_it_is_the_sum_rounded_up(query, law, rounds, grid, threshold):
    plan = any_plan(query, law, 1, 2, monotonic=True, rounds=rounds, grid=grid)
    exact = expected(plan, Fraction(threshold), rounds)
    found = unlisted_delta(plan, threshold, 1)
    assert min(1.0, exact) * (1 - 1e-13) <= found <= exact * (1 + 3e-9) + 1e-24


@pytest.mark.one_in(3)
@pytest.mark.parametrize("law", [Laplace, Gaussian])
@pytest.mark.parametrize("fineness", [4000, 15_000])
@pytest.mark.parametrize("threshold", [2, 30])
def test_a_fine_grid_is_summed_in_blocks_each_at_its_worst(law, fineness, threshold):
    plan = any_plan(Gumbel(2), law(1), 0, 1, monotonic=True, grid=Fraction(1, fineness))
    assert 2 * 60 * fineness > MOST_POINTS
    exact = expected(plan, Fraction(threshold), 1)
    found = unlisted_delta(plan, threshold, 1)
    block = math.ceil((2 * 60 * fineness + (threshold - 1) * fineness) / MOST_POINTS)
    # A block's points are off by less than its width, and both laws fall by scale or faster.
    width = (block + 1) / fineness
    assert found > exact * (1 + 1e-6)
    assert found <= exact * (1 + (12 if law is Gaussian else 2) * width)


def test_a_fine_grid_far_out_in_the_tail():
    """Only a threshold noise of fifteen deviations brings the item over the bar."""
    plan = any_plan(Gumbel("0.1"), Gaussian(1), 0, 1, monotonic=True, grid=Fraction(1, 4000))
    exact = expected(plan, Fraction(16), 1)
    assert 1e-50 < exact < 1e-40
    assert exact < unlisted_delta(plan, 16, 1) < exact * 1.02


def test_a_far_threshold_in_blocks_still_counts_all_of_narrow_noise():
    # The gap makes the blocks, not the noise: most of the law lies in one of them.
    far = 3 * MOST_POINTS
    query = Gumbel(Fraction(far, 10))
    plan = any_plan(query, Gaussian(1), 0, 1, monotonic=True, grid=ONE, rounds=1)
    points = np.arange(-40.0, 41.0)
    masses = np.exp(-points * points / 2)
    masses /= masses.sum()
    place = (far - 1 + points) / (far / 10)
    truth = float(np.sum(masses * -np.expm1(-np.exp(-place))))
    assert truth <= unlisted_delta(plan, far, 1) < 1.1 * truth


def test_items_and_rounds_add_up():
    plan = any_plan(Gumbel(2), Laplace(3), 0, 4, monotonic=True, rounds=3)
    once = unlisted_delta(plan, 50, 1)
    assert unlisted_delta(plan, 50, 7) == pytest.approx(7 * once, rel=1e-12)
    assert unlisted_delta(plan, -50, 7) == 1.0


def test_the_threshold_is_rounded_up_to_the_grid_as_a_release_does():
    plan = any_plan(Gumbel(2), Laplace(3), 0, 1, monotonic=True)
    assert unlisted_delta(plan, "19.2", 1) == unlisted_delta(plan, 20, 1)
    assert unlisted_delta(plan, "20.2", 1) < unlisted_delta(plan, 20, 1)
    corrected = any_plan(Gumbel(2), Laplace(3), 4, 1, monotonic=True)
    assert unlisted_delta(corrected, "15.5", 1) == unlisted_delta(plan, 20, 1)


def test_chances_far_below_what_one_minus_keeps():
    """S of 1e-30 is not lost in 1 - S."""
    plan = any_plan(Exponential(1), None, 0, 1, monotonic=True, rounds=2)
    for gap in (25, 70, 400):
        exact = 2 * math.exp(-gap)
        assert exact <= unlisted_delta(plan, gap + 1, 1) <= exact * (1 + 2e-9)


def test_refusals():
    def plan(**more):
        return any_plan(Gumbel(2), Laplace(3), 0, 1, monotonic=True, **more)

    with pytest.raises(NoGuaranteeError, match="unlimited rounds"):
        unlisted_delta(plan(rounds=None), 5, 1)
    for online in ({"max_queries": 5}, {"resample": True}):
        with pytest.raises(NoGuaranteeError, match="found in a batch, which has neither"):
            unlisted_delta(plan(**online), 5, 1)
    with pytest.raises(ParameterError, match="items_per_person"):
        unlisted_delta(plan(), 5, 0)


@pytest.mark.parametrize("law", [None, Laplace(2), Gaussian(2)], ids=str)
@pytest.mark.parametrize("threshold", [600, 745, 800, 10**4, 10**9, "1e90"])
def test_it_is_never_zero(law, threshold):
    """A chance below every float is a chance: zero would say that such items are free."""
    for rounds in (1, 10**18):
        plan = any_plan(Exponential(1), law, 0, 2, monotonic=True, rounds=rounds, grid=ONE)
        assert 0 < unlisted_delta(plan, threshold, 1) < 1e-100


@pytest.mark.parametrize("rounds", [1, 10**6, 10**18])
@pytest.mark.parametrize("gap", [690, 700, 708, 710, 744, 745, 746, 760])
def test_it_stays_above_the_truth_where_floats_end(rounds, gap):
    """Without noise on the threshold 1 - F^R is at most R·e^-gap, and as good as equal to it."""
    plan = any_plan(Exponential(1), None, 0, 2, monotonic=True, rounds=rounds, grid=ONE)
    found = unlisted_delta(plan, gap + 1, 3)
    truth = math.log(3 * rounds) - gap
    assert math.log(found) >= truth
    if gap < 700:
        assert math.log(found) < truth + 1e-3


@pytest.mark.parametrize(
    "plan",
    [
        any_plan(Laplace(1), None, 0, 5, mechanism="histogram", items_per_person=2),
        any_plan(Gumbel(9), None, 0, 5, items_per_person=2),
    ],
)
def test_a_plan_for_fewer_items_is_refused(plan):
    """It has no guarantee for so many; that of a histogram was told for its own few."""
    assert 0 < unlisted_delta(plan, 100, 2) < 1
    with pytest.raises(NoGuaranteeError, match="at most 2 items"):
        unlisted_delta(plan, 100, 3)
