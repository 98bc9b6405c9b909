"""Which keys come out, and how far their counts are off: from public numbers alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import scipy

from overbar.accuracy.interval import interval
from overbar.mechanisms.key_values import STEPS
from overbar.noise.grid_tails import gaussian_tail
from overbar.privacy.histogram import PRECISION

if TYPE_CHECKING:
    from overbar.mechanisms.keys import KeyPlan, SetUnionPlan

#: How often a key comes out that is said to.
SURE = 0.95


def key_forecast(plan: KeyPlan) -> str:
    """Say which keys come out, and how far their counts are off.

    >>> from overbar.mechanisms import OneKeyPlan
    >>> key_forecast(OneKeyPlan(1, "1e-6")).split(" or more")[0]
    'Keys held by about 14 persons'
    """
    keys, off, most = plan.which_text, counts_off(plan), plan.items_per_person
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
