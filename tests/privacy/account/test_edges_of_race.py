"""The race at the ends of its range: the largest loss, no loss, losses below zero, last orders."""

import math

import pytest

from overbar.privacy.race import Race
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift

NOISY = Race(3, 0.2, LaplaceShift(0.5, 1), True)
REDRAWN = Race(3, 0.2, LaplaceShift(0.5, 1), True, resample=True)
SMOOTH = Race(3, 0.2, GaussianShift(0.5, 1), True)
BARE = Race(3, 0.2, None, True)
MIXED = Race(3, 0.2, None, False)
ALL = [NOISY, REDRAWN, SMOOTH, BARE, MIXED]


@pytest.mark.parametrize(("race", "loss"), [(NOISY, 0.5 + 0.6), (REDRAWN, 1.5 + 0.6)])
def test_no_delta_is_left_at_the_largest_loss(race, loss):
    assert race.pure_epsilon == pytest.approx(loss, rel=1e-14)
    assert race.pure_epsilon >= loss
    assert race.log_delta(race.pure_epsilon) == -math.inf
    assert race.log_delta(race.pure_epsilon * (1 - 1e-3)) > -math.inf


@pytest.mark.parametrize("race", [SMOOTH, BARE, MIXED])
def test_without_laplace_noise_there_is_no_largest_loss(race):
    assert race.pure_epsilon == math.inf
    assert race.log_delta(20.0) > -math.inf


@pytest.mark.parametrize("race", ALL)
def test_an_epsilon_of_zero_is_enough_from_some_delta_on(race):
    at_zero = race.log_delta(0.0)
    assert at_zero < 0
    assert race.epsilon(at_zero) == 0
    assert race.epsilon(at_zero * 1.01) > 0
    for log_delta in (at_zero * 1.01, -5.0, -30.0):
        assert race.log_delta(race.epsilon(log_delta)) <= log_delta


@pytest.mark.parametrize("race", [REDRAWN, MIXED])
def test_below_zero_a_bound_for_both_directions_is_mirrored(race):
    for epsilon in (0.05, 0.3, 1.0):
        there = math.exp(race.log_delta(epsilon))
        back = math.exp(race.log_delta(-epsilon))
        assert back == pytest.approx(1 - math.exp(-epsilon) * (1 - there), rel=1e-12)


@pytest.mark.parametrize("race", [BARE, MIXED])
def test_a_bare_threshold_has_a_last_order(race):
    last = race.part.largest_order
    assert last == pytest.approx(1 / -math.expm1(-0.2))
    assert race.renyi(last * 1.001) == math.inf
    assert race.renyi(1 + 0.99 * (last - 1)) < math.inf
    assert NOISY.renyi(last * 1.001) < math.inf
    assert NOISY.part.largest_order == SMOOTH.part.largest_order > 1e9


def test_what_a_run_adds_up_to():
    for order in (1.5, 4.0):
        positive, threshold = NOISY.part.positive_renyi(order), NOISY.part.threshold_renyi(order)
        assert NOISY.renyi(order) == pytest.approx(threshold + 3 * positive)
        assert REDRAWN.renyi(order) == pytest.approx(3 * threshold + 3 * positive)
        assert BARE.part.threshold_renyi(order) == 0
        # Either direction may be the worse one.
        assert BARE.part.positive_renyi(order) >= positive
    assert MIXED.mixed
    assert not any(race.mixed for race in (NOISY, REDRAWN, SMOOTH, BARE))


def test_a_deep_delta_needs_a_deep_look_at_a_gaussian_threshold():
    """The part of the threshold noise that is not looked at must never be what comes out."""
    race = Race(1, 1e-6, GaussianShift(0.05, 1), True)
    for deviations in (5, 12, 20, 30, 37):
        epsilon = deviations * 0.05 + 0.05**2 / 2
        tail = math.log(math.erfc(deviations / math.sqrt(2)) / 2)
        assert tail - 12 < race.log_delta(epsilon) < tail
