"""What the threshold's noise gives away when it is shifted, as releases draw it: on a grid.

**Laplace.** The profile on the grid is the chord curve of the continuous one, so it gives away
*more*. Any of its knots that keep both ends give a pair that dominates the grid's. **Gaussian.**
Losses are summed point by point and gathered on fewer knots by the same chords. Beyond
``MOST_POINTS`` points per deviation a point's mass is at most e^(1/24s²) times that of the normal
law on its cell, and its loss at most half a step above any there.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError
from overbar.noise import Gaussian, Laplace, Noise
from overbar.privacy.loss_profile import Array

#: A Laplace pair on a finer grid, or in the continuum, is gathered on this many knots.
MOST_KNOTS = 256
#: Knots per standard deviation of a Gaussian pair.
KNOTS_PER_DEVIATION = 24
#: Grid points per standard deviation up to which a discrete Gaussian is summed point by point.
MOST_POINTS = 20_000

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class Shift:
    """Noise of a threshold that is moved, by `steps` of the grid; None for the continuum."""

    size: float
    steps: int | None = None


class LaplaceShift(Shift):
    """Laplace noise, moved by so many scales: the size is the largest loss."""


class GaussianShift(Shift):
    """Gaussian noise, moved by so many standard deviations (in the literature: μ)."""


#: Threshold noises whose shift is understood. Not what derives from them: it may change the law.
SHIFTED: dict[type[Noise], type[Shift]] = {Laplace: LaplaceShift, Gaussian: GaussianShift}


@dataclass(frozen=True)
class Losses:
    """A pair of laws that dominates a shift: atoms of privacy loss with their mass.

    ``masses`` are taken under the first law; ``log_beyond`` is the log of the mass whose loss is
    not bounded here and counts as infinite. Both may exceed the truth, never fall below it.
    """

    losses: Array
    masses: Array
    log_beyond: float


def shift_losses(shift: Shift, depth: float) -> Losses:
    """Return a dominating pair; for a Gaussian the mass beyond is about e^-depth."""
    if isinstance(shift, LaplaceShift):
        return laplace_losses(shift.size, shift.steps)
    # A few depths only, so that the cache is hit.
    deviations = max(9.0, math.ceil(math.sqrt(2 * depth)))
    return gaussian_losses(shift.size, shift.steps, deviations)


@lru_cache(maxsize=1 << 13)  # plans that are compared share their threshold noise
def shift_renyi(shift: Shift, order: float) -> float:
    """Rényi divergence of a shift, at an order above 1; rounded up."""
    if isinstance(shift, GaussianShift):
        # Also on the grid: Canonne, Kamath & Steinke 2020, arXiv:2004.00010v3, Proposition 5.
        return order * shift.size**2 / 2 * (1 + 1e-14)
    if math.isinf(order):
        return shift.size
    pair = laplace_losses(shift.size, shift.steps)
    excess = order - 1
    if excess * shift.size > 1:
        # The first loss is the largest, so no term overflows.
        terms = np.exp(excess * (pair.losses - pair.losses[0]))
        value = excess * float(pair.losses[0]) + math.log(pair.masses @ terms)
    else:
        # The masses are a hair too large, so what is added to one is summed around zero.
        value = math.log1p(math.fsum(pair.masses * np.expm1(excess * pair.losses)))
    # For a small ε₁ the sum around zero has lost digits, a few last ones of ε₁ itself.
    return min(shift.size, value / excess * (1 + 1e-12) + 4e-15 * shift.size)


def threshold_shift(noise: Noise | None, most: Fraction, grid: Fraction) -> Shift | None:
    """Return the shift of a threshold's noise by all that a person can move; None for none."""
    if noise is None:
        return None
    if type(noise) in SHIFTED:
        return SHIFTED[type(noise)](rounded_up(most / noise.scale), int(most / grid))
    raise NoGuaranteeError(
        f"{noise.name} noise on the threshold has no guarantee: shifting it by the sensitivity "
        "gives an unbounded privacy loss. Use laplace, gaussian or none"
    )


@lru_cache(maxsize=256)
def laplace_losses(epsilon: float, steps: int | None) -> Losses:
    """Give the chord pair of a Laplace shift; exact on a grid of at most MOST_KNOTS steps."""
    if epsilon > 700:  # both ends alone dominate, and one of them has all of the mass
        ends = np.array([epsilon, -epsilon])
        return Losses(ends, np.array([1.0, math.exp(-epsilon)]), -math.inf)
    knots = MOST_KNOTS if steps is None else min(steps, MOST_KNOTS)
    total = knots if steps is None else steps
    # Only points of the grid's own knots may be used, so an uneven division is rounded.
    m = np.rint(np.arange(knots + 1) * (total / knots))
    half_losses = epsilon * (0.5 - m / total)
    u = np.exp(half_losses)
    # The second law's mass above the gap between two knots is u_last / (their sum of u).
    gaps = u[:-1] + u[1:]
    down = np.expm1(half_losses[2:] - half_losses[1:-1])
    up = np.expm1(half_losses[:-2] - half_losses[1:-1])
    middle = u[-1] * u[1:-1] * (up - down) / (gaps[1:] * gaps[:-1])
    second = np.concatenate([[u[-1] / gaps[0]], middle, [u[-2] / gaps[-1]]])
    masses = second * np.exp(2 * half_losses) * (1 + 1e-13)
    return Losses(2 * half_losses, masses, -math.inf)


@lru_cache(maxsize=64)
def gaussian_losses(distance: float, steps: int | None, deviations: float) -> Losses:
    """Give a chord pair of a Gaussian shift, out to a number of standard deviations."""
    density = math.inf if steps is None else steps / distance
    if density <= MOST_POINTS:
        return _lattice_gaussian(distance, density, deviations)
    width = 1 / KNOTS_PER_DEVIATION
    count = math.ceil(2 * deviations / width)
    knots = -deviations + width * np.arange(count + 1, dtype=np.float64)
    z = knots[:-1, None] + width * (1 + _NODES[None, :]) / 2
    masses = np.exp(-z * z / 2) * _WEIGHTS / math.sqrt(2 * math.pi) * width / 2
    share = np.expm1(-distance * (z - knots[:-1, None])) / math.expm1(-distance * width)
    gathered = np.zeros(count + 1)
    gathered[1:] += np.sum(masses * share, axis=1)
    gathered[:-1] += np.sum(masses * (1 - share), axis=1)
    log_tail = -deviations * deviations / 2 - math.log(2)
    gathered[0] += math.exp(log_tail)
    inflation = 1 + 1e-12 + (0.0 if steps is None else 1.01 / (24 * density * density))
    extra = 0.0 if steps is None else distance / (2 * density)
    losses = distance * knots + distance * distance / 2 + extra
    return Losses(losses, gathered * inflation, log_tail + 1e-8)


def _lattice_gaussian(distance: float, density: float, deviations: float) -> Losses:
    """Sum the discrete Gaussian with `density` grid points per standard deviation."""
    last = math.ceil(deviations * density) + 1
    stride = max(1, math.floor(density / KNOTS_PER_DEVIATION))
    first = -stride * math.ceil(last / stride)
    count = math.ceil((last - first) / stride)
    points = np.arange(first, first + stride * count + 1, dtype=np.float64)
    masses = np.exp(-((points / density) ** 2) / 2)
    # A partial sum is a lower bound on the normaliser, so the masses are upper bounds.
    total = float(np.sum(masses))
    masses /= total
    # Beyond the last point each mass is at most a fixed share of the one before.
    end = float(points[-1])
    fall = (2 * end + 1) / (2 * density * density)
    log_tail = -((end / density) ** 2) / 2 - math.log(total) + 1e-9
    log_tail -= math.log(math.expm1(fall)) if fall < 700 else fall - 1e-9
    cell = np.minimum((points - first) // stride, count - 1).astype(np.int64)
    low = first + stride * cell
    share = np.expm1(-distance * (points - low) / density) / math.expm1(
        -distance * stride / density
    )
    gathered: Array = np.bincount(cell + 1, masses * share, count + 1).astype(np.float64)
    gathered += np.bincount(cell, masses * (1 - share), count + 1)
    gathered[0] += math.exp(log_tail)
    knots = (first + stride * np.arange(count + 1, dtype=np.float64)) / density
    return Losses(distance * knots + distance * distance / 2, gathered * (1 + 1e-12), log_tail)
