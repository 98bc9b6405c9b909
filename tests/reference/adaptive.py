"""The best any adversary can do against a privacy filter, by trying everything.

The adversary plays against a filter. It runs randomised response with any ε of a menu, which may
say nothing at all with a known probability, sees the outcome, and chooses again, as long as the
filter allows; it may also buy a chance to see the data, by itself or with a run. All of its
strategies are tried, so what comes out is the exact δ of the whole game at ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache

from overbar.ledger.costs import Charge

#: What an ε of the menu is charged beforehand, in every way in which it may be.
Charged = Callable[[Fraction], Iterable[Charge]]
#: What remains of a charge after a loss: of ε, of -ε, or of nothing.
Settled = Callable[[Fraction, Charge], Charge]


def in_full(_loss: Fraction, charge: Charge) -> Charge:
    """Give nothing back."""
    return charge


def pure_part_back(loss: Fraction, charge: Charge) -> Charge:
    """Give back what the pure part of the charge is above the loss of this very outcome."""
    return replace(charge, pure=max(loss, Fraction(0)))


def all_back(loss: Fraction, charge: Charge) -> Charge:
    """Give everything back after an outcome without a loss. This is unsound."""
    return charge if loss else charge - charge


def worst_delta(
    epsilon: Fraction,
    menu: tuple[Fraction, ...],
    leak: Fraction,
    start: Charge,
    allows: Callable[[Charge], bool],
    charged: Charged,
    settled: Settled = in_full,
    quiet: float = 0.0,
    moves: int = 10,
) -> float:
    """Return the largest δ(ε) = E[(1 - e^(ε - loss))₊] of any strategy of so many moves."""
    runs = [(one, charge) for one in menu for charge in charged(one)]

    @cache
    def value(loss: Fraction, total: Charge, left: int) -> float:
        best = max(0.0, -math.expm1(float(epsilon - loss)))
        if left == 0:
            return best
        for one, charge in runs:
            if allows(total + charge):
                likely = 1 / (1 + math.exp(-one))
                chances = {one: (1 - quiet) * likely, -one: (1 - quiet) * (1 - likely)}
                if quiet:
                    chances[Fraction(0)] = quiet
                found = 0.0
                for lost, chance in chances.items():
                    found += chance * value(loss + lost, total + settled(lost, charge), left - 1)
                shown = float(charge.delta)  # a run that is charged a δ may show the data
                best = max(best, shown + (1 - shown) * found)
        bought = Charge(Fraction(0), (Fraction(0),) * len(total.renyi), leak)
        if leak and allows(total + bought):
            rest = value(loss, total + bought, left - 1)
            best = max(best, float(leak) + (1 - float(leak)) * rest)
        return best

    return value(Fraction(0), start, moves)
