"""Partial shift by definition: adversaries tried one query at a time, and the formula in digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
from scipy import special


def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    """Rényi divergence of two laws on the same outcomes, both positive everywhere."""
    terms = order * np.log(p) + (1 - order) * np.log(q)
    return float(special.logsumexp(terms)) / (order - 1)


def best_adversary(
    order: float, cutoff: int, queries: int, hazard: float, menu: np.ndarray
) -> float:
    """Largest Rényi divergence that any adaptive strategy reaches, by value iteration.

    Each query has this hazard on D′ and hazard·e^y on D, with y of the menu chosen anew each time,
    knowing all answers. The moment of a strategy is a product along each path, so what is best
    depends on the positives and the queries that are left, and on nothing else.
    """
    here = hazard * np.exp(menu)
    silent = np.exp(-order * here - (1 - order) * hazard)
    answered = np.exp(
        order * np.log(-np.expm1(-here)) + (1 - order) * math.log(-math.expm1(-hazard))
    )
    value = np.ones(cutoff + 1)  # no positives left, or no queries: nothing more is said
    for _ in range(queries):
        later = silent[:, None] * value[None, 1:] + answered[:, None] * value[None, :-1]
        value = np.concatenate([[1.0], np.max(later, axis=0)])
    return math.log(value[-1]) / (order - 1)


def last_arrival(cutoff: int, hazards: np.ndarray, masses: np.ndarray, reach: int) -> np.ndarray:
    """Law of the query at which the last positive falls, when all queries have one hazard.

    The hazard is drawn once, from a list: that is what noise on the threshold does.
    """
    t = np.arange(cutoff, reach, dtype=float)[:, None]
    log_ways = special.gammaln(t) - special.gammaln(cutoff) - special.gammaln(t - cutoff + 1)
    log_law = log_ways + cutoff * np.log(-np.expm1(-hazards)) - (t - cutoff) * hazards
    return np.exp(log_law) @ masses


def exact_bound(
    order: float,
    cutoff: int,
    rise: float,
    fall: float,
    noise: str,
    steps_per_scale: float,
    shift: int,
) -> mpmath.mpf:
    """The bound of the theorem in fifty digits, the threshold's part summed over the grid."""
    with mpmath.workdps(50):
        a = mpmath.mpf(order)

        def ends(y: mpmath.mpf) -> mpmath.mpf:
            return (a * y - mpmath.log(1 + a * (mpmath.exp(y) - 1))) / (a - 1)

        each = max(ends(mpmath.mpf(rise)), ends(-mpmath.mpf(fall)))
        scale = mpmath.mpf(steps_per_scale)
        last = int(130 * scale) if noise == "laplace" else int(18 * scale)

        def weight(j: int) -> mpmath.mpf:
            return mpmath.exp(-abs(j) / scale if noise == "laplace" else -(j**2) / scale**2 / 2)

        weights = {j: weight(j) for j in range(-last - shift, last + shift + 1)}
        total = mpmath.fsum(weights.values())
        moment = mpmath.fsum(
            weights[j] ** a * weights[j + shift] ** (1 - a) for j in range(-last, last + 1)
        )
        return mpmath.log(moment / total) / (a - 1) + cutoff * each
