"""What ranked selection costs: pure differential privacy, outcome by outcome, in exact fractions.

Noise of scale s on each score, one-sided noise of scale b on the bar, at most c items released. An
outcome with k items costs k·fΔ/s, and Δ/b more if k < c; a full answer does not pay for the bar.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.optimize import minimize_scalar

#: Digits kept of a scale. The budget is kept exactly whatever they are.
DIGITS = 12


def ranked_epsilon(
    positives: int | None, *, cutoff: int, each: Fraction, bar: Fraction | None
) -> Fraction:
    """Return what an outcome with so many items costs; the worst outcome for None.

    `each` is what one item costs, fΔ/s, and `bar` what the bar costs, Δ/b; None without a bar.

    >>> each, bar = Fraction(1, 5), Fraction(1, 5)
    >>> [str(ranked_epsilon(k, cutoff=5, each=each, bar=bar)) for k in (0, 4, 5, None)]
    ['1/5', '1', '1', '1']
    """
    own = Fraction(0) if bar is None else bar
    if positives is None:
        full = cutoff * each
        return full if bar is None else max(full, own + (cutoff - 1) * each)
    return positives * each + (own if positives < cutoff else 0)


def least_spread(
    epsilon: Fraction, *, cutoff: int, sensitivity: Fraction, query_shift: Fraction
) -> tuple[Fraction, Fraction]:
    """Return the scales (s, b) with the least s² + b² among those that keep ε exactly.

    With x = query_shift/s the budget leaves ε - (c - 1)·x for the bar, and x is at most ε/c. There
    the sum of squares is convex in x, so its minimum is found by search and rounded down, which
    keeps the budget: the bar gets exactly what is left.

    >>> one = Fraction(1)
    >>> least_spread(one, cutoff=1, sensitivity=one, query_shift=one)
    (Fraction(1, 1), Fraction(1, 1))
    """
    most = epsilon / cutoff
    if cutoff == 1:
        return query_shift / most, sensitivity / epsilon

    shift, step, budget = float(query_shift), float(sensitivity), float(epsilon)

    def spread(share: float) -> float:
        each = share * budget / cutoff
        return (shift / each) ** 2 + (step / (budget - (cutoff - 1) * each)) ** 2

    found = minimize_scalar(spread, bounds=(1e-6, 1.0), method="bounded", options={"xatol": 1e-12})
    share = Fraction(math.floor(found.x * 10**DIGITS), 10**DIGITS)
    if spread(1.0) <= spread(float(share)) * (1 + 1e-6):  # the bar for free
        share = Fraction(1)
    each = share * most
    return query_shift / each, sensitivity / (epsilon - (cutoff - 1) * each)
