"""What a shift of the threshold noise gives away: sums over the grid, and in many digits at atoms.

At the losses of its atoms a dominating pair has the true profile, rounded up in the last digits.
Between them the chords lie above it, which would hide a rounding the wrong way.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

from overbar.errors import NoGuaranteeError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy.threshold_loss import (
    KNOTS_PER_DEVIATION,
    MOST_KNOTS,
    MOST_POINTS,
    GaussianShift,
    LaplaceShift,
    gaussian_losses,
    laplace_losses,
    shift_losses,
    shift_renyi,
    threshold_shift,
)
from tests.reference.divergence import hockey_stick
from tests.reference.runs import discrete_gaussian, discrete_laplace

pytestmark = pytest.mark.one_in(2)

DIGITS = 30
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
    def moved(noise):
        return threshold_shift(noise, Fraction(2), Fraction(1, 2))

    assert moved(Laplace(4)) == LaplaceShift(0.5, 4)
    assert moved(Gaussian(4)) == GaussianShift(0.5, 4)
    assert moved(None) is None
    for noise in (Exponential(1), Gumbel(1)):
        with pytest.raises(NoGuaranteeError, match="on the threshold has no guarantee"):
            moved(noise)


# At the atoms, in many digits ------------------------------------------------------------------


def found(pair, epsilon):
    """δ of a pair of atoms, in many digits, so that only the pair's own rounding is seen.

    As the race reads it, which allows for losses that are off in their last digit.
    """
    total = mpmath.exp(pair.log_beyond) if pair.log_beyond > -math.inf else mpmath.mpf(0)
    for loss, mass in zip(pair.losses.tolist(), pair.masses.tolist(), strict=True):
        level = mpmath.mpf(epsilon) - loss - mpmath.mpf("1e-15") * (abs(epsilon) + abs(loss))
        if level < 0:
            total += mass * -mpmath.expm1(level)
    return total


def some(pair, count=9):
    """Losses of some atoms, from the smallest to the largest."""
    return [float(pair.losses[i]) for i in np.linspace(0, pair.losses.size - 1, count).astype(int)]


@pytest.mark.parametrize("epsilon", [1e-6, 0.4, 9.0, 600.0])
@pytest.mark.parametrize("steps", [None, 1, 2, 7, MOST_KNOTS, MOST_KNOTS + 1, 10**6])
def test_laplace(epsilon, steps):
    pair = laplace_losses(epsilon, steps)
    assert pair.losses.size == 1 + min(steps or MOST_KNOTS, MOST_KNOTS)
    assert pair.losses[0] == pytest.approx(epsilon)
    assert pair.losses[-1] == pytest.approx(-epsilon)
    assert pair.log_beyond == -math.inf
    with mpmath.workdps(DIGITS):
        for level in {level for level in some(pair) if level < epsilon}:
            exact = -mpmath.expm1((mpmath.mpf(level) - epsilon) / 2)
            assert exact <= found(pair, level) <= exact * (1 + 1e-10)


def test_a_huge_laplace_shift_is_all_loss():
    pair = laplace_losses(800.0, 5)
    assert pair.losses.tolist() == [800.0, -800.0]
    assert pair.masses.tolist() == [1.0, math.exp(-800.0)]
    assert pair.log_beyond == -math.inf


def lattice(distance, density, epsilon):
    """The discrete Gaussian's own δ at a shift of `distance`, summed point by point."""
    density, distance = mpmath.mpf(density), mpmath.mpf(distance)
    reach = int(mpmath.ceil(14 * density + distance * density)) + 2
    weights = [mpmath.exp(-((k / density) ** 2) / 2) for k in range(-reach, reach + 1)]
    moved = int(mpmath.nint(distance * density))
    total = mpmath.mpf(0)
    for k in range(-reach, reach + 1):
        # Points and their images under the shift; the loss grows with k.
        p, q = weights[k + reach], mpmath.exp(-(((k + moved) / density) ** 2) / 2)
        total += max(mpmath.mpf(0), p - mpmath.exp(mpmath.mpf(epsilon)) * q)
    return total / sum(weights)


@pytest.mark.parametrize(
    ("distance", "steps"), [(0.5, 1), (0.25, 2), (3.0, 2), (0.02, 1), (0.5, 30)]
)
def test_gaussian_atoms_on_a_grid(distance, steps):
    pair = gaussian_losses(distance, steps, 9.0)
    density = steps / distance
    with mpmath.workdps(DIGITS):
        for level in some(pair, 7)[1:-1]:
            exact = lattice(distance, density, level)
            value = found(pair, level)
            assert value >= exact
            assert value <= exact * (1 + 1e-7) + 2 * mpmath.exp(pair.log_beyond)


@pytest.mark.parametrize(
    ("distance", "steps"), [(0.5, 1), (0.25, 2), (3.0, 2), (4.0, 1), (0.5, 30)]
)
@pytest.mark.parametrize("deviations", [9.0, 12.0])
def test_what_lies_beyond_the_last_atom_of_a_grid(distance, steps, deviations):
    pair = gaussian_losses(distance, steps, deviations)
    density = steps / distance
    last = round((float(pair.losses[-1]) / distance - distance / 2) * density)
    assert last >= deviations * density
    with mpmath.workdps(DIGITS):
        points = range(-2 * last, 2 * last + 1)
        weights = {k: mpmath.exp(-((k / mpmath.mpf(density)) ** 2) / 2) for k in points}
        exact = mpmath.log(sum(weights[k] for k in points if k > last) / sum(weights.values()))
    assert exact <= pair.log_beyond <= exact + 0.5
    spacing = float(pair.losses[1] - pair.losses[0]) / distance
    assert spacing == pytest.approx(max(1, density // KNOTS_PER_DEVIATION) / density)


@pytest.mark.parametrize("steps", [None, 10**7])
@pytest.mark.parametrize("distance", [0.01, 0.7, 4.0])
def test_gaussian_in_the_continuum_and_on_a_very_fine_grid(distance, steps):
    pair = gaussian_losses(distance, steps, 9.0)
    assert steps is None or steps / distance > MOST_POINTS
    with mpmath.workdps(DIGITS):
        m = mpmath.mpf(distance)
        for level in some(pair, 9)[1:-1]:
            z = level / m
            exact = mpmath.ncdf(m / 2 - z) - mpmath.exp(level) * mpmath.ncdf(-m / 2 - z)
            value = found(pair, level)
            assert value >= exact
            finer = 0 if steps is None else m * m / steps
            assert value <= exact * (1 + 1e-6 + 20 * finer) + 2 * mpmath.exp(pair.log_beyond)
        tail = mpmath.log(mpmath.ncdf(-9))
    assert tail <= pair.log_beyond <= tail + 4
    assert np.diff(pair.losses) == pytest.approx(distance / KNOTS_PER_DEVIATION)


def test_how_deep_a_gaussian_is_looked_at():
    shift = GaussianShift(0.5, 1)
    for depth in (10.0, 40.0, 60.0, 200.0, 790.0):
        pair = shift_losses(shift, depth)
        assert pair.log_beyond <= -min(depth, 40.5)
        assert float(pair.losses[-1]) <= 0.5 * (max(9, math.sqrt(2 * depth) + 1) + 2) + 0.125 + 0.5
    flat = shift_losses(LaplaceShift(0.4, 3), 10.0)
    assert flat.masses.tolist() == laplace_losses(0.4, 3).masses.tolist()


@pytest.mark.parametrize("distance", [0.01, 0.7])
def test_on_a_very_fine_grid_every_atom_pays_for_its_cell(distance):
    """Half a step more loss, and the mass that Jensen's inequality allows a point, e^(1/24s²)."""
    steps = math.ceil(1.5 * MOST_POINTS * distance)
    density = steps / distance
    fine, smooth = gaussian_losses(distance, steps, 9.0), gaussian_losses(distance, None, 9.0)
    assert fine.losses - smooth.losses == pytest.approx(distance / (2 * density), rel=1e-6)
    ratio = fine.masses / smooth.masses - 1
    assert np.all(ratio >= 1 / (24 * density**2))
    assert np.all(ratio <= 1.1 / (24 * density**2))


@pytest.mark.parametrize("steps", [None, 1, 40, 10**7])
@pytest.mark.parametrize("deviations", [2.0, 3.0])
def test_no_mass_is_lost_at_either_end(steps, deviations):
    """Close ends make the mass beyond visible: above it is kept apart, below it is gathered."""
    pair = gaussian_losses(0.5, steps, deviations)
    beyond = math.exp(pair.log_beyond)
    assert np.all(pair.masses > 0)
    assert math.fsum(pair.masses) >= 1 - beyond
    assert math.fsum(pair.masses) <= 1 + 2 * beyond
    with mpmath.workdps(DIGITS):
        below = mpmath.ncdf(-deviations - 1)
        assert pair.masses[0] > below
