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
def grid_points(noise: Noise, grid: Fraction, depth: float) -> Points:
    """Return the points of noise as a release draws it, out to a mass of about e^-depth.

    On the grid Laplace and Gaussian noise have masses in proportion to their densities; all other
    noise is floored to it, and exponential noise is then geometric.
    """
    symmetric = type(noise) in (Laplace, Gaussian)
    return (_symmetric if symmetric else _floored)(noise, grid, depth)


def _symmetric(noise: Noise, grid: Fraction, depth: float) -> Points:
    """Divide all masses by a total that is summed as deep as any: it is off by about e^-DEEP."""
    scale, laplace = float(noise.scale / grid), type(noise) is Laplace

    def log_weights(depth: float) -> tuple[Array, Array]:
        last = math.ceil((depth if laplace else math.sqrt(2 * depth)) * scale) + 1
        steps = np.arange(-last, last + 1, dtype=np.float64)
        return steps, -np.abs(steps) / scale if laplace else -((steps / scale) ** 2) / 2

    steps, logs = log_weights(depth)
    total = math.fsum(np.exp(log_weights(max(depth, DEEP))[1]).tolist())
    beyond = float(grid_tail(noise, grid, int(steps[-1]) + 1, PRECISION).upper().log().upper())
    return Points(steps, logs - math.log(total), beyond, beyond)


def _floored(noise: Noise, grid: Fraction, depth: float) -> Points:
    """Mass of each cell of the grid."""
    tail, width = math.exp(-depth), float(grid)
    first = math.floor(float(noise.quantile(tail)) / width) - 1
    last = math.ceil(float(noise.isf(tail)) / width) + 1
    edges = np.arange(first, last + 2, dtype=np.float64) * width
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
