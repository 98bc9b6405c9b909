"""ε and δ read off steps: they meet, also where floats end; zero means zero; nothing overflows."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.privacy.arrivals import race
from overbar.privacy.histogram import Moved
from overbar.privacy.pairs import Bit, Pick, Pure, Shifted, Values
from overbar.privacy.reading import (
    epsilon_by_orders,
    epsilon_of,
    log_delta_by_orders,
    log_delta_of,
    profile_of,
)
from overbar.privacy.steps import Curve, Race, Worst, pure_of
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift
from tests.reference.ways import truth

NOISE, SMOOTH = LaplaceShift(0.1, 8), GaussianShift(0.1, 8)
VALUES = Values(Moved(1, 1000, Fraction(2500) ** 2))
WAYS = {
    "laplace threshold": race(4, 0.05, 0.03, NOISE).steps,
    "gaussian threshold": race(4, 0.05, 0.05, SMOOTH).steps,
    "much loss": race(9, 0.5, 0.3, LaplaceShift(1.0, 4)).steps,
    "bare, one way": race(4, 0.0, 0.05, None).steps,
    "bare, both ways": race(4, 0.05, 0.05, None).steps,
    "all of the shift": race(4, 0.05, 0.0, NOISE).steps,
    "redrawn": race(4, 0.05, 0.03, NOISE, redraws=True).steps,
    "one pure": (Pure(Fraction(1, 4)),),
    "many pure": (Pure(Fraction(1, 50), times=40),),
    "picks": (Pick(0.06, times=7),),
    "many picks": (Pick(0.01, times=2001),),
    "wide picks": (Pick(40.0, times=4),),
    "narrow picks": (Pick(1e-12, times=2),),
    "bits": (Bit(0.2, times=5),),
    "keys": (Worst(((Bit(0.1, times=4),), (Bit(0.25),))), Bit(0.3)),
    "values": (VALUES,),
    "values, pure": (VALUES, Pure(Fraction(1, 2))),
    "curve, pure": (Curve(lambda order: 0.02 * order), Pure(Fraction(1, 3))),
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("delta", [0.9, 0.3, 0.05, 0.004, 1e-6, 1e-14, 1e-60])
def test_they_meet(name, delta):
    way, log_delta = WAYS[name], math.log(delta)
    epsilon = epsilon_of(way, log_delta)
    assert 0 <= epsilon <= float(pure_of(way)) * (1 + 1e-13)
    # Divergences find their best order anew, to seven digits.
    assert log_delta_of(way, epsilon) <= log_delta + 1e-9 * (1 + abs(log_delta))
    if epsilon == 0:
        assert log_delta_of(way, 0.0) <= log_delta
    else:
        assert log_delta_of(way, epsilon * (1 - 1e-4)) > log_delta - 0.5  # a coarser look for ε
        assert epsilon_of(way, 1.01 * log_delta) > epsilon or epsilon >= float(pure_of(way))
    assert epsilon <= epsilon_by_orders(way, log_delta)[0] * (
        1 + 1e-2
    )  # orders may say a little more
    assert log_delta_of(way, epsilon) <= log_delta_by_orders(way, epsilon) + 0.5  # nearly the least


@pytest.mark.parametrize("name", WAYS)
def test_no_delta_is_left_at_the_largest_loss_and_some_below_it(name):
    pure = float(pure_of(WAYS[name]))
    if math.isfinite(pure):
        assert log_delta_of(WAYS[name], pure * (1 + 1e-13)) == -math.inf
        assert log_delta_of(WAYS[name], pure * (1 - 1e-6)) > -math.inf
    else:
        assert log_delta_of(WAYS[name], 20.0) > -math.inf


def test_the_largest_loss_of_a_sequence():
    assert pure_of(race(3, 0.2, 0.0, NOISE).steps) == pytest.approx(0.1 + 0.6, rel=1e-13)
    assert pure_of(race(3, 0.2, 0.0, NOISE, redraws=True).steps) == pytest.approx(0.9, rel=1e-13)
    assert pure_of((Pure(Fraction(1, 3), times=2), Pure(Fraction(1, 3)))) == Fraction(1)
    assert pure_of((Pick(0.5, times=3),)) >= 1.5
    for way in (race(3, 0.2, 0.1, NOISE), race(3, 0.2, 0.0, SMOOTH), race(3, 0.0, 0.2, None)):
        assert pure_of(way.steps) == math.inf


def test_no_steps_cost_nothing():
    assert epsilon_of((), -9.0) == 0
    assert log_delta_of((), 0.0) == -math.inf


# What is read exactly, and what is followed on a grid ------------------------------------------


@pytest.mark.parametrize("shift", [LaplaceShift(0.3, 4), GaussianShift(0.2, 64)])
def test_a_pair_in_front_is_read_at_each_of_its_losses(shift):
    """As the sum says; on a grid it is a little more."""
    way = race(3, 0.2, 0.1, shift).steps
    later, grid = profile_of(way[1:], 32.0), profile_of(way, 32.0)
    masses, losses = Shifted(shift).outcomes(32.0)
    finite = np.isfinite(losses)
    for epsilon in (0.1, 0.5, 1.0):
        found = math.exp(log_delta_of(way, epsilon))
        total = math.fsum(masses[finite] * later.at(epsilon - losses[finite]))
        assert found == pytest.approx(total + math.fsum(masses[~finite]), rel=1e-9)
        assert found * (1 - 1e-4) <= grid.delta(epsilon) < found * 1.01


def test_on_a_finer_grid_steps_say_less_and_not_much():
    for name in ("bare, both ways", "bits", "keys", "picks"):
        level = epsilon_of(WAYS[name], math.log(1e-6))
        fine, usual, coarse = (
            profile_of(WAYS[name], 24.0, by).delta(level) for by in (2.0, 1.0, 0.5)
        )
        assert 0.9 * coarse < fine < usual <= coarse


def test_a_small_step_beside_a_large_one_needs_no_fine_grid():
    """An uneven race with few arrivals wants one of its own: divergences say 3.3 times as much."""
    way = (Values(Moved(1, 1000, Fraction(1310) ** 2)), Race(0.113, 0.021, times=2))
    (known,) = truth(way, [2.34], 8)
    assert known.value * 0.999 < math.exp(log_delta_of(way, 2.34)) < 1.02 * known.value


def test_where_too_much_would_be_followed_divergences_serve():
    """Very many steps, very wide or narrow ones, and δ below any use: still a bound, quickly."""
    for way in (
        (Pick(0.001, times=10**6),),
        race(20_000, 0.003, 0.003, None).steps,
        race(5, 15.1, 15.1, None).steps,
        race(5, 1e-10, 1e-10, None).steps,
        (Bit(40.0),),
        (Bit(1e-12, times=9),),
    ):
        assert profile_of(way, 24.0) is None
        for log_delta in (-3.0, -24.0):
            assert epsilon_of(way, log_delta) == min(
                epsilon_by_orders(way, log_delta)[0], float(pure_of(way))
            )
    assert profile_of(WAYS["bits"], 1000.0) is None
    assert -1000 < log_delta_of((Pick(0.05, times=50),), 2.49) < -50
    assert epsilon_of((Pick(4.0, times=4),), -700.0) <= 16.0 * (1 + 1e-12)
    unknown = (Curve(lambda order: 0.02 * order, highest=3.0),)
    assert profile_of(unknown, 24.0) is None
    assert epsilon_of(unknown, -13.8) > 6


@pytest.mark.parametrize("range_", [1e-200, 1e-170, 1e-160, 1e-100, 1e-13])
def test_a_range_too_narrow_for_floats_has_a_bound_as_well(range_):
    way = (Pick(range_, times=2),)
    assert math.exp(log_delta_of(way, 0.0)) >= range_ / 4
    assert 0 <= epsilon_of(way, math.log(1e-6)) <= float(pure_of(way))
    assert way[0].renyi(8.0) > 0


@pytest.mark.one_in(5)
@pytest.mark.parametrize("cutoff", [1, 50, 5000, 10**6])
@pytest.mark.parametrize("step", [1e-9, 1e-5, 0.04, 1.0, 14.0])
@pytest.mark.parametrize("fall", [0.0, 0.4, 1.0, 2.0])
@pytest.mark.parametrize("shift", [None, LaplaceShift(0.02, 1), GaussianShift(700.0, 3)])
def test_extremes_are_bounds_and_raise_nothing(cutoff, step, fall, shift):
    way, more = (race(cutoff, by * step, by * fall * step, shift).steps for by in (1, 1.01))
    for log_delta in (math.log(1e-3), -13.8, math.log(1e-300), -720.0):
        epsilon = epsilon_of(way, log_delta)
        if math.isfinite(epsilon):
            assert log_delta_of(way, epsilon) <= log_delta * (1 - 1e-6)
            assert epsilon_of(more, log_delta) >= epsilon * (1 - 0.02)
    assert not math.isnan(log_delta_of(way, 1.0))


# Where floats end ------------------------------------------------------------------------------


def test_logs_of_deltas_too_small_for_a_float():
    way = race(1, 1 / 200, 0.0, GaussianShift(1 / 90, 1)).steps
    assert -math.inf < log_delta_of(way, 2.0) < -740
    bare = race(1, 0.0, 1.0, None).steps
    for epsilon in (1200.0, 1270.0, 1300.0, 1e5):  # floats end in between
        truth = math.log(-math.expm1(-1.0)) - (epsilon + 1) / math.expm1(1.0)
        assert truth <= log_delta_of(bare, epsilon) < 0.9 * truth
    assert -800 < log_delta_of((Race(0.01, 0.0, times=700),), 6.0) < -700


def test_a_deep_delta_needs_a_deep_look_at_a_gaussian_threshold():
    """The part of the threshold noise that is not looked at must never be what comes out."""
    way = race(1, 1e-6, 0.0, GaussianShift(0.05, 1)).steps
    for deviations in (5, 12, 20, 30, 37):
        epsilon = deviations * 0.05 + 0.05**2 / 2
        tail = math.log(math.erfc(deviations / math.sqrt(2)) / 2)
        assert tail - 12 < log_delta_of(way, epsilon) < tail


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
    assert log_delta_of(race(1, step, 0.0, LaplaceShift(threshold, 1)).steps, epsilon) >= least


def excess(cutoff, step, level):
    """What a race loses in which all hazards rise, in closed form."""
    rate = -mpmath.expm1(-step)
    g = (cutoff * step - level) / rate
    if g <= 0:
        return mpmath.mpf(0)
    below = [mpmath.gammainc(cutoff, 0, g * by, regularized=True) for by in (1, 1 - rate)]
    return below[0] - mpmath.exp(level) * below[1]


def test_a_race_just_below_its_largest_loss():
    """There δ is a power of what is left of ε, so that the last digits of the losses count."""
    rng = np.random.default_rng(1)
    for _ in range(150):
        cutoff = int(rng.choice([1, 2, 5]))
        step, size = float(rng.uniform(0.01, 1)), float(rng.uniform(0.01, 1))
        way = race(cutoff, step, 0.0, LaplaceShift(size, 1)).steps
        epsilon = float(pure_of(way)) * (1 - float(10 ** rng.uniform(-9, -2)))
        with mpmath.workdps(60):
            first, step = mpmath.mpf(size), mpmath.mpf(step)
            exact = excess(cutoff, step, epsilon - first)
            exact += mpmath.exp(-first) * excess(cutoff, step, epsilon + first)
            exact = mpmath.log(exact / (1 + mpmath.exp(-first)))
        assert exact <= log_delta_of(way, epsilon) <= exact + 1e-4


def test_a_threshold_noise_far_below_the_grid_says_all():
    way = race(1, 0.01, 0.0, GaussianShift(1000.0, 1)).steps
    assert epsilon_of(way, math.log(1e-6)) > 1e5
