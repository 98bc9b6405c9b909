"""Gaussian query noise: a Rényi guarantee for runs with a limit on comparisons.

**Claim.** With at most k comparisons and c positives, at every order a > 1 the Rényi divergence
of a run is at most

    R₁ + ln( Σ_{i <= c} C(k, i)·e^((a-1)·i·a·shift²/2σ²) ) / (a - 1),

with R₁ the threshold noise's own, σ the query noise's scale and shift 2Δ (Δ when monotonic).

**Proof.** Fix a transcript with i positives; it fixes the queries asked. Its probability is the
integral of g = Π F(x_j) over the negatives times Π 1[v_j >= x_j] over the positives, against the
law of (ρ, v at the positives). Move ρ by Δ and each v_j by what its gap moved, which is in
[0, shift] and does not depend on ρ: the indicators stay, and the factors F grow. So P = ∫ g dμ and
Q >= ∫ g dν where μ and ν differ by these moves, and by Hölder
P^a·Q^(1-a) <= ∫ g·(dμ)^a·(dν)^(1-a) <= e^((a-1)(R₁ + i·a·shift²/2σ²)) as g <= 1. Transcripts that
halt at the c-th positive number C(k, c), those that do not with i < c positives C(k, i). Sum. ∎

With e^(…i…) replaced by its value at i = c this is Zhu & Wang 2020, "Improving sparse vector
technique with Rényi differential privacy", NeurIPS 33, carried from c = 1 to any c. On the grid the
threshold's part is no larger (Canonne, Kamath & Steinke 2020, arXiv:2004.00010v3, Proposition 5),
and queries are compared at grid points with the continuous law.

Theory: :doc:`/theory/gaussian`.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from overbar import _check
from overbar._numbers import rounded_up
from overbar.accounting.conversion import (
    checked_log_delta,
    epsilon_from_renyi,
    log_delta_from_renyi,
)
from overbar.accounting.threshold_loss import (
    SHIFTED,
    GaussianShift,
    LaplaceShift,
    shift_renyi,
    threshold_shift,
)
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.noise import Gaussian
from overbar.plan import Plan


def capped_covers(plan: Plan) -> bool:
    """Tell whether a plan has Gaussian queries, a limit, and noise on the threshold."""
    return (
        plan.mechanism == "sparse-vector"
        and type(plan.query_noise) is Gaussian
        and plan.max_queries is not None
        and type(plan.threshold_noise) in SHIFTED
    )


def capped_renyi(plan: Plan, order: float) -> float:
    """Return the Rényi divergence bound of a run with Gaussian queries and ``max_queries``."""
    moved, limit = _checked(plan)
    if not order > 1:
        raise ParameterError(f"order must be above 1, got {order}")
    a, excess = float(order), float(order) - 1
    each = a * rounded_up((plan.query_shift / plan.query_noise.scale) ** 2) / 2
    most = min(plan.cutoff, limit)
    positives = np.arange(most + 1, dtype=np.float64)
    # ln C(k, i) as a running sum: the gamma functions of a large k would cancel.
    later = np.arange(most, dtype=np.float64)
    steps = np.log((limit - later) / (later + 1))
    log_count = np.concatenate([[0.0], np.cumsum(steps)])
    draws = np.minimum(positives + 1, plan.cutoff) if plan.resample else 1.0
    threshold = draws * shift_renyi(moved, a)
    terms = log_count + excess * (positives * each + threshold)
    return float(scipy.special.logsumexp(terms)) / excess * (1 + 1e-12 + 1e-16 * most)


def capped_delta(plan: Plan, epsilon: _check.Number) -> float:
    """Return δ such that a run with Gaussian queries and ``max_queries`` is (ε, δ)-DP."""
    _checked(plan)
    level = -rounded_up(-_check.non_negative("epsilon", epsilon))
    value = log_delta_from_renyi(lambda order: capped_renyi(plan, order), level)
    return max(math.exp(value), math.ulp(0.0))


def capped_epsilon(plan: Plan, delta: _check.Number) -> float:
    """Return ε such that a run with Gaussian queries and ``max_queries`` is (ε, δ)-DP."""
    _checked(plan)
    log_delta = checked_log_delta(delta)
    if log_delta == -math.inf:
        raise NoGuaranteeError("Gaussian noise has no pure guarantee; allow a positive delta")
    return epsilon_from_renyi(lambda order: capped_renyi(plan, order), log_delta)[0]


def _checked(plan: Plan) -> tuple[LaplaceShift | GaussianShift, int]:
    """Return the threshold's shift and the limit on comparisons, or say what is missing."""
    if type(plan.query_noise) is not Gaussian:
        raise NoGuaranteeError(
            f"this bound is for Gaussian query noise, got {plan.query_noise.name} noise"
        )
    if plan.max_queries is None:
        raise NoGuaranteeError(
            "Gaussian query noise has no guarantee for a run of unlimited length; set "
            f"{named('max_queries')}, or use Gumbel noise, which needs no limit"
        )
    moved = threshold_shift(plan)
    if moved is None:
        raise NoGuaranteeError("Gaussian queries need laplace or gaussian noise on the threshold")
    return moved, plan.max_queries
