"""Exponential noise: one-sided, and tight in the pure theorem. The paper's query noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from overbar.noise.noise import Array, Noise


@dataclass(frozen=True, repr=False)
class Exponential(Noise):
    """Survival exp(-x/scale) for x >= 0, and 1 below.

    ln S has slope exactly -1/scale on the right, so a positive costs what the pure theorem charges,
    no less. On the threshold its right tail is what that needs, with half the variance of Laplace
    noise. H is infinite below 0 (refused by the companion theorem).

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
