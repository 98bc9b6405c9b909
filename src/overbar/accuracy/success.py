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

Theory: :doc:`/theory/correction`, :doc:`/theory/accuracy`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from overbar import _check
from overbar.accuracy.difference import Difference
from overbar.accuracy.shared_threshold import SharedThreshold, log_any
from overbar.noise import Noise
from overbar.noise.noise import Array


def success_probability(
    correction: ArrayLike,
    query_noise: Noise,
    threshold_noise: Noise | None,
    *,
    negatives: int,
    tolerance: _check.Number = 0,
    rounds: int = 1,
    shared: bool = False,
    method: str = "auto",
) -> Array:
    """Return p(r) for each correction r. In the paper: Equation (success rate).

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
    law = Difference(query_noise, threshold_noise, method)
    return np.exp(log_success(correction, law, negatives=k, tolerance=alpha, rounds=times))


def failure_probability(
    tolerance: _check.Number,
    query_noise: Noise,
    threshold_noise: Noise | None,
    *,
    negatives: int,
    correction: float = 0.0,
    rounds: int = 1,
    shared: bool = False,
    method: str = "auto",
) -> float:
    """Return β = 1 - p for a tolerance α: the run is (α, β)-accurate in the worst case above.

    Keeps its digits when β is tiny. In the paper: Definition of (α, β)-accuracy.

    >>> from overbar.noise import Exponential, Laplace
    >>> beta = failure_probability(60, Exponential(4), Laplace(2), negatives=50, shared=True)
    >>> f"{beta:.3g}"
    '2.04e-05'
    """
    k, alpha, times = _checked(negatives, tolerance, rounds)
    if shared and threshold_noise is not None:
        run = SharedThreshold(query_noise, threshold_noise, k, alpha, times)
        return min(1.0, math.exp(run.log_failure(correction)))
    law = Difference(query_noise, threshold_noise, method)
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
