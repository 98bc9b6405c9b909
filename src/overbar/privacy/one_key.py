"""Keys that nobody listed, where one key of each person counts: the best that can be done.

A key that n persons hold comes out with probability π_n, independently of all others, where
π_0 = 0 and π_n is the largest number with

    π_n <= e^ε·π_(n-1) + δ,    1 - π_(n-1) <= e^ε·(1 - π_n) + δ,    π_n <= 1

(Desfontaines, Voss, Gipson & Mandayam 2020, arXiv:2006.03684, Theorem 1). Here e^ε is rounded down
to 2^-384 and so is each π_n: whole numbers, for which the two bounds hold exactly.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from overbar.mechanisms import OneKeyPlan
from overbar.noise.grid_tails import ball
from overbar.privacy.key_counts import counts_epsilon
from overbar.privacy.pure import pure_cost
from overbar.privacy.read_off_candidates import lone_cost

#: Chances are whole multiples of 2^-BITS: of the least δ, 1e-100, sixteen digits are left.
BITS = 384


@lru_cache(maxsize=4)
def chances(plan: OneKeyPlan) -> tuple[int, ...]:
    """Return π_0, π_1, … up to the first that is one, in units of 2^-BITS."""
    one = 1 << BITS
    with ctx.workprec(2 * BITS + 2 * math.ceil(plan.epsilon)):
        floor = (ball(plan.epsilon).exp() * arb(2) ** BITS).lower().floor().unique_fmpz()
    assert floor is not None  # of a point there is one
    growth = int(floor)
    delta = math.floor(plan.delta * one)
    rising = [0]
    while rising[-1] < one:
        last = rising[-1]
        rest = max(0, one - last - delta)
        rising.append(min((growth * last >> BITS) + delta, one + (-rest * one) // growth, one))
    return tuple(rising)


@pure_cost.of(OneKeyPlan)
def one_key_epsilon(plan: OneKeyPlan, _: int | None = None) -> Fraction:
    """Return the ε of a search: pure, but for δ, which comes on top.

    Whatever is (ε, δ)-DP is no worse than pure ε that fails with probability δ (Kairouz, Oh &
    Viswanath 2015, arXiv:1311.0776v4).
    """
    noise = plan.count_noise
    return plan.epsilon + (counts_epsilon(noise, plan.items_per_person) if noise else 0)


@lone_cost.of(OneKeyPlan)
def _alone(plan: OneKeyPlan) -> Fraction:
    return plan.delta
