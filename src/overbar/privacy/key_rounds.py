"""Keys that nobody listed: which of them many persons hold, and what it costs to say so.

In a round each person keeps t <= m of the keys that are not out yet, by lot, and adds to each the
weight that the plan says for t. Each key whose weight is above zero takes part: it gets noise of
its own, discrete Gaussian on the grid, and comes out if its noisy weight reaches the bar. What
rounds and counts cost by themselves adds up; on top comes

    δ₂ = max over t <= m of 1 - (1 - P(N >= b - w_t))^t

for each round: the chance that one of t keys reaches the bar that take part because of one person
alone. The grid is so fine that it costs less than 10^-300.

Weighted Gaussian: Gopi et al. 2020, arXiv:2002.09745. Rounds: Swanberg et al. 2023,
arXiv:2301.01998. Gaussian costs of rounds add up without loss: Dong, Roth & Su 2019,
arXiv:1905.02383v3, Corollary 3.3.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError
from overbar.mechanisms import Round, SetUnionPlan
from overbar.mechanisms.keys import STEPS
from overbar.noise.grid_tails import gaussian_tail
from overbar.privacy.histogram import PRECISION, Moved, any_of
from overbar.privacy.key_counts import HIDING, counts_variance, root
from overbar.privacy.pure import pure_cost
from overbar.privacy.read_off_candidates import lone_cost

#: More than all that the grid can cost, for every ε.
GRID_COST = Fraction(1, 10**300)


def key_shifts(plan: SetUnionPlan) -> tuple[tuple[tuple[int, float], ...], ...]:
    """Return, for each round, by how many deviations each of so many keys is moved."""
    hiding, rounds = Fraction(HIDING, STEPS * STEPS), []
    for each in plan.rounds:
        scale = root(each.sigma**2 - hiding) * STEPS
        rounds.append(tuple((one.items, rounded_up(one.steps / scale)) for one in plan.weights))
    return tuple(rounds)


@lru_cache(maxsize=64)
def shown_rounds(plan: SetUnionPlan) -> Moved:
    """Return what all rounds and counts cost beside δ₂, even if noisy weights are shown.

    One value of sensitivity 1; a round in which a person moves weights by more costs more.
    """
    hiding = Fraction(HIDING, STEPS * STEPS)
    longest = max((one.items * one.steps**2 for one in plan.weights), default=STEPS**2)
    exact = [each.sigma**2 - hiding for each in plan.rounds]
    if min(exact) <= hiding:
        raise NoGuaranteeError("the noise must be wider than the grid that hides it")
    exact = [each * STEPS**2 / longest for each in exact]
    if plan.count_noise is not None:
        exact.append(counts_variance(plan.count_noise, plan.items_per_person))
    variance = 1 / sum((1 / each for each in exact), Fraction(0)) - hiding
    if variance <= hiding:
        raise NoGuaranteeError("the noise must be wider than the grid that hides it")
    return Moved(1, STEPS, (root(variance) * STEPS) ** 2)


@pure_cost.of(SetUnionPlan)
def _no_pure_cost(plan: SetUnionPlan, _: int | None) -> Fraction:
    shown_rounds(plan)  # says why, if nothing at all is proved
    raise NoGuaranteeError(f"Gaussian noise has no pure guarantee, got {plan!r}")


@lone_cost.of(SetUnionPlan)
@lru_cache(maxsize=64)
def rounds_delta(plan: SetUnionPlan) -> Fraction:
    """Σδ₂, rounded up: the chance that a key comes out that takes part for one person alone."""
    worst = [
        max(unlisted_chance(each, t, plan.weight(t)) for t in plan.worst_items)
        for each in plan.rounds
    ]
    return Fraction(rounded_up(sum(map(Fraction, worst)) + GRID_COST))


@lru_cache(maxsize=1 << 14)
def unlisted_chance(each: Round, items: int, weight: int) -> float:
    """Return 1 - (1 - P(N >= b - w_t))^t, rounded up; a value equal to the bar reaches it."""
    variance = (each.sigma * STEPS) ** 2
    return any_of(items, gaussian_tail(variance, each.bar - weight, PRECISION))
