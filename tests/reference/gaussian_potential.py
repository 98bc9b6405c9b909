"""The Gaussian potential and one step in front of it, with as many digits as one likes."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import mpmath

Law = list[tuple[mpmath.mpf, mpmath.mpf]]


def exact(value: Fraction | float) -> mpmath.mpf:
    """Read a number without loss."""
    parts = Fraction(value)
    return mpmath.mpf(parts.numerator) / parts.denominator


def potential(x: mpmath.mpf, total: mpmath.mpf) -> mpmath.mpf:
    """G(x; total): the hockey stick at x of two Gaussian laws, √total apart."""
    root = mpmath.sqrt(total)
    return mpmath.ncdf(root / 2 - x / root) - mpmath.exp(x) * mpmath.ncdf(-root / 2 - x / root)


def two_points(range_: Fraction, high: Fraction) -> Law:
    """The law, under P, of a loss that is `high` or less by the range, with E[e^-loss] = 1."""
    top, bottom = exact(high), exact(high - range_)
    chance = mpmath.expm1(-bottom) / (mpmath.expm1(-bottom) - mpmath.expm1(-top))
    return [(top, chance), (bottom, 1 - chance)]


def grid_gaussian(steps: int, variance: Fraction) -> Law:
    """The law of the loss of one value on the grid, moved by so many steps."""
    spread = exact(variance)
    reach = int(mpmath.sqrt(spread)) * 20 + steps
    weights = {k: mpmath.exp(-mpmath.mpf(k * k) / (2 * spread)) for k in range(-reach, reach + 1)}
    whole = mpmath.fsum(weights.values())
    move = mpmath.mpf(steps)
    return [
        ((2 * (k + move) * move - move * move) / (2 * spread), weight / whole)
        for k, weight in weights.items()
    ]


def in_front(law: Law, x: mpmath.mpf, total: mpmath.mpf) -> mpmath.mpf:
    """E[G(x - loss; total)]."""
    return mpmath.fsum(chance * potential(x - loss, total) for loss, chance in law)


def worst_ratio(
    law: Law, cost: Fraction, totals: Iterable[Fraction], places: Iterable[Fraction]
) -> mpmath.mpf:
    """The largest E[G(x - loss; B)]/G(x; B + cost) over some B, and x in units of √B."""
    ratios = []
    for total in map(exact, totals):
        for place in places:
            x = exact(place) * mpmath.sqrt(total)
            ratios.append(in_front(law, x, total) / potential(x, total + exact(cost)))
    return max(ratios)
