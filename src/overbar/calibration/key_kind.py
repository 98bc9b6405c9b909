"""Keys: the best search at an ε and a δ, which keys it finds, and how far their counts are off.

All from public numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import scipy

from overbar import _check
from overbar._check import Number
from overbar.accounting.histogram import PRECISION
from overbar.accounting.key_counts import counts_variance, gaussian_counts, laplace_counts
from overbar.accounting.key_rounds import GRID_COST, rounds_delta, set_union, with_bars
from overbar.accounting.one_key import BITS, chances
from overbar.accuracy.interval import interval
from overbar.calibration.bounds_kind import ITEMS_PART, after_bounds, bounds_plan
from overbar.calibration.counts_noise import checked_counts
from overbar.noise.grid_tails import gaussian_tail
from overbar.plans import Composed, KeyPlan, OneKeyPlan, Plan, SetUnionPlan
from overbar.plans.by_kind import ByKind
from overbar.plans.key_plans import LEAST_EPSILON, STEPS

#: Which part of the budget goes to counts where they are asked for.
COUNTS_SHARE = Fraction(1, 4)
#: How often a key comes out that is said to.
SURE = 0.95


def key_plan(
    epsilon: Number,
    delta: Number,
    *,
    items_per_person: int | None = None,
    rounds: int | None = None,
    at_least: int | None = None,
    counts: bool | Number = False,
) -> KeyPlan:
    """Return a search for keys that is (ε, δ)-DP, with its counts.

    Where one key of each person counts and nobody asks for rounds, chances do it best.

    >>> from overbar.accounting import guarantee
    >>> guarantee(key_plan(1, "1e-6", counts=True)).implies(1, "1e-6")
    True
    """
    wish = checked_counts(counts)
    share = wish if isinstance(wish, Fraction) else COUNTS_SHARE * wish
    union = set_union(
        epsilon,
        delta,
        items_per_person=items_per_person,
        rounds=rounds,
        at_least=at_least,
        counts_share=share,
    )
    level = _check.rational("epsilon", epsilon) * (1 - share)
    if union.items_per_person > 1 or rounds is not None or level < LEAST_EPSILON:
        return union
    noise = laplace_counts(_check.rational("epsilon", epsilon) * share, 1) if share else None
    return OneKeyPlan(level, _check.rational("delta", delta), union.at_least, noise)


#: Which share of persons has at most so many keys as count, where that is found first.
INSIDE = Fraction(96, 100)


def with_items_found(epsilon: Number, delta: Number, rungs: int, **search: Any) -> Composed:
    """Return a search for keys with counts, before which it is found how many of each count.

    The plan is for the usual number, and costs as much as that for any other.

    >>> from overbar.accounting import guarantee
    >>> guarantee(with_items_found(1, "1e-6", 23, counts=True)).implies(1, "1e-6")
    True
    """
    level, allowed = _check.positive("epsilon", epsilon), _check.probability("delta", delta)
    bounds = bounds_plan(ITEMS_PART * level, rungs=rungs, inside=INSIDE)

    def make(share: Fraction) -> Plan:
        return key_plan(share * level, delta, **search)

    return after_bounds(bounds, make, level, allowed)


def for_items(plan: KeyPlan, items: int) -> SetUnionPlan:
    """Return a search in the same rounds for so many keys of each person, at no more cost.

    What a person adds in a round is never longer than one, so noise stays. Bars are those that keys
    of one person alone reach as seldom as before, and noise on counts is in units of the items.
    """
    rounds = cast("SetUnionPlan", plan)  # by chances one key counts, and nobody asks how many
    assert plan.count_noise is not None
    variance = counts_variance(plan.count_noise, plan.items_per_person)
    noise = gaussian_counts(variance, items)
    few = replace(rounds, items_per_person=items, count_noise=noise)
    return with_bars(few, rounds_delta(rounds) - GRID_COST)


def key_forecast(plan: KeyPlan, *, before_bounds: bool = False) -> str:
    """Say which keys come out, and how far their counts are off.

    >>> from overbar.accounting.key_rounds import set_union  # internal
    >>> key_forecast(set_union(1, "1e-6")).split(" or more")[0]
    'Keys held by about 29 persons'
    """
    keys, noise, most = _which(plan), plan.count_noise, plan.items_per_person
    if noise is None:
        return keys
    if before_bounds:
        wide = (for_items(plan, items).count_noise for items in (1, 10, 100))
        offs = [interval(law.each, law.grid, 0)[1] * law.grid for law in wide if law is not None]
        one, ten, many = map(math.floor, offs)
        return (
            f"{keys} In 95 of 100 cases a count is off by at most {one:,} if one key of each "
            f"person counts, {ten:,} if 10 do, and {many:,} if 100 do: how many, is found first."
        )
    each, rest = (
        math.floor(interval(law, noise.grid, 0)[1] * noise.grid) for law in (noise.each, noise.rest)
    )
    return (
        f"{keys} In 95 of 100 cases a count is off by at most {each:,} and everything else by at "
        f"most {rest:,}; of each person at most {most:,} key{'s count' if most > 1 else ' counts'}."
    )


@ByKind
def _which(plan: Plan) -> str:
    """Say which keys come out."""
    return f"Which keys come out is not predicted for {plan.kind} plans."


def persons(plan: SetUnionPlan, items: int) -> int:
    """Return how many persons with so many keys each make a key come out half of the time."""
    bar = min(each.bar for each in plan.rounds) + (plan.at_least - 1) * STEPS
    return max(plan.at_least, -(-bar // plan.weight(min(items, plan.items_per_person))))


def surely(plan: SetUnionPlan, items: int) -> int:
    """Return how many persons with so many keys each make it come out 95 % of the time.

    In one of the rounds, whatever becomes of their other keys: that can only help.
    """
    most, enough = plan.weight(min(items, plan.items_per_person)), []
    for each in plan.rounds:
        bar = each.bar + (plan.at_least - 1) * STEPS
        deviation = each.sigma * STEPS
        # Floats guess, one too low if anything, and the tail decides.
        number = int((bar + 0.9999 * scipy.special.ndtri(SURE) * float(deviation)) / most)
        while not gaussian_tail(deviation**2, bar - number * most, PRECISION) >= SURE:
            number += 1
        enough.append(number)
    return max(plan.at_least, min(enough))


@_which.of(SetUnionPlan)
def _set_union(plan: SetUnionPlan) -> str:
    most = plan.items_per_person
    few, many = persons(plan, 1), persons(plan, most)
    if few == many:
        often = f"at least 95 times of 100 from {surely(plan, 1):,} on"
        return f"Keys held by about {few:,} persons or more come out, {often}."
    return (
        f"Keys held by about {few:,} persons or more come out if these hold no other key, and "
        f"by about {many:,} if they hold {most:,} keys or more. At least 95 times of 100, "
        f"{surely(plan, 1):,} persons with no other key are enough, and {surely(plan, most):,} "
        f"persons with up to {most:,} keys each."
    )


@_which.of(OneKeyPlan)
def _one_key(plan: OneKeyPlan) -> str:
    rising, less = chances(plan), plan.at_least - 1
    half = next(n for n, chance in enumerate(rising) if 2 * chance >= 1 << BITS) + less
    always = len(rising) - 1 + less
    return (
        f"Keys held by about {half:,} persons or more come out, and from {always:,} on "
        "always; of each person one key counts."
    )
