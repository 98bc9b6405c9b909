"""The slow reference of steps says what closed forms say, within the error that it states."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from scipy.special import gammainc, gammaincc, ndtr

from tests.reference.step_deltas import deltas
from tests.reference.steps import (
    Bits,
    Lost,
    Pair,
    Picks,
    Race,
    Worst,
    gaussian,
    normal_bits,
    response,
    turned,
)


def responded(pure, epsilon):
    if epsilon <= -pure:
        return -math.expm1(epsilon)
    return max(0.0, math.exp(epsilon) * math.expm1(pure - epsilon) / (1 + math.exp(pure)))


def normal(shift, epsilon):
    from_shift = ndtr(shift / 2 - epsilon / shift)
    return from_shift - math.exp(epsilon) * ndtr(-shift / 2 - epsilon / shift)


def one_way_up(times, kappa, epsilon):
    """Arrivals at rate e^κ against 1."""
    place = (times * kappa - epsilon) / -math.expm1(-kappa)
    if place <= 0:
        return 0.0
    return gammainc(times, place) - math.exp(epsilon) * gammainc(times, place * math.exp(-kappa))


def one_way_down(times, kappa, epsilon):
    """Arrivals at rate 1 against e^κ."""
    place = max((epsilon + times * kappa) / math.expm1(kappa), 0.0)
    return gammaincc(times, place) - math.exp(epsilon) * gammaincc(times, place * math.exp(kappa))


KAPPAS = [(1, 0.3), (3, 1e-9), (2, 14.0), (5, 0.2139), (50, 0.0411), (1, 4.0)]


def holds(found, truth):
    if truth < 1e-18:
        return found.value < 1e-12 * max(truth, 1e-3)
    return abs(found.value / truth - 1) <= found.error


@pytest.mark.parametrize("pure", [1e-9, 0.3, 2.0])
def test_randomised_response(pure):
    levels = [pure * share for share in (-2, -0.4, 0.1, 0.7)]
    for level, found in zip(levels, deltas([response(pure)], levels), strict=True):
        assert holds(found, responded(pure, level))


def test_two_responses_are_a_sum_over_four_outcomes():
    first, second = 0.3, 0.7
    chances = [1 / (1 + math.exp(-one)) for one in (first, second)]
    for level in (-0.5, 0.1, 0.35, 0.9):
        truth = 0.0
        for one in (0, 1):
            for other in (0, 1):
                p = abs(1 - one - chances[0]) * abs(1 - other - chances[1])
                q = abs(one - chances[0]) * abs(other - chances[1])
                truth += max(0.0, p - math.exp(level) * q)
        (found,) = deltas([response(first), response(second)], [level], 400)
        assert abs(found.value / truth - 1) <= max(found.error, 1e-6)


@pytest.mark.parametrize("shifts", [(0.5,), (0.3, 0.4), (2.0,), (1e-6,)])
def test_gaussian_noise(shifts):
    whole = math.hypot(*shifts)
    levels = [whole * share for share in (-1, 0.2, 1, 3)]
    steps = [gaussian(shift) for shift in shifts]
    for level, found in zip(levels, deltas(steps, levels), strict=True):
        assert holds(found, normal(whole, level))


@pytest.mark.parametrize(("times", "kappa"), KAPPAS)
def test_races_one_way(times, kappa):
    whole = kappa * math.sqrt(times)
    levels = [whole * share for share in (-0.5, 0.1, 0.5, 0.9)]
    up = Race(times, kappa, 0.0)
    for level, found in zip(levels, deltas([up], levels), strict=True):
        assert holds(found, one_way_up(times, kappa, level))
    if kappa < 2:
        for level, found in zip(levels, deltas([up.turned], levels), strict=True):
            assert holds(found, one_way_down(times, kappa, level))


def test_a_pick_is_the_exponential_mechanism():
    """Of two candidates, of which one is moved by κ: all t are scores apart."""
    kappa, level = 0.4, 0.1
    (found,) = deltas([Picks(1, kappa)], [level], 64)
    best = 0.0
    for k in range(20_001):
        odds = math.exp(-10 + k / 1000)
        p, q = odds / (1 + odds), odds / (math.exp(kappa) + odds)
        best = max(best, p - math.exp(level) * q, 1 - q - math.exp(level) * (1 - p))
    assert found.value == pytest.approx(best, rel=found.error + 1e-4)


def test_a_bit_of_normal_noise_is_the_normal_law_in_the_end():
    """One bit at the best bar is the best test of the value itself."""
    for level in (-0.2, 0.3, 1.5):
        (found,) = deltas([normal_bits(0.5)], [level])
        assert found.value == pytest.approx(normal(0.5, level), rel=found.error + 1e-3)


def test_more_moves_in_a_race_win_nothing():
    for rise, fall in [(0.3, 0.02), (0.02, 0.3), (0.2, 0.2)]:
        few = deltas([response(0.3), Race(2, rise, fall, tried=1)], [0.1, 0.4])
        many = deltas([response(0.3), Race(2, rise, fall, tried=5)], [0.1, 0.4])
        for one, other in zip(few, many, strict=True):
            assert one.value == pytest.approx(other.value, rel=one.error)


def test_worst_is_the_larger_and_lost_is_on_top():
    sequences = (response(0.3),), (gaussian(0.2),)
    levels = [0.05, 0.2, 0.4]
    each = [deltas(one, levels) for one in sequences]
    either = deltas([Worst(sequences), Lost(1e-3)], levels)
    for one, other, found in zip(*each, either, strict=True):
        most = max(one.value, other.value) + 1e-3
        assert found.value == pytest.approx(most, rel=one.error + other.error + 2e-3)


def test_turned_sides_are_mirrored_where_nothing_is_chosen():
    """For a fixed pair the profile of the other direction is known: 1 - e^x + e^x·H(-x)."""
    pair = Pair((0.5, 0.3, 0.2), (0.25, 0.25, 0.5))
    for level in (-0.4, 0.1, 0.3):
        (found,) = deltas(turned([pair]), [level], 400)
        (mirror,) = deltas([pair], [-level], 400)
        truth = 1 - math.exp(level) + math.exp(level) * mirror.value
        assert found.value == pytest.approx(truth, rel=1e-4)


def test_what_a_second_side_cannot_give_is_lost():
    (found,) = deltas([Pair((0.1, 0.9), (0.0, 1.0))], [0.5])
    assert found.value == pytest.approx(0.1)
    (found,) = deltas([Bits((0.1,), (0.0,))], [0.5])
    assert found.value == pytest.approx(0.1)


@pytest.mark.parametrize("steps", [(Race(3, 0.2, 0.1),), (Picks(4, 0.3),), (normal_bits(0.4, 2),)])
def test_a_profile_falls_and_is_convex(steps):
    levels = [0.05 * k for k in range(-12, 13)]
    found = [(math.exp(x), one.value) for x, one in zip(levels, deltas(steps, levels), strict=True)]
    slopes = [(b - a) / (y - x) for (x, a), (y, b) in pairwise(found)]
    assert all(-1 - 1e-6 <= slope <= 1e-9 for slope in slopes)
    assert all(one <= other + 1e-5 for one, other in pairwise(slopes))
