"""The noises: Laplace, exponential, Gumbel and Gaussian, each a frozen value with one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy
from numpy.typing import ArrayLike

from overbar.noise.noise import Array, Noise

LN2 = math.log(2)


@dataclass(frozen=True, repr=False)
class Laplace(Noise):
    """Density ``exp(-|x|/scale) / (2 scale)``.

    The log-hazard is steepest at zero, where its slope is 1/ln 2: on the left H = ln 2 - z, and on
    the right the slope falls from 1/ln 2 towards 1.

    Parameters
    ----------
    scale : int, float, str, Fraction or Decimal
        How wide it is; kept as an exact fraction.
    """

    scale: Fraction

    name = "laplace"
    unit_mean = 0.0
    unit_variance = 2.0
    unit_log_density_fall = 1
    unit_log_survival_constant = 1
    unit_log_hazard_constant = 1 / LN2

    def unit_logpdf(self, z: Array) -> Array:
        """``-|z| - ln 2``."""
        return -np.abs(z) - LN2

    def unit_logcdf(self, z: Array) -> Array:
        """Return z - ln 2 on the left, log1p(-e^-z / 2) on the right."""
        return np.where(z < 0, np.minimum(z, 0) - LN2, np.log1p(-np.exp(-np.maximum(z, 0)) / 2))

    def unit_logsf(self, z: Array) -> Array:
        """Mirror the distribution function."""
        return self.unit_logcdf(-z)

    def unit_quantile(self, p: Array) -> Array:
        """ln(2p) below the median, mirrored above; log1p keeps digits near the median."""
        with np.errstate(divide="ignore"):
            return np.where(p < 0.5, _log_twice(np.minimum(p, 0.5)), -_log_twice(1 - p))

    def unit_isf(self, q: Array) -> Array:
        """Mirror the quantile."""
        return -self.unit_quantile(q)


def _log_twice(p: Array) -> Array:
    return np.where(p > 0.25, np.log1p(2 * np.maximum(p, 0.25) - 1), np.log(2 * p))


@dataclass(frozen=True, repr=False)
class Exponential(Noise):
    """Survival exp(-x/scale) for x >= 0, and 1 below.

    ln S has slope exactly -1/scale on the right, so a positive costs what the pure theorem charges,
    no less. On the threshold its right tail is what that needs, with half the variance of Laplace
    noise. H is infinite below 0 (refused in a race with δ).

    Parameters
    ----------
    scale : int, float, str, Fraction or Decimal
        How wide it is; kept as an exact fraction.
    """

    scale: Fraction

    name = "exponential"
    unit_mean = 1.0
    unit_variance = 1.0
    unit_support = (0.0, math.inf)
    unit_log_density_fall = 1
    unit_log_survival_constant = 1
    unit_log_hazard_constant = math.inf

    def unit_logpdf(self, z: Array) -> Array:
        """-z on the support."""
        return np.where(z < 0, -np.inf, -z)

    def unit_logcdf(self, z: Array) -> Array:
        """log(1 - e^-z): by expm1 near zero, by log1p far out."""
        right = np.maximum(z, 0)
        with np.errstate(divide="ignore"):
            near = np.log(-np.expm1(-right))
            far = np.log1p(-np.exp(-right))
        return np.where(right > 1, far, near)

    def unit_logsf(self, z: Array) -> Array:
        """-z on the support, 0 before it."""
        return -np.maximum(z, 0.0)

    def unit_quantile(self, p: Array) -> Array:
        """-log1p(-p)."""
        with np.errstate(divide="ignore"):
            return -np.log1p(-p)

    def unit_isf(self, q: Array) -> Array:
        """-ln q."""
        with np.errstate(divide="ignore"):
            return -np.log(q)


@dataclass(frozen=True, repr=False)
class Gumbel(Noise):
    """Distribution function exp(-exp(-x/scale)), with mode 0 and mean γ·scale.

    ln f has slope e^-z - 1, so to the right it never falls faster than the exponential's.

    Parameters
    ----------
    scale : int, float, str, Fraction or Decimal
        How wide it is; kept as an exact fraction.
    """

    scale: Fraction

    name = "gumbel"
    unit_mean = float(np.euler_gamma)
    unit_variance = math.pi**2 / 6
    unit_log_density_fall = 1
    unit_log_survival_constant = 1
    unit_log_hazard_constant = 1

    def unit_logpdf(self, z: Array) -> Array:
        """-z - e^-z."""
        with np.errstate(over="ignore"):
            return -z - np.exp(-z)

    def unit_logcdf(self, z: Array) -> Array:
        """-e^-z."""
        with np.errstate(over="ignore"):
            return -np.exp(-z)

    def unit_logsf(self, z: Array) -> Array:
        """log(1 - e^-h) with h = e^-z; far to the right it is -z - h/2."""
        with np.errstate(over="ignore", divide="ignore"):
            hazard = np.exp(-z)
            near = np.where(
                hazard > 1, np.log1p(-np.exp(-hazard)), np.log(-np.expm1(-np.minimum(hazard, 1)))
            )
        return np.where(z > 18.5, -z - np.minimum(hazard, 1) / 2, near)

    def unit_quantile(self, p: Array) -> Array:
        """-ln(-ln p)."""
        with np.errstate(divide="ignore"):
            return -np.log(-np.log(p))

    def unit_isf(self, q: Array) -> Array:
        """-ln(-log1p(-q))."""
        with np.errstate(divide="ignore"):
            return -np.log(-np.log1p(-q))

    def log_hazard(self, x: ArrayLike) -> Array:
        """-x/scale, exactly."""
        return -self._unit(x)


LOG_NORMALISER = math.log(2 * math.pi) / 2


@dataclass(frozen=True, repr=False)
class Gaussian(Noise):
    """The normal law with mean 0; its scale is the standard deviation.

    Parameters
    ----------
    scale : int, float, str, Fraction or Decimal
        The standard deviation; kept as an exact fraction.
    """

    scale: Fraction

    name = "gaussian"
    unit_mean = 0.0
    unit_variance = 1.0
    unit_log_density_fall = math.inf
    unit_log_survival_constant = math.inf
    unit_log_hazard_constant = math.inf

    def unit_logpdf(self, z: Array) -> Array:
        """-z²/2 - ln √(2π)."""
        return -z * z / 2 - LOG_NORMALISER

    def unit_logcdf(self, z: Array) -> Array:
        """Log of the normal distribution function."""
        return np.asarray(scipy.special.log_ndtr(z))

    def unit_logsf(self, z: Array) -> Array:
        """Mirror the distribution function."""
        return np.asarray(scipy.special.log_ndtr(-z))

    def unit_quantile(self, p: Array) -> Array:
        """Quantile of the normal law."""
        return np.asarray(scipy.special.ndtri(p))

    def unit_isf(self, q: Array) -> Array:
        """Mirror the quantile."""
        return -np.asarray(scipy.special.ndtri(q))
