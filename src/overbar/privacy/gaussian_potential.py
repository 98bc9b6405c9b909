"""A Gaussian potential: small runs, chosen one after the other, add up as Gaussian noise does.

Let G(x; B) = E[(1 - e^(x - N))₊] with N ~ N(B/2, B): what Gaussian noise of total B = Σ(Δ/σ)² costs
at ε = x. A run costs v if E[G(x - loss; B)] <= G(x; B + v) for every x, every B >= B₀ and both
directions. Whoever allows runs while Σv <= B - B₀ keeps (ε, G(ε; B)).

Theory: :doc:`/theory/gaussian_potential`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from overbar.noise.grid_tails import ball
from overbar.privacy.account import proofs_of
from overbar.privacy.histogram import Moved
from overbar.privacy.pairs import Bit, Pick, Pure, Step, Values
from overbar.privacy.plan import Plan
from overbar.privacy.steps import Steps, Worst

PRECISION = 192
#: Totals are rounded down, and costs up, to whole multiples of this.
PARTS = 10**15
#: What the grid can cost of δ in all, as a part of it: far more than 10^30 runs take.
GRID_SHARE = Fraction(1, 10**20)
#: The least spread, in grid steps squared, at which the grid is hidden.
HIDDEN = 16


def within_delta(total: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether G(ε; total) is at most δ for certain, with what the grid can cost."""
    with ctx.workprec(PRECISION):
        root, half = ball(total).sqrt(), arb(2).sqrt()
        level = ball(epsilon)
        reached = ((level / root - root / 2) / half).erfc() / 2
        taken = ((level / root + root / 2) / half).erfc() / 2
        return bool(reached - level.exp() * taken <= ball(delta * (1 - GRID_SHARE)))


@lru_cache(maxsize=16)
def largest_total(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest B with G(ε; B) <= δ, rounded down.

    >>> round(float(largest_total(Fraction(1), Fraction(1, 10**6))), 6)
    0.056029
    """
    low, high = 0, 1
    while within_delta(Fraction(high, PARTS), epsilon, delta):
        low, high = high, 2 * high
    while high - low > max(1, low >> 40):
        middle = (low + high) // 2
        if within_delta(Fraction(middle, PARTS), epsilon, delta):
            low = middle
        else:
            high = middle
    return Fraction(low, PARTS)


@lru_cache(maxsize=256)
def potential_cost(plan: Plan, reserve: Fraction) -> Fraction | None:
    """Return v for all parts of a plan together; None if nothing is proved about one of them.

    Parts add up, whatever the later ones are told about the earlier ones.
    """
    total = _sum(_cost(part, reserve) for part in plan.paid())
    return None if total is None else Fraction(math.ceil(total * PARTS), PARTS)


def _sum(costs: Iterable[Fraction | None]) -> Fraction | None:
    """Return the sum; None where one of them is not known."""
    total = Fraction(0)
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total


def _cost(part: Plan, reserve: Fraction) -> Fraction | None:
    """Return the least v that is proved about a plan of one part."""
    ways = (proof.steps for proved in proofs_of(part) for proof in proved.every[:1])
    costs = (_of_way(way, reserve) for way in ways)
    return min((cost for cost in costs if cost is not None), default=None)


def _of_way(way: Steps, reserve: Fraction) -> Fraction | None:
    """Return v of a sequence."""
    return _sum(_of_step(step, reserve) for step in way)


def _of_step(step: Step, reserve: Fraction) -> Fraction | None:
    """Return v of a step, as often as it is taken."""
    cost: Fraction | None = None
    match step:
        case Pure():  # many at once leave more room for others than one by one
            return pure_cost(step.pure, reserve)
        case Pick():
            cost = step_cost(Fraction(step.range_), reserve)
        case Bit():  # as if values were told
            cost = Fraction(step.shift) ** 2
        case Values():
            cost = _gaussian_cost(step.moved, reserve)
        case Worst():
            costs = [_of_way(way, reserve) for way in step.of]
            known = [cost for cost in costs if cost is not None]
            cost = max(known) if len(known) == len(costs) else None
    return None if cost is None else step.times * cost


def step_cost(range_: Fraction, reserve: Fraction) -> Fraction | None:
    """Return v of a step whose loss lies in an interval of this length; None if it is too long.

    v = u/(1 - u/B₀) with u = r²/4 <= B₀/2, r <= 2.

    >>> step_cost(Fraction(1, 50), Fraction(1, 100)), step_cost(Fraction(1), Fraction(1, 100))
    (Fraction(1, 9900), None)
    """
    square = range_**2 / 4
    if square > 1 or square > reserve / 2:
        return None
    return square * reserve / (reserve - square)


def pure_cost(epsilon: Fraction, reserve: Fraction) -> Fraction | None:
    """Return v of a run that is pure ε; None if it is too large for the reserve.

    v = u + u²/4B₀ with u = ε²(1 + ε²/4), under two conditions that are proved in balls.

    >>> cost = pure_cost(Fraction(1, 50), Fraction(1, 500))
    >>> cost is not None and round(cost * 10**6), pure_cost(Fraction(1), Fraction(1, 500))
    (420, None)
    """
    if epsilon > 1:
        return None
    square = epsilon**2 * (1 + epsilon**2 / 4)
    cost = square + square**2 / (4 * reserve)
    # What is left between both sides is of the order ε⁴, and a root is near one: digits for both.
    digits = 4 * epsilon.denominator.bit_length() + reserve.numerator.bit_length()
    with ctx.workprec(PRECISION + digits):
        root, shrunk = (1 + ball(cost / reserve)).sqrt(), (-ball(cost / 8)).exp() * ball(reserve)
        first = 2 * (root - 1) * shrunk >= 8 * (1 - 1 / (ball(epsilon) / 2).cosh())
        others = ball(epsilon**2) * root <= 6 * (root - 1) * shrunk
    return cost if first and others else None


def _gaussian_cost(moved: Moved, reserve: Fraction) -> Fraction | None:
    """Return v of values; None if the noise or the reserve is narrow, both in grid steps."""
    if min(moved.variance, reserve * moved.variance**2 / moved.steps**2) < HIDDEN:
        return None
    return moved.items * moved.steps**2 / moved.variance
