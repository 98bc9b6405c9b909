"""Guarantees as values: what was proved, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from typing import Protocol

from overbar import _check


class Guarantee(Protocol):
    """What every guarantee can be asked."""

    def epsilon(self, delta: _check.Number = 0) -> Fraction | float:
        """Return an ε that holds at this δ."""

    def delta(self, epsilon: _check.Number) -> float:
        """Return a δ that holds at this ε."""


@dataclass(frozen=True, repr=False)
class PureDP:
    """Pure ε-differential privacy.

    Everything else follows from one fact: any ε-DP mechanism is a post-processing of randomised
    response with that ε (Kairouz, Oh and Viswanath 2015, arXiv:1311.0776v4, Theorem 3.4's proof).

    >>> PureDP(Fraction(1, 10))
    PureDP(epsilon=0.1)
    >>> PureDP(Fraction(1)).epsilon()
    Fraction(1, 1)
    """

    pure: Fraction

    def __repr__(self) -> str:
        return f"PureDP(epsilon={_check.text_of(self.pure)})"

    def epsilon(self, delta: _check.Number = 0) -> Fraction | float:
        """Return the smallest ε at this δ; exact at δ = 0."""
        allowed = _check.probability("delta", delta)
        if allowed == 0:
            return self.pure
        # e^ε = e^p − δ(1 + e^p), factored so that nothing overflows; never below zero.
        inner = 1 - float(allowed) * (1 + math.exp(-self.pure))
        return max(0.0, float(self.pure) + math.log(inner)) if inner > 0 else 0.0

    def delta(self, epsilon: _check.Number) -> float:
        """Return the smallest δ at this ε: zero from the pure ε on."""
        asked = _check.non_negative("epsilon", epsilon)
        if asked >= self.pure:
            return 0.0
        return -math.expm1(asked - self.pure) / (1 + math.exp(-self.pure))
