"""Guarantees as values: what was proved about a plan, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

from overbar import _check
from overbar._check import Number
from overbar.accounting.bracket import rounded_up
from overbar.accounting.capped import capped_delta, capped_epsilon, capped_renyi
from overbar.accounting.pure import checked_positives, pure_epsilon
from overbar.accounting.race import race_delta, race_epsilon, race_renyi, race_spent
from overbar.accounting.renyi import (
    pure_renyi,
    resampled_delta,
    resampled_epsilon,
    resampled_renyi,
    resampled_spent,
)
from overbar.errors import NoGuaranteeError
from overbar.plan import Plan

#: The δ at which a repr shows ε.
SHOWN_DELTA = Fraction(1, 10**6)


class Guarantee(Protocol):
    """What every guarantee can be asked."""

    def epsilon(self, delta: Number = 0) -> Fraction | float:
        """Return an ε that holds at this δ; exact at δ = 0."""

    def delta(self, epsilon: Number) -> float:
        """Return a δ that holds at this ε."""

    def renyi(self, order: float) -> float:
        """Return a bound on the Rényi divergence of this order, above 1."""


@dataclass(frozen=True, repr=False)
class PureDP:
    """Pure ε-differential privacy.

    Everything else follows from one fact: any pure mechanism is a post-processing of randomised
    response with its ε (Kairouz, Oh and Viswanath 2015, arXiv:1311.0776v4).

    >>> PureDP(Fraction(1, 10))
    PureDP(epsilon=0.1)
    >>> PureDP(Fraction(1)).epsilon()
    Fraction(1, 1)
    """

    pure: Fraction

    def __repr__(self) -> str:
        return f"PureDP(epsilon={_check.text_of(self.pure)})"

    def epsilon(self, delta: Number = 0) -> Fraction | float:
        """Return the smallest ε at this δ; exact at δ = 0."""
        allowed = _check.probability("delta", delta)
        if allowed == 0:
            return self.pure
        # e^ε = e^p - δ(1 + e^p), factored so that nothing overflows; rounded up, never below zero.
        inner = 1 - float(allowed) * (1 + math.exp(-self.pure))
        if inner <= 0:
            return 0.0
        pure = rounded_up(self.pure)
        return min(pure, max(0.0, pure + math.log(inner) + 1e-15 * (1 + pure + 1 / inner)))

    def delta(self, epsilon: Number) -> float:
        """Return the smallest δ at this ε: zero from the pure ε on."""
        asked = _check.non_negative("epsilon", epsilon)
        if asked >= self.pure:
            return 0.0
        return -math.expm1(asked - self.pure) / (1 + math.exp(-self.pure)) * (1 + 1e-15)

    def renyi(self, order: float) -> float:
        """Return the largest Rényi divergence of any mechanism with this pure ε."""
        return pure_renyi(float(self.pure) * (1 + 1e-15), order)


class Curve(NamedTuple):
    """A theorem that gives a whole curve of (ε, δ) for the plans it covers."""

    epsilon: Callable[[Plan, Number], float]
    delta: Callable[[Plan, Number], float]
    renyi: Callable[[Plan, float], float]


#: The theorems beyond Theorem 1. Each raises NoGuaranteeError for plans it does not cover.
CURVES = (
    Curve(race_epsilon, race_delta, race_renyi),
    Curve(resampled_epsilon, resampled_delta, resampled_renyi),
    Curve(capped_epsilon, capped_delta, capped_renyi),
)


@dataclass(frozen=True, repr=False)
class ApproximateDP:
    """(ε, δ)-differential privacy for every δ: the best of all theorems that cover the plan."""

    plan: Plan
    curves: tuple[Curve, ...]
    pure: PureDP | None

    def __repr__(self) -> str:
        at_zero = f"epsilon={_check.brief(self.pure.pure)} at delta=0, " if self.pure else ""
        return (
            f"ApproximateDP({at_zero}epsilon={_check.brief(self.epsilon(SHOWN_DELTA))} "
            f"at delta={float(SHOWN_DELTA):g})"
        )

    def epsilon(self, delta: Number = 0) -> Fraction | float:
        """Return the smallest ε proved at this δ; at δ = 0 exact, or refused if there is none."""
        if _check.probability("delta", delta) == 0:
            if self.pure is None:
                raise NoGuaranteeError(
                    "this plan has no pure guarantee; ask for epsilon at a positive delta"
                )
            return self.pure.epsilon()
        proved: list[Fraction | float] = [curve.epsilon(self.plan, delta) for curve in self.curves]
        return min([*proved, *([self.pure.epsilon(delta)] if self.pure else [])])

    def delta(self, epsilon: Number) -> float:
        """Return the smallest δ proved at this ε."""
        proved = [curve.delta(self.plan, epsilon) for curve in self.curves]
        return min([*proved, *([self.pure.delta(epsilon)] if self.pure else [])])

    def renyi(self, order: float) -> float:
        """Return the smallest bound proved on the Rényi divergence of this order."""
        proved = [curve.renyi(self.plan, order) for curve in self.curves]
        return min([*proved, *([self.pure.renyi(order)] if self.pure else [])])


def guarantee(plan: Plan) -> PureDP | ApproximateDP:
    """Return the strongest statement proved about a plan; raise if there is none.

    >>> from overbar import calibrate
    >>> guarantee(calibrate(epsilon="0.1", cutoff=50, candidates=10_000))
    PureDP(epsilon=0.1)
    >>> plan = calibrate(epsilon=1, delta="1e-6", cutoff=50, noise="gumbel", candidates=10_000)
    >>> round(guarantee(plan).epsilon("1e-6"), 9)
    1.0
    """
    curves = tuple(curve for curve in CURVES if _covers(curve, plan))
    try:
        pure = PureDP(pure_epsilon(plan))
    except NoGuaranteeError:
        if not curves:
            raise
        pure = None
    if pure is not None and not curves:
        return pure
    return ApproximateDP(plan, curves, pure)


def _covers(curve: Curve, plan: Plan) -> bool:
    try:
        curve.renyi(plan, 1.5)
    except NoGuaranteeError:
        return False
    return True


@dataclass(frozen=True, repr=False)
class RenyiSpent:
    """What a run without a pure guarantee has cost so far: a number for each Rényi order.

    For a filter the order must be fixed beforehand (``race_spent`` in ``accounting/race.py``).
    """

    plan: Plan
    positives: int

    def __repr__(self) -> str:
        return f"RenyiSpent({self.renyi(2.0):.6g} at order 2)"

    def renyi(self, order: float) -> float:
        """Return the Rényi cost at this order; of the whole plan where no filter is proved."""
        for partial in (race_spent, resampled_spent):
            try:
                return partial(self.plan, self.positives, order)
            except NoGuaranteeError:
                continue
        return guarantee(self.plan).renyi(order)


def spent(plan: Plan, positives: int | None = None) -> Fraction | RenyiSpent:
    """Return what a run has cost after so many positives; a whole run if none are given.

    The exact pure ε where there is one, else the Rényi cost.
    """
    try:
        return pure_epsilon(plan, positives)
    except NoGuaranteeError:
        given = plan.cutoff if positives is None else checked_positives(plan, positives)
        return RenyiSpent(plan, given)


def spent_text(proved: PureDP | ApproximateDP, cost: Fraction | RenyiSpent) -> str:
    """Write a cost for people, at the δ's at which the guarantee beside it is shown.

    At δ = 0 a run has cost what its positives have; at a positive δ nothing is ever given back.
    """
    if cost == 0:
        return "0"
    if isinstance(proved, PureDP) and isinstance(cost, Fraction):
        return _check.brief(cost)
    pure = f"{_check.brief(cost)} at delta=0, " if isinstance(cost, Fraction) else ""
    return f"{pure}all of it at delta={float(SHOWN_DELTA):g}"
