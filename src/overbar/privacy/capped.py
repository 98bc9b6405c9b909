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

Theory: :doc:`/theory/gaussian_queries`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError, named
from overbar.noise import Gaussian
from overbar.plans import SparseVectorPlan
from overbar.privacy.threshold_loss import SHIFTED, Shift, shift_renyi, threshold_shift


def capped_covers(plan: SparseVectorPlan) -> bool:
    """Tell whether a plan has Gaussian queries, a limit, and noise on the threshold."""
    return (
        type(plan.query_noise) is Gaussian
        and plan.repeats.max_queries is not None
        and type(plan.threshold_noise) in SHIFTED
    )


@dataclass(frozen=True)
class CappedRun:
    """A plan with Gaussian queries, the shift of its threshold, and its limit on comparisons."""

    plan: SparseVectorPlan
    moved: Shift
    limit: int

    def renyi(self, order: float) -> float:
        """Return the bound of the claim."""
        plan, limit, excess = self.plan, self.limit, order - 1
        each = order * rounded_up((plan.reach.width / plan.query_noise.scale) ** 2) / 2
        most = min(plan.cutoff, limit)
        positives = np.arange(most + 1, dtype=np.float64)
        # ln C(k, i) as a running sum: the gamma functions of a large k would cancel.
        later = np.arange(most, dtype=np.float64)
        steps = np.log((limit - later) / (later + 1))
        log_count = np.concatenate([[0.0], np.cumsum(steps)])
        draws = np.minimum(positives + 1, plan.cutoff) if plan.redraws else 1.0
        threshold = draws * shift_renyi(self.moved, order)
        terms = log_count + excess * (positives * each + threshold)
        return float(scipy.special.logsumexp(terms)) / excess * (1 + 1e-12 + 1e-16 * most)


def capped_run(plan: SparseVectorPlan) -> CappedRun:
    """Read off a plan what the claim needs, or say what is missing."""
    if type(plan.query_noise) is not Gaussian:
        raise NoGuaranteeError(
            f"this bound is for Gaussian query noise, got {plan.query_noise.name} noise"
        )
    if plan.repeats.max_queries is None:
        raise NoGuaranteeError(
            "Gaussian query noise has no guarantee for a run of unlimited length; set "
            f"{named('max_queries')}, or use Gumbel noise, which needs no limit"
        )
    moved = threshold_shift(plan)
    if moved is None:
        raise NoGuaranteeError("Gaussian queries need laplace or gaussian noise on the threshold")
    return CappedRun(plan, moved, plan.repeats.max_queries)
