"""Plans made by hand with odd numbers or odd noises: refused or bounded, never understated."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError, OverbarError, ParameterError
from overbar.integrations.loss_distribution import loss_distribution
from overbar.mechanisms.together import composed
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import guarantee, spent
from overbar.privacy.arrivals import race
from overbar.privacy.hazard import log_excess_slower
from overbar.privacy.reading import log_delta_of
from overbar.privacy.threshold_loss import LaplaceShift, shift_losses, shift_renyi
from overbar.runs import SparseVector
from tests.reference.logistic import Logistic
from tests.reference.plans import any_plan


class SteepLaplace(Laplace):
    """Three times as steep as the law it derives from."""

    def unit_logpdf(self, z):
        return super().unit_logpdf(3 * z) + math.log(3)

    def unit_logcdf(self, z):
        return super().unit_logcdf(3 * z)

    def unit_logsf(self, z):
        return super().unit_logsf(3 * z)


class SteepGumbel(Gumbel):
    def unit_logcdf(self, z):
        return super().unit_logcdf(3 * z)

    def unit_logsf(self, z):
        return super().unit_logsf(3 * z)


class RenamedGumbel(Gumbel):
    """The same law, and the release's own."""


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize(
    ("query", "threshold"),
    [
        (Logistic(5), Laplace(7)),
        (Exponential(5), Logistic(7)),
        (SteepLaplace(5), Laplace(7)),
        (Exponential(5), SteepLaplace(7)),
        (SteepGumbel(5), Laplace(7)),
        (SteepGumbel(5), None),
    ],
)
def test_nothing_is_proved_about_a_law_of_ones_own(query, threshold, resample):
    """What was measured, or proved about the class it derives from, is no proof."""
    with pytest.raises(NoGuaranteeError):
        guarantee(any_plan(query, threshold, 0, 3, resample=resample))


def test_a_law_may_state_its_own_constant_but_is_not_drawn_as_another():
    class Steeper(SteepLaplace):
        unit_log_survival_constant = 3

        def unit_logsf(self, z):
            return super().unit_logsf(z)

    plan = any_plan(Steeper(5), Laplace(7), 0, 3)
    assert guarantee(plan).at() == Fraction(1, 7) + 3 * 3 * Fraction(2, 5)
    with pytest.raises(ParameterError, match="drawn exactly"):
        SparseVector(plan, threshold=0)
    mild = type("Mild", (Laplace,), {"unit_log_density_fall": Fraction(1, 2)})
    with pytest.raises(ParameterError, match="drawn exactly"):
        SparseVector(any_plan(Exponential(5), mild(7), 0, 3), threshold=0)


def test_the_same_law_under_another_name_keeps_its_pure_guarantee():
    plan = any_plan(RenamedGumbel(5), Laplace(7), 0, 3)
    assert guarantee(plan).at() == Fraction(1, 7) + 3 * Fraction(2, 5)


@pytest.mark.parametrize("positives", [-4, 40, 1.5])
@pytest.mark.parametrize(
    ("query", "threshold"),
    [(Exponential(5), Laplace(7)), (Gumbel(5), None), (Gumbel(5), Gaussian(5))],
)
def test_what_was_spent_after_an_impossible_number_of_positives(query, threshold, positives):
    plan = any_plan(query, threshold, 0, 3)
    with pytest.raises(ParameterError, match="positives"):
        spent(plan, positives)


def test_hardly_any_noise_on_queries_and_none_on_the_threshold():
    """The slower law's loss is about e^1000 with near certainty."""
    assert log_excess_slower(2, 1000.0, [5.0])[0] == 0.0
    assert log_excess_slower(2, 1000.0, [-2000.0])[0] <= 0.0
    for rise in (0.0, 1000.0):
        assert log_delta_of(race(2, rise, 1000.0, None).steps, 5.0) == 0.0
        assert -13.8 < log_delta_of(race(2, rise / 100, 10.0, None).steps, 5.0) <= 0.0
        with pytest.raises(NoGuaranteeError, match="noise"):
            guarantee(any_plan(Gumbel("1e-3"), None, 0, 2, monotonic=not rise))


@pytest.mark.parametrize("epsilon", [800.0, 2000.0, 1e90])
@pytest.mark.parametrize("steps", [None, 1, 7])
def test_hardly_any_noise_on_the_threshold(epsilon, steps):
    shift = LaplaceShift(epsilon, steps)
    pair = shift_losses(shift, 60.0)
    assert pair.losses.max() >= epsilon
    assert 1 <= pair.masses.sum() < 1 + 1e-9
    assert epsilon - 2 <= shift_renyi(shift, 2.0) <= epsilon


def test_a_loss_distribution_beyond_what_floats_hold_is_refused():
    with pytest.raises(OverbarError):
        loss_distribution(any_plan(Gumbel(1), None, 0, 2000))
    found = loss_distribution(any_plan(Gumbel(1), None, 0, 50))
    assert np.all(np.isfinite(found.masses))


def test_a_run_that_has_given_nothing_has_cost_nothing_at_any_order():
    """An order at which a positive has no bound was no number before the first."""
    plan = any_plan(Gumbel(9), None, 0, 5)
    assert [spent(plan, 0).renyi(order) for order in (1.5, 50.0, 1e12)] == [0, 0, 0]
    assert spent(plan, 1).renyi(50.0) == math.inf


@pytest.mark.parametrize("counts", [Laplace, Gaussian])
def test_a_loss_beyond_all_numbers_is_said(counts):
    tiny = Fraction(1, 10**50)
    for labels in (
        any_plan(Gumbel(tiny), None, 0, 5, is_top=True, mechanism="ranked"),
        any_plan(Gaussian(tiny), None, 0, 5, mechanism="histogram", items_per_person=3),
    ):
        assert "epsilon=" in repr(guarantee(composed(labels, counts=counts(tiny))))
