"""Divergences of every order, and (ε, δ) from them; runs that are pure, one after the other.

If the Rényi divergence of order a > 1 is at most R in both directions, a mechanism is (ε, δ)-DP
with

    δ = e^((a-1)(R - ε)) / (a - 1) · (1 - 1/a)^a

(Canonne, Kamath & Steinke 2020, "The discrete Gaussian for differential privacy",
arXiv:2004.00010v3, Proposition 12). Any order gives a bound, so a search over orders needs no
certificate. The exponent is convex in the order, so it has one minimum.

Theory: :doc:`/theory/renyi`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import scipy

from overbar import _check
from overbar._numbers import least, safe_end
from overbar.errors import NoGuaranteeError, ParameterError

#: Orders searched unless the curve ends earlier.
LARGEST_ORDER = 1e12
SMALLEST_EXCESS = 1e-9
#: Up to so many runs the sum over a binomial law is taken over all of it, then around its mean
#: alone, and from the second number on by way of Rényi, which takes no memory.
WHOLE_SUM, LARGEST_SUM = 1 << 14, 10**8
#: What is left out of a sum around the mean has at most a mass of 2·e^-TAIL.
TAIL = 800.0


def checked_order(order: float) -> float:
    """Return an order above one."""
    if not order > 1:
        raise ParameterError(f"order must be above 1, got {order}")
    return float(order)


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
    close: float = 1e-7,
) -> tuple[float, float]:
    """Minimise a function of the order; return the best order found and its value."""
    if largest_order - 1 <= smallest_excess:
        return largest_order, math.inf  # the curve ends before it begins
    low, high = math.log(smallest_excess), math.log(min(largest_order, LARGEST_ORDER) - 1)
    # Infinities lie at large orders only: an order too large is never better than a smaller.
    place, smallest = least(lambda excess: value(1 + math.exp(excess)), low, high, close)
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
    """Return the smallest ε that a Rényi curve proves at δ, and the order that proves it.

    Parameters
    ----------
    curve : callable
        From an order above 1 to the divergence, in both directions.
    log_delta : float
        ln δ.
    largest_order : float
        Where the curve ends.

    Returns
    -------
    tuple of float
        ε, and the order.

    Raises
    ------
    NoGuaranteeError
        If δ is zero.

    Examples
    --------
    >>> epsilon, _ = epsilon_from_renyi(lambda order: order / 2, math.log(1e-5))
    >>> round(epsilon, 3)
    4.728
    """
    if log_delta == -math.inf:
        raise NoGuaranteeError("there is no pure guarantee here; allow a positive delta")
    order, value = best_order(
        lambda order: epsilon_at(curve(order), order, log_delta), largest_order
    )
    return value, order


# Pure runs ---------------------------------------------------------------------------------------


def pure_renyi(epsilon: float, order: float) -> float:
    """Return the largest Rényi divergence, of an order above 1, of any pure ε-DP mechanism.

    Attained by randomised response: ln[(e^(aε) + e^((1-a)ε)) / (1 + e^ε)] / (a - 1) (Steinke 2024,
    "Tight RDP & zCDP bounds from pure DP", differentialprivacy.org, Theorem 4). Written as
    log1p[2·sinh(aε/2)·sinh((a-1)ε/2) / cosh(ε/2)] / (a - 1) it does not cancel. Rounded up.

    Parameters
    ----------
    epsilon : float
        The pure ε.
    order : float
        An order above 1; infinity gives ε.

    Returns
    -------
    float
        The divergence.

    Examples
    --------
    >>> round(pure_renyi(0.1, 2.0), 6)
    0.009959
    """
    if math.isinf(checked_order(order)):
        return epsilon
    excess = order - 1
    if order * epsilon > 60:  # the same with e^(aε) in front
        small = math.log1p(math.exp(-epsilon)) - math.log1p(math.exp((1 - 2 * order) * epsilon))
        value = epsilon - small / excess
    else:
        grown = 2 * math.sinh(order * epsilon / 2) * math.sinh(excess * epsilon / 2)
        value = math.log1p(grown / math.cosh(epsilon / 2)) / excess
    # It may be too small for a float: never zero then.
    return min(epsilon, float(value) * (1 + 1e-14) + sys.float_info.min)


def composed_log_delta(each: float, cutoff: int, epsilon: float) -> float:
    """Log of Σ_k C(c,k)·p^k·q^(c-k)·(1 - e^(ε - (2k-c)·each))₊ with p = 1/(1 + e^-each).

    For very large c an upper bound: the law is cut off around its mean, by Hoeffding's inequality.
    """
    if epsilon >= cutoff * each * (1 + 1e-15):
        return -math.inf
    if cutoff > LARGEST_SUM:
        return log_delta_from_renyi(lambda order: cutoff * pure_renyi(each, order), epsilon)
    epsilon -= 1e-15 * cutoff * each  # more than the losses below are off by
    first, last, left_out = max(0, math.floor((epsilon / each + cutoff) / 2)), cutoff, -math.inf
    if cutoff > WHOLE_SUM:
        mean, reach = cutoff / (1 + math.exp(-each)), math.sqrt(cutoff * TAIL / 2)
        first, last = max(first, math.floor(mean - reach)), min(last, math.ceil(mean + reach))
        left_out = math.log(2) - TAIL
    k = np.arange(first, last + 1, dtype=np.float64)
    gain = np.minimum(epsilon - (2 * k - cutoff) * each, 0.0)
    log_mass = (
        scipy.special.gammaln(cutoff + 1)
        - scipy.special.gammaln(k + 1)
        - scipy.special.gammaln(cutoff - k + 1)
        - cutoff * np.logaddexp(0.0, each)
        + k * each
    )
    with np.errstate(divide="ignore"):
        terms = log_mass + np.log(-np.expm1(gain))
    slack = 1e-12 + 4e-16 * (float(scipy.special.gammaln(cutoff + 1)) + cutoff * each)
    return min(0.0, float(scipy.special.logsumexp(np.append(terms, left_out))) + slack)


def composed_epsilon(each: float, count: int, log_delta: float) -> float:
    """Return an ε that so many pure runs keep at δ; what is returned has been evaluated."""
    total = count * each * (1 + 1e-15)
    if log_delta == -math.inf:
        return total
    if composed_log_delta(each, count, 0.0) <= log_delta:
        return 0.0
    return safe_end(lambda level: composed_log_delta(each, count, level) - log_delta, total, 0.0)
