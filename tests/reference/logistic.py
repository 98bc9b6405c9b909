"""A user's noise: a dozen lines, no inverses, and no constant that anybody has proved."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from overbar.noise import Noise


@dataclass(frozen=True, repr=False)
class Logistic(Noise):
    scale: Fraction
    name = "logistic"
    unit_mean = 0.0
    unit_variance = math.pi**2 / 3

    def unit_logpdf(self, z):
        return -np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z)))

    def unit_logcdf(self, z):
        return -np.logaddexp(0, -z)

    def unit_logsf(self, z):
        return -np.logaddexp(0, z)
