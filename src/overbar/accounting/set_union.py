"""Keys that nobody listed: which of them many persons hold, and what it costs to say so.

In a round each person keeps t <= m of the keys that are not out yet, by lot, and adds the weight
floor(s/√t)/s to each, s = 2^24. The weight of a key is their sum less k - 1, where `at_least` is k.
Each key whose weight is above zero takes part: it gets noise of its own, discrete Gaussian on the
grid of 1/s, and comes out if its noisy weight reaches the bar.

**Claim.** With σ₁ … σ_R the scales and b₁ … b_R the bars, and u = 2^10/s², all rounds together are
(ε, δ₁ + Σδ₂)-DP, where δ₁ is what Gaussian noise of variance V - u on one value of sensitivity 1
costs at ε, 1/V = Σ 1/(σ_i² - u), and

    δ₂ = max over t <= m of 1 - (1 - P(N >= b - w_t))^t

for each round: the chance that one of t keys reaches the bar that take part because of one person
alone. What a person adds is rounded down, so that t·w_t² <= 1. The grid is so fine that it costs
less than 10^-300.

Weighted Gaussian: Gopi et al. 2020, arXiv:2002.09745. Rounds: Swanberg et al. 2023,
arXiv:2301.01998. Gaussian costs of rounds add up without loss: Dong, Roth & Su 2019,
arXiv:1905.02383v3, Corollary 3.3.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

import scipy

from overbar import _check
from overbar._numbers import first_from, rounded_up
from overbar.accounting.guarantees import guarantee
from overbar.accounting.histogram import PRECISION, any_of, gaussian_sigma
from overbar.accounting.key_counts import HIDING, CountNoise, gaussian_counts, one_value, root
from overbar.accounting.pure_guarantee import Guarantee
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.noise import Gaussian
from overbar.noise.grid_tails import gaussian_tail
from overbar.plans import Plan

#: Grid steps in a weight of one. The weights of 2^38 persons fit in 62 bits.
STEPS = 1 << 24
#: More than all that the grid can cost, for every ε up to LARGEST_EPSILON.
GRID_COST = Fraction(1, 10**300)
LARGEST_EPSILON = 1000
#: What is taken where nobody says: good on click streams with thousands of keys.
ITEMS, ROUNDS = 100, 3
MOST_ITEMS, MOST_ROUNDS = 1000, 10
#: Each round has so many times the budget of the one before.
GROWTH = 5
#: Which part of the budget goes to counts where they are asked for.
COUNTS_SHARE = Fraction(1, 4)
#: How often a key comes out that is said to.
SURE = 0.95


class Round(NamedTuple):
    """One round: the scale of the noise, and the bar in grid steps."""

    sigma: Fraction
    bar: int


def weight(items: int) -> int:
    """Return what a person with so many keys adds to each, in grid steps: rounded down.

    >>> weight(1) == STEPS, 2 * weight(2) ** 2 <= STEPS**2 < 2 * (weight(2) + 1) ** 2
    (True, True)
    """
    return math.isqrt(STEPS * STEPS // items)


@dataclass(frozen=True)
class SetUnion:
    """All public numbers of a search for keys. What they guarantee is computed from them.

    `at_least` persons must hold a key for it to take part at all. `counts` is the noise of counts
    of the keys that are out, where they are asked for.
    """

    items_per_person: int
    rounds: tuple[Round, ...]
    at_least: int = 1
    counts: CountNoise | None = None

    @cached_property
    def plan(self) -> Plan:
        """One value of sensitivity 1 under Gaussian noise: what all costs beside δ₂."""
        hiding = Fraction(HIDING, STEPS * STEPS)
        exact = [each.sigma**2 - hiding for each in self.rounds]
        if min(exact) <= hiding:
            raise NoGuaranteeError("the noise must be wider than the grid that hides it")
        if self.counts is not None:
            exact.append(self.counts.variance(self.items_per_person))
        variance = 1 / sum((1 / each for each in exact), Fraction(0)) - hiding
        if variance <= hiding:
            raise NoGuaranteeError("the noise must be wider than the grid that hides it")
        return one_value(Gaussian(root(variance)), Fraction(1, STEPS))

    @cached_property
    def unlisted_delta(self) -> Fraction:
        """Σδ₂, rounded up: the chance that a key comes out that takes part for one person alone."""
        worst = [
            max(unlisted_chance(each, t) for t in range(1, self.items_per_person + 1))
            for each in self.rounds
        ]
        return Fraction(rounded_up(sum(map(Fraction, worst)) + GRID_COST))

    @property
    def guarantee(self) -> Guarantee:
        """What is proved beside `unlisted_delta`, which comes on top."""
        return guarantee(self.plan)

    def persons(self, items: int) -> int:
        """Return how many persons with so many keys each make a key come out half of the time."""
        bar = min(each.bar for each in self.rounds) + (self.at_least - 1) * STEPS
        return max(self.at_least, -(-bar // weight(min(items, self.items_per_person))))

    def surely(self, items: int) -> int:
        """Return how many persons with so many keys each make it come out 95 % of the time.

        In one of the rounds, whatever becomes of their other keys: that can only help.
        """
        most, found = weight(min(items, self.items_per_person)), []
        for each in self.rounds:
            bar = each.bar + (self.at_least - 1) * STEPS
            deviation = each.sigma * STEPS
            # Floats guess, one too low if anything, and the tail decides.
            persons = int((bar + 0.9999 * scipy.special.ndtri(SURE) * float(deviation)) / most)
            while not gaussian_tail(deviation**2, bar - persons * most, PRECISION) >= SURE:
                persons += 1
            found.append(persons)
        return max(self.at_least, min(found))

    @property
    def forecast(self) -> str:
        """Say which keys come out, from public numbers alone."""
        most = self.items_per_person
        few, many = self.persons(1), self.persons(most)
        if few == many:
            often = f"at least 95 % of the time from {self.surely(1):,} on"
            return f"Keys held by about {few:,} persons or more come out, {often}."
        return (
            f"Keys held by about {few:,} persons or more come out if these hold no other key, and "
            f"by about {many:,} if they hold {most:,} keys or more. At least 95 % of the time, "
            f"{self.surely(1):,} persons with no other key are enough, and {self.surely(most):,} "
            f"persons with up to {most:,} keys each."
        )


@lru_cache(maxsize=1 << 14)
def unlisted_chance(each: Round, items: int) -> float:
    """Return 1 - (1 - P(N >= b - w_t))^t, rounded up; a value equal to the bar reaches it."""
    variance = (each.sigma * STEPS) ** 2
    return any_of(items, gaussian_tail(variance, each.bar - weight(items), PRECISION))


def set_union(
    epsilon: _check.Number,
    delta: _check.Number,
    *,
    items_per_person: int | None = None,
    rounds: int | None = None,
    at_least: int | None = None,
    counts_share: Fraction = Fraction(0),
) -> SetUnion:
    """Return rounds that are together (ε, δ)-DP: half of δ is for what one person alone holds.

    With a `counts_share` that part of 1/V is for counts.

    >>> union = set_union(1, "1e-6")
    >>> union.forecast.split(" or more")[0]
    'Keys held by about 29 persons'
    """
    level, allowed = _check.positive("epsilon", epsilon), _check.probability("delta", delta)
    if level > LARGEST_EPSILON:
        raise ParameterError(f"{named('epsilon')} must be at most {LARGEST_EPSILON}, got {epsilon}")
    if allowed == 0:
        raise NoGuaranteeError(
            f"{named('delta')} must be positive: a key that only one person holds comes out with "
            "a small probability. Write a small one, such as 1e-6"
        )
    count = ROUNDS if rounds is None else _limited("rounds", rounds, MOST_ROUNDS)
    items = ITEMS if items_per_person is None else items_per_person
    items = _limited("items_per_person", items, MOST_ITEMS)
    least = 1 if at_least is None else _limited("at_least", at_least, STEPS)
    one, grid = Fraction(1), Fraction(1, STEPS)
    sigma = gaussian_sigma(level, allowed / 2, items=1, sensitivity=one, grid=grid)
    while True:  # digits of scales are cut off, so what is returned is evaluated again
        found = _rounds(sigma, count, items, allowed / 2 - GRID_COST, 1 - counts_share)
        counts = None
        if counts_share:
            counts = gaussian_counts((sigma**2 + grid**2 * HIDING) / counts_share, items)
        union = SetUnion(items, found, least, counts)
        if Fraction(union.guarantee.delta(level)) + union.unlisted_delta <= allowed:
            return union
        sigma *= 1 + Fraction(1, 10**10)


def _rounds(
    sigma: Fraction, count: int, items: int, unlisted: Fraction, part: Fraction
) -> tuple[Round, ...]:
    """Return rounds that cost together a part of what one value under noise of this scale does."""
    hiding = Fraction(HIDING, STEPS * STEPS)
    shares = [Fraction(GROWTH**place * (GROWTH - 1), GROWTH**count - 1) for place in range(count)]
    scales = [root((sigma**2 + hiding) / (share * part) + hiding, up=True) for share in shares]
    return tuple(
        Round(scale, _least_bar(scale, items, unlisted * share * (1 - Fraction(1, 1 << 40))))
        for scale, share in zip(scales, shares, strict=True)
    )


def _least_bar(sigma: Fraction, items: int, allowed: Fraction) -> int:
    """Return the least bar that no number of keys of one person reaches too often.

    Floats guess which number is the worst; every number is then looked at.
    """

    def guess(t: int) -> float:
        return weight(t) - float(sigma) * STEPS * scipy.special.ndtri(float(allowed) / t)

    bar = 0
    for t in sorted(range(1, items + 1), key=guess, reverse=True):

        def holds(bar: int, t: int = t) -> bool:
            return Fraction(unlisted_chance(Round(sigma, bar), t)) <= allowed

        low = bar if bar else max(0, int(guess(t)) - (1 << 10))
        bar = first_from(holds, low if bar or not holds(low) else 0)
    return bar


def _limited(name: str, value: object, most: int) -> int:
    found = _check.whole(name, value)
    if found > most:
        raise ParameterError(f"{named(name)} must be at most {most:,}, got {found:,}")
    return found
