"""The law of Z = v - ρ: what decides a comparison at the threshold.

A query that equals its threshold is answered positive iff v - ρ >= r, where r is the correction.
In the paper: Γ is the distribution function of Z.

**Closed laws** mix two exponential tails. Textbook forms divide a difference of exponentials by
b - s and lose every digit near b = s. Here both parts are positive for every b and s, because

    (e^(-z/b) - e^(-z/s)) / (b - s) = z/(b·s) · e^(-z/m) · φ(|u|),    m = max(b, s),
    u = z·(b - s)/(b·s),    φ(u) = (1 - e^(-u))/u,    φ(0) = 1,

so the survival function is a sum of two positive terms, also in logs, also at b = s. In the paper:
b and s = 1/λ, appendix "Analytical expression of p(r)".

Theory: :doc:`/theory/correction`.
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
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Laplace, Noise
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
    query_noise : Noise
        The noise on queries.
    threshold_noise : Noise or None
        The noise on the threshold; None for Z that is the query noise itself.
    method : {"auto", "closed", "quadrature"}
        "closed" for a formula (exponential/exponential, exponential/Laplace, Laplace/Laplace,
        Gaussian/Gaussian, or no threshold noise), "quadrature" for any pair with log-concave
        densities, which all noises of this package have, and "auto" for the first that serves.

    Examples
    --------
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
        """Log-density at z.

        Parameters
        ----------
        z : array_like
            Where.

        Returns
        -------
        array
            One number for each.
        """
        return self._law.logpdf(np.asarray(z, dtype=np.float64))

    def logcdf(self, z: ArrayLike) -> Array:
        """Log of P(Z < z).

        Parameters and result are those of :meth:`logpdf`.
        """
        return self._law.logcdf(np.asarray(z, dtype=np.float64))

    def logsf(self, z: ArrayLike) -> Array:
        """Log of P(Z >= z).

        Parameters and result are those of :meth:`logpdf`.
        """
        return self._law.logsf(np.asarray(z, dtype=np.float64))

    def cdf(self, z: ArrayLike) -> Array:
        """P(Z < z): the chance of a negative answer at the threshold with correction z.

        Parameters and result are those of :meth:`logpdf`.
        """
        return np.exp(self.logcdf(z))

    def sf(self, z: ArrayLike) -> Array:
        """P(Z >= z): the chance of a positive answer at the threshold with correction z.

        Parameters and result are those of :meth:`logpdf`.
        """
        return np.exp(self.logsf(z))

    def quantile(self, p: ArrayLike) -> Array:
        """Where the distribution function reaches p.

        Parameters
        ----------
        p : array_like
            Chances.

        Returns
        -------
        array
            One place for each.
        """
        level = np.asarray(p, dtype=np.float64)
        return self._inverse(np.log(level), np.log1p(-level))

    def isf(self, q: ArrayLike) -> Array:
        """Where the survival function falls to q. It keeps its digits for tiny q.

        Parameters
        ----------
        q : array_like
            Chances.

        Returns
        -------
        array
            One place for each.
        """
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
                return log_above - float(self._law.logsf(np.asarray(z)))
            return max(float(self._law.logcdf(np.asarray(z))), -1e6) - log_below

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
