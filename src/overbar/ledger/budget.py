"""Budgets, charges and balances: exact fractions, and no file.

A charge says what a run may cost at every order at once: its pure ε (the order infinity), its Rényi
divergence at each of the budget's orders, and a δ that simply adds up. A budget is kept to while
the δ's fit and *one* order is alive, that is, its total is within its limit. With δ = 0 there is
the pure order alone. The proof is in the ledger's document.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from overbar._check import LARGEST, SMALLEST
from overbar._numbers import safe_end
from overbar.accounting.renyi import pure_renyi
from overbar.errors import LedgerError
from overbar.ledger.fields import Neighbours

#: Costs of a simpler form are kept exactly; the others are rounded up to this many decimals.
EXACT_BITS = 256
#: A sum whose denominator grows beyond this is rounded up as well, so that no row fills the disk.
LONGEST_BITS = 4096
DECIMALS = 10**30
#: What is tiny has more of them: a budget's δ may be as little as 1e-100.
TINY, MORE_DECIMALS = Fraction(1, 10**15), 10**130
#: Orders are multiples of this, so that a float holds them exactly.
FINENESS = Fraction(1, 64)
#: What is left at a Rényi order is rounded down to this many parts of one.
PARTS = 10**12
#: No row says a larger cost: a float holds it, and its share of any budget.
LARGEST_COST = Fraction(10) ** 150


def up(value: Fraction, parts: int = DECIMALS) -> Fraction:
    """Round up to a whole number of parts of one."""
    return Fraction(math.ceil(value * parts), parts)


def booked(value: Fraction) -> Fraction:
    """Return a cost as it is booked: itself, or a hair more where its fraction is very long."""
    if value.denominator.bit_length() <= EXACT_BITS:
        return value
    return up(value, MORE_DECIMALS if value < TINY else DECIMALS)


def _kept_short(value: Fraction) -> Fraction:
    return value if value.denominator.bit_length() <= LONGEST_BITS else up(value)


@dataclass(frozen=True)
class Charge:
    """A cost, at every order of a budget."""

    pure: Fraction
    renyi: tuple[Fraction, ...]
    delta: Fraction

    @property
    def values(self) -> tuple[Fraction, ...]:
        """All of it: the pure ε, the divergences, the δ."""
        return (self.pure, *self.renyi, self.delta)

    def __add__(self, other: Charge, sign: int = 1) -> Charge:
        pairs = zip(self.values, other.values, strict=True)
        pure, *renyi, delta = (_kept_short(one + sign * two) for one, two in pairs)
        return Charge(pure, tuple(renyi), delta)

    def __sub__(self, other: Charge) -> Charge:
        return self.__add__(other, -1)

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so."""
        return max(self.values) <= LARGEST_COST


@dataclass(frozen=True)
class Budget:
    """What may be spent on a dataset in all: ε, δ, and what follows from them for each order.

    Attributes
    ----------
    epsilon, delta
        What is promised about everything ever released from the dataset together.
    additive
        The part of δ from which δ's that simply add up are paid.
    orders, limits
        The Rényi orders that are followed, and the largest total at each.
    settled
        Whether it is settled how runs add up. If not, the first reservation settles it.
    neighbours
        By what two data sets differ of which all this is promised.
    """

    epsilon: Fraction
    delta: Fraction
    additive: Fraction
    orders: tuple[Fraction, ...]
    limits: tuple[Fraction, ...]
    settled: bool = True
    neighbours: Neighbours = "person"

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so."""
        return (
            all(SMALLEST <= value <= LARGEST for value in (self.epsilon, *self.limits))
            and self.additive <= self.delta < 1
            and len(self.orders) == len(self.limits)
            and all(1 + FINENESS <= order <= LARGEST for order in self.orders)
            and (self.settled or (self.additive == self.delta > 0 and not self.orders))
        )

    @property
    def nothing(self) -> Charge:
        """A charge of zero."""
        return Charge(Fraction(0), (Fraction(0),) * len(self.orders), Fraction(0))

    @property
    def unspent(self) -> Balance:
        """The balance before anything was reserved."""
        return Balance(self.nothing, self.nothing)

    def allows(self, total: Charge) -> bool:
        """Return whether a total is within the budget: δ's fit, and at least one order is alive.

        Parameters
        ----------
        total : Charge
            All that counts as spent.

        Returns
        -------
        bool
            True if it is.
        """
        if total.delta > self.additive:
            return False
        return total.pure <= self.epsilon or any(
            spent <= limit for spent, limit in zip(total.renyi, self.limits, strict=True)
        )

    def remaining(self, total: Charge) -> Fraction:
        """Return the largest pure ε of one more run that fits; exact where δ = 0.

        The parameters are those of :meth:`allows`.

        Returns
        -------
        Fraction
            The ε.
        """
        if total.delta > self.additive:
            return Fraction(0)
        room = [self.epsilon - total.pure, Fraction(0)]
        for order, limit, spent in zip(self.orders, self.limits, total.renyi, strict=True):
            if spent < limit:
                room.append(_pure_within(float(limit - spent), float(order)))
        return max(room)


def _pure_within(divergence: float, order: float) -> Fraction:
    """Return a pure ε whose divergence stays within a bound, rounded down."""
    high = 1.0
    while pure_renyi(high, order) <= divergence:
        high *= 2
    low = safe_end(lambda epsilon: pure_renyi(epsilon, order) - divergence, 0.0, high)
    return Fraction(math.floor(Fraction(low) * (1 - Fraction(1, 10**9)) * PARTS), PARTS)


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
