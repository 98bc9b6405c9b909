"""What all theorems have in common: numbers of a question, and from divergences to (ε, δ).

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
from collections.abc import Callable
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import least
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
