"""Gumbel noise: its log-hazard is exactly linear, so it is tight in the companion theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from overbar.noise.noise import Array, Noise


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
