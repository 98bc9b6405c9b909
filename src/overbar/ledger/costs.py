"""Amounts: what a run is charged, how it is paid, and what is spent and held. Exact fractions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from overbar.errors import LedgerError

#: Costs of a simpler form are kept exactly; the others are rounded up, to so many parts of one.
EXACT_BITS, COST_PARTS = 256, 10**30
#: What is tiny is rounded to more of them: a budget's δ may be as little as 1e-100.
TINY, TINY_PARTS = Fraction(1, 10**15), 10**130
#: A sum whose denominator grows beyond this is rounded up as well, so that no row fills the disk.
LONGEST_BITS = 4096
#: No row says a larger cost: a float holds it, and its share of any budget.
LARGEST_COST = Fraction(10) ** 150


def up(value: Fraction, parts: int = COST_PARTS) -> Fraction:
    """Round up to a whole number of parts of one."""
    return Fraction(math.ceil(value * parts), parts)


def booked(value: Fraction) -> Fraction:
    """Return a cost as it is booked: itself, or a hair more where its fraction is very long."""
    if value.denominator.bit_length() <= EXACT_BITS:
        return value
    return up(value, TINY_PARTS if value < TINY else COST_PARTS)


@dataclass(frozen=True)
class Charge:
    """A cost, in every way of a budget."""

    pure: Fraction
    renyi: tuple[Fraction, ...]
    delta: Fraction
    gaussian: Fraction = Fraction(0)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """All of it: the pure ε, the divergences, the δ, the cost in the Gaussian potential."""
        return (self.pure, *self.renyi, self.delta, self.gaussian)

    def __add__(self, other: Charge, sign: int = 1) -> Charge:
        pairs = zip(self.values, other.values, strict=True)
        pure, *renyi, delta, gaussian = (
            total if total.denominator.bit_length() <= LONGEST_BITS else up(total)
            for total in (own + sign * more for own, more in pairs)
        )
        return Charge(pure, tuple(renyi), delta, gaussian)

    def __sub__(self, other: Charge) -> Charge:
        return self.__add__(other, -1)

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so."""
        return max(self.values) <= LARGEST_COST


@dataclass(frozen=True)
class Schedule:
    """What a run pays at each order: when it begins, and with each positive.

    It is written with the reservation, and its theorem is fixed there. So what the run has cost in
    the end follows from its positives alone, to the last digit.
    """

    start: tuple[Fraction, ...]
    each: tuple[Fraction, ...]

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so."""
        return 0 < len(self.start) == len(self.each) and max(self.start + self.each) <= LARGEST_COST

    def after(self, positives: int, reserved: Charge) -> Charge:
        """Return what is left of a charge after so many positives; the rest comes back."""
        paid = tuple(
            min(most, start + positives * each)
            for most, start, each in zip(reserved.renyi, self.start, self.each, strict=True)
        )
        return replace(reserved, renyi=paid)


@dataclass(frozen=True)
class Balance:
    """What runs have cost that were settled, and what is held for those that were not.

    A reservation that was never settled is held for ever: it counts as spent.
    """

    settled: Charge
    held: Charge

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so."""
        return len(self.settled.renyi) == len(self.held.renyi)

    @property
    def total(self) -> Charge:
        """All that counts as spent."""
        return self.settled + self.held

    def reserve(self, charge: Charge) -> Balance:
        """Hold a charge."""
        return Balance(self.settled, self.held + charge)

    def settle(self, reserved: Charge, cost: Charge) -> Balance:
        """Turn a held charge into a cost that is no larger; refuse a larger one."""
        if any(paid > most for paid, most in zip(cost.values, reserved.values, strict=True)):
            raise LedgerError("a run cannot cost more than was reserved for it")
        held = self.held - reserved
        if min(held.values) < 0:
            raise LedgerError("nothing is held for this run: it was settled before")
        return Balance(self.settled + cost, held)
