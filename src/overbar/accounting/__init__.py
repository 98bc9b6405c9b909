"""Accounting: one theorem per function, each computed from a plan."""

from __future__ import annotations

from overbar.accounting.guarantee import PureDP
from overbar.accounting.pure import pure_epsilon
from overbar.plan import Plan

__all__ = ["PureDP", "guarantee", "pure_epsilon"]


def guarantee(plan: Plan) -> PureDP:
    """Return the strongest statement proved about a plan; raise if there is none.

    >>> from overbar.calibrate import calibrate
    >>> guarantee(calibrate(epsilon="0.1", cutoff=50, candidates=10_000))
    PureDP(epsilon=0.1)
    """
    return PureDP(pure_epsilon(plan))
