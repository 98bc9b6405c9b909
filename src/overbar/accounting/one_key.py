"""Keys that nobody listed, where one key of each person counts: the best that can be done.

A key that n persons hold comes out with probability π_n, independently of all others, where
π_0 = 0 and π_n is the largest number with

    π_n <= e^ε·π_(n-1) + δ,    1 - π_(n-1) <= e^ε·(1 - π_n) + δ,    π_n <= 1.

One person moves one count by one, so this is (ε, δ)-DP, and no other way to choose releases a key
more often (Desfontaines, Voss, Gipson & Mandayam 2020, arXiv:2006.03684, Theorem 1). Here e^ε is
rounded down to 2^-384 and so is each π_n: whole numbers, for which the two bounds hold exactly.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, ctx

from overbar.accounting.guarantees import guarantee
from overbar.accounting.key_counts import CountNoise, one_value
from overbar.accounting.pure_guarantee import Guarantee
from overbar.noise import Laplace
from overbar.noise.grid_tails import ball
from overbar.plans import Plan

#: Chances are whole multiples of 2^-BITS: of the least δ, 1e-100, sixteen digits are left.
BITS = 384
#: Below this ε the chances would be too many to list.
LEAST_EPSILON = Fraction(1, 10**4)


@dataclass(frozen=True)
class OneKey:
    """All public numbers of a search that counts one key of each person.

    `epsilon` is that of the keys; `counts` is the noise of their counts, where they are asked for.
    """

    epsilon: Fraction
    delta: Fraction
    at_least: int = 1
    items_per_person: int = 1
    counts: CountNoise | None = None

    @cached_property
    def chances(self) -> tuple[int, ...]:
        """π_0, π_1, … up to the first that is one, in units of 2^-BITS."""
        one = 1 << BITS
        with ctx.workprec(2 * BITS + 2 * math.ceil(self.epsilon)):
            floor = (ball(self.epsilon).exp() * arb(2) ** BITS).lower().floor().unique_fmpz()
        assert floor is not None  # of a point there is one
        growth = int(floor)
        delta = math.floor(self.delta * one)
        found = [0]
        while found[-1] < one:
            last = found[-1]
            rest = max(0, one - last - delta)
            found.append(min((growth * last >> BITS) + delta, one + (-rest * one) // growth, one))
        return tuple(found)

    @cached_property
    def plan(self) -> Plan:
        """One value of sensitivity 1 under Laplace noise: pure ε, as all is but for δ.

        Whatever is (ε, δ)-DP is no worse than pure ε that fails with probability δ (Kairouz, Oh &
        Viswanath 2015, arXiv:1311.0776v4).
        """
        counts = self.counts.epsilon(self.items_per_person) if self.counts else 0
        return one_value(Laplace(1 / (self.epsilon + counts)))

    @property
    def unlisted_delta(self) -> Fraction:
        """All of δ: the chance that a key comes out that one person alone holds."""
        return self.delta

    @property
    def guarantee(self) -> Guarantee:
        """What is proved beside `unlisted_delta`, which comes on top."""
        return guarantee(self.plan)

    @property
    def persons(self) -> int:
        """How many persons make a key come out half of the time, or more."""
        half = next(n for n, chance in enumerate(self.chances) if 2 * chance >= 1 << BITS)
        return half + self.at_least - 1

    @property
    def forecast(self) -> str:
        """Say which keys come out, from public numbers alone."""
        surely = len(self.chances) + self.at_least - 2
        return (
            f"Keys held by about {self.persons:,} persons or more come out, and from {surely:,} "
            "on always; of each person one key counts."
        )
