"""Tolerances that are proved in one line, for comparison with the exact probabilities.

All for one positive (c = 1), sensitivity 1, budget split in halves, general queries and no
correction: the threshold noise has scale 2/ε and the query noise 4/ε.

Theory: :doc:`/theory/accuracy`.
"""

from __future__ import annotations

import math

from overbar import _check
from overbar.accuracy.difference import check_noises
from overbar.errors import ParameterError
from overbar.noise import Noise


def exponential_tolerance(
    *, epsilon: _check.Number, negatives: int, failure: _check.Number
) -> float:
    """Return α = 4(ln k + ln(2/β))/ε, at which exponential noise is (α, β)-accurate.

    The paper, Theorem 4. Its printed proof loses a factor of 4 in an exponent; this one holds. With
    Z = v - ρ, b = 2/ε and s = 4/ε,

        P(Z > α) = (4/3)·e^(-αε/4) - (1/2)·e^(-αε/2) <= (4/3)·e^(-αε/4),
        P(Z < -α) = (1/6)·e^(-αε/2).

    The run fails only if Z > α for one of the k false queries or Z < -α for the true one. The
    union of these k + 1 events has chance at most (4k/3 + 1/6)·e^(-αε/4) <= 2k·e^(-αε/4) = β. A
    union bound does not need independence, so sharing ρ changes nothing; and a correction chosen
    to maximise the success probability can only lower β.

    >>> round(exponential_tolerance(epsilon=1, negatives=50, failure="0.05"), 4)
    30.4036
    """
    return 4 * _log_odds(epsilon, negatives, failure)


def laplace_tolerance(*, epsilon: _check.Number, negatives: int, failure: _check.Number) -> float:
    """Return α = 8(ln k + ln(2/β))/ε, at which Laplace noise is (α, β)-accurate.

    Dwork and Roth, The Algorithmic Foundations of Differential Privacy (2014), Theorem 3.24.

    >>> round(laplace_tolerance(epsilon=1, negatives=50, failure="0.05"), 4)
    60.8072
    """
    return 8 * _log_odds(epsilon, negatives, failure)


def comparison_variance(query_noise: Noise, threshold_noise: Noise | None) -> float:
    """Return Var(v) + Var(ρ), the variance of what disturbs one comparison.

    >>> from overbar.noise import Exponential, Laplace
    >>> comparison_variance(Exponential(3), Laplace(2))
    17.0
    """
    check_noises(query_noise, threshold_noise)
    other = 0.0 if threshold_noise is None else threshold_noise.variance
    return query_noise.variance + other


def _log_odds(epsilon: object, negatives: object, failure: object) -> float:
    """Return (ln k + ln(2/β))/ε."""
    budget = float(_check.positive("epsilon", epsilon))
    k = _check.whole("negatives", negatives)
    beta = float(_check.positive("failure", failure))
    if beta > 1:
        raise ParameterError(f"failure must be at most 1, got {failure!r}")
    return (math.log(k) + math.log(2 / beta)) / budget
