"""Accounting: one theorem per function, each computed from a plan."""

from __future__ import annotations

from fractions import Fraction

from overbar.accounting.guarantee import Guarantee, PureDP
from overbar.accounting.pure import pure_epsilon
from overbar.plan import Plan

__all__ = ["Guarantee", "PureDP", "guarantee", "pure_epsilon", "spent"]


def guarantee(plan: Plan) -> Guarantee:
    """Return the strongest statement proved about a plan; raise if there is none.

    >>> from overbar.calibrate import calibrate
    >>> guarantee(calibrate(epsilon="0.1", cutoff=50, candidates=10_000))
    PureDP(epsilon=0.1)
    """
    return PureDP(pure_epsilon(plan))


def spent(plan: Plan, positives: int | None = None) -> Fraction | float:
    """Return the ε a run has cost after so many positives; of a whole run if none are given."""
    return pure_epsilon(plan, positives)
