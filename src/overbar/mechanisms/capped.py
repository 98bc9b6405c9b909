"""Gaussian query noise: divergences of runs with a limit on comparisons.

With at most k comparisons and c positives the Rényi divergence of order a is at most

    R₁ + ln( Σ_{i <= c} C(k, i)·e^((a-1)·i·a·width²/2σ²) ) / (a - 1),

with R₁ that of the threshold's noise and σ the scale of the queries' noise. For c = 1 this is Zhu &
Wang 2020, "Improving sparse vector technique with Rényi differential privacy", NeurIPS 33.

Theory: :doc:`/theory/gaussian_queries`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from overbar._numbers import rounded_up
from overbar.noise import Gaussian
from overbar.privacy.threshold_loss import SHIFTED, shift_renyi, threshold_shift

if TYPE_CHECKING:
    from overbar.mechanisms.sparse_vector import SparseVectorPlan


def capped_covers(plan: SparseVectorPlan) -> bool:
    """Tell whether a plan has Gaussian queries, a limit, and noise on the threshold."""
    return (
        type(plan.query_noise) is Gaussian
        and plan.repeats.max_queries is not None
        and type(plan.threshold_noise) in SHIFTED
    )


def capped_renyi(plan: SparseVectorPlan, order: float) -> float:
    """Return the bound for a plan that is covered."""
    limit, excess = plan.repeats.max_queries, order - 1
    moved = threshold_shift(plan.threshold_noise, plan.reach.most, plan.grid)
    assert moved is not None
    assert limit is not None
    each = order * rounded_up((plan.reach.width / plan.query_noise.scale) ** 2) / 2
    most = min(plan.cutoff, limit)
    positives = np.arange(most + 1, dtype=np.float64)
    # ln C(k, i) as a running sum: the gamma functions of a large k would cancel.
    later = positives[:-1]
    log_count = np.concatenate([[0.0], np.cumsum(np.log((limit - later) / (later + 1)))])
    draws = np.minimum(positives + 1, plan.cutoff) if plan.repeats.resample else 1.0
    terms = log_count + excess * (positives * each + draws * shift_renyi(moved, order))
    return float(scipy.special.logsumexp(terms)) / excess * (1 + 1e-12 + 1e-16 * most)
