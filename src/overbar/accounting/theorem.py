"""A theorem about plans: which it covers, and what it proves about a run.

A bound on a run is made of floats, rounded up. Here the numbers of a question are read, and rounded
towards privacy, in the same way for all theorems.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar._numbers import chance_up, rounded_up
from overbar.accounting.conversion import checked_log_delta
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.plans import Plan
from overbar.plans.plan import ByKind

#: The theorems beyond the pure one: one is known as soon as it is made.
CURVES: list[Theorem] = []


class RunBound(ABC):
    """What is proved about one run."""

    @abstractmethod
    def log_delta(self, epsilon: float) -> float:
        """Log of a δ that holds at ε >= 0; minus infinity if none is needed."""

    @abstractmethod
    def epsilon(self, log_delta: float) -> float:
        """Return an ε that holds at δ; what is returned has been evaluated."""

    @abstractmethod
    def renyi(self, order: float) -> float:
        """Rényi divergence of an order above 1, of a whole run."""

    def spent(self, positives: int, order: float) -> float:  # noqa: ARG002  # others use it
        """Rényi divergence of a run so far; all of it, unless a theorem says less."""
        return self.renyi(order)


@dataclass(frozen=True)
class Theorem:
    """Which kinds of plans it is about, which of these it covers, and how a bound is read off one.

    What reads it off says why not, if a plan is not covered.

    A *filter* may be told what a run has cost so far, at an order that was fixed beforehand, and
    the rest of the run's budget at this order may be given back (Feldman & Zrnic 2021, "Individual
    privacy accounting via a Rényi filter", arXiv:2008.11193v4; Lécuyer 2021, arXiv:2103.01379v2).
    """

    kinds: tuple[type[Plan], ...]
    holds: Callable[[Any], bool]
    read: Callable[[Any], RunBound]
    is_filter: bool = False
    #: Whether it is looked at first: whether another says less is then found sooner.
    is_quick: bool = False

    def __post_init__(self) -> None:
        CURVES.append(self)

    def covers(self, plan: Plan) -> bool:
        """Tell whether it says something about a plan: of its kinds, and not what derives."""
        return type(plan) in self.kinds and self.holds(plan)

    def bound(self, plan: Plan) -> RunBound:
        """Return what it proves about a run of a plan; raise if it is not about that."""
        if type(plan) not in self.kinds:
            raise NoGuaranteeError(f"this theorem is not about {plan.kind} plans")
        return self.read(plan)

    def epsilon(self, plan: Plan, delta: Number) -> float:
        """Return ε such that a run of the plan is (ε, δ)-DP."""
        log_delta = checked_log_delta(delta)
        return self.bound(plan).epsilon(log_delta)

    def needs_more(self, plan: Plan, epsilon: Fraction | float, delta: Number) -> bool:
        """Tell whether what :meth:`epsilon` would return is more than this ε, for certain.

        δ falls as ε grows, so where it is still above the one given, ε must be larger.
        """
        if not math.isfinite(epsilon):
            return False
        level = rounded_up(Fraction(epsilon))
        return self.bound(plan).log_delta(level) > checked_log_delta(delta)

    def delta(self, plan: Plan, epsilon: Number) -> float:
        """Return δ such that a run of the plan is (ε, δ)-DP; zero only where that is proved."""
        level = -rounded_up(-_check.non_negative("epsilon", epsilon))
        value = self.bound(plan).log_delta(level)
        return 0.0 if value == -math.inf else chance_up(math.exp(value))

    def renyi(self, plan: Plan, order: float) -> float:
        """Return a bound on the Rényi divergence of a whole run, at an order above 1."""
        return self.bound(plan).renyi(checked_order(order))

    def spent(self, plan: Plan, positives: int, order: float) -> float:
        """Return the Rényi cost, at a fixed order, of a run that has given some positives."""
        given = checked_positives(plan, positives)
        return self.bound(plan).spent(given, checked_order(order))


@ByKind
def pure_cost(plan: Plan, positives: int | None) -> Fraction:  # noqa: ARG001  # others use it
    """Return the pure ε of a run of one part that has given so many positives; None for all."""
    raise NoGuaranteeError(f"{plan.kind} plans have no pure guarantee")


@ByKind
def unlisted_cost(plan: Plan, threshold: Number, items: int) -> float:  # noqa: ARG001  # as above
    """Return the δ of candidates read off the data, of which a person holds so many at most."""
    raise NoGuaranteeError(
        f"reading candidates off the data has no proof for {plan.kind} plans; give a public "
        f"catalogue of candidates, or another {named('mechanism')}"
    )


@ByKind
def lone_cost(plan: Plan) -> Fraction:
    """Return the chance that a key comes out that one person alone holds."""
    if plan.keys is not None:
        raise NoGuaranteeError(f"nothing is proved about keys that {plan.kind} plans find")
    return Fraction(0)


def checked_order(order: float) -> float:
    """Return an order above one."""
    if not order > 1:
        raise ParameterError(f"order must be above 1, got {order}")
    return float(order)


def checked_positives(plan: Plan, positives: int) -> int:
    """Return a number of positives that a run of the plan can have given."""
    given = _check.whole("positives", positives, lowest=0)
    if given > plan.most_found:
        raise ParameterError(f"positives must be at most {plan.most_found:,}, got {positives}")
    return given
