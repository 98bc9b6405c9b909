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
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from overbar import _check
from overbar._numbers import people_text
from overbar.errors import ParameterError, named
from overbar.mechanisms.key_values import (
    LARGEST_EPSILON,
    LEAST_EPSILON,
    STEPS,
    CountNoise,
    Round,
    counts_epsilon,
)
from overbar.mechanisms.keys import Holdings, KeyPlan
from overbar.mechanisms.plan import Pairs, part
from overbar.mechanisms.reach_and_bar import set_checked
from overbar.mechanisms.run import Answer, Run
from overbar.noise.grid_tails import ball

#: Chances are whole multiples of 2^-BITS: of the least δ, 1e-100, sixteen digits are left.
BITS = 384


@part("one-key")
@dataclass(frozen=True, repr=False)
class OneKeyPlan(KeyPlan):
    """Keys by a chance that rises with their persons, where one key of each person counts.

    Parameters
    ----------
    epsilon, delta : Fraction
        What the keys may cost; they say what the chances are.
    at_least : int, default 1
        So many persons must hold a key for it to take part at all.
    count_noise : CountNoise, optional
        The noise of counts of the keys that are out; None if no counts come out.
    """

    epsilon: Fraction
    delta: Fraction
    at_least: int = 1
    count_noise: CountNoise | None = None

    def __post_init__(self) -> None:
        self._check_keys()
        set_checked(
            self,
            epsilon=_check.positive("epsilon", self.epsilon),
            delta=_check.probability("delta", self.delta),
        )
        if self.delta == 0 or not LEAST_EPSILON <= self.epsilon <= LARGEST_EPSILON:
            raise ParameterError(
                f"{named('delta')} must be positive and {named('epsilon')} between "
                f"{people_text(LEAST_EPSILON)} and {LARGEST_EPSILON:,} where one key of each "
                "person counts"
            )

    def run(self, run: Run, table: Holdings, _: None = None) -> Answer:
        """Let each key come out by the chance that its persons give it."""
        keys, weights = table.weighed(self, ())
        persons = [steps // STEPS for steps in weights]
        found = run.choose(persons, chances(self), BITS)
        return Answer(tuple(sorted(keys[place] for place in found)))

    def pure(self, positives: int | None = None) -> Fraction:  # noqa: ARG002  # it costs the same
        """Return the ε of a search: pure, but for δ, which comes on top.

        Whatever is (ε, δ)-DP is no worse than pure ε that fails with probability δ (Kairouz, Oh &
        Viswanath 2015, arXiv:1311.0776v4).
        """
        noise = self.count_noise
        return self.epsilon + (counts_epsilon(noise, self.items_per_person) if noise else 0)

    def lone_delta(self) -> Fraction:
        """Return δ: keys come out of what one person alone holds."""
        return self.delta

    @property
    def items_per_person(self) -> int:
        """One key of each person counts."""
        return 1

    @property
    def rounds(self) -> tuple[Round, ...]:
        """None: keys come out by chances."""
        return ()

    @property
    def grid(self) -> Fraction:
        """Persons are whole."""
        return Fraction(1)

    @property
    def half(self) -> tuple[int, int]:
        """How many persons make a key come out half of the time."""
        number = next(n for n, chance in enumerate(chances(self)) if 2 * chance >= 1 << BITS)
        return (number + self.at_least - 1,) * 2

    @property
    def which_text(self) -> str:
        """Which keys come out."""
        always = len(chances(self)) + self.at_least - 2
        return (
            f"Keys held by about {self.half[0]:,} persons or more come out, and from {always:,} on "
            "always; of each person one key counts."
        )

    @property
    def rounds_text(self) -> Pairs:
        """How keys come out: in one round."""
        return (("one round", "each key by a chance that rises with its persons"),)

    def __str__(self) -> str:
        return (
            f"One key of each person counts, by lot; a key comes out by a chance that rises with "
            f"its persons, as fast as ε = {people_text(self.epsilon)} and δ = "
            f"{people_text(self.delta)} allow.{self._besides()}"
        )


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
