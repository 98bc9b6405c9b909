"""Plans inside Google's accountants."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError
from overbar.integrations.loss_distribution import LossDistribution, loss_distribution
from overbar.mechanisms import Plan
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import guarantee
from tests.reference.plans import any_plan, other_plan

pytestmark = pytest.mark.one_in(3)

dp_accounting = pytest.importorskip("dp_accounting")
dp_event = dp_accounting.dp_event
integration = pytest.importorskip("overbar.integrations.dp_accounting")

PLANS = {
    "pure": any_plan(Exponential(20), Laplace(5), 0, 10, monotonic=True),
    "race": any_plan(Gumbel(24), Laplace(50), 0, 50, monotonic=True),
    "shifted in part": any_plan(Gumbel(18), Laplace(50), 0, 50, monotonic=True, grid="0.015625"),
    "race, gaussian threshold": any_plan(Gumbel(24), Gaussian(20), 0, 50, monotonic=True),
    "bare, monotonic": any_plan(Gumbel(30), None, 0, 50, monotonic=True),
    "bare": any_plan(Gumbel(40), None, 0, 50),
    "top": any_plan(Gumbel(16), None, 0, 50, monotonic=True, is_top=True, mechanism="ranked"),
    "resampled": any_plan(Exponential(100), Laplace(100), 0, 30, resample=True),
    "capped": any_plan(Gaussian(60), Gaussian(40), 0, 3, max_queries=50),
}


@pytest.mark.parametrize("name", PLANS)
def test_round_trip_of_one_run(name):
    """What their accountant says about one run is what we say, and never less."""
    plan = PLANS[name]
    pld = integration.to_pld(plan, 1e-3)
    for delta in (1e-3, 1e-6):
        ours = float(guarantee(plan).at(delta))
        theirs = pld.get_epsilon_for_delta(delta)
        # The least of many curves has kinks, and the true curve cannot: chords cut them off.
        # The best adversary is asked at few levels, so that theirs is above ours at a large δ.
        slack, more = (1e-4, 1.07) if name == "shifted in part" else (1e-9, 1.01)
        assert ours * (1 - slack) <= theirs <= ours * more + 2e-3


@pytest.mark.parametrize("name", PLANS)
def test_one_run_with_a_gaussian_and_a_subsampled_gaussian(name):
    plan = PLANS[name]
    others = (
        dp_event.GaussianDpEvent(4.0),
        dp_event.SelfComposedDpEvent(
            dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0)), 100
        ),
    )
    alone = integration.PLDAccountant(value_discretization_interval=1e-3)
    for other in others:
        alone.compose(other)
    together = integration.PLDAccountant(value_discretization_interval=1e-3)
    together.compose(dp_event.ComposedDpEvent([integration.event(plan), *others]))
    by_renyi = integration.RdpAccountant()
    by_renyi.compose(dp_event.ComposedDpEvent([integration.event(plan), *others]))
    run = float(guarantee(plan).at(5e-6))
    low, high = alone.get_epsilon(1e-5), alone.get_epsilon(5e-6)
    value = together.get_epsilon(1e-5)
    assert low < value < high + run + 1e-2  # between free of charge and added up
    assert value <= by_renyi.get_epsilon(1e-5) * 1.02 < math.inf


def test_repeated_runs_compose_better_than_they_add():
    plan = PLANS["race"]
    accountant = integration.PLDAccountant(value_discretization_interval=1e-3)
    accountant.compose(integration.event(plan), 4)
    four = accountant.get_epsilon(1e-6)
    one = float(guarantee(plan).at(1e-6))
    assert 1.8 * one < four < 3 * one


def test_events_are_values_and_are_checked():
    made = integration.event(PLANS["race"])
    assert made == integration.event(PLANS["race"])
    assert Plan.from_json(made.plan) == PLANS["race"]
    with pytest.raises(NoGuaranteeError):
        integration.event(any_plan(Gaussian(5), Gaussian(5), Fraction(0), 3))
    # Theirs, without our event, says so instead of guessing.
    theirs = dp_accounting.pld.PLDAccountant()
    assert not theirs.supports(made)
    assert integration.PLDAccountant().supports(made)


#: Plans in groups, of which each has a threshold of its own: (the plan, the groups, the step).
IN_GROUPS = [
    (any_plan(Gumbel(24), Laplace(50), 0, 5, monotonic=True), 12, 1e-3),
    (any_plan(Gumbel(120), Laplace(250), 0, 3, monotonic=True), 300, 2e-3),
    (any_plan(Exponential(900), Laplace(700), 0, 2, monotonic=True), 1000, 1e-3),
]
LEVELS = np.linspace(0, 4, 30)


def by_plain_sums(plan, times, interval):
    """The deltas of so many runs: masses are multiplied and added, and nothing is subtracted."""
    one = loss_distribution(plan, interval)
    masses = np.ones(1)
    for digit in f"{times:b}":
        masses = np.convolve(masses, masses)
        masses = np.convolve(masses, one.masses) if digit == "1" else masses
    infinite = -math.expm1(times * math.log1p(-one.infinite))
    whole = LossDistribution(interval, times * one.first, masses, infinite)
    return np.array([whole.delta(level) for level in LEVELS])


@pytest.mark.parametrize(("plan", "times", "interval"), IN_GROUPS)
def test_equal_parts_are_composed_at_once_and_never_below(plan, times, interval, monkeypatch):
    asked = []
    monkeypatch.setattr(
        integration,
        "loss_distribution",
        lambda *given: asked.append(given) or loss_distribution(*given),
    )
    several = other_plan(plan, groups=times, groups_per_person=times)
    found = np.array(integration.to_pld(several, interval).get_delta_for_epsilon(LEVELS))
    assert len(asked) == 1  # and not one for each
    wanted = by_plain_sums(plan, times, interval)
    assert np.all(found >= wanted)
    assert np.all(found <= wanted * (1 + 1e-12) + 2e-14 * times)


def test_control_without_what_rounding_takes_it_is_below(monkeypatch):
    monkeypatch.setattr(integration, "LOST", 0.0)
    for plan, least, interval in IN_GROUPS:
        for times in range(least, min(1000, 2 * least) + 1, 50):
            several = other_plan(plan, groups=times, groups_per_person=times)
            found = np.array(integration.to_pld(several, interval).get_delta_for_epsilon(LEVELS))
            if np.any(found < by_plain_sums(plan, times, interval)):
                return
    pytest.fail("it is never below")


def test_a_plan_of_several_parts_counts_them_all():
    first = any_plan(Exponential(10), Exponential(10), 0, 5, monotonic=True, mechanism="ranked")
    second = any_plan(Gaussian(4), None, 0, 9, mechanism="histogram", items_per_person=1)
    whole = integration.to_pld(other_plan(first, first=second), 1e-3)
    exact = guarantee(other_plan(first, first=second)).at("1e-6")
    assert exact * 0.999 < whole.get_epsilon_for_delta(1e-6) < exact * 1.01
    for part in (first, second):  # control: one part alone is less
        assert integration.to_pld(part, 1e-3).get_epsilon_for_delta(1e-6) < exact * 0.9
