"""Keys: the best search at an ε and a δ, which keys it finds, and how far their counts are off.

All from public numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import scipy

from overbar import _check
from overbar._check import Number
from overbar.accuracy.interval import interval
from overbar.errors import ParameterError
from overbar.mechanisms import KeyPlan, OneKeyPlan, Plan, SetUnionPlan
from overbar.mechanisms.by_kind import ByKind
from overbar.mechanisms.key_values import LEAST_EPSILON, STEPS
from overbar.mechanisms.one_key import BITS, chances
from overbar.noise.grid_tails import gaussian_tail
from overbar.planning.counts import checked_counts
from overbar.planning.key_counts import laplace_counts
from overbar.planning.key_rounds import set_union
from overbar.privacy.histogram import PRECISION

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

    >>> from overbar.privacy import guarantee
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


@dataclass(frozen=True)
class KeysAsked:
    """What is asked of a search for keys beside its budget and how many of each person count."""

    rounds: int | None = None
    at_least: int | None = None
    counts: bool | Number = False

    def plan(self, epsilon: Number, delta: Number, items_per_person: int | None = None) -> KeyPlan:
        """Return the search at a budget where so many keys of each person count."""
        return key_plan(
            epsilon,
            delta,
            items_per_person=items_per_person,
            rounds=self.rounds,
            at_least=self.at_least,
            counts=self.counts,
        )


def key_forecast(plan: KeyPlan) -> str:
    """Say which keys come out, and how far their counts are off.

    >>> from overbar.planning.key_rounds import set_union  # internal
    >>> key_forecast(set_union(1, "1e-6")).split(" or more")[0]
    'Keys held by about 27 persons'
    """
    keys, off, most = _which(plan), counts_off(plan), plan.items_per_person
    if off is None:
        return keys
    each, rest = off
    return (
        f"{keys} In 95 of 100 cases a count is off by at most {each:,} and everything else by at "
        f"most {rest:,}; of each person at most {most:,} key{'s count' if most > 1 else ' counts'}."
    )


def counts_off(plan: KeyPlan) -> tuple[int, int] | None:
    """Return how far a count, and that of everything else, is off at most, in 95 of 100 cases."""
    noise = plan.count_noise
    if noise is None:
        return None
    each, rest = (
        math.floor(interval(law, noise.grid, 0)[1] * noise.grid) for law in (noise.each, noise.rest)
    )
    return each, rest


@ByKind
def half(plan: Plan) -> tuple[int, int]:
    """Return how many persons make a key come out half of the time.

    Of persons with no other key, and of persons with as many keys as count.
    """
    raise ParameterError(f"how many persons a key needs is not known for {plan.kind} plans")


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


@half.of(SetUnionPlan)
def _half_in_rounds(plan: SetUnionPlan) -> tuple[int, int]:
    return persons(plan, 1), persons(plan, plan.items_per_person)


@half.of(OneKeyPlan)
def _half_by_chances(plan: OneKeyPlan) -> tuple[int, int]:
    number = next(n for n, chance in enumerate(chances(plan)) if 2 * chance >= 1 << BITS)
    return (number + plan.at_least - 1,) * 2


@_which.of(SetUnionPlan)
def _set_union(plan: SetUnionPlan) -> str:
    most = plan.items_per_person
    few, many = half(plan)
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
    few, _ = half(plan)
    always = len(chances(plan)) + plan.at_least - 2
    return (
        f"Keys held by about {few:,} persons or more come out, and from {always:,} on "
        "always; of each person one key counts."
    )
