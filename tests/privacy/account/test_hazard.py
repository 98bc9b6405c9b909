"""The hazard step of each noise; numbers of a race against interval arithmetic and limits."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.errors import NoGuaranteeError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.noise.contract import measured_constant
from overbar.privacy.hazard import (
    base_renyi,
    hazard_step,
    laplace_hazard_step,
    log_excess_faster,
    log_excess_slower,
)
from tests.reference.divergence import log_faster, log_slower
from tests.reference.logistic import Logistic

pytestmark = pytest.mark.one_in(5)


def test_gumbel_is_exact_and_rounded_up():
    for shift, scale in ((1, 3), (2, 7), (Fraction(1, 3), Fraction(10, 7))):
        value = hazard_step(Gumbel(scale), Fraction(shift))
        exact = Fraction(shift) / Fraction(scale)
        assert 0 <= Fraction(value) - exact < Fraction(1, 10**15) * exact


def laplace_supremum(move):
    """Golden section in 40 digits."""

    def gain(x):
        hazards = [
            mpmath.log(2) - z if z <= 0 else -mpmath.log1p(-mpmath.exp(-z) / 2)
            for z in (x, x + move)
        ]
        return mpmath.log(hazards[0] / hazards[1])

    with mpmath.workdps(40):
        low, high = -mpmath.mpf(move), mpmath.mpf(0)
        for _ in range(180):
            left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
            low, high = (left, high) if gain(left) < gain(right) else (low, right)
        return gain(low)


@pytest.mark.parametrize("move", [1e-9, 1e-7, 1e-4, 0.05, 0.7, 2.0, 15.0, 60.0, 400.0])
def test_laplace_supremum(move):
    value, exact = laplace_hazard_step(move), laplace_supremum(move)
    assert value >= exact
    assert value == pytest.approx(float(exact), rel=1e-7 if move < 1e-6 else 1e-12)


@pytest.mark.parametrize("move", [1e-30, 3e-20, 7e-17, 0.1e-7])
def test_tiny_moves_are_not_rounded_down(move):
    """There the supremum is move/ln 2, but for a share of `move` itself."""
    with mpmath.workdps(60):
        exact = mpmath.mpf(move) / mpmath.log(2)
        assert exact * (1 - move) <= laplace_hazard_step(move) <= exact * (1 + 1e-14)


def test_no_gap_moves_laplace_further():
    noise, shift = Laplace(3), 2.0
    x = np.linspace(-40, 60, 200_001)
    moved = noise.log_hazard(x) - noise.log_hazard(x + shift)
    value = hazard_step(noise, Fraction(2))
    assert moved.max() <= value
    assert moved.max() == pytest.approx(value, rel=1e-8)
    assert moved.max() > shift / 3 * 1.2  # control: shift/scale alone is not enough


def test_refusals():
    for noise in (Exponential(1), Gaussian(1), Logistic(2)):
        with pytest.raises(NoGuaranteeError, match=f"log-hazard of {noise.name} noise"):
            hazard_step(noise, Fraction(1))
    # Its H is ln(1 + e^-z), whose log has slope at most one.
    assert measured_constant(Logistic(2).log_hazard) == pytest.approx(0.5, rel=1e-2)


CUTOFFS = (1, 2, 3, 5, 29, 30, 50, 500, 3000, 10**5, 10**6)


def cases(seed, count, *, slower):
    """Random cutoffs, steps and levels, with values from one half down to 1e-300."""
    rng = np.random.default_rng(seed)
    while count:
        cutoff = int(rng.choice(CUTOFFS))
        step = float(10 ** rng.uniform(-7, 0.8))
        spread = math.expm1(step) if slower else -math.expm1(-step)
        centre = cutoff * (spread - step if slower else step - spread)
        level = centre + spread * math.sqrt(cutoff) * float(rng.uniform(-2, 37))
        if abs(level) < 1000 and (slower or level < cutoff * step):
            count -= 1
            yield cutoff, step, level


@pytest.mark.parametrize("slower", [False, True])
def test_hockey_sticks_are_upper_bounds_to_ten_digits(slower):
    function, reference = (
        (log_excess_slower, log_slower) if slower else (log_excess_faster, log_faster)
    )
    smallest = 0.0
    for cutoff, step, level in cases(3, 300, slower=slower):
        value = float(function(cutoff, step, np.array([level]))[0])
        if value < math.log(1e-300):
            continue
        smallest = min(smallest, value)
        error = float(value - reference(cutoff, step, level))
        assert 0 <= error < 2e-10, (cutoff, step, level)
    assert smallest < -550


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


@pytest.mark.parametrize("cutoff", [1, 7, 10**6])
@pytest.mark.parametrize("step", [1e-12, 1e-6, 1e-3, 1.0, 100.0])
@pytest.mark.parametrize("level", [-1.0, 0.0, 1e-4, 1.0, 100.0])
def test_extreme_numbers_stay_finite(cutoff, step, level):
    for function in (log_excess_faster, log_excess_slower):
        value = float(function(cutoff, step, np.array([level]))[0])
        assert not math.isnan(value)
        assert value <= 0
        # Losses add up to at most this: above it nothing is left of the faster side.
        # At it, by a float, the last digit of the losses is in doubt.
        if function is log_excess_faster and level >= cutoff * step:
            assert value < -55
            assert float(function(cutoff, step, np.array([level * (1 + 1e-14)]))[0]) == -math.inf


def test_both_directions_of_one_pair_mirror_each_other():
    """δ(-ε) of a pair is 1 - e^-ε + e^-ε·δ(ε) of the swapped pair."""
    for cutoff, step, level in ((4, 0.3, 0.5), (60, 0.05, 0.2), (1, 2.0, 0.1)):
        there = math.exp(log_excess_faster(cutoff, step, [-level])[0])
        back = math.exp(log_excess_slower(cutoff, step, [level])[0])
        assert there == pytest.approx(1 - math.exp(-level) * (1 - back), rel=1e-9)


def renyi_by_quadrature(step, order):
    with mpmath.workdps(40):
        rate, a = mpmath.exp(mpmath.mpf(step)), mpmath.mpf(order)

        def p(t):
            return rate * mpmath.exp(-rate * t)

        def q(t):
            return mpmath.exp(-t)

        slope = a * rate + 1 - a
        value = mpmath.quad(
            lambda t: p(t) ** a * q(t) ** (1 - a),
            [0, 1 / slope, 5 / slope, 30 / slope, 200 / slope],
        )
        return float(mpmath.log(value) / (a - 1))


@pytest.mark.parametrize("step", [1e-3, 0.02, 0.3, 2.0, -1e-3, -0.02, -0.3])
@pytest.mark.parametrize("order", [1.001, 1.5, 2.0, 3.2, 20.0])
def test_renyi_against_quadrature(step, order):
    if order * math.expm1(step) <= -1:
        assert base_renyi(step, order) == math.inf
    else:
        assert base_renyi(step, order) == pytest.approx(renyi_by_quadrature(step, order), rel=1e-10)


def test_no_step_costs_nothing_at_any_order():
    for order in (1 + 1e-9, 1.5, 3.0, 1e9, math.inf):
        assert base_renyi(0.0, order) == 0


def test_renyi_limits():
    assert base_renyi(0.1, math.inf) == 0.1
    assert base_renyi(-0.1, math.inf) == math.inf
    assert base_renyi(1e-9, 5.0) == pytest.approx(5 * 1e-18 / 2, rel=1e-6)
    assert base_renyi(800.0, 3.0) == pytest.approx((2 * 800 - math.log(3)) / 2, rel=1e-9)
    # Order tends to one: the Kullback–Leibler divergence.
    assert base_renyi(0.3, 1 + 1e-9) == pytest.approx(0.3 - 1 + math.exp(-0.3), rel=1e-6)
