"""What a shift of the threshold noise gives away, against sums over the grid."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from overbar.errors import NoGuaranteeError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy.threshold_loss import (
    MOST_KNOTS,
    GaussianShift,
    LaplaceShift,
    gaussian_losses,
    laplace_losses,
    shift_renyi,
    threshold_shift,
)
from tests.reference.divergence import hockey_stick
from tests.reference.plans import any_plan
from tests.reference.runs import discrete_gaussian, discrete_laplace

LEVELS = (-0.35, -0.1, 0.0, 0.03, 0.1, 0.25, 0.39)


def profile(pair, epsilon):
    q = pair.masses * np.exp(-pair.losses)
    return hockey_stick(pair.masses, q, epsilon) + math.exp(pair.log_beyond)


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 60])
@pytest.mark.parametrize("level", LEVELS)
def test_laplace_on_the_grid_is_exact(steps, level):
    per_scale = steps / 0.4
    points, masses = discrete_laplace(per_scale)
    second = np.tanh(0.5 / per_scale) * np.exp(-np.abs(points + steps) / per_scale)
    assert profile(laplace_losses(0.4, steps), level) == pytest.approx(
        hockey_stick(masses, second, level), abs=1e-12
    )


@pytest.mark.parametrize("level", LEVELS)
def test_the_grid_gives_away_more_than_the_continuum(level):
    """The chord curve: never below the continuous profile, and closer on a finer grid."""
    continuous = 1 - math.exp((level - 0.4) / 2)
    values = [profile(laplace_losses(0.4, steps), level) for steps in (1, 2, 4, 8, 64, 256)]
    assert all(value >= continuous - 1e-12 for value in values)
    assert np.all(np.diff(values) <= 1e-12)
    assert values[0] > continuous + 9e-4  # control: one step is strictly worse
    assert values[-1] == pytest.approx(continuous, abs=1e-6)


@pytest.mark.parametrize("steps", [257, 1000, 99_991])
def test_finer_grids_are_gathered_on_their_own_knots(steps):
    pair = laplace_losses(0.4, steps)
    assert pair.losses.size == MOST_KNOTS + 1
    places = (0.4 - pair.losses) / 2 * steps / 0.4
    assert np.allclose(places, np.round(places), atol=1e-6)
    assert pair.masses.sum() == pytest.approx(1, abs=1e-12)
    assert (pair.masses * np.exp(-pair.losses)).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("steps", [1, 3, 40, 400, 5000, None, 10**6])
@pytest.mark.parametrize("level", [-0.3, 0.0, 0.1, 0.4, 1.0])
def test_gaussian_on_the_grid(steps, level):
    distance = 0.3
    value = profile(gaussian_losses(distance, steps, 12.0), level)
    if steps is None or steps > 10_000:
        below = distance / 2 - level / distance
        exact = special.ndtr(below) - math.exp(level) * special.ndtr(below - distance)
    else:
        points, masses = discrete_gaussian(steps / distance, 14.0)
        second = masses * np.exp(-((points + steps) ** 2 - points**2) / 2 / (steps / distance) ** 2)
        exact = hockey_stick(masses, second, level)
    assert exact - 1e-15 <= value <= exact * 1.004


def test_renyi_of_a_shift():
    for epsilon, order in ((0.3, 2.0), (1e-4, 5.0), (2.0, 40.0)):
        exact = math.log(
            order / (2 * order - 1) * math.exp((order - 1) * epsilon)
            + (order - 1) / (2 * order - 1) * math.exp(-order * epsilon)
        ) / (order - 1)
        value = shift_renyi(LaplaceShift(epsilon), order)
        assert value == pytest.approx(exact, rel=1e-3)
        assert value >= exact * (1 - 1e-7)
    assert shift_renyi(LaplaceShift(0.3, 1), math.inf) == 0.3
    assert shift_renyi(GaussianShift(0.3), 4.0) == pytest.approx(4 * 0.09 / 2)


def test_discrete_gaussian_is_no_worse_in_renyi():
    for steps in (1, 2, 5):
        points, masses = discrete_gaussian(steps / 0.9, 30.0)
        second = masses * np.exp(-((points + steps) ** 2 - points**2) / 2 / (steps / 0.9) ** 2)
        for order in (1.5, 2.5, 6.0):
            with np.errstate(divide="ignore"):
                terms = order * np.log(masses) + (1 - order) * np.log(second)
            exact = special.logsumexp(terms[np.isfinite(terms)]) / (order - 1)
            assert exact <= shift_renyi(GaussianShift(0.9, steps), order)


def test_reading_a_plan():
    def plan(noise):
        return any_plan(Gumbel(5), noise, Fraction(0), 2, sensitivity=2, grid=Fraction(1, 2))

    assert threshold_shift(plan(Laplace(4))) == LaplaceShift(0.5, 4)
    assert threshold_shift(plan(Gaussian(4))) == GaussianShift(0.5, 4)
    assert threshold_shift(plan(None)) is None
    for noise in (Exponential(1), Gumbel(1)):
        with pytest.raises(NoGuaranteeError, match="on the threshold has no guarantee"):
            threshold_shift(plan(noise))
