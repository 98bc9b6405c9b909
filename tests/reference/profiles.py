"""Adaptive bits, by trying all strategies in rationals: a profile from below, exactly.

A bit is a pair (q, p): it is 1 with chance p on the first side and q on the second.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from flint import arb, ctx

Bit = tuple[Fraction, Fraction]


def exact_profile(
    menu: tuple[Bit, ...], steps: int, last: tuple[Bit, ...] = ()
) -> Callable[[Fraction], Fraction]:
    """The largest E[(1 - e^(x - loss))₊] of any strategy of so many bits of a menu, by e^x.

    After them comes one bit of `last`, if there are any there.
    """

    @cache
    def value(odds: Fraction, left: int) -> Fraction:
        if left < 0 or (left == 0 and not last):
            return max(Fraction(0), 1 - odds)
        return max(after(odds, left, *bit) for bit in (menu if left else last))

    def after(odds: Fraction, left: int, q: Fraction, p: Fraction) -> Fraction:
        one = p * value(odds * q / p, left - 1) if p else Fraction(0)
        zero = (1 - p) * value(odds * (1 - q) / (1 - p), left - 1) if p < 1 else Fraction(0)
        return one + zero

    return lambda odds: value(odds, steps)


def turned(menu: tuple[Bit, ...]) -> tuple[Bit, ...]:
    """The same bits with both sides exchanged."""
    return tuple((p, q) for q, p in menu)


def pick_bits(root: Fraction, places: int) -> tuple[Bit, ...]:
    """Bits whose losses are t and t - κ, κ = places·ln(root), for t = 0 … κ in as many steps."""
    most = root**places
    chances = [(most - root**j) / (most - 1) for j in range(places + 1)]
    return tuple((p / root**j, p) for j, p in enumerate(chances))


def gaussian_bits(shift: float, cuts: list[float]) -> tuple[Bit, ...]:
    """Bits "above u" about a normal variable shifted or not, each a hair less telling."""
    ctx.prec = 100

    def above(u: arb) -> arb:
        return (u / arb(2).sqrt()).erfc() / 2

    points = [(above(arb(u)), above(arb(u) - arb(shift))) for u in cuts]
    return tuple((rational(q, up=True), rational(p, up=False)) for q, p in points)


def rational(value: arb, *, up: bool) -> Fraction:
    """A rational at or above (or below) a number that is known as an interval."""
    places = 1 << 90
    end = (value * places).upper().ceil() if up else (value * places).lower().floor()
    return Fraction(int(end.unique_fmpz()), places)


def odds_above(level: float) -> Fraction:
    """A rational at or just above e^level."""
    ctx.prec = 100
    return rational(arb(level).exp(), up=True)
