"""Gaussian noise: meets none of the Lipschitz conditions, so it has no pure guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy

from overbar.noise.noise import Array, Noise

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
