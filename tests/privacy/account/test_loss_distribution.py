"""The exported loss distribution dominates the run and is close to it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.plans import Repeats
from overbar.privacy import guarantee
from overbar.privacy.loss_distribution import (
    LossDistribution,
    _lower_hull,
    _product,
    connect_the_dots,
    loss_distribution,
    race_loss_distribution,
)
from overbar.privacy.partial_shift import PARTIAL_SHIFT
from overbar.privacy.race import RACE
from tests.reference.plans import any_plan

pytestmark = pytest.mark.one_in(5)


@pytest.mark.parametrize("threshold", [Laplace(50), Gaussian(20), None])
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize(("cutoff", "scale"), [(3, 5), (50, 24), (500, 90)])
def test_it_dominates_and_is_close(threshold, monotonic, cutoff, scale):
    plan = any_plan(Gumbel(scale), threshold, 0, cutoff, monotonic=monotonic)
    exported = race_loss_distribution(plan)
    assert np.all(exported.masses >= 0)
    assert exported.masses.sum() + exported.infinite == pytest.approx(1, abs=1e-6)
    for delta in (1e-2, 1e-6, 1e-9):
        epsilon = RACE.epsilon(plan, delta)
        exact, slack = RACE.delta(plan, epsilon), 1e-9
        if threshold and PARTIAL_SHIFT.epsilon(plan, 1e-6) < RACE.epsilon(plan, 1e-6):
            # Chords cut off kinks.
            exact, slack = min(exact, PARTIAL_SHIFT.delta(plan, epsilon)), 0.01
        # The curve is exact at grid points; without threshold noise in general it is a hull.
        assert exact * (1 - slack) <= exported.delta(epsilon) <= exact * 1.01


def test_a_coarse_interval_is_still_a_bound():
    plan = any_plan(Gumbel(24), Laplace(50), 0, 50, monotonic=True)
    fine, coarse = (race_loss_distribution(plan, width) for width in (1e-4, 0.05))
    for epsilon in np.linspace(0, 1.5, 16):
        assert coarse.delta(epsilon) >= fine.delta(epsilon) * (1 - 1e-9)
    with pytest.raises(ParameterError, match="interval must be at least"):
        race_loss_distribution(plan, 1e-12)
    for wrong in (0, -0.1, float("nan")):
        with pytest.raises(ParameterError, match="interval must be at least"):
            race_loss_distribution(plan, wrong)


def test_resampled_runs_are_covered():
    plan = any_plan(Gumbel(24), Laplace(Fraction(100)), 0, 10, monotonic=True, resample=True)
    exported = race_loss_distribution(plan)
    assert exported.delta(0.3) >= RACE.delta(plan, 0.3) * (1 - 1e-9)


@pytest.mark.parametrize(
    "plan",
    [
        any_plan(Exponential(20), Laplace(5), 0, 10),
        any_plan(Exponential(100), Laplace(100), 0, 30, resample=True),
        any_plan(Gaussian(60), Gaussian(40), 0, 3, max_queries=50),
        any_plan(Gaussian(5), None, 0, 5, mechanism="histogram", items_per_person=2),
        any_plan(Laplace(5), None, 0, 5, mechanism="histogram", items_per_person=2),
        any_plan(Exponential(20), Exponential(5), 0, 5, mechanism="ranked"),
    ],
)
def test_plans_beyond_the_companion_theorem(plan):
    exported = loss_distribution(plan)
    for epsilon in (0.1, 0.4, 0.9):
        exact = guarantee(plan).delta(epsilon)
        assert exported.delta(epsilon) <= exact * 1.01 + 1e-12
        # A profile is convex, so the hull of a mere bound may lie below the bound.
        if getattr(plan, "repeats", Repeats()).max_queries is None:
            assert exported.delta(epsilon) >= exact * (1 - 1e-9)


def test_no_distribution_without_a_guarantee():
    with pytest.raises(NoGuaranteeError):
        loss_distribution(any_plan(Gaussian(60), Gaussian(40), 0, 3))


def test_randomised_response_comes_back_whole():
    """A profile with one chord is the pair it came from."""
    losses = np.array([-1.0, 0.0, 1.0])
    p = np.e / (1 + np.e)
    profile = np.maximum(p - np.exp(losses) * (1 - p), 0) + np.maximum(
        1 - p - np.exp(losses) * p, 0
    )
    pair = connect_the_dots(profile, -1, 1.0)
    assert pair.masses == pytest.approx([1 - p, 0, p], abs=1e-12)
    assert pair.infinite == pytest.approx(0, abs=1e-15)


def test_the_hull_leaves_out_what_lies_above_it():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 6.0])
    y = np.array([9.0, 6.0, 6.0, 2.0, 1.0, 0.0])
    assert _lower_hull(x, y).tolist() == [0, 1, 3, 4, 5]
    convex = x * x
    assert _lower_hull(x, convex).tolist() == [0, 1, 2, 3, 4, 5]
    assert _lower_hull(x, -convex).tolist() == [0, 5]
    assert _lower_hull(x, x).tolist() == [0, 1, 2, 3, 4, 5]  # on a line all are kept


@pytest.mark.parametrize("resample", [False, True])
def test_no_mass_is_lost_where_runs_are_pure(resample):
    exported = loss_distribution(any_plan(Exponential(20), Laplace(5), 0, 10, resample=resample))
    assert 1 <= math.fsum(exported.masses) + exported.infinite <= 1 + 1e-11


def test_what_is_infinite_in_one_pair_is_infinite_in_the_product():
    one = LossDistribution(0.5, -1, np.array([0.2, 0.5]), 0.3)
    two = LossDistribution(0.5, 2, np.array([0.6, 0.3]), 0.1)
    both = _product(one, two)
    assert both.infinite >= 0.3 + 0.1 - 0.3 * 0.1
    assert both.infinite == pytest.approx(0.4)
    assert both.losses.tolist() == [0.5, 1.0, 1.5]
    assert both.masses == pytest.approx([0.12, 0.06 + 0.3, 0.15])
