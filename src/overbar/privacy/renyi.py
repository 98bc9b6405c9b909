"""Rényi accounting of runs whose threshold is drawn anew after each positive.

Such a run is c independent runs of one positive each, and each is pure DP by the paper's Theorem 2
with ε₁ + ε₂/c. Their composition is adaptive composition of pure mechanisms, about which
everything is known. Without redrawing, the positives are *not* independent given the transcript
and no such composition holds: see :func:`resampled_epsilon_each`.

Theory: :doc:`/theory/renyi`, :doc:`/theory/counterexample`.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import scipy

from overbar._numbers import safe_end
from overbar.errors import NoGuaranteeError
from overbar.plans import Plan
from overbar.privacy.pure import positive_epsilon, threshold_epsilon
from overbar.privacy.theorem import checked_order, log_delta_from_renyi

#: Up to so many runs the sum over a binomial law is taken over all of it, then around its mean
#: alone, and from the second number on by way of Rényi, which takes no memory.
WHOLE_SUM, LARGEST_SUM = 1 << 14, 10**8
#: What is left out of a sum around the mean has at most a mass of 2·e^-TAIL.
TAIL = 800.0


def pure_renyi(epsilon: float, order: float) -> float:
    """Return the largest Rényi divergence, of an order above 1, of any pure ε-DP mechanism.

    Attained by randomised response: ln[(e^(aε) + e^((1-a)ε)) / (1 + e^ε)] / (a - 1). Proved by
    rounding the likelihood ratio to its two ends at random (Steinke 2024, "Tight RDP & zCDP bounds
    from pure DP", differentialprivacy.org, Theorem 4). At most a·ε²/2 (Bun & Steinke 2016,
    arXiv:1605.02065v1, Proposition 3.3). Written as
    log1p[2·sinh(aε/2)·sinh((a-1)ε/2) / cosh(ε/2)] / (a - 1) it does not cancel. Rounded up.
    """
    if math.isinf(checked_order(order)):
        return epsilon
    excess = order - 1
    if order * epsilon > 60:  # the same with e^(aε) in front
        small = math.log1p(math.exp(-epsilon)) - math.log1p(math.exp((1 - 2 * order) * epsilon))
        value = epsilon - small / excess
    else:
        grown = 2 * math.sinh(order * epsilon / 2) * math.sinh(excess * epsilon / 2)
        value = math.log1p(grown / math.cosh(epsilon / 2)) / excess
    # It may be too small for a float: never zero then.
    return min(epsilon, float(value) * (1 + 1e-14) + sys.float_info.min)


def resampled_epsilon_each(plan: Plan) -> Fraction:
    """Return the pure ε of each of the c independent runs of a plan that redraws its threshold.

    What must hold: ``resample=True``, ln f of the threshold noise and ln S of the query noise
    Lipschitz (paper, Theorem 2). Then ε = k₁Δ + k₂·shift for each run of one positive.

    Refused without redrawing. The paper's appendix adds up Rényi costs over positives there. A
    counterexample: Δ = 1, Laplace threshold noise with ε₁ = 0.1, exponential query noise of scale
    20, c = 50, threshold 0; a first query of 0 on one data set and 1 on its neighbour, then 50
    queries of 0.25 and -0.75. "Negative, then 50 positives" has probability 6.59e-4 and 4.13e-6:
    δ(3.56) is at least 5.1e-4 where the sum claims 1e-5.
    """
    if not plan.redraws:
        raise NoGuaranteeError(
            "Rényi costs do not add up over the positives of one threshold draw: one negative "
            "answer can prove where the threshold lies, and each later positive then costs its "
            "full pure budget (counterexample in "
            "overbar.privacy.renyi.resampled_epsilon_each). Use resample=True, Gumbel query "
            "noise, of which a race has a bound (overbar.privacy.steps), or delta=0"
        )
    if plan.threshold_noise is None:
        raise NoGuaranteeError("without threshold noise no run is pure DP; use laplace noise on it")
    return threshold_epsilon(plan) + positive_epsilon(plan)


def composed_log_delta(each: float, cutoff: int, epsilon: float) -> float:
    """Log of Σ_k C(c,k)·p^k·q^(c-k)·(1 - e^(ε - (2k-c)·each))₊ with p = 1/(1 + e^-each).

    For very large c an upper bound: the law is cut off around its mean, by Hoeffding's inequality.
    """
    if epsilon >= cutoff * each * (1 + 1e-15):
        return -math.inf
    if cutoff > LARGEST_SUM:
        return log_delta_from_renyi(lambda order: cutoff * pure_renyi(each, order), epsilon)
    epsilon -= 1e-15 * cutoff * each  # more than the losses below are off by
    first, last, left_out = max(0, math.floor((epsilon / each + cutoff) / 2)), cutoff, -math.inf
    if cutoff > WHOLE_SUM:
        mean, reach = cutoff / (1 + math.exp(-each)), math.sqrt(cutoff * TAIL / 2)
        first, last = max(first, math.floor(mean - reach)), min(last, math.ceil(mean + reach))
        left_out = math.log(2) - TAIL
    k = np.arange(first, last + 1, dtype=np.float64)
    gain = np.minimum(epsilon - (2 * k - cutoff) * each, 0.0)
    log_mass = (
        scipy.special.gammaln(cutoff + 1)
        - scipy.special.gammaln(k + 1)
        - scipy.special.gammaln(cutoff - k + 1)
        - cutoff * np.logaddexp(0.0, each)
        + k * each
    )
    with np.errstate(divide="ignore"):
        terms = log_mass + np.log(-np.expm1(gain))
    slack = 1e-12 + 4e-16 * (float(scipy.special.gammaln(cutoff + 1)) + cutoff * each)
    return min(0.0, float(scipy.special.logsumexp(np.append(terms, left_out))) + slack)


def composed_epsilon(each: float, count: int, log_delta: float) -> float:
    """Return an ε that so many pure runs keep at δ; what is returned has been evaluated."""
    total = count * each * (1 + 1e-15)
    if log_delta == -math.inf:
        return total
    if composed_log_delta(each, count, 0.0) <= log_delta:
        return 0.0
    return safe_end(lambda level: composed_log_delta(each, count, level) - log_delta, total, 0.0)
