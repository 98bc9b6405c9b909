"""Which Rényi orders an (ε, δ) budget follows, and how much may be spent at each.

δ is split once, before anything is drawn: when a dataset is opened, or at its first reservation. A
part is for δ's that simply add up, the rest goes in even shares to the orders. The limit of an
order a is the largest divergence B that its share allows,

    e^((a-1)(B - ε)) / (a - 1) · (1 - 1/a)^a <= share,

by the conversion of :mod:`overbar.accounting.conversion`. Why each order needs a share of its own:
along different transcripts different orders survive, and which one does is not known beforehand.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from overbar import _check
from overbar._numbers import rounded_up
from overbar.accounting.conversion import checked_log_delta, log_delta_at
from overbar.errors import ParameterError, named
from overbar.ledger.budget import FINENESS, Budget
from overbar.ledger.fields import NEIGHBOURS, Neighbours

#: Limits are rounded down to whole multiples of this.
PARTS = 10**15
#: The share of δ for sums where runs add up by their divergences.
HALF = Fraction(1, 2)
#: Limits are lowered by this part of what they are computed from: more than a handful of roundings
#: can be off by.
MARGIN = 1e-13


def budget_of(
    epsilon: _check.Number,
    delta: _check.Number,
    additive: _check.Number | None,
    neighbours: Neighbours = "person",
) -> Budget:
    """Return the budget of a dataset from what is promised about it.

    `additive` is the share of δ for δ's that add up; None leaves it to the first reservation.
    """
    total, allowed = _check.positive("epsilon", epsilon), _check.probability("delta", delta)
    _check.choice("neighbours", neighbours, NEIGHBOURS)
    if additive is None:
        return Budget(total, allowed, allowed, (), (), allowed == 0, neighbours)
    share = _check.non_negative("additive", additive)
    if share > 1:
        raise ParameterError(
            f"{named('additive')} must be a share of delta, at most 1, got {additive}"
        )
    if allowed == 0:
        return Budget(total, allowed, Fraction(0), (), (), True, neighbours)
    shared = allowed * (1 - share)
    order, limit = _order(total, checked_log_delta(shared)) if shared else (Fraction(0),) * 2
    orders, limits = ((order,), (limit,)) if limit > 0 else ((), ())
    return Budget(total, allowed, allowed * share, orders, limits, True, neighbours)


def by_orders(budget: Budget) -> Budget:
    """Settle a budget so that runs add up by their Rényi divergences, with half of δ for sums."""
    return budget_of(budget.epsilon, budget.delta, HALF, budget.neighbours)


def by_sums(budget: Budget) -> Budget:
    """Settle a budget so that the ε's and δ's of runs add up."""
    return replace(budget, settled=True)


def within_delta(budget: Budget) -> bool:
    """Return whether the limits of a budget's orders are within its δ.

    Limits are computed with floats, which differ in the last digits from machine to machine. So
    half of the margin is asked for that was kept when they were written: that is enough for both.
    """
    if not budget.orders:
        return True
    left = budget.delta - budget.additive
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
    return Fraction(math.floor(Fraction(limit) * PARTS), PARTS)
