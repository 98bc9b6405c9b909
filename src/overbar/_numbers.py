"""Writing numbers, rounding them to the safe side, and searching along a line."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np

_GOLDEN = (math.sqrt(5) - 1) / 2
#: A decimal of so many letters is read at a glance.
SHORT = 6


# Writing ------------------------------------------------------------------------------------------


def exact_text(value: Fraction) -> str:
    """Write a fraction exactly: as a decimal where that is short, else as a quotient.

    >>> exact_text(Fraction(1, 10)), exact_text(Fraction(1, 3)), exact_text(Fraction(7))
    ('0.1', '1/3', '7')
    """
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if value.denominator == 1 or rest != 1 or value.denominator > 10**12:
        return str(value)
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = f"{abs(int(value * 10**places)):0{places + 1}d}"
    return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]


def number_text(value: Fraction) -> str:
    """Write a number that somebody gave: a decimal with all its digits, and with commas.

    >>> number_text(Fraction("-1234.5")), number_text(Fraction(10**6)), number_text(Fraction(1, 3))
    ('-1,234.5', '1,000,000', '0.333')
    """
    text = exact_text(value)
    return three_digits(value) if "/" in text else f"{Decimal(text):,f}"


def people_text(value: Fraction | float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a number for a screen: exactly if it is a short decimal, else to three digits.

    >>> people_text(Fraction(223, 243)), people_text(Fraction("0.137444")), people_text(0.25)
    ('0.918', '0.137', '0.25')
    """
    text = exact_text(_read(value))
    return text if len(text) <= SHORT and "/" not in text else three_digits(value, rounding)


def at_most_text(value: Fraction | float) -> str:
    """Write what something costs for a screen, never below what it is.

    >>> at_most_text(Fraction(1, 10)), at_most_text(Fraction(223, 243)), at_most_text(1e-6)
    ('0.1', '0.918', '1e-6')
    """
    return people_text(value, ROUND_CEILING)


def three_digits(value: Fraction | float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a number with three digits.

    >>> three_digits(Fraction(2, 3)), three_digits(1e-6), three_digits(4851651.95)
    ('0.667', '1e-6', '4,850,000')
    """
    read, context = _read(value), Context(prec=3, rounding=rounding)
    number = float(context.divide(Decimal(read.numerator), Decimal(read.denominator)))
    large = 1000 <= abs(number) < 1e9
    return f"{number:,.0f}" if large else f"{number:.3g}".replace("e-0", "e-")


def _read(value: Fraction | float) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(repr(float(value)))


# Rounding -----------------------------------------------------------------------------------------


def rounded_up(value: Fraction) -> float:
    """Return the smallest float at or above an exact number."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def chance_up(value: float) -> float:
    """Return what is surely no less than a chance that was rounded: never zero, at most one."""
    return min(1.0, math.nextafter(value * (1 + 1e-15), math.inf))


def up_to_digits(value: Fraction, digits: int) -> Fraction:
    """Round a positive fraction up to a number of significant decimal digits.

    >>> up_to_digits(Fraction(1, 3), 4)
    Fraction(1667, 5000)
    """
    unit = Fraction(10) ** (math.floor(math.log10(value)) + 1 - digits)
    return -(-value // unit) * unit


#: NumPy's own reactions to rounding, whatever the caller has set by ``np.seterr``; a decorator.
calm = np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")


def read_up(value: float) -> float:
    """Return the first float from here up that is not above the decimal form it is read at."""
    while math.isfinite(value) and Fraction(repr(float(value))) < Fraction(value):
        value = math.nextafter(value, math.inf)
    return value


def short_fraction(value: float, digits: int) -> Fraction:
    """Return the nearest fraction of so many significant decimal digits, so that it can be read.

    >>> short_fraction(0.123456, 4)
    Fraction(247, 2000)
    """
    return Fraction(f"{value:.{digits}g}")


# Searching ----------------------------------------------------------------------------------------


def safe_end(
    excess: Callable[[float], float],
    safe: float,
    unsafe: float,
    tolerance: float = 1e-12,
    enough: float = 0.0,
) -> float:
    """Narrow a bracket with excess(safe) <= 0 < excess(unsafe); return its safe end.

    What is returned has been evaluated and found safe. It may be as much below zero as is `enough`.
    False positions, with an end that stays counted half (Illinois), and bisections where
    these are slow; infinite values are allowed and lead to bisections.
    """
    at_safe, at_unsafe, side = excess(safe), excess(unsafe), 0
    is_enough, width, slow = at_safe >= -enough, abs(unsafe - safe), False
    for round_ in range(400):
        if is_enough or abs(unsafe - safe) <= tolerance * max(abs(safe), abs(unsafe)):
            break
        if round_ % 3 == 2:
            slow, width = abs(unsafe - safe) > width / 8, abs(unsafe - safe)
        middle = safe + (unsafe - safe) / 2
        if not slow and math.isfinite(at_safe) and math.isfinite(at_unsafe):
            share = (at_safe + enough / 2) / (at_safe - at_unsafe)
            # Not at an end that is all but right: past it, the other end comes near as well.
            middle = safe + (unsafe - safe) * min(max(share, 1e-3), 1 - 1e-3)
        if middle in (safe, unsafe):
            middle = safe + (unsafe - safe) / 2
            if middle in (safe, unsafe):
                break
        value, slow = excess(middle), False
        if value <= 0:
            safe, at_safe, at_unsafe, side = middle, value, at_unsafe / (1 + (side < 0)), -1
            is_enough = value >= -enough
        else:
            unsafe, at_unsafe, at_safe, side = middle, value, at_safe / (1 + (side > 0)), 1
    return safe


def least_safe(
    excess: Callable[[float], float],
    start: float,
    slope: float,
    tolerance: float = 1e-12,
    largest: float = math.inf,
) -> float:
    """Return about the least number > 0 that is safe: where an excess that falls is at most zero.

    What is returned has been evaluated and found safe; infinity stands for what lies beyond
    `largest`. It begins at a guess, with a guess of how the excess changes with the logarithm of
    the number; then by secants, and by bisections where these are slow. It ends where the next step
    would be smaller than the tolerance. Infinite values are allowed.

    >>> round(least_safe(lambda x: 2 - x * x, 1.0, -1.0), 11)
    1.41421356237
    """
    place, value, unsafe, safe, slow = start, excess(start), 0.0, math.inf, False
    for _ in range(1000):
        unsafe, safe = (unsafe, place) if value <= 0 else (place, safe)
        step = -value / slope + tolerance / 2
        if (value <= 0 and abs(step) <= tolerance) or safe <= unsafe * (1 + tolerance):
            break
        if unsafe >= largest:
            return math.inf
        further = place * math.exp(min(max(step, -1.0), 1.0))
        if unsafe > 0 and safe < math.inf and (slow or not unsafe < further < safe):
            further = math.sqrt(unsafe) * math.sqrt(safe)
        if further in (unsafe, safe):
            break
        last, value = value, excess(further)
        steep = (value - last) / math.log(further / place)
        slope = steep if -math.inf < steep < 0 else slope / 2
        place, slow = further, not abs(value) < abs(last) / 2
    return safe


def first_from(holds: Callable[[int], bool], start: int) -> int:
    """Return the first whole number from `start` on that holds, where all that follow it hold too.

    >>> first_from(lambda n: n * n >= 1000, 3)
    32
    """
    if holds(start):
        return start
    low, step = start, 1
    while not holds(low + step):
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def root(
    function: Callable[[float], float], low: float, high: float, absolute: float, relative: float
) -> float:
    """Return where a function is zero that changes its sign between two places.

    By Brent's method, with the very numbers that SciPy gets: its module takes longer to load than
    a command takes to run.

    >>> root(lambda x: x * x - 2, 0.0, 2.0, 1e-16, 1e-15)
    1.414213562373095
    """
    before, here = low, high
    at_before, at_here = float(function(before)), float(function(here))
    if at_before == 0 or at_here == 0:
        return before if at_before == 0 else here
    if (at_before < 0) == (at_here < 0):
        raise ValueError("the function must change its sign between the two places")
    other, at_other, step, last = before, at_before, here - before, here - before
    for _ in range(1000):
        if (at_before < 0) != (at_here < 0):
            other, at_other = before, at_before
            step = last = here - before
        if abs(at_other) < abs(at_here):
            before, here, other = here, other, here
            at_before, at_here, at_other = at_here, at_other, at_here
        least_step = (absolute + relative * abs(here)) / 2
        half = (other - here) / 2
        if at_here == 0 or abs(half) < least_step:
            break
        tried = math.inf
        if abs(last) > least_step and abs(at_here) < abs(at_before):
            if before == other:  # by the secant
                tried = -at_here * (here - before) / (at_here - at_before)
            else:  # by a parabola, if there is one through three different values
                rise = (at_before - at_here) / (before - here)
                fall = (at_other - at_here) / (other - here)
                if below := fall * rise * (at_other - at_before):
                    tried = -at_here * (at_other * fall - at_before * rise) / below
        if 2 * abs(tried) < min(abs(last), 3 * abs(half) - least_step):
            last, step = step, tried
        else:
            last = step = half
        before, at_before = here, at_here
        here += step if abs(step) > least_step else math.copysign(least_step, half)
        at_here = float(function(here))
    return here


def least(
    function: Callable[[float], float], low: float, high: float, tolerance: float
) -> tuple[float, float]:
    """Return the place and the value of the least point of a function with one valley.

    By parabolas through three points, and golden sections where these are slow (Brent 1973,
    "Algorithms for minimization without derivatives"). Infinite values are allowed on the right.

    >>> place, value = least(lambda x: (x - 1) ** 2 + 2, -5.0, 9.0, 1e-6)
    >>> round(place, 6), round(value, 9)
    (1.0, 2.0)
    """
    place = low + (1 - _GOLDEN) * (high - low)
    value = function(place)
    while math.isinf(value) and high - low > tolerance:
        high, place = place, low + (1 - _GOLDEN) * (place - low)
        value = function(place)
    second = third = place
    at_second = at_third = value
    step = before = 0.0
    while max(high - place, place - low) > tolerance / 2:
        left, right = (place - second) * (value - at_third), (place - third) * (value - at_second)
        bend, tried = 2 * (left - right), math.inf
        if bend and math.isfinite(bend):
            tried = ((place - third) * right - (place - second) * left) / bend
        if abs(tried) < abs(before) / 2 and low < place + tried < high:
            before, step = step, tried
        else:
            before = high - place if 2 * place < low + high else low - place
            step = (1 - _GOLDEN) * before
        if abs(step) < tolerance / 4:  # on the side that is the wider
            step = math.copysign(tolerance / 4, low + high - 2 * place)
        here = place + step
        at_here = function(here)
        if at_here <= value:
            low, high = (place, high) if here > place else (low, place)
            third, second, place = second, place, here
            at_third, at_second, value = at_second, value, at_here
            continue
        low, high = (here, high) if here < place else (low, here)
        if at_here <= at_second or second == place:
            third, second, at_third, at_second = second, here, at_second, at_here
        elif at_here <= at_third or third in (place, second):
            third, at_third = here, at_here
    return place, value
