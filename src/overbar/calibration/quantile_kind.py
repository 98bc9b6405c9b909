"""From ε to a plan for quantiles, and how near they come to the truth, in persons.

Theory: :doc:`/theory/quantiles`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text
from overbar.noise import Exponential, Laplace
from overbar.plans.quantile_plan import QuantilePlan, checked_shares, unit_of

#: Which part of ε counts the persons; the rest is shared evenly among all choices of rungs.
PERSONS_PART = Fraction(1, 10)
#: For a mean: which part of ε finds the bounds, and which the sum; the rest counts the persons.
BOUNDS_PART, SUM_PART = Fraction(1, 4), Fraction(1, 2)
#: Between which shares of persons the values of a mean are clamped.
BOUNDS = Fraction(1, 100), Fraction(99, 100)
#: An interval misses the truth with at most this chance, at both ends together.
MISSES = 0.05


def quantile_plan(
    epsilon: Number,
    at: Sequence[Number],
    rungs: int,
    *,
    intervals: bool = True,
    days: bool = False,
) -> QuantilePlan:
    """Return the plan that spends all of ε on these quantiles.

    >>> plan = quantile_plan("0.2", (0.5, 0.95), 100)
    >>> from overbar.accounting import guarantee
    >>> guarantee(plan), plan.picks
    (PureDP(epsilon=0.2), 6)
    """
    level = _check.positive("epsilon", epsilon)
    shares = checked_shares(at)
    picks = len(shares) * (3 if intervals else 1)
    noise = Exponential(2 * picks / (level * (1 - PERSONS_PART)))
    persons = Laplace(1 / (level * PERSONS_PART))
    return QuantilePlan(noise, shares, rungs, persons, intervals, days=days)


def mean_plan(epsilon: Number, rungs: int, *, days: bool = False) -> QuantilePlan:
    """Return the plan that spends all of ε on a mean.

    >>> from overbar.accounting import guarantee
    >>> guarantee(mean_plan("0.2", 100))
    PureDP(epsilon=0.2)
    """
    level = _check.positive("epsilon", epsilon)
    noise = Exponential(2 * len(BOUNDS) / (level * BOUNDS_PART))
    persons = Laplace(1 / (level * (1 - BOUNDS_PART - SUM_PART)))
    total = Laplace(1 / (level * SUM_PART))
    return QuantilePlan(noise, BOUNDS, rungs, persons, False, total, days)


def margin(plan: QuantilePlan, share: Fraction, misses: float, rungs: int | None = None) -> int:
    """Return how many persons a choice is off at most, but for a chance of `misses`.

    A rung at a distance of zero has noise E; each of the others beats it from a distance d on with
    probability e^-(d + E)/s, and E has a mean of e^-E/s that is a half. So of m - 1 others one does
    with a chance of at most (m - 1)/2·e^-d/s, whatever the data is. By Gumbel noise a rung wins
    with a chance in proportion to e^-d/s: at most (m - 1)·e^-d/s.

    Precondition: the ladder or its part has so many `rungs`, by default all of the plan.
    """
    others = max(1, (rungs or plan.rungs) - 1)
    often = others / (2 if isinstance(plan.query_noise, Exponential) else 1)
    units = float(plan.query_noise.scale) * max(0.0, math.log(often / misses))
    return math.ceil(units * float(unit_of(share)) * (1 + 1e-9))


def quantile_forecast(plan: QuantilePlan) -> str:
    """Say how near answers come, from public numbers alone."""
    names = ("low", "high") if plan.total else [exact_text(share) for share in plan.shares]
    each = [
        f"{name}: {margin(plan, share, MISSES):,}"
        for name, share in zip(names, plan.shares, strict=True)
    ]
    return (
        "With a chance of 95 % an answer is off by at most so many persons, on a ladder of "
        f"{plan.rungs:,} rungs: {'; '.join(each)}. Far fewer persons in the table than ten times "
        "that, and the answer has fewer digits, or says little."
    )
