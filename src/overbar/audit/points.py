"""Noise on the grid as points with masses, and how likely a comparison with it goes either way.

The grid is infinite and a sum is not. Beyond the last points the mass is bounded in closed form.
All chances are logs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from overbar.audit.profile import Array
from overbar.noise import Gaussian, Laplace, Noise
from overbar.noise.grid_tails import grid_tail

#: Certified sums leave out a mass of about e^-DEEP.
DEEP = 300.0
#: Digits of a chance, in bits: more than a float has.
PRECISION = 64


@dataclass(frozen=True, eq=False)
class Points:
    """Noise in grid steps, with what lies beyond on either side at most."""

    steps: Array
    log_masses: Array
    log_below: float = -math.inf
    log_above: float = -math.inf

    @property
    def log_beyond(self) -> float:
        """What is left out on both sides, at most."""
        return float(np.logaddexp(self.log_below, self.log_above))


#: No noise.
BARE = Points(np.zeros(1), np.zeros(1))


@lru_cache(maxsize=64)
def grid_points(noise: Noise, grid: float, depth: float) -> Points:
    """Return the points of noise as a release draws it, out to a mass of about e^-depth.

    On the grid Laplace and Gaussian noise have masses in proportion to their densities; all other
    noise is floored to it, and exponential noise is then geometric.
    """
    if type(noise) is Gaussian:
        return _gaussian(float(noise.scale) / grid, depth)
    if type(noise) is Laplace:
        return _laplace(grid / float(noise.scale), depth)
    return _floored(noise, grid, depth)


def _laplace(rate: float, depth: float) -> Points:
    """Two-sided geometric law: mass tanh(rate/2)·e^(-rate·|j|)."""
    last = math.ceil(depth / rate) + 1
    j = np.arange(-last, last + 1, dtype=np.float64)
    log_tail = -rate * (last + 1) - math.log1p(math.exp(-rate)) + 1e-12
    return Points(j, math.log(math.tanh(rate / 2)) - rate * np.abs(j), log_tail, log_tail)


def _gaussian(scale: float, depth: float) -> Points:
    """Discrete Gaussian law: mass proportional to e^(-j²/2·scale²).

    Beyond the last point each weight is at most a fixed share of the one before. The masses are
    divided by a total that is summed as deep as any: its relative error is about e^-DEEP.
    """
    deepest = math.ceil(math.sqrt(2 * max(depth, DEEP)) * scale) + 1
    weights = np.exp(-((np.arange(-deepest, deepest + 1) / scale) ** 2) / 2)
    log_total = math.log(math.fsum(weights.tolist()))
    last = math.ceil(math.sqrt(2 * depth) * scale) + 1
    j = np.arange(-last, last + 1, dtype=np.float64)
    log_weights = -((j / scale) ** 2) / 2
    fall = (2 * last + 3) / (2 * scale * scale)
    log_tail = -(((last + 1) / scale) ** 2) / 2 - math.log(-math.expm1(-fall)) - log_total + 1e-12
    return Points(j, log_weights - log_total, log_tail, log_tail)


def _floored(noise: Noise, grid: float, depth: float) -> Points:
    """Mass of each cell of the grid."""
    tail = math.exp(-depth)
    first = math.floor(float(noise.quantile(tail)) / grid) - 1
    last = math.ceil(float(noise.isf(tail)) / grid) + 1
    edges = np.arange(first, last + 2, dtype=np.float64) * grid
    log_masses = _log_mass(noise, edges[:-1], edges[1:])
    inside = log_masses > -math.inf
    steps = np.arange(first, last + 1, dtype=np.float64)
    below, above = float(noise.logcdf(edges[0])), float(noise.logsf(edges[-1]))
    return Points(steps[inside], log_masses[inside], below + 1e-12, above + 1e-12)


def _log_mass(noise: Noise, low: Array, high: Array) -> Array:
    """Log-chance of noise from `low` to below `high`; from the smaller tail: no digits cancel."""
    with np.errstate(divide="ignore", invalid="ignore"):
        above, beyond = noise.logsf(low), noise.logsf(high)
        below, before = noise.logcdf(high), noise.logcdf(low)
        from_above = above + np.log(-np.expm1(beyond - above))
        from_below = below + np.log(-np.expm1(before - below))
    return np.where(above < below, from_above, from_below)


def log_reached(
    noise: Noise | None, grid: Fraction, gaps: Array, reached: bool, on_grid: bool = False
) -> Array:
    """Return the log-chance that noise reaches these numbers of steps, or that it does not.

    Without noise only what is at zero or below is reached.
    """
    if noise is None:
        return np.where((gaps <= 0) == reached, 0.0, -math.inf)
    if on_grid and type(noise) in (Laplace, Gaussian):
        return np.array([_log_tail(noise, grid, int(gap), reached) for gap in gaps])
    return (noise.logsf if reached else noise.logcdf)(gaps * float(grid))


def _log_tail(noise: Noise, grid: Fraction, steps: int, reached: bool) -> float:
    tail = grid_tail(noise, grid, steps if reached else 1 - steps, PRECISION).mid()
    return float(tail.log()) if tail > 0 else -math.inf


def log_total(weights: Array) -> float:
    """Log of the sum of e^weights; minus infinity for an empty sum."""
    largest = float(np.max(weights, initial=-math.inf))
    if math.isinf(largest):
        return largest
    return largest + math.log(float(np.sum(np.exp(weights - largest))))
