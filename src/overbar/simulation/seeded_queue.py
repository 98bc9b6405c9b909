"""Runs where the place in the queue matters: limits on comparisons, and redrawn thresholds.

A negative query goes back to the end of the queue, in the same relative order. So when the query
in place i turns positive in round G, every query before it has been asked G times and every query
behind it G - 1 times, but for those that turned positive before.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Callable

import numpy as np

from overbar.noise import Noise
from overbar.plans import SparseVectorPlan
from overbar.simulation.candidates import Array, Candidates, Indices
from overbar.simulation.seeded_values import draw_threshold_noise

LogRounds = Callable[[Noise, Array, np.random.Generator], Array]


def within_comparisons(rounds: Array, places: Array, total: int, limit: int) -> int:
    """Return how many of the winners are found within a limit of comparisons in all.

    Winners come in the order found, by round and place. An earlier winner (g, p) saves the run
    from asking it again: round - g times, one less if its turn in this round is still to come.
    """
    earlier_places: list[float] = []
    earlier_rounds = 0
    for number, (at, place) in enumerate(zip(rounds.tolist(), places.tolist(), strict=True)):
        round_ = int(at)
        still_to_come = number - bisect_right(earlier_places, place)
        saved = number * round_ - earlier_rounds - still_to_come
        if (round_ - 1) * total + int(place) + 1 - saved > limit:
            return number
        insort(earlier_places, place)
        earlier_rounds += round_
    return len(rounds)


def resampled_race(
    plan: SparseVectorPlan,
    candidates: Candidates,
    level: float,
    log_rounds: LogRounds,
    generator: np.random.Generator,
) -> Indices:
    """Return who turns positive, in the order found, with fresh threshold noise after each.

    The geometric law has no memory: after a positive everyone left starts a new race against the
    new threshold, from where the queue stands. Whoever was behind the winner is asked first.
    """
    size = len(candidates)
    left = generator.permutation(size) if candidates.order == "random" else np.arange(size)
    used = np.zeros(size, dtype=np.int64)
    winners: list[int] = []
    comparisons = 0
    while len(left) and len(winners) < plan.cutoff:
        bar = level + draw_threshold_noise(plan.threshold_noise, generator)
        times = log_rounds(plan.query_noise, bar - candidates.scores[left], generator)
        if plan.repeats.rounds is not None:
            times[times > np.log(plan.repeats.rounds - used) + 1e-12] = np.inf
        place = int(np.argmin(times))  # the first in the queue of those who tie
        latest = (
            math.inf
            if plan.repeats.max_queries is None
            else math.log(plan.repeats.max_queries) + 1e-12
        )
        if not times[place] < np.inf or times[place] > latest:
            break
        if plan.repeats.rounds is not None or plan.repeats.max_queries is not None:
            turns = _turns(plan, used, float(times[place]), place)
            # In floats: beyond 2^53 comparisons their exact number is of no interest to a study.
            comparisons += int(turns.sum(dtype=np.float64))
            if plan.repeats.max_queries is not None and comparisons > plan.repeats.max_queries:
                break
            used = used + turns
        winners.append(int(left[place]))
        left = np.concatenate([left[place + 1 :], left[:place]])
        used = np.concatenate([used[place + 1 :], used[:place]])
        if plan.repeats.rounds is not None:
            left, used = left[used < plan.repeats.rounds], used[used < plan.repeats.rounds]
    return np.array(winners, dtype=np.int64)


def _turns(plan: SparseVectorPlan, used: Indices, time: float, place: int) -> Indices:
    """Return how often each in the queue was asked until the one in `place` turned positive."""
    turns = np.full(len(used), round(math.exp(time)), dtype=np.int64)
    turns[place + 1 :] -= 1
    # Someone whose rounds were used up was not in the queue any more.
    return turns if plan.repeats.rounds is None else np.minimum(turns, plan.repeats.rounds - used)
