"""The values threshold noise can take, with their masses, and bounds on what is left out.

The grid is infinite and a sum is not. Beyond the last points the mass is bounded in closed form,
so every probability that is summed here has a lower and an upper end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from overbar.audit.exact.profile import Array
from overbar.noise import Gaussian, Laplace, Noise

#: Certified sums leave out a mass of about e^-DEEP; the search is content with less.
DEEP = 95.0
SHALLOW = 40.0
#: Nodes of the Gauss-Legendre rule on each panel, for continuous noise.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True, eq=False)
class Points:
    """Threshold noise in grid steps.

    ``log_below`` and ``log_above`` bound the mass left out on either side.
    """

    steps: Array
    log_masses: Array
    log_below: float = -math.inf
    log_above: float = -math.inf

    def mirrored(self) -> Points:
        """Return the noise reflected at zero."""
        masses = self.log_masses[::-1]
        return Points(-self.steps[::-1], masses, self.log_above, self.log_below)


BARE = Points(np.zeros(1), np.zeros(1))


@lru_cache(maxsize=64)
def grid_points(noise: Noise | None, grid: float, depth: float, floored: bool = False) -> Points:
    """Return the points of noise as a release draws it, out to a mass of about e^-depth.

    On the grid Laplace and Gaussian noise have masses in proportion to their densities; all other
    noise is floored to it, and exponential noise is then geometric.
    """
    if noise is None:
        return BARE
    if type(noise) is Gaussian and not floored:
        return _gaussian(float(noise.scale) / grid, depth)
    if type(noise) is Laplace and not floored:
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
    log_masses = log_mass(noise, edges[:-1], edges[1:])
    inside = log_masses > -math.inf
    steps = np.arange(first, last + 1, dtype=np.float64)
    below, above = float(noise.logcdf(edges[0])), float(noise.logsf(edges[-1]))
    return Points(steps[inside], log_masses[inside], below + 1e-12, above + 1e-12)


def log_mass(noise: Noise, low: Array, high: Array) -> Array:
    """Log-chance of noise from `low` to below `high`; from the smaller tail: no digits cancel."""
    with np.errstate(divide="ignore", invalid="ignore"):
        above, beyond = noise.logsf(low), noise.logsf(high)
        below, before = noise.logcdf(high), noise.logcdf(low)
        from_above = above + np.log(-np.expm1(beyond - above))
        from_below = below + np.log(-np.expm1(before - below))
    return np.where(above < below, from_above, from_below)


def panel_points(noise: Noise, grid: float, depth: float, kinks: Array) -> Points:
    """Return nodes and weights for continuous noise: panels that end where something has a kink.

    Half a scale or less on each panel, sixteen nodes: all that is integrated is analytic there, and
    the error is far below what is carried for rounding. It is not a proved bound.
    """
    tail, width = math.exp(-depth), float(noise.scale) / 2
    low, high = float(noise.quantile(tail)), float(noise.isf(tail))
    even = np.linspace(low, high, max(2, math.ceil((high - low) / width) + 1))
    inner = np.concatenate([[0.0], kinks * grid])
    edges = np.unique(np.concatenate([even, inner[(inner > low) & (inner < high)]]))
    half = np.diff(edges) / 2
    x = (edges[:-1] + half)[:, None] + half[:, None] * _NODES[None, :]
    log_masses = noise.logpdf(x) + np.log(half[:, None] * _WEIGHTS[None, :])
    return Points(x.ravel() / grid, log_masses.ravel(), -depth, -depth)
