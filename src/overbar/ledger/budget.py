"""Budgets, charges and balances: exact fractions, and no file.

A charge says what a run may cost in every way at once: its pure ε (the order infinity), its Rényi
divergence at each of the budget's orders, its cost in the Gaussian potential, and a δ that simply
adds up. A budget is kept to while the δ's fit and *one* way is alive, that is, its total is within
its limit. With δ = 0 there is the pure order alone. The proof is in the ledger's document.

δ is split once, before anything is drawn: when a dataset is opened, or at its first reservation. A
part is for δ's that simply add up, one may be for the Gaussian potential
(:mod:`overbar.privacy.gaussian_potential`), the rest goes in even shares to Rényi orders. The
limit of an order a is the largest divergence B that its share allows,

    e^((a-1)(B - ε)) / (a - 1) · (1 - 1/a)^a <= share,

by the conversion of :mod:`overbar.privacy.orders`. Why each order needs a share of its own:
along different transcripts different orders survive, and which one does is not known beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from overbar import _check
from overbar._check import LARGEST, SMALLEST
from overbar._numbers import rounded_up, safe_end
from overbar.errors import ParameterError, named
from overbar.ledger.costs import Balance, Charge, up
from overbar.ledger.fields import NEIGHBOURS, Neighbours
from overbar.privacy import gaussian_potential
from overbar.privacy.gaussian_potential import pure_cost
from overbar.privacy.orders import checked_log_delta, log_delta_at, pure_renyi

#: Orders are multiples of this, so that a float holds them exactly.
FINENESS = Fraction(1, 64)
#: The ε of one more run that fits is rounded down to so many parts of one. It is only shown.
EPSILON_PARTS = 10**12


@dataclass(frozen=True)
class Potential:
    """The Gaussian potential: its part of δ, the largest sum of costs, and its reserve."""

    delta: Fraction
    limit: Fraction
    reserve: Fraction


@dataclass(frozen=True)
class Budget:
    """What may be spent on a dataset in all: ε, δ, and what follows from them for each way.

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
    potential
        The Gaussian potential, where it is followed.
    """

    epsilon: Fraction
    delta: Fraction
    additive: Fraction
    orders: tuple[Fraction, ...]
    limits: tuple[Fraction, ...]
    settled: bool = True
    neighbours: Neighbours = "person"
    potential: Potential | None = None

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so."""
        own = self.potential
        sizes = () if own is None else (own.limit, own.reserve)
        return (
            all(SMALLEST <= value <= LARGEST for value in (self.epsilon, *self.limits, *sizes))
            and self.additive + (0 if own is None else own.delta) <= self.delta < 1
            and len(self.orders) == len(self.limits)
            and all(1 + FINENESS <= order <= LARGEST for order in self.orders)
            and (self.settled or (self.additive == self.delta > 0 and not self.orders and not own))
        )

    @property
    def nothing(self) -> Charge:
        """A charge of zero."""
        return Charge(Fraction(0), (Fraction(0),) * len(self.orders), Fraction(0))

    @property
    def unspent(self) -> Balance:
        """The balance before anything was reserved."""
        return Balance(self.nothing, self.nothing)

    def used(self, total: Charge) -> list[tuple[Fraction, Fraction]]:
        """Return what is spent and what may be, in each way in which runs add up.

        Parameters
        ----------
        total : Charge
            All that counts as spent.

        Returns
        -------
        list of tuple
            For the pure order first.
        """
        ways = [(total.pure, self.epsilon), *zip(total.renyi, self.limits, strict=True)]
        if self.potential is not None:
            ways.append((total.gaussian, self.potential.limit))
        return ways

    def allows(self, total: Charge) -> bool:
        """Return whether a total is within the budget: δ's fit, and at least one way is alive.

        Parameters
        ----------
        total : Charge
            All that counts as spent.

        Returns
        -------
        bool
            True if it is.
        """
        fits = total.delta <= self.additive
        return fits and any(spent <= limit for spent, limit in self.used(total))

    def remaining(self, total: Charge) -> Fraction:
        """Return the largest pure ε of one more run that fits; exact where the budget is pure.

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
        if self.potential is not None and total.gaussian < self.potential.limit:
            left = self.potential.limit - total.gaussian
            room.append(_pure_in_potential(left, self.potential.reserve))
        return max(room)


def _pure_in_potential(left: Fraction, reserve: Fraction) -> Fraction:
    """Return a pure ε whose cost in the Gaussian potential stays within what is left."""

    def fits(epsilon: Fraction) -> bool:
        cost = pure_cost(epsilon, reserve)
        # As a plan is charged, which is rounded up.
        return cost is not None and up(cost, gaussian_potential.PARTS) <= left

    return _largest_epsilon(fits)


def _largest_epsilon(fits: Callable[[Fraction], bool]) -> Fraction:
    """Return about the largest ε that fits, rounded down."""
    low, high = 0, EPSILON_PARTS
    while fits(Fraction(high, EPSILON_PARTS)):
        low, high = high, 2 * high
    while high - low > 1 + (low >> 20):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(Fraction(middle, EPSILON_PARTS)) else (low, middle)
    return Fraction(low, EPSILON_PARTS)


def _pure_within(divergence: float, order: float) -> Fraction:
    """Return a pure ε whose divergence stays within a bound, rounded down."""
    high = 1.0
    while pure_renyi(high, order) <= divergence:
        high *= 2
    low = safe_end(lambda epsilon: pure_renyi(epsilon, order) - divergence, 0.0, high)
    below = Fraction(low) * (1 - Fraction(1, 10**9))
    return Fraction(math.floor(below * EPSILON_PARTS), EPSILON_PARTS)


#: Limits are rounded down to so many parts of one.
LIMIT_PARTS = 10**15
#: The share of δ for sums where runs add up by their divergences.
HALF = Fraction(1, 2)
#: The shares of δ for sums, and for the potential, where small runs add up as Gaussian noise does.
ADDITIVE_SHARE, GAUSSIAN_SHARE = Fraction(1, 4), Fraction(5, 8)
#: The part of the potential that is held back, so that small steps cost little more than noise.
RESERVE = Fraction(1, 40)
#: A potential with less is not followed: digits are counted in parts of 10^15.
LEAST_TOTAL = Fraction(1, 10**8)
#: Limits are lowered by this part of what they are computed from: more than a handful of roundings
#: can be off by.
MARGIN = 1e-13


def budget_of(
    epsilon: _check.Number,
    delta: _check.Number,
    additive: _check.Number | None,
    neighbours: Neighbours = "person",
    gaussian: Fraction = Fraction(0),
) -> Budget:
    """Return the budget of a dataset from what is promised about it.

    `additive` is the share of δ for δ's that add up; None leaves it to the first reservation.
    `gaussian` is the share for the Gaussian potential.
    """
    total, allowed = _check.positive("epsilon", epsilon), _check.probability("delta", delta)
    _check.choice("neighbours", neighbours, NEIGHBOURS)
    if additive is None:
        return Budget(total, allowed, allowed, (), (), allowed == 0, neighbours)
    share = _check.non_negative("additive", additive)
    if share + gaussian > 1:
        raise ParameterError(
            f"{named('additive')} must be a share of delta, at most 1, got {additive}"
        )
    if allowed == 0:
        return Budget(total, allowed, Fraction(0), (), (), True, neighbours)
    shared = allowed * (1 - share - gaussian)
    order, limit = _order(total, checked_log_delta(shared)) if shared else (Fraction(0),) * 2
    orders, limits = ((order,), (limit,)) if limit > 0 else ((), ())
    own = _potential(total, allowed * gaussian) if gaussian else None
    return Budget(total, allowed, allowed * share, orders, limits, True, neighbours, own)


def by_orders(budget: Budget) -> Budget:
    """Settle a budget so that runs add up by their Rényi divergences, with half of δ for sums."""
    return budget_of(budget.epsilon, budget.delta, HALF, budget.neighbours)


def by_potential(budget: Budget) -> Budget:
    """Settle a budget so that small runs add up as Gaussian noise does, others by divergences."""
    shares = {"additive": ADDITIVE_SHARE, "gaussian": GAUSSIAN_SHARE}
    split = budget_of(budget.epsilon, budget.delta, neighbours=budget.neighbours, **shares)
    return by_orders(budget) if split.potential is None else split


def _potential(epsilon: Fraction, delta: Fraction) -> Potential | None:
    """Return the Gaussian potential that a part of δ allows; None where it is next to nothing."""
    total = gaussian_potential.largest_total(epsilon, delta)
    reserve = total * RESERVE
    return Potential(delta, total - reserve, reserve) if total >= LEAST_TOTAL else None


def by_sums(budget: Budget) -> Budget:
    """Settle a budget so that the ε's and δ's of runs add up."""
    return replace(budget, settled=True)


def within_delta(budget: Budget) -> bool:
    """Return whether the limits of a budget's orders are within its δ.

    Limits are computed with floats, which differ in the last digits from machine to machine. So
    half of the margin is asked for that was kept when they were written: that is enough for both.
    """
    left, own = budget.delta - budget.additive, budget.potential
    if own is not None:
        left -= own.delta
        if not gaussian_potential.within_delta(own.limit + own.reserve, budget.epsilon, own.delta):
            return False
    if not budget.orders:
        return left >= 0
    if left <= 0:
        return False
    share = checked_log_delta(left / len(budget.orders))
    return all(
        limit <= _limit(budget.epsilon, share, float(order), MARGIN / 2)
        for order, limit in zip(budget.orders, budget.limits, strict=True)
    )


def _order(epsilon: Fraction, log_share: float) -> tuple[Fraction, Fraction]:
    """Return the order that is followed, and its limit.

    A second order would halve the share of the first; the pure one needs no share, and serves where
    runs are few and large. Many small runs have a curve close to a·ρ. Of those that end at ε, the
    order that proves it is 1 + √(L/ρ) with L = -ln(share) and √ρ = √(L + ε) - √L.
    """
    root = math.sqrt(-log_share)
    best = root / (float(epsilon) / (math.sqrt(-log_share + float(epsilon)) + root))
    order = 1 + max(1, round(best / float(FINENESS))) * FINENESS
    return order, _limit(epsilon, log_share, float(order))


def _limit(epsilon: Fraction, log_share: float, order: float, margin: float = MARGIN) -> Fraction:
    """Return the largest divergence of an order that its share of δ allows, rounded down."""
    level = -rounded_up(-epsilon)
    room = (log_share - log_delta_at(0.0, order, 0.0)) / (order - 1)
    limit = level + room - margin * (level + abs(room) + abs(log_share))
    return Fraction(math.floor(Fraction(limit) * LIMIT_PARTS), LIMIT_PARTS)
