"""The exported loss distribution dominates the run and is close to it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.integrations.loss_distribution import (
    _lower_hull,
    connect_the_dots,
    loss_distribution,
)
from overbar.mechanisms import Repeats
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import guarantee
from overbar.privacy.account import account_of
from overbar.privacy.reading import epsilon_of, log_delta_of
from overbar.privacy.steps import spread_of
from tests.reference.plans import any_plan
from tests.reference.ways import truth

pytestmark = pytest.mark.one_in(5)


@pytest.mark.parametrize("threshold", [Laplace(50), Gaussian(20), None])
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize(("cutoff", "scale"), [(3, 5), (50, 24), (500, 90)])
def test_it_is_close_to_what_is_claimed(threshold, monotonic, cutoff, scale):
    plan = any_plan(Gumbel(scale), threshold, 0, cutoff, monotonic=monotonic)
    exported = loss_distribution(plan)
    assert np.all(exported.masses >= 0)
    assert exported.masses.sum() + exported.infinite == pytest.approx(1, abs=1e-6)
    way = account_of(plan).way(math.log(1e-6))
    for log_delta in (-5.0, -13.8, -20.0):
        epsilon = epsilon_of(way, log_delta)
        found = exported.delta(epsilon) / math.exp(log_delta)
        assert 0.99 < found < (1.02 if cutoff > 3 else 1.5)  # it ends where little is left


SMALL = {
    "race": any_plan(Gumbel(8), Laplace(5), 0, 3, monotonic=True, grid=Fraction(1, 4)),
    "uneven": any_plan(Gumbel(8), Gaussian(9), 0, 2, grid=Fraction(1, 4)),
    "bare, one way": any_plan(Gumbel(8), None, 0, 3, monotonic=True),
    "top": any_plan(Gumbel(8), None, 0, 3, monotonic=True, mechanism="ranked", is_top=True),
    "redrawn": any_plan(Gumbel(8), Laplace(5), 0, 2, monotonic=True, resample=True),
}


@pytest.mark.parametrize("name", SMALL)
def test_it_dominates_at_every_level(name):
    """On both sides of zero, and for the other direction: what is turned around is no more."""
    exported = loss_distribution(SMALL[name])
    way = account_of(SMALL[name]).way(math.log(1e-6))
    levels = [share * spread_of(way) for share in (-2, -0.7, -0.1, 0.0, 0.3, 1, 2)]
    for level, known in zip(levels, truth(way, levels), strict=True):
        least = known.value * (1 - 1.5 * known.error) if known.value else 0.0
        assert least <= exported.delta(level) <= 1.05 * known.value + 1e-6
        if level < 0:
            turned = 1 - math.exp(level) * (1 - exported.delta(-level))
            assert exported.delta(level) >= turned * (1 - 2e-3) or name == "bare, one way"


def test_a_coarse_interval_is_still_a_bound():
    plan = any_plan(Gumbel(24), Laplace(50), 0, 50, monotonic=True)
    way, coarse = account_of(plan).way(math.log(1e-6)), loss_distribution(plan, 0.05)
    for epsilon in np.linspace(0, 1.5, 16):
        assert math.log(coarse.delta(epsilon)) >= log_delta_of(way, epsilon) - 0.01
    for wrong in (1e-12, 0, -0.1, float("nan")):
        with pytest.raises(ParameterError, match="interval must be at least"):
            loss_distribution(plan, wrong)


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
def test_other_plans(plan):
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
    assert 1 <= math.fsum(exported.masses) + exported.infinite <= 1 + 1e-8
