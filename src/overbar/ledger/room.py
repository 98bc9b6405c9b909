"""How much is left, as one number: the largest pure ε that one more run may have."""

from __future__ import annotations

import math
from fractions import Fraction

from overbar._numbers import safe_end
from overbar.accounting.renyi import pure_renyi
from overbar.ledger.budget import Budget, Charge

#: What follows from a Rényi order is rounded down to this many parts of one.
PARTS = 10**12


def remaining(budget: Budget, total: Charge) -> Fraction:
    """Return the largest pure ε of a run that the budget still allows; exact where δ = 0."""
    if total.delta > budget.additive:
        return Fraction(0)
    found = [budget.epsilon - total.pure, Fraction(0)]
    for order, limit, spent in zip(budget.orders, budget.limits, total.renyi, strict=True):
        if spent < limit:
            found.append(_pure_within(float(limit - spent), float(order)))
    return max(found)


def _pure_within(divergence: float, order: float) -> Fraction:
    """Return a pure ε whose divergence stays within a bound."""
    high = 1.0
    while pure_renyi(high, order) <= divergence:
        high *= 2
    low = safe_end(lambda epsilon: pure_renyi(epsilon, order) - divergence, 0.0, high)
    return Fraction(math.floor(Fraction(low) * (1 - Fraction(1, 10**9)) * PARTS), PARTS)
