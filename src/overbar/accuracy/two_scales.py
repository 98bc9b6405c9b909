"""Closed laws of v - ρ that mix two exponential tails, stable where the scales meet.

Textbook forms divide a difference of exponentials by b - s and lose every digit near b = s. Here
both parts are positive for every b and s, because

    (e^(-z/b) - e^(-z/s)) / (b - s) = z/(b·s) · e^(-z/m) · φ(|u|),    m = max(b, s),
    u = z·(b - s)/(b·s),    φ(u) = (1 - e^(-u))/u,    φ(0) = 1,

so the survival function is a sum of two positive terms, also in logs, also at b = s.

In the paper: b and s = 1/λ, appendix "Analytical expression of p(r)".

Theory: :doc:`/theory/correction`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from overbar.noise.noise import Array


def _log_mixture(z: Array, b: float, s: float, first: float, second: float) -> Array:
    """Log of first·e^(-z/b) + second·(z/b)·e^(-z/m)·φ(|u|), for z >= 0."""
    u = np.abs(z * ((b - s) / b) / s)
    safe = np.where(u > 0, u, 1.0)
    log_phi = np.where(u > 0, np.log(-np.expm1(-safe) / safe), 0.0)
    with np.errstate(divide="ignore"):
        log_z = np.log(z / b)
    left = math.log(first) - z / b
    return np.logaddexp(left, math.log(second) + log_z - z / max(b, s) + log_phi)


@dataclass(frozen=True)
class ExponentialMinusExponential:
    """v exponential with mean s, ρ exponential with mean b: a Laplace law with unequal sides.

    The survival function is s/(s + b)·e^(-z/s) for z >= 0, and the distribution function
    b/(s + b)·e^(z/b) for z < 0.
    """

    s: float
    b: float

    def _tails(self, z: Array) -> tuple[Array, Array]:
        """Log of the tail to the right of max(z, 0), and of the one to the left of min(z, 0)."""
        right = -math.log1p(self.b / self.s) - np.maximum(z, 0.0) / self.s
        left = -math.log1p(self.s / self.b) + np.minimum(z, 0.0) / self.b
        return np.asarray(right), np.asarray(left)

    def logpdf(self, z: Array) -> Array:
        """Log-density."""
        side = np.where(z < 0, z / self.b, -z / self.s)
        return np.asarray(side - math.log(self.s + self.b))

    def logsf(self, z: Array) -> Array:
        """Log of P(Z >= z)."""
        right, left = self._tails(z)
        return np.where(z < 0, np.log1p(-np.exp(left)), right)

    def logcdf(self, z: Array) -> Array:
        """Log of P(Z < z)."""
        right, left = self._tails(z)
        return np.where(z < 0, left, np.log1p(-np.exp(right)))


@dataclass(frozen=True)
class ExponentialMinusLaplace:
    """v exponential with mean s, ρ Laplace with scale b.

    For z >= 0 the survival function is
    (b + 2s)/(2(b + s))·e^(-z/b) + s/(b + s)·(z/b)·e^(-z/m)·φ(|u|); for z < 0 the distribution
    function is b·e^(z/b)/(2(s + b)). At b = s the first is e^(-z/s)·(3/4 + z/(2s)).
    """

    s: float
    b: float

    @property
    def _log_origin(self) -> float:
        """Log of Γ(0) = b/(2(s + b))."""
        return -math.log(2) - math.log1p(self.s / self.b)

    def logpdf(self, z: Array) -> Array:
        """Log-density."""
        b, s = self.b, self.s
        half = 1 / (2 * (b + s))
        right = _log_mixture(np.maximum(z, 0.0), b, s, half, 2 * half)
        return np.where(z < 0, math.log(half) + np.minimum(z, 0.0) / b, right)

    def _log_right_tail(self, z: Array) -> Array:
        b, s = self.b, self.s
        return _log_mixture(z, b, s, (b + 2 * s) / (2 * (b + s)), s / (b + s))

    def logsf(self, z: Array) -> Array:
        """Log of P(Z >= z)."""
        left = np.log1p(-np.exp(self._log_origin + np.minimum(z, 0.0) / self.b))
        return np.where(z < 0, left, self._log_right_tail(np.maximum(z, 0.0)))

    def logcdf(self, z: Array) -> Array:
        """Log of P(Z < z)."""
        b, s = self.b, self.s
        right = np.maximum(z, 0.0)
        tail = np.exp(self._log_right_tail(right))
        far = np.log1p(-np.minimum(tail, 0.5))
        if b > s / 2:  # then Γ(0) > 1/6 and taking the tail from one loses nothing
            near = np.log(1 - tail)
        else:  # Γ(0) plus a rise whose two terms stand at least 4 : 3
            rise = s / (s - b) * (s / (s + b)) * -np.expm1(-right / s)
            fall = b / (2 * (s - b)) * -np.expm1(-right / b)
            near = np.log(math.exp(self._log_origin) + (rise - fall))
        left = self._log_origin + np.minimum(z, 0.0) / b
        return np.where(z < 0, left, np.where(tail < 0.5, far, near))


@dataclass(frozen=True)
class LaplaceMinusLaplace:
    """v Laplace with scale s, ρ Laplace with scale b: symmetric about zero.

    For z >= 0 the survival function is e^(-z/b)/2 + s/(2(b + s))·(z/b)·e^(-z/m)·φ(|u|). At b = s
    it is e^(-z/s)·(1/2 + z/(4s)).
    """

    s: float
    b: float

    def logpdf(self, z: Array) -> Array:
        """Log-density."""
        half = 1 / (2 * (self.b + self.s))
        return _log_mixture(np.abs(z), self.b, self.s, half, half)

    def logsf(self, z: Array) -> Array:
        """Log of P(Z >= z)."""
        b, s = self.b, self.s
        tail = _log_mixture(np.abs(z), b, s, 0.5, s / (2 * (b + s)))
        return np.where(z < 0, np.log1p(-np.exp(np.minimum(tail, -math.log(2)))), tail)

    def logcdf(self, z: Array) -> Array:
        """Log of P(Z < z), by symmetry."""
        return self.logsf(-z)
