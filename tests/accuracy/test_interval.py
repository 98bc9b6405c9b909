"""Intervals by tails are intervals by adding up, and hold the truth as often as they say."""

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.accuracy.interval import MISSES, interval
from overbar.noise import Gaussian, Laplace

ONE = Fraction(1)
REACH = 600
STEPS = np.arange(-REACH, REACH + 1)


def masses(noise):
    scale = float(noise.scale)
    power = np.abs(STEPS) if isinstance(noise, Laplace) else STEPS**2 / (2 * scale)
    weights = np.exp(-power / scale)
    return weights / weights.sum()


def reach(noise):
    return int(20 * noise.scale)


def odd(noise, value, bar):
    """For each score around the value: how odd the value is, by adding up."""
    found = {}
    law = masses(noise)
    for score in range(value - reach(noise), value + reach(noise) + 1):
        inside = np.ones(law.size, dtype=bool) if bar is None else bar - score <= STEPS
        far = np.abs(STEPS) >= abs(value - score)
        found[score] = law[inside & far].sum() / law[inside].sum()
    return found


@pytest.mark.parametrize("noise", [Laplace(8), Gaussian(8), Laplace("1.5"), Gaussian("1.2")])
@pytest.mark.parametrize("above", [None, 0, 1, 3, 9, 20, 28, 40])
def test_ends_are_those_of_a_plain_sum(noise, above):
    value = 500
    bar = None if above is None else value - above
    fits = [score for score, chance in odd(noise, value, bar).items() if chance > MISSES]
    assert fits == list(range(fits[0], fits[-1] + 1))  # an interval
    low, high = interval(noise, ONE, value, bar)
    assert high == fits[-1]
    assert low is None or low <= value <= high
    if fits[0] > value - reach(noise):
        assert low == fits[0]
    else:
        assert low is None or low <= fits[0]


@pytest.mark.parametrize("noise", [Laplace(8), Gaussian(8)])
@pytest.mark.parametrize("score", [-40, -3, 0, 4, 30])
@pytest.mark.parametrize("tied", [False, True])
def test_the_truth_is_inside_as_often_as_is_said(noise, score, tied):
    """Exactly, over all values that reach a bar at zero, of which one equal to it may have lost."""
    law = masses(noise)
    reached = [(score + n, p) for n, p in zip(STEPS.tolist(), law, strict=True) if score + n >= 0]
    kept = [(value, p / 3 if tied and value == 0 else p) for value, p in reached]

    def hits(bar):
        inside = 0.0
        for value, chance in kept[:150]:  # the rest is less than 1e-9 for these scores
            low, high = interval(noise, ONE, value, bar, tied=tied)
            inside += chance * ((-math.inf if low is None else low) <= score <= high)
        return inside / sum(chance for _, chance in kept)

    assert 0.95 <= hits(0) <= (0.98 if tied else 0.97)
    if score == -40:  # control: without the correction for selection
        assert hits(None) < 0.9


def test_fresh_noise_has_the_same_width_everywhere():
    assert interval(Laplace(10), ONE, 0) == (-30, 30)
    assert interval(Gaussian(10), Fraction(1, 4), 1000) == (1000 - 78, 1000 + 78)


@pytest.mark.parametrize("noise", [Laplace(8), Gaussian(8)])
@pytest.mark.parametrize("above", [0, 9, 24, 40, 100, 799, 801, 10**9])
def test_on_a_fine_grid_the_ends_are_nearly_the_same_and_never_inside(noise, above):
    coarse, fine = (
        interval(noise, grid, int(500 / grid), int((500 - above) / grid))
        for grid in (Fraction(1, 64), Fraction(1, 10**6))
    )
    for one, other in zip(coarse, fine, strict=True):
        assert (one is None) == (other is None)
        assert one is None or abs(Fraction(one, 64) - Fraction(other, 10**6)) < Fraction(1, 10)
    if above > 100:
        assert fine == interval(noise, Fraction(1, 10**6), 500 * 10**6)
