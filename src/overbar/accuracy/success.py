"""How likely a run is to label every query right, at the threshold and in the worst order.

The worst case of the paper: k queries that are false by a margin of α (``tolerance``) come before
one that is true by the same margin, all at their thresholds. With a correction r, a comparison of a
false query stays negative iff Z < r + α and the true one turns positive iff Z >= r - α.

With R ``rounds`` a negative query is asked again, up to R times in all. It ends negative iff all R
askings are negative. *Success* means that all k + 1 labels are right after R rounds. (A run that
halts at its first positive asks the false queries fewer times, so this is a lower bound for it.)

Two laws, which agree when there is no threshold noise:

- **independent**, the paper's: every comparison, also every asking again, has its own ρ. An asking
  is negative with chance Γ, a query with chance Γ^R, so p(r) = Γ(r+α)^(kR)·(1 - Γ(r-α)^R).
- **shared**, what a run does: one ρ for all, so
  p(r) = E_ρ[F(r+α+ρ)^(kR)·(1 - F(r-α+ρ)^R)].

Given ρ = t the shared product is log-concave in r + t: F is a log-concave distribution function,
F^R is the distribution function of the largest of R noises, whose survival function is log-concave
too. Averaging over a log-concave ρ keeps that (Prékopa 1973), so ln p is concave in r.

Theory: :doc:`/theory/correction`, :doc:`/theory/accuracy`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from overbar import _check
from overbar.accuracy.difference import Difference, check_noises
from overbar.accuracy.quadrature import Knot, log_integral, mean_score
from overbar.noise import Noise
from overbar.noise.noise import Array


def log_any(log_cdf: Array, log_sf: Array, rounds: int) -> Array:
    """Return ln(1 - F^R) from ln F and ln S, at any distance.

    >>> float(log_any(np.asarray(-0.0), np.asarray(-5000.0), 10)) == -5000 + math.log(10)
    True
    """
    if rounds == 1:
        return log_sf
    power = rounds * log_cdf
    with np.errstate(divide="ignore", over="ignore"):
        # Whichever of 1 - F^R and F^R is the smaller keeps its digits.
        near = np.where(power > -math.log(2), np.log(-np.expm1(power)), np.log1p(-np.exp(power)))
    # 1 - F^R = R·S·(1 + O(R·S)): exact in double precision where R·S < 1e-17.
    far = log_sf + math.log(rounds)
    return np.where(far < -40, far, near)


@dataclass(frozen=True)
class SharedThreshold:
    """A run with k false queries before a true one, each asked up to R times under one ρ."""

    query_noise: Noise
    threshold_noise: Noise
    negatives: int
    tolerance: float = 0.0
    rounds: int = 1

    def __post_init__(self) -> None:
        check_noises(self.query_noise, self.threshold_noise)

    def log_success(self, correction: float) -> float:
        """Return ln p(r): every label is right."""
        return self._log_mean(lambda t: self._all_right(correction, t), correction, True)

    def log_failure(self, correction: float) -> float:
        """Return ln(1 - p(r)), with its digits when p is close to one.

        1 - A·(1 - B) = (1 - A) + A·B, with A = F(r+α+ρ)^(kR) and B = F(r-α+ρ)^R. Both parts are
        positive and log-concave.
        """
        query, power = self.query_noise, self.negatives * self.rounds

        def some_positive(t: Array) -> Array:
            gap = correction + self.tolerance + t
            return log_any(query.logcdf(gap), query.logsf(gap), power)

        def never_found(t: Array) -> Array:
            missed = self.rounds * query.logcdf(correction - self.tolerance + t)
            return self._none_positive(correction, t) + missed

        first = self._log_mean(some_positive, correction, False)
        second = self._log_mean(never_found, correction, True)
        return float(np.logaddexp(first, second))

    def slope(self, correction: float) -> float:
        """Return the slope of ln p at r; it falls in r, and is zero at the best correction."""
        low, high = self._ends(correction, True)
        mean = mean_score(
            lambda t: self.threshold_noise.logpdf(t) + self._all_right(correction, t),
            lambda t: self._score(correction, t),
            self._knots(correction),
            low,
            high,
        )
        return float(mean[0])

    def _none_positive(self, r: float, t: Array) -> Array:
        return self.negatives * self.rounds * self.query_noise.logcdf(r + self.tolerance + t)

    def _all_right(self, r: float, t: Array) -> Array:
        gap = r - self.tolerance + t
        query = self.query_noise
        log_positive = log_any(query.logcdf(gap), query.logsf(gap), self.rounds)
        return self._none_positive(r, t) + log_positive

    def _score(self, r: float, t: Array) -> Array:
        """Slope in r of what :meth:`_all_right` returns."""
        query, rounds = self.query_noise, self.rounds
        false_gap, true_gap = r + self.tolerance + t, r - self.tolerance + t
        rise = np.exp(query.logpdf(false_gap) - query.logcdf(false_gap))
        log_cdf = query.logcdf(true_gap)
        earlier = (rounds - 1) * log_cdf if rounds > 1 else 0.0
        log_positive = log_any(log_cdf, query.logsf(true_gap), rounds)
        fall = np.exp(query.logpdf(true_gap) + earlier - log_positive)
        return np.asarray(rounds * (self.negatives * rise - fall))

    def _log_mean(self, log_value: Callable[[Array], Array], r: float, needs: bool) -> float:
        """Return ln E_ρ[e^(log_value(ρ))]; `needs` says that F(r+α+ρ) must not be zero."""
        low, high = self._ends(r, needs)
        logpdf = self.threshold_noise.logpdf
        return float(log_integral(lambda t: logpdf(t) + log_value(t), self._knots(r), low, high)[0])

    def _ends(self, r: float, needs: bool) -> tuple[float, float]:
        low, high = self.threshold_noise.support
        first = self.query_noise.support[0]
        return (max(low, first - r - self.tolerance) if needs else low), high

    def _knots(self, r: float) -> list[Knot]:
        """Where a factor bends: the corner of ρ, both gaps, and the rise of either power."""
        query, scale = self.query_noise, float(self.query_noise.scale)
        rise = float(query.isf(1 / (self.negatives * self.rounds + 1)))
        late = float(query.isf(1 / (self.rounds + 1)))
        false_gap, true_gap = r + self.tolerance, r - self.tolerance
        places = {-false_gap, -true_gap, rise - false_gap, late - true_gap}
        return [
            (0.0, float(self.threshold_noise.scale)),
            *[(place, scale) for place in sorted(places) if math.isfinite(place)],
        ]


@_check.known_keywords
def success_probability(
    correction: ArrayLike,
    query_noise: Noise,
    threshold_noise: Noise | None,
    *,
    negatives: int,
    tolerance: _check.Number = 0,
    rounds: int = 1,
    shared: bool = False,
) -> Array:
    """Return p(r), the chance that every label is right, for each correction r.

    In the paper: Equation (success rate), which multiplies as if each comparison had its own
    threshold noise.

    Parameters
    ----------
    correction : array_like
        What is added to the threshold.
    query_noise : Noise
        The noise on queries.
    threshold_noise : Noise or None
        The noise on the threshold; None for one without noise.
    negatives : int
        How many false queries come before the true one. In the paper: k.
    tolerance : int, float, str, Fraction or Decimal, default 0
        How far from the threshold all of them are. In the paper: α.
    rounds : int, default 1
        How often a query may be asked.
    shared : bool, default False
        Whether the threshold noise is drawn once, as a run does.

    Returns
    -------
    array
        One chance for each correction.

    Examples
    --------
    >>> from overbar.noise import Exponential, Laplace
    >>> noises = Exponential("7.154435"), Laplace("3.320794")
    >>> round(float(success_probability(24.719994, *noises, negatives=24)), 8)
    0.01501653
    >>> round(float(success_probability(23.77721, *noises, negatives=24, shared=True)), 8)
    0.01282466
    """
    k, alpha, times = _checked(negatives, tolerance, rounds)
    if shared and threshold_noise is not None:
        run = SharedThreshold(query_noise, threshold_noise, k, alpha, times)
        values = [run.log_success(float(r)) for r in np.ravel(correction)]
        return np.exp(np.reshape(np.array(values), np.shape(correction)))
    law = Difference(query_noise, threshold_noise)
    return np.exp(log_success(correction, law, negatives=k, tolerance=alpha, rounds=times))


@_check.known_keywords
def failure_probability(
    tolerance: _check.Number,
    query_noise: Noise,
    threshold_noise: Noise | None,
    *,
    negatives: int,
    correction: float = 0.0,
    rounds: int = 1,
    shared: bool = False,
) -> float:
    """Return β = 1 - p for a tolerance α: the run is (α, β)-accurate in the worst case.

    It keeps its digits when β is tiny. In the paper: Definition of (α, β)-accuracy. The parameters
    are those of :func:`success_probability`.

    Returns
    -------
    float
        The chance that a label is wrong.

    Examples
    --------
    >>> from overbar.noise import Exponential, Laplace
    >>> beta = failure_probability(60, Exponential(4), Laplace(2), negatives=50, shared=True)
    >>> f"{beta:.3g}"
    '2.04e-05'
    """
    k, alpha, times = _checked(negatives, tolerance, rounds)
    if shared and threshold_noise is not None:
        run = SharedThreshold(query_noise, threshold_noise, k, alpha, times)
        return min(1.0, math.exp(run.log_failure(correction)))
    law = Difference(query_noise, threshold_noise)
    log_p = log_success(correction, law, negatives=k, tolerance=alpha, rounds=times)
    return -math.expm1(float(log_p))


def log_success(
    correction: ArrayLike, law: Difference, *, negatives: int, tolerance: float, rounds: int
) -> Array:
    """Return ln p(r) with independent comparisons: kR·ln Γ(r+α) + ln(1 - Γ(r-α)^R)."""
    r = np.asarray(correction, dtype=np.float64)
    log_positive = log_any(law.logcdf(r - tolerance), law.logsf(r - tolerance), rounds)
    return negatives * rounds * law.logcdf(r + tolerance) + log_positive


def _checked(negatives: object, tolerance: object, rounds: object) -> tuple[int, float, int]:
    return (
        _check.whole("negatives", negatives),
        float(_check.non_negative("tolerance", tolerance)),
        _check.whole("rounds", rounds),
    )
