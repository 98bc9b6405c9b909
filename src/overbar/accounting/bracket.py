"""Rounding and root finding that keep to the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from overbar import _check


def rounded_up(value: Fraction) -> float:
    """Return the smallest float at or above an exact number."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


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


def safe_end(
    excess: Callable[[float], float], safe: float, unsafe: float, tolerance: float = 1e-12
) -> float:
    """Narrow a bracket with excess(safe) <= 0 < excess(unsafe); return its safe end.

    What is returned has been evaluated and found safe. Secant steps between bisections; infinite
    values are allowed and lead to bisections.
    """
    at_safe, at_unsafe = excess(safe), excess(unsafe)
    for round_ in range(400):
        if abs(unsafe - safe) <= tolerance * max(abs(safe), abs(unsafe)):
            break
        middle = safe + (unsafe - safe) / 2
        if round_ % 3 != 2 and math.isfinite(at_safe) and math.isfinite(at_unsafe):
            share = at_safe / (at_safe - at_unsafe)
            # Aim a little past the root on alternate sides, so that both ends move.
            nudge = 1e-3 * min(share, 1 - share) * (1 if round_ % 3 else -1)
            middle = safe + (unsafe - safe) * (share + nudge)
        if middle in (safe, unsafe):
            middle = safe + (unsafe - safe) / 2
            if middle in (safe, unsafe):
                break
        value = excess(middle)
        if value <= 0:
            safe, at_safe = middle, value
        else:
            unsafe, at_unsafe = middle, value
    return safe
