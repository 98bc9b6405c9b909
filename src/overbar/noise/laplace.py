"""Laplace noise: two-sided, bounded log-ratio everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

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
