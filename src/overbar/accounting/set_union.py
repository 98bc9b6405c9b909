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
from fractions import Fraction
from functools import lru_cache

import scipy

from overbar import _check
from overbar._numbers import first_from, rounded_up
from overbar.accounting.histogram import PRECISION, Moved, any_of, gaussian_sigma
from overbar.accounting.key_counts import HIDING, counts_variance, gaussian_counts, root
from overbar.accounting.theorem import Theorem, lone_cost, pure_cost
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.noise.grid_tails import gaussian_tail
from overbar.plans import Round, SetUnionPlan
from overbar.plans.key_plans import LARGEST_EPSILON, MOST_ITEMS, MOST_ROUNDS, STEPS, limited

#: More than all that the grid can cost, for every ε up to LARGEST_EPSILON.
GRID_COST = Fraction(1, 10**300)
#: What is taken where nobody says: good on click streams with thousands of keys.
ITEMS, ROUNDS = 100, 3
#: Each round has so many times the budget of the one before.
GROWTH = 5


def weight(items: int) -> int:
    """Return what a person with so many keys adds to each, in grid steps: rounded down.

    >>> weight(1) == STEPS, 2 * weight(2) ** 2 <= STEPS**2 < 2 * (weight(2) + 1) ** 2
    (True, True)
    """
    return math.isqrt(STEPS * STEPS // items)


# What is proved -----------------------------------------------------------------------------------


def set_union_covers(plan: SetUnionPlan) -> bool:
    """Tell whether the noise of a plan hides the grid."""
    try:
        return bool(all_rounds(plan))
    except NoGuaranteeError:
        return False


@lru_cache(maxsize=64)
def all_rounds(plan: SetUnionPlan) -> Moved:
    """Return what all rounds and counts cost beside δ₂: one value of sensitivity 1."""
    hiding = Fraction(HIDING, STEPS * STEPS)
    exact = [each.sigma**2 - hiding for each in plan.rounds]
    if min(exact) <= hiding:
        raise NoGuaranteeError("the noise must be wider than the grid that hides it")
    if plan.count_noise is not None:
        exact.append(counts_variance(plan.count_noise, plan.items_per_person))
    variance = 1 / sum((1 / each for each in exact), Fraction(0)) - hiding
    if variance <= hiding:
        raise NoGuaranteeError("the noise must be wider than the grid that hides it")
    return Moved(1, STEPS, (root(variance) * STEPS) ** 2)


#: (ε, δ) for rounds of weighted Gaussian noise, beside what `rounds_delta` puts on top.
SET_UNION = Theorem((SetUnionPlan,), set_union_covers, all_rounds)


@pure_cost.of(SetUnionPlan)
def _no_pure_cost(plan: SetUnionPlan, _: int | None) -> Fraction:
    all_rounds(plan)  # says why, if nothing at all is proved
    raise NoGuaranteeError(f"Gaussian noise has no pure guarantee, got {plan!r}")


@lone_cost.of(SetUnionPlan)
@lru_cache(maxsize=64)
def rounds_delta(plan: SetUnionPlan) -> Fraction:
    """Σδ₂, rounded up: the chance that a key comes out that takes part for one person alone."""
    worst = [
        max(unlisted_chance(each, t) for t in range(1, plan.items_per_person + 1))
        for each in plan.rounds
    ]
    return Fraction(rounded_up(sum(map(Fraction, worst)) + GRID_COST))


@lru_cache(maxsize=1 << 14)
def unlisted_chance(each: Round, items: int) -> float:
    """Return 1 - (1 - P(N >= b - w_t))^t, rounded up; a value equal to the bar reaches it."""
    variance = (each.sigma * STEPS) ** 2
    return any_of(items, gaussian_tail(variance, each.bar - weight(items), PRECISION))


# Calibration --------------------------------------------------------------------------------------


def set_union(
    epsilon: _check.Number,
    delta: _check.Number,
    *,
    items_per_person: int | None = None,
    rounds: int | None = None,
    at_least: int | None = None,
    counts_share: Fraction = Fraction(0),
) -> SetUnionPlan:
    """Return rounds that are together (ε, δ)-DP: half of δ is for what one person alone holds.

    With a `counts_share` that part of 1/V is for counts.

    >>> set_union(1, "1e-6", items_per_person=1, rounds=1).rounds[0].bar / STEPS < 26
    True
    """
    level, allowed = _check.positive("epsilon", epsilon), _check.probability("delta", delta)
    if level > LARGEST_EPSILON:
        raise ParameterError(f"{named('epsilon')} must be at most {LARGEST_EPSILON}, got {epsilon}")
    if allowed == 0:
        raise NoGuaranteeError(
            f"{named('delta')} must be positive: a key that only one person holds comes out with "
            "a small probability. Write a small one, such as 1e-6"
        )
    count = ROUNDS if rounds is None else limited("rounds", rounds, MOST_ROUNDS)
    items = ITEMS if items_per_person is None else items_per_person
    items = limited("items_per_person", items, MOST_ITEMS)
    least = 1 if at_least is None else limited("at_least", at_least, STEPS)
    one, grid = Fraction(1), Fraction(1, STEPS)
    sigma = gaussian_sigma(level, allowed / 2, items=1, sensitivity=one, grid=grid)
    while True:  # digits of scales are cut off, so what is returned is evaluated again
        scales = _rounds(sigma, count, items, allowed / 2 - GRID_COST, 1 - counts_share)
        counts = None
        if counts_share:
            counts = gaussian_counts((sigma**2 + grid**2 * HIDING) / counts_share, items)
        plan = SetUnionPlan(items, scales, least, counts)
        if Fraction(SET_UNION.delta(plan, level)) + rounds_delta(plan) <= allowed:
            return plan
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
