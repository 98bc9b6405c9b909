"""The law of Z = v - ρ: what decides a comparison at the threshold.

A query that equals its threshold is answered positive iff v - ρ >= r, where r is the correction.
In the paper: Γ is the distribution function of Z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from overbar import _check
from overbar._numbers import root
from overbar.accuracy.quadrature import Knot, log_integral
from overbar.accuracy.two_scales import (
    ExponentialMinusExponential,
    ExponentialMinusLaplace,
    LaplaceMinusLaplace,
)
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Laplace, Noise
from overbar.noise.noise import Array

METHODS = ("auto", "closed", "quadrature")
#: How many integrals are taken at once: enough to keep numpy busy, few enough to stay in cache.
CHUNK = 64


class _Law(Protocol):
    def logpdf(self, z: Array) -> Array: ...
    def logcdf(self, z: Array) -> Array: ...
    def logsf(self, z: Array) -> Array: ...


@dataclass(frozen=True)
class Difference:
    """The law of query noise minus threshold noise.

    Parameters
    ----------
    query_noise, threshold_noise
        The two noises. ``threshold_noise`` may be None: then Z is the query noise itself.
    method
        "closed" for a formula (exponential/exponential, exponential/Laplace, Laplace/Laplace,
        Gaussian/Gaussian, or no threshold noise), "quadrature" for any pair with log-concave
        densities, which all noises of this package have, and "auto" for the first that serves.

    >>> from overbar.noise import Exponential, Laplace
    >>> law = Difference(Exponential(1), Laplace(1))
    >>> round(float(law.sf(2.0)), 6), round(math.exp(-2) * (3 / 4 + 2 / 2), 6)
    (0.236837, 0.236837)
    """

    query_noise: Noise
    threshold_noise: Noise | None
    method: str = "auto"
    _law: _Law = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_noises(self.query_noise, self.threshold_noise)
        method = _check.choice("method", self.method, METHODS)
        law = None if method == "quadrature" else _closed(self.query_noise, self.threshold_noise)
        if law is None and method == "closed":
            raise ParameterError(
                f"method must be 'quadrature' or 'auto' for {self.query_noise.name} query noise "
                f"and {getattr(self.threshold_noise, 'name', 'no')} threshold noise: "
                "their difference has no closed law here"
            )
        if law is None and self.threshold_noise is None:
            law = self.query_noise
        if law is None:
            assert self.threshold_noise is not None
            law = _Integrated(self.query_noise, self.threshold_noise)
        object.__setattr__(self, "_law", law)

    @property
    def spread(self) -> float:
        """A length on which the law varies: the sum of the two scales."""
        noise = self.threshold_noise
        return float(self.query_noise.scale + (noise.scale if noise else 0))

    def logpdf(self, z: ArrayLike) -> Array:
        """Log-density at z."""
        return self._law.logpdf(np.asarray(z, dtype=np.float64))

    def logcdf(self, z: ArrayLike) -> Array:
        """Log of P(Z < z)."""
        return self._law.logcdf(np.asarray(z, dtype=np.float64))

    def logsf(self, z: ArrayLike) -> Array:
        """Log of P(Z >= z)."""
        return self._law.logsf(np.asarray(z, dtype=np.float64))

    def cdf(self, z: ArrayLike) -> Array:
        """P(Z < z): the chance of a negative answer at the threshold with correction z."""
        return np.exp(self.logcdf(z))

    def sf(self, z: ArrayLike) -> Array:
        """P(Z >= z): the chance of a positive answer at the threshold with correction z."""
        return np.exp(self.logsf(z))

    def quantile(self, p: ArrayLike) -> Array:
        """Where the distribution function reaches p."""
        level = np.asarray(p, dtype=np.float64)
        return self._inverse(np.log(level), np.log1p(-level))

    def isf(self, q: ArrayLike) -> Array:
        """Where the survival function falls to q. Keeps its digits for tiny q."""
        level = np.asarray(q, dtype=np.float64)
        return self._inverse(np.log1p(-level), np.log(level))

    def _inverse(self, log_below: Array, log_above: Array) -> Array:
        pairs = zip(np.ravel(log_below), np.ravel(log_above), strict=True)
        roots = [self._solve(float(below), float(above)) for below, above in pairs]
        return np.reshape(np.array(roots), np.shape(log_below))

    def _solve(self, log_below: float, log_above: float) -> float:
        """Solve ln Γ = log_below, or ln(1 - Γ) = log_above, whichever tail is the thinner."""
        if not (log_below < 0 and log_above < 0):
            raise ParameterError("the level of a quantile must lie strictly between 0 and 1")
        below, above = math.exp(log_below) / 2, math.exp(log_above) / 2
        low, high = float(self.query_noise.quantile(below)), float(self.query_noise.isf(above))
        finest = float(self.query_noise.scale)
        if self.threshold_noise is not None:
            finest = min(finest, float(self.threshold_noise.scale))
            # P(v - ρ < x - y) <= P(v < x) + P(ρ > y), and the mirror image.
            low -= float(self.threshold_noise.isf(below))
            high -= float(self.threshold_noise.quantile(above))
        width = high - low + self.spread

        def excess(z: float) -> float:
            if log_above < log_below:
                return log_above - float(self.logsf(z))
            return max(float(self.logcdf(z)), -1e6) - log_below

        margin = 1e-9 * width
        return root(excess, low - margin, high + margin, 1e-16 * finest, 1e-15)


def check_noises(query_noise: object, threshold_noise: object) -> None:
    """Refuse what is not a noise on the real line; None is fine on the threshold."""
    for name, noise in (("query_noise", query_noise), ("threshold_noise", threshold_noise)):
        if not isinstance(noise, Noise) and not (noise is None and name == "threshold_noise"):
            raise ParameterError(f"{name} must be a noise such as Laplace(1), got {noise!r}")


def comparison_variance(query_noise: Noise, threshold_noise: Noise | None) -> float:
    """Return Var(v) + Var(ρ), the variance of what disturbs one comparison.

    >>> from overbar.noise import Exponential, Laplace
    >>> comparison_variance(Exponential(3), Laplace(2))
    17.0
    """
    check_noises(query_noise, threshold_noise)
    return query_noise.variance + (0.0 if threshold_noise is None else threshold_noise.variance)


def _closed(query: Noise, threshold: Noise | None) -> _Law | None:
    """Return the closed law of the difference, or None where there is none."""
    if threshold is None:
        return query
    s, b = float(query.scale), float(threshold.scale)
    if type(query) is Exponential and type(threshold) is Exponential:
        return ExponentialMinusExponential(s, b)
    if type(query) is Exponential and type(threshold) is Laplace:
        return ExponentialMinusLaplace(s, b)
    if type(query) is Laplace and type(threshold) is Laplace:
        return LaplaceMinusLaplace(s, b)
    if type(query) is Gaussian and type(threshold) is Gaussian:
        return Gaussian(_check.rational("scale", math.hypot(s, b)))
    return None


@dataclass(frozen=True)
class _Integrated:
    """The law by quadrature: Γ(z) = ∫ F(z + t)·f_ρ(t) dt, and so on."""

    query: Noise
    threshold: Noise

    def _integral(self, part: str, z: Array) -> Array:
        flat = np.atleast_1d(z).ravel()
        chunks = [self._chunk(part, flat[i : i + CHUNK]) for i in range(0, flat.size, CHUNK)]
        return np.concatenate(chunks).reshape(np.shape(z))

    def _chunk(self, part: str, z: Array) -> Array:
        function = getattr(self.query, part)
        low, high = self.threshold.support
        first, last = self.query.support
        # The distribution function vanishes before the support, the survival function after it.
        lowest = np.maximum(low, -np.inf if part == "logsf" else first - z)
        highest = np.minimum(high, np.inf if part == "logcdf" else last - z)
        knots: list[Knot] = [
            (0.0, float(self.threshold.scale)),
            (-z, float(self.query.scale)),
        ]
        return log_integral(
            lambda t: function(z[:, None] + t) + self.threshold.logpdf(t), knots, lowest, highest
        )

    def logpdf(self, z: Array) -> Array:
        return self._integral("logpdf", z)

    def logcdf(self, z: Array) -> Array:
        return self._thinner("logcdf", "logsf", z)

    def logsf(self, z: Array) -> Array:
        return self._thinner("logsf", "logcdf", z)

    def _thinner(self, part: str, complement: str, z: Array) -> Array:
        """Take the complement where it is the smaller: ln(1 - x) keeps the digits of x."""
        value = np.atleast_1d(self._integral(part, z))
        large = value > -math.log(2)
        if np.any(large):
            other = self._integral(complement, np.atleast_1d(z)[large])
            value[large] = np.log1p(-np.exp(other))
        return np.reshape(value, np.shape(z))
