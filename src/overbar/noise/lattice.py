"""Noise on a grid, as releases draw it.

A release compares numbers that are multiples of a grid. Then V >= x holds iff V floored to the
grid does, so query noise on the grid is continuous noise *floored* to it: same survival at every
grid point, same guarantee. Floored exponential noise is the one-sided geometric law. The
threshold's Laplace noise becomes the two-sided geometric law, whose log-mass is Lipschitz with the
same constant because a shift by the sensitivity is a bijection of the grid.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from overbar import _check
from overbar.noise.exponential import Exponential
from overbar.noise.noise import Array, Noise

#: Moments without a closed form are summed out to where this much of the mass is left.
SUMMED_TAIL = 1e-18


class LatticeNoise(ABC):
    """A law on the multiples of a grid. As everywhere, ``sf(x)`` is P(V >= x)."""

    grid: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", _check.positive("grid", self.grid))

    @abstractmethod
    def step_logsf(self, step: Array) -> Array:
        """Log of P(V >= step · grid)."""

    @abstractmethod
    def step_logcdf(self, step: Array) -> Array:
        """Log of P(V < step · grid)."""

    @abstractmethod
    def _guess(self, p: Array) -> Array:
        """Return a step at most two away from the first with P(V <= step · grid) >= p."""

    @abstractmethod
    def _guess_isf(self, q: Array) -> Array:
        """Return a step at most two away from the last with P(V >= step · grid) >= q."""

    def _first_step(self, x: ArrayLike) -> Array:
        """Return the index of the first grid point at or above x."""
        exact = np.asarray(x, dtype=np.float64) / float(self.grid)
        nearest = np.round(exact)
        # A point that means to lie on the grid may miss it by the rounding of the division.
        on_grid = np.abs(exact - nearest) <= 1e-12 * np.maximum(1.0, np.abs(nearest))
        return np.where(on_grid, nearest, np.ceil(exact))

    def logsf(self, x: ArrayLike) -> Array:
        """Log of P(V >= x)."""
        return self.step_logsf(self._first_step(x))

    def logcdf(self, x: ArrayLike) -> Array:
        """Log of P(V < x)."""
        return self.step_logcdf(self._first_step(x))

    def sf(self, x: ArrayLike) -> Array:
        """P(V >= x): the chance of a positive answer at gap x."""
        return np.exp(self.logsf(x))

    def cdf(self, x: ArrayLike) -> Array:
        """P(V < x): the chance of a negative answer at gap x."""
        return np.exp(self.logcdf(x))

    def logpmf(self, x: ArrayLike) -> Array:
        """Log of P(V = x), by the tail that x lies in; minus infinity off the grid."""
        step = self._first_step(x)
        off_grid = step * float(self.grid) - np.asarray(x, dtype=np.float64)
        above, next_above = self.step_logsf(step), self.step_logsf(step + 1)
        below, next_below = self.step_logcdf(step), self.step_logcdf(step + 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            right = above + np.log(-np.expm1(next_above - above))
            left = next_below + np.log(-np.expm1(below - next_below))
        mass = np.where(above < next_below, right, left)
        empty = (above == -np.inf) | (next_below == -np.inf)
        return np.where(empty | (off_grid > 1e-9 * float(self.grid)), -np.inf, mass)

    def pmf(self, x: ArrayLike) -> Array:
        """P(V = x)."""
        return np.exp(self.logpmf(x))

    def quantile(self, p: ArrayLike) -> Array:
        """Return the smallest grid point x with P(V <= x) >= p."""
        level = np.asarray(p, dtype=np.float64)
        step = self._guess(level) + 3
        for _ in range(6):
            step = np.where(np.exp(self.step_logcdf(step)) >= level, step - 1, step)
        return step * float(self.grid)

    def isf(self, q: ArrayLike) -> Array:
        """Return the largest grid point x with P(V >= x) >= q."""
        level = np.asarray(q, dtype=np.float64)
        step = self._guess_isf(level) - 3
        for _ in range(6):
            step = np.where(np.exp(self.step_logsf(step + 1)) >= level, step + 1, step)
        return step * float(self.grid)

    @property
    def mean(self) -> float:
        """The mean, summed: E[V] = Σ_{j>0} P(V >= j) - Σ_{j<=0} P(V < j), in steps."""
        return self._moment(1)

    @property
    def variance(self) -> float:
        """The variance, summed."""
        return self._moment(2) - self._moment(1) ** 2

    def _moment(self, order: int) -> float:
        last = int(self._guess_isf(np.asarray(SUMMED_TAIL))) + 3
        first = int(self._guess(np.asarray(SUMMED_TAIL))) - 3
        steps = np.arange(first, last + 1, dtype=np.float64)
        return float(
            np.sum((steps * float(self.grid)) ** order * self.pmf(steps * float(self.grid)))
        )


@dataclass(frozen=True)
class Floored(LatticeNoise):
    """Query noise on a grid: a continuous noise floored to it."""

    noise: Noise
    grid: Fraction

    def step_logsf(self, step: Array) -> Array:
        """Agree with the continuous noise at every grid point."""
        return self.noise.logsf(step * float(self.grid))

    def step_logcdf(self, step: Array) -> Array:
        """Agree with the continuous noise at every grid point."""
        return self.noise.logcdf(step * float(self.grid))

    def _guess(self, p: Array) -> Array:
        return np.floor(self.noise.quantile(p) / float(self.grid))

    def _guess_isf(self, q: Array) -> Array:
        return np.floor(self.noise.isf(q) / float(self.grid))

    @property
    def mean(self) -> float:
        """The mean: closed for the one-sided geometric law, summed for the others."""
        if not isinstance(self.noise, Exponential):
            return super().mean
        return float(self.grid) / math.expm1(self.grid / self.noise.scale)

    @property
    def variance(self) -> float:
        """The variance: closed for the one-sided geometric law, summed for the others."""
        if not isinstance(self.noise, Exponential):
            return super().variance
        return float(self.grid) ** 2 / (4 * math.sinh(self.grid / self.noise.scale / 2) ** 2)

    @property
    def log_survival_constant(self) -> Fraction | float:
        """As for the continuous noise: S is the same function, looked at in fewer places."""
        return self.noise.log_survival_constant

    @property
    def log_hazard_constant(self) -> Fraction | float:
        """As for the continuous noise: F is the same function, looked at in fewer places."""
        return self.noise.log_hazard_constant


@dataclass(frozen=True)
class DiscreteLaplace(LatticeNoise):
    """Threshold noise on a grid: P(V = j · grid) proportional to exp(-|j| · grid / scale)."""

    scale: Fraction
    grid: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scale", _check.positive("scale", self.scale))

    @property
    def _rate(self) -> float:
        return float(self.grid / self.scale)

    @property
    def _log_half(self) -> float:
        """Log of 1/(1 + y) with y = exp(-grid/scale): the weight of one tail from zero on."""
        return -math.log1p(math.exp(-self._rate))

    def step_logsf(self, step: Array) -> Array:
        """y^j / (1 + y) from one on; its mirror image at zero and below."""
        right = self._log_half - np.maximum(step, 1) * self._rate
        left = np.log1p(-np.exp(self._log_half + (np.minimum(step, 0) - 1) * self._rate))
        return np.where(step >= 1, right, left)

    def step_logcdf(self, step: Array) -> Array:
        """P(V < j) = P(V > -j) = P(V >= 1 - j)."""
        return self.step_logsf(1 - step)

    def logpmf(self, x: ArrayLike) -> Array:
        """ln tanh(grid / 2 scale) - |x| / scale on the grid."""
        step = self._first_step(x)
        off_grid = step * float(self.grid) - np.asarray(x, dtype=np.float64)
        mass = math.log(math.tanh(self._rate / 2)) - np.abs(step) * self._rate
        return np.where(off_grid > 1e-9 * float(self.grid), -np.inf, mass)

    def _guess(self, p: Array) -> Array:
        return -self._guess_isf(p)

    def _guess_isf(self, q: Array) -> Array:
        low = np.minimum(q, 1 - q)
        with np.errstate(divide="ignore"):
            size = np.maximum(np.floor((self._log_half - np.log(low)) / self._rate), 0.0)
        return np.where(q < 0.5, size, -size)

    @property
    def mean(self) -> float:
        """Zero, by symmetry."""
        return 0.0

    @property
    def variance(self) -> float:
        """grid² / (2 sinh²(grid / 2 scale))."""
        return float(self.grid) ** 2 / (2 * math.sinh(self._rate / 2) ** 2)

    @property
    def log_density_constant(self) -> Fraction:
        """1/scale, between points of the grid."""
        return 1 / self.scale
