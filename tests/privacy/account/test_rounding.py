"""Rounding towards privacy where floats are worst: large orders, small budgets, ends of ranges."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.noise import Gaussian, Gumbel, Laplace
from overbar.privacy import PureDP, guarantee
from overbar.privacy.hazard import base_renyi, laplace_hazard_step, log_excess_faster
from overbar.privacy.orders import (
    checked_log_delta,
    composed_log_delta,
    epsilon_at,
    log_delta_at,
    pure_renyi,
)
from overbar.privacy.read_off_candidates import unlisted_delta
from overbar.privacy.threshold_loss import (
    GaussianShift,
    LaplaceShift,
    gaussian_losses,
    shift_losses,
    shift_renyi,
)
from tests.reference.divergence import log_faster
from tests.reference.plans import any_plan


def test_the_conversion_keeps_its_digits_at_large_orders():
    rng = np.random.default_rng(0)
    with mpmath.workdps(60):
        for order in 10.0 ** rng.uniform(0.1, 12, 300):
            a = mpmath.mpf(float(order))
            exact = (a - 1) * mpmath.log(a - 1) - a * mpmath.log(a)
            assert abs(log_delta_at(0.25, float(order), 0.25) - exact) < 1e-13 * abs(exact)


def test_the_epsilon_of_one_order_is_not_rounded_down():
    rng = np.random.default_rng(4)
    with mpmath.workdps(60):
        for _ in range(400):
            order = 1 + float(10 ** rng.uniform(-6, 8))
            divergence, log_delta = (
                float(10 ** rng.uniform(-6, 3)),
                -float(10 ** rng.uniform(-2, 3)),
            )
            a = mpmath.mpf(order)
            exact = divergence + mpmath.log1p(-1 / a) - (mpmath.log(a) + log_delta) / (a - 1)
            found = epsilon_at(divergence, order, log_delta)
            size = divergence + abs(log_delta / (a - 1)) + 1
            assert exact <= found <= max(exact, mpmath.mpf(0)) + 1e-13 * size


@pytest.mark.parametrize("epsilon", [1e-8, 1e-4, 0.3])
@pytest.mark.parametrize("steps", [1, 3, 8])
def test_the_renyi_divergence_of_a_small_shift_is_not_rounded_down(epsilon, steps):
    with mpmath.workdps(60):
        each = mpmath.mpf(epsilon) / steps
        fall = mpmath.exp(-each)
        centre = (1 - fall) / (1 + fall)
        for order in (1.001, 2.0, 50.0):
            rest = mpmath.mpf(order) - 1
            total = (
                centre
                / (1 - fall)
                * (mpmath.exp(rest * epsilon) + fall**steps * mpmath.exp(-rest * epsilon))
            )
            for k in range(1, steps):
                total += centre * fall**k * mpmath.exp(rest * each * (steps - 2 * k))
            exact = mpmath.log(total) / rest
            found = shift_renyi(LaplaceShift(epsilon, steps), order)
            assert exact <= found <= exact + 1e-11 * epsilon


def test_composition_at_its_very_end():
    """In floats 7·each is below what it is, so there is a little δ left there."""
    each = 0.6039973753941054
    assert Fraction(7 * each) < 7 * Fraction(each)
    assert composed_log_delta(each, 7, 7 * each) > -math.inf
    assert composed_log_delta(each, 7, 7 * each * (1 + 1e-14)) == -math.inf


def test_composition_against_many_digits():
    rng = np.random.default_rng(8)
    for _ in range(60):
        cutoff = int(10 ** rng.uniform(0, 2.5))
        each = float(10 ** rng.uniform(-3, 5))
        level = float(rng.uniform(0, 1)) * cutoff * each
        with mpmath.workdps(40):
            e, p = mpmath.mpf(each), 1 / (1 + mpmath.exp(-mpmath.mpf(each)))
            exact = mpmath.mpf(0)
            for k in range(cutoff + 1):
                loss = (2 * k - cutoff) * e
                if loss > level:
                    mass = mpmath.binomial(cutoff, k) * p**k * mpmath.exp((k - cutoff) * e)
                    exact += mass * p ** (cutoff - k) * -mpmath.expm1(level - loss)
            exact = min(mpmath.log(exact), mpmath.mpf(0))  # the sum may be a hair above one
            found = composed_log_delta(each, cutoff, level)
            assert exact <= found <= exact + 1e-11 + 1e-14 * cutoff * each


def test_a_pure_delta_at_some_epsilon_is_not_rounded_down():
    rng = np.random.default_rng(6)
    with mpmath.workdps(60):
        for size, share in zip(
            10.0 ** rng.uniform(-3, 2, 400), rng.uniform(0, 1, 400), strict=True
        ):
            pure = Fraction(float(size)) + Fraction(1, 10**25)
            asked = pure * Fraction(float(share))
            p, e = (mpmath.mpf(one.numerator) / one.denominator for one in (pure, asked))
            exact = -mpmath.expm1(e - p) / (1 + mpmath.exp(-p))
            assert exact <= PureDP(pure).delta(asked) <= exact * (1 + 1e-14)


def test_composition_of_very_many_against_many_digits():
    """Close to the largest loss only the last few terms count, but their logs are large sums."""
    rng = np.random.default_rng(9)
    for _ in range(80):
        cutoff, each = int(10 ** rng.uniform(4, 6)), float(rng.uniform(0.5, 25))
        last = int(rng.integers(1, 15))
        level = (cutoff - 2 * last + float(rng.uniform(0, 1))) * each
        with mpmath.workdps(40):
            e, exact = mpmath.mpf(each), mpmath.mpf(0)
            for j in range(last):
                loss = (cutoff - 2 * j) * e
                if loss > level:
                    mass = mpmath.binomial(cutoff, j) * mpmath.exp(-j * e)
                    exact += mass * -mpmath.expm1(level - loss)
            exact = mpmath.log(exact) - cutoff * mpmath.log1p(mpmath.exp(-e))
            assert composed_log_delta(each, cutoff, level) >= min(exact, mpmath.mpf(0))


@pytest.mark.parametrize("delta", ["1e-30", "1e-9", "0.001", "0.9"])
def test_a_pure_epsilon_at_some_delta_is_not_rounded_down(delta):
    rng = np.random.default_rng(5)
    allowed = Fraction(delta)
    with mpmath.workdps(80):
        for size in 10.0 ** rng.uniform(-3, 4, 300):
            pure = Fraction(float(size)) + Fraction(1, 10**25)
            p = mpmath.mpf(pure.numerator) / pure.denominator
            d = mpmath.mpf(allowed.numerator) / allowed.denominator
            inner = 1 - d * (1 + mpmath.exp(-p))
            exact = max(mpmath.mpf(0), p + mpmath.log(inner)) if inner > 0 else mpmath.mpf(0)
            found = PureDP(pure).at(allowed)
            assert exact <= found <= exact + 1e-14 * (1 + p)


@pytest.mark.parametrize(
    "delta",
    [
        *(Fraction(3, 10**digits) for digits in (1, 50, 89, 90, 91, 250, 300, 301, 330, 5000)),
        *(0.9, 1e-9, 1e-95, 5e-324),
        *(1 - Fraction(3, 10**nines) for nines in range(1, 15)),
    ],
)
def test_the_log_of_a_delta_is_rounded_down_also_where_floats_end(delta):
    with mpmath.workdps(60):
        exact = mpmath.log(mpmath.mpf(Fraction(delta).numerator) / Fraction(delta).denominator)
        if delta in (0.9, 1e-9):  # read at their shortest decimal form
            exact = mpmath.log(mpmath.mpf(str(delta)))
        found = checked_log_delta(delta)
        assert exact - 1e-14 * abs(exact) - 2e-14 <= found <= exact


def test_no_delta_has_no_log():
    assert checked_log_delta(0) == checked_log_delta(0.0) == -math.inf


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


@pytest.mark.parametrize("move", [20.0, 36.4, 400.0, 735.0, 745.5, 1e4, 1e200])
def test_huge_moves_of_laplace_noise(move):
    """Far out ln H falls with slope one, and the best move starts where it does so on the left."""
    with mpmath.workdps(400 if move < 1e5 else 30):
        left = mpmath.log(2) - 1  # where the slope on the left is one
        start = mpmath.log(mpmath.log(2) - left)
        exact = start + left + move + mpmath.log(2)  # -ln H = z + ln 2 at the right end, or less
        if move < 1e5:
            exact = start - mpmath.log(-mpmath.log1p(-mpmath.exp(-(left + move)) / 2))
    found = laplace_hazard_step(move)
    assert exact <= found <= float(exact) * (1 + 2e-9)


def test_a_threshold_noise_far_below_the_grid():
    pair = shift_losses(GaussianShift(1000.0, 1), 60.0)
    assert np.all(np.isfinite(pair.masses))
    assert pair.masses.sum() >= 1
    # What such noise is worth does not matter: the plan is as good as one with a bare threshold.
    plan = any_plan(Gumbel(100), Gaussian(Fraction(1, 1000)), 0, 1, monotonic=True)
    bare = any_plan(Gumbel(100), None, 0, 1, monotonic=True)
    assert guarantee(plan).at("1e-6") == guarantee(bare).at("1e-6") < 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("deviations", [5.0, 20.0])
def test_very_many_positives(deviations):
    cutoff, step = 10**11, 1e-7
    spread = -math.expm1(-step)
    level = cutoff * (step - spread) + spread * math.sqrt(cutoff) * deviations
    value = float(log_excess_faster(cutoff, step, np.array([level]))[0])
    assert 0 <= value - float(log_faster(cutoff, step, level)) < 1e-7


def test_an_item_exactly_at_the_threshold():
    """Three steps of a tenth are not 0.3 in floats, and with little noise that decides."""
    grid = Fraction(1, 10)
    for noise in (Laplace, Gumbel):
        query = noise("1e-20")
        for steps in range(1, 40):
            plan = any_plan(query, None, 0, 1, grid, monotonic=True, grid=grid)
            chance = unlisted_delta(plan, threshold=grid * steps, items_per_person=1)
            assert chance == pytest.approx(float(query.sf(0.0)) if steps == 1 else 0.0)
            plan = any_plan(query, Laplace(1), 0, 1, grid, monotonic=True, grid=grid)
            at = math.exp(-(steps - 1) / 10) * (
                float(query.sf(0.0)) * math.tanh(0.05) + 1 / (math.exp(0.1) + 1)
            )
            found = unlisted_delta(plan, threshold=grid * steps, items_per_person=1)
            assert at <= found <= at * (1 + 1e-6)


def test_renyi_divergences_close_to_order_one_and_far_out():
    """Against many digits; a few of the cases that were rounded down once are among them."""
    rng = np.random.default_rng(3)
    cases = [(-15.355501485597342, 1.0000000139812208), (-16.820351215405246, 1.0000000468338017)]
    cases += [(312.9987073027987, 1.0000532562686828), (78.01000925318564, 1.0000000488917087)]
    cases += [(step, order) for step in (599.0, 601.0, 5e3) for order in (1.001, 2.0, 77.7, 1e6)]
    cases += zip(
        10 ** rng.uniform(-9, 2.5, 400) * rng.choice([-1, 1], 400),
        1 + 10 ** rng.uniform(-8, 8, 400),
        strict=True,
    )
    with mpmath.workdps(50):
        for step, order in ((float(one), float(other)) for one, other in cases):
            y, a = mpmath.mpf(step), mpmath.mpf(order)
            inner = 1 + a * mpmath.expm1(y)
            exact = (a * y - mpmath.log(inner)) / (a - 1) if inner > 0 else mpmath.inf
            assert base_renyi(step, order) >= exact
            y = abs(y)
            small = mpmath.log1p(mpmath.exp(-y)) - mpmath.log1p(mpmath.exp((1 - 2 * a) * y))
            exact = y - small / (a - 1)
            assert pure_renyi(abs(step), order) >= min(abs(step), exact)


@pytest.mark.parametrize("step", [0.01, 0.5, 3.0, 12.0])
def test_orders_at_the_end_of_a_bare_threshold(step):
    """From order 1/(1 - e^-κ) on the divergence is infinite, also if floats would miss it."""
    last = -1 / math.expm1(-step)
    for order in (last, math.nextafter(last, math.inf), last * (1 + 1e-12)):
        with mpmath.workdps(60):
            inner = 1 + mpmath.mpf(order) * mpmath.expm1(-mpmath.mpf(step))
            if inner <= 0:
                assert base_renyi(-step, order) == math.inf
                continue
            a = mpmath.mpf(order)
            assert base_renyi(-step, order) >= (-a * step - mpmath.log(inner)) / (a - 1)
    assert base_renyi(-step, 1 + 0.999 * (last - 1)) < math.inf  # control
