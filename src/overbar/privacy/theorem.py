"""A theorem about plans: which it covers, and what it proves about a run.

A bound on a run is made of floats, rounded up. Here the numbers of a question are read, and rounded
towards privacy, in the same way for all theorems.

**From a Rényi curve to (ε, δ)**: the tight known conversion, optimised over orders. By Canonne,
Kamath & Steinke 2020, "The discrete Gaussian for differential privacy",
arXiv:2004.00010v3, Proposition 12: if the Rényi divergence of order a > 1 is at most R in both
directions, the mechanism is (ε, δ)-DP with

    δ = e^((a-1)(R - ε)) / (a - 1) · (1 - 1/a)^a.

Any order gives a valid bound, so the search over orders need not be certified. The exponent is
convex in the order ((a-1)·R(a) is, by Hölder, and so is the rest), so it has one minimum.
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
from overbar._numbers import chance_up, least, rounded_up
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.plans import Plan
from overbar.plans.by_kind import ByKind

#: Orders searched unless the curve ends earlier.
LARGEST_ORDER = 1e12
SMALLEST_EXCESS = 1e-9


def checked_log_delta(delta: _check.Number) -> float:
    """Return ln δ, rounded down; minus infinity for zero. Also for δ far below 1e-100."""
    if isinstance(delta, float | Fraction) and 0 < delta < Fraction(1, 10**90):
        exact = Fraction(delta)
    else:
        exact = _check.probability("delta", delta)
    if exact == 0:
        return -math.inf
    # The logarithms of numerator and denominator, as their quotient may be too small for a float.
    value = math.log(exact.numerator) - math.log(exact.denominator)
    if exact > Fraction(1, 10**300):
        value = min(value, math.log(exact))
    # Close to one it is the quotient that was rounded, not the logarithm.
    return value * (1 + 1e-15) - 2.0**-53


def log_delta_at(divergence: float, order: float, epsilon: float) -> float:
    """Log of the δ that one order gives."""
    if math.isinf(divergence):
        return 0.0
    excess = order - 1
    # (a-1)·ln(a-1) - a·ln a, which would cancel at large orders.
    rest = excess * math.log1p(-1 / order) - math.log(order)
    return excess * (divergence - epsilon) + rest


def epsilon_at(divergence: float, order: float, log_delta: float) -> float:
    """The ε that one order gives for a δ."""
    excess = order - 1
    epsilon = divergence - math.log1p(1 / excess) - (math.log(order) + log_delta) / excess
    return max(0.0, epsilon + 1e-14 * (abs(divergence) + abs(log_delta / excess)))


def best_order(
    value: Callable[[float], float],
    largest_order: float = LARGEST_ORDER,
    smallest_excess: float = SMALLEST_EXCESS,
) -> tuple[float, float]:
    """Minimise a function of the order; return the best order found and its value."""
    if largest_order - 1 <= smallest_excess:
        return largest_order, math.inf  # the curve ends before it begins
    low, high = math.log(smallest_excess), math.log(min(largest_order, LARGEST_ORDER) - 1)
    # Infinities lie at large orders only: an order too large is never better than a smaller.
    place, smallest = least(lambda excess: value(1 + math.exp(excess)), low, high, 1e-7)
    return 1 + math.exp(place), smallest


def log_delta_from_renyi(
    curve: Callable[[float], float], epsilon: float, largest_order: float = LARGEST_ORDER
) -> float:
    """Log of the smallest δ that a Rényi curve proves at ε >= 0."""
    _, value = best_order(lambda order: log_delta_at(curve(order), order, epsilon), largest_order)
    return min(0.0, value + 1e-12 * (1 + abs(value)))


def epsilon_from_renyi(
    curve: Callable[[float], float], log_delta: float, largest_order: float = LARGEST_ORDER
) -> tuple[float, float]:
    """Return the smallest ε that a Rényi curve proves at δ, and the order that proves it."""
    if log_delta == -math.inf:
        raise NoGuaranteeError("there is no pure guarantee here; allow a positive delta")
    order, value = best_order(
        lambda order: epsilon_at(curve(order), order, log_delta), largest_order
    )
    return value, order


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

    def least_log_delta(self, epsilon: float) -> float:  # noqa: ARG002  # others use it
        """Log of a δ that :meth:`log_delta` is not below, where that is seen sooner."""
        return -math.inf

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
        level, bound, goal = (
            rounded_up(Fraction(epsilon)),
            self.bound(plan),
            checked_log_delta(delta),
        )
        return bound.least_log_delta(level) > goal or bound.log_delta(level) > goal

    def delta(self, plan: Plan, epsilon: Number, known: float = 1.0) -> float:
        """Return δ such that a run of the plan is (ε, δ)-DP; zero only where that is proved.

        Where it would not be less than a δ that is known, that is returned.
        """
        level, bound = -rounded_up(-_check.non_negative("epsilon", epsilon)), self.bound(plan)
        if bound.least_log_delta(level) > math.log(known):
            return known
        value = bound.log_delta(level)
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
