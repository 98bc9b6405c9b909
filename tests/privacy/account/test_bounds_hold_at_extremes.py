"""Bounds stay bounds where margins are thin: far levels, largest losses, tiny and coarse steps."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.noise import Gaussian, Gumbel, Laplace
from overbar.privacy.hazard import (
    hazard_step,
    log_excess_faster,
    log_excess_slower,
    scale_for_hazard_step,
)
from overbar.privacy.race import Race
from overbar.privacy.read_off_candidates import MOST_POINTS, unlisted_delta
from overbar.privacy.renyi import pure_renyi
from overbar.privacy.threshold_loss import LaplaceShift, gaussian_losses
from tests.reference.plans import any_plan

ONE = Fraction(1)


def exact_slower(cutoff, step, level):
    """Difference of two incomplete gamma functions, with digits to spare."""
    with mpmath.workdps(60):
        step, level = mpmath.mpf(step), mpmath.mpf(level)
        g = (cutoff * step + level) / mpmath.expm1(step)
        first = mpmath.gammainc(cutoff, g, regularized=True)
        second = mpmath.gammainc(cutoff, g * mpmath.exp(step), regularized=True)
        return mpmath.log(first - mpmath.exp(level) * second)


def exact_faster(cutoff, step, level):
    """The same for fast arrivals, with more digits: the two agree in many."""
    with mpmath.workdps(80):
        step, level = mpmath.mpf(step), mpmath.mpf(level)
        g = (cutoff * step - level) / -mpmath.expm1(-step)
        first = mpmath.gammainc(cutoff, 0, g, regularized=True)
        second = mpmath.gammainc(cutoff, 0, g * mpmath.exp(-step), regularized=True)
        return mpmath.log(first - mpmath.exp(level) * second)


@pytest.mark.parametrize(
    ("cutoff", "step", "level"),
    [(2, 0.1, 20.0), (2, 1.0, 400.0), (5, 0.3, 60.0), (50, 0.1, 5.0), (1000, 0.01, 1.0)],
)
def test_the_tail_of_slow_arrivals_is_neither_cut_off_nor_missed(cutoff, step, level):
    bound = float(log_excess_slower(cutoff, step, np.array([level]))[0])
    above = float(bound - exact_slower(cutoff, step, level))
    assert 0 <= above < 1e-9


def test_the_margin_grows_with_the_level():
    # One slow arrival: the log is ln(rate/(1 + rate)) - g. The last digit of g is above 1e-11 here.
    levels = np.linspace(2e5, 2e6, 40)
    step = 0.7
    bounds = log_excess_slower(1, step, levels)
    with mpmath.workdps(60):
        rate = mpmath.expm1(mpmath.mpf(step))
        top = mpmath.log(rate / (1 + rate))
        above = [
            mpmath.mpf(float(bound)) - (top - (mpmath.mpf(step) + mpmath.mpf(float(level))) / rate)
            for bound, level in zip(bounds, levels, strict=True)
        ]
    assert min(above) >= 0


@pytest.mark.parametrize(("cutoff", "step"), [(40, 6.0), (100, 1.0), (40, 0.1)])
def test_two_gamma_functions_that_agree_in_many_digits_still_leave_a_bound(cutoff, step):
    # Below the largest loss by less and less: their ratio rises to one, their difference falls.
    gaps = np.geomspace(1e-12, 5.0, 40)
    levels = cutoff * step - gaps
    bounds = log_excess_faster(cutoff, step, levels)
    exact = [exact_faster(cutoff, step, float(level)) for level in levels]
    above = np.array([float(mpmath.mpf(float(b)) - e) for b, e in zip(bounds, exact, strict=True)])
    assert np.all(above >= 0)
    assert np.all(above < 1e-10 * (2 + 3 * cutoff / gaps))


@pytest.mark.parametrize("threshold", [1.2, 1.21, 1.4, 1.63, 1.87, 1.95])
@pytest.mark.parametrize("last_digits", [1, 2, 3])
def test_one_digit_below_the_largest_loss_the_delta_still_holds(threshold, last_digits):
    # The step is far smaller than the threshold's loss, so its last digits decide.
    step = 2.0**-40
    epsilon = threshold + step - last_digits * math.ulp(threshold)
    gap = float(Fraction(threshold) + Fraction(step) - Fraction(epsilon))
    assert gap > 0
    rate = -math.expm1(-step)
    g = gap / rate
    # Randomised response says the worst, then the one arrival comes before g; a lower bound.
    least = -math.log1p(math.exp(-threshold)) + math.log(rate * g * g / 2) - 2 * g
    race = Race(1, step, LaplaceShift(threshold, 1), monotonic=False)
    assert race.log_delta(epsilon) >= least


def test_a_laplace_scale_keeps_to_the_step_it_was_chosen_for():
    # For tiny steps the search begins at its answer, which therefore has to be safe by itself.
    for step in [*np.geomspace(1e-12, 1e-7, 300).tolist(), 0.01, 1.0, 5.0]:
        reached = hazard_step(Laplace(scale_for_hazard_step("laplace", ONE, step)), ONE)
        assert step * (1 - 1e-9) < reached <= step


@pytest.mark.parametrize("epsilon", [61.0, 64.0, 70.0])
def test_at_orders_next_to_one_a_large_epsilon_costs_its_divergence(epsilon):
    # The order-one divergence of randomised response, ε·tanh(ε/2), is below every higher order's.
    assert pure_renyi(epsilon, math.nextafter(1.0, 2.0)) >= epsilon * math.tanh(epsilon / 2)


@pytest.mark.parametrize("distance", [40.0, 64.0, 100.0])
def test_the_tail_of_noise_far_below_the_grid_is_above_the_truth_by_more_than_rounding(distance):
    # One grid step is many deviations: three points from the centre on there is one term alone.
    tail = gaussian_losses(distance, 1, 9.0).log_beyond
    truth = -((3 * distance) ** 2) / 2
    assert truth + 2 * math.ulp(truth) < tail < truth + 1e-8


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
