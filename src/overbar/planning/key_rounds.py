"""Rounds of a search for keys that are together (ε, δ)-DP: their scales, weights and bars.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import scipy

from overbar import _check
from overbar._numbers import first_from, rounded_up, short_fraction, up_to_digits
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms import Round, SetUnionPlan
from overbar.mechanisms.key_values import (
    DIGITS,
    HIDING,
    LARGEST_EPSILON,
    MOST_ITEMS,
    MOST_ROUNDS,
    STEPS,
    Weight,
    limited,
    root,
    root_weight,
)
from overbar.mechanisms.keys import GRID_COST, key_bits, unlisted_chance
from overbar.planning.key_counts import gaussian_counts
from overbar.planning.search import least_gaussian
from overbar.privacy.guarantees import proved_about
from overbar.privacy.reading import depth_of, profile_of

#: What is taken where nobody says.
ITEMS, ROUNDS = 10, 3
#: Each round has so many times the budget of the one before.
GROWTH = 5
#: With more keys of each person bits would be too many to look at, and weights are 1/√t.
MOST_WEIGHTED = 128
#: How much of its half of δ bits may leave to bars, in logs, and how often that is tried.
UNUSED, MOST_TRIES = -0.03, 16
#: About how much more bits cost where they are looked at coarsely, less what they may leave.
COARSER = 0.13


def set_union(
    epsilon: _check.Number,
    delta: _check.Number,
    *,
    items_per_person: int | None = None,
    rounds: int | None = None,
    at_least: int | None = None,
    counts_share: Fraction = Fraction(0),
    by_bits: bool = True,
) -> SetUnionPlan:
    """Return rounds that are together (ε, δ)-DP: half of δ is for what one person alone holds.

    With a `counts_share` that part of 1/V is for counts, and weights are 1/√t. So they are where
    `by_bits` is not, as if noisy weights were shown.

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
    sigma = least_gaussian(level, allowed / 2, items=1, sensitivity=one, grid=grid)
    if by_bits and not counts_share and items <= MOST_WEIGHTED:
        bare = SetUnionPlan(items, _scales(sigma, count), least, weights=weight_table(items))
        plan = _by_bits(bare, level, allowed)
        if plan is not None:
            return plan
    while True:  # digits of scales are cut off, so what is returned is evaluated again
        counts = None
        if counts_share:
            counts = gaussian_counts((sigma**2 + grid**2 * HIDING) / counts_share, items)
        plan = SetUnionPlan(items, _scales(sigma, count, 1 - counts_share), least, counts)
        plan = with_bars(plan, allowed / 2 - GRID_COST)
        if Fraction(proved_about(plan).delta(level)) + plan.lone_delta() <= allowed:
            return plan
        sigma *= 1 + Fraction(1, 10**10)


def weight_table(items: int) -> tuple[Weight, ...]:
    """Return weights λ/√t that rise above 1/√t with t, equal in blocks of up to an eighth of t.

    In one round about such factors λ cost the same for each t. What they cost is evaluated.

    >>> [round(one.steps / STEPS * one.items**0.5, 3) for one in weight_table(4)]
    [1.0, 1.042, 1.072, 1.095]
    """
    ends = [1]
    while ends[-1] < items:
        ends.append(min(items, max(ends[-1] + 1, ends[-1] * 9 // 8)))
    limit = math.sqrt(math.pi / 2)
    gains = {t: limit - 5 * (limit - 1) / (t + 4) for t in ends}
    return tuple(Weight(t, min(STEPS, int(STEPS * gains[t] / math.sqrt(t)))) for t in ends)


@lru_cache(maxsize=256)  # a second is long for who asks twice
def _by_bits(bare: SetUnionPlan, level: Fraction, allowed: Fraction) -> SetUnionPlan | None:
    """Return a plan whose bits take about half of δ, and its bars the rest.

    `bare` has the scales for which noisy weights 1/√t would cost half of δ. None where weights
    larger than these do not pay, or too little is proved about bits.
    """
    most, below, goal = bare.weights[-1], -rounded_up(-level), float(allowed / 2)
    depth = depth_of(-math.log(goal))

    def scaled(wider: float) -> SetUnionPlan:
        factor = short_fraction(math.exp(wider), DIGITS)
        rounds = (Round(up_to_digits(each.sigma * factor, DIGITS), 0) for each in bare.rounds)
        return replace(bare, rounds=tuple(rounds))

    def excess(wider: float, *, coarse: bool) -> float:
        bits = key_bits(scaled(wider), every=3 if coarse else 1)
        profile = profile_of(bits, depth, 0.5 if coarse else 1.0)
        return math.inf if profile is None else math.log(profile.delta(below) / goal)

    steep = 2 + float(level * bare.rounds[-1].sigma) ** 2
    wider, coarse = 0.01, True
    for _ in range(MOST_TRIES):
        over = excess(wider, coarse=coarse)
        if not math.isfinite(over):
            return None
        if not coarse and UNUSED <= over <= 0:
            plan = scaled(wider)
            spent = Fraction(proved_about(plan).delta(level))
            plan = with_bars(plan, allowed - spent - GRID_COST)
            pays = math.exp(-wider) * most.steps > root_weight(most.items)
            return plan if pays and spent + plan.lone_delta() <= allowed else None
        wanted = COARSER if coarse else UNUSED / 2
        coarse = coarse and abs(over - wanted) > abs(UNUSED)
        wider += max(-0.1, min(0.1, (over - wanted) / steep))
    return None


def _shares(count: int) -> list[Fraction]:
    return [Fraction(GROWTH**place * (GROWTH - 1), GROWTH**count - 1) for place in range(count)]


def _scales(sigma: Fraction, count: int, part: Fraction = Fraction(1)) -> tuple[Round, ...]:
    """Return rounds that cost together a part of what one value under noise of this scale does.

    They have no bars yet.
    """
    hiding = Fraction(HIDING, STEPS * STEPS)
    squares = [(sigma**2 + hiding) / (share * part) + hiding for share in _shares(count)]
    return tuple(Round(root(square, up=True), 0) for square in squares)


def with_bars(plan: SetUnionPlan, unlisted: Fraction) -> SetUnionPlan:
    """Return a plan with the least bars for which Σδ₂ is at most so much."""
    parts = [unlisted * share * (1 - Fraction(1, 1 << 40)) for share in _shares(len(plan.rounds))]
    ways = zip(plan.rounds, parts, strict=True)
    return replace(plan, rounds=tuple(_with_bar(plan, each, part) for each, part in ways))


def _with_bar(plan: SetUnionPlan, each: Round, allowed: Fraction) -> Round:
    """Return a round with the least bar that no number of keys of one person reaches too often.

    Floats guess which number is the worst; every number is then looked at.
    """

    def guess(t: int) -> float:
        return plan.weight(t) - float(each.sigma) * STEPS * scipy.special.ndtri(float(allowed) / t)

    bar = 0
    for t in sorted(plan.worst_items, key=guess, reverse=True):

        def holds(bar: int, t: int = t) -> bool:
            chance = unlisted_chance(Round(each.sigma, bar), t, plan.weight(t))
            return Fraction(chance) <= allowed

        low = bar if bar else max(0, int(guess(t)) - (1 << 10))
        bar = first_from(holds, low if bar or not holds(low) else 0)
    return Round(each.sigma, bar)
