"""Runs that limit comparisons or redraw their threshold: the order of the queue, exactly.

A negative query goes back to the end of the queue, in the same relative order. So when the query
in place i turns positive in round G, every query before it has been asked G times and every query
behind it G - 1 times, but for those that turned positive before.

Theory: :doc:`/theory/appending`.
"""

from __future__ import annotations

from bisect import bisect_right, insort

import numpy as np
from numpy.typing import NDArray

from overbar.mechanism.bar import HiddenBar
from overbar.mechanism.scores import Steps
from overbar.plans import Plan


def capped_race(bar: HiddenBar, steps: Steps, level: int, plan: Plan) -> list[int]:
    """Return the places that turn positive within ``max_queries`` comparisons, in order found."""
    limit = plan.repeats.max_queries
    rounds = plan.repeats.rounds if limit is None else min(plan.repeats.rounds or limit, limit)
    runners = bar.race(steps, level, count=plan.cutoff, rounds=rounds)
    if limit is None:
        return [runner.place for runner in runners]
    winners = [(runner.round, runner.place) for runner in runners]
    counts = comparisons(winners, len(steps))
    return [place for (_, place), count in zip(winners, counts, strict=True) if count <= limit]


def comparisons(winners: list[tuple[int, int]], total: int) -> list[int]:
    """Return how many comparisons a run has made when each winner (round, place) turns positive.

    Precondition: winners come in the order found, sorted by (round, place).
    """
    counts: list[int] = []
    earlier: list[int] = []  # the places of earlier winners, sorted
    answers = 0  # how often they were asked in all
    for round_, place in winners:
        behind = len(earlier) - bisect_right(earlier, place)
        # Had they stayed, those behind would have been asked once less than those before.
        saved = round_ * len(earlier) - behind - answers
        counts.append((round_ - 1) * total + place + 1 - saved)
        insort(earlier, place)
        answers += round_
    return counts


def resampled_race(bar: HiddenBar, steps: Steps, level: int, plan: Plan) -> list[int]:
    """Return the places that turn positive, in order found, with fresh noise after each.

    The geometric law has no memory: after a positive everyone left starts a new race against the
    new bar, from where the queue stands. Whoever was behind the winner is asked first.
    """
    left = np.arange(len(steps))
    used = np.zeros(len(steps), dtype=np.int64)
    found: list[int] = []
    asked = 0
    while len(left) and len(found) < plan.cutoff:
        room = None if plan.repeats.max_queries is None else plan.repeats.max_queries - asked
        caps = _caps(plan.repeats.rounds, room, used)
        ahead = bar.race(steps[left], level, len(found), count=1, rounds=caps)
        if not ahead:
            break
        place = ahead[0].place
        if caps is not None:
            times = np.full(len(left), ahead[0].round, dtype=np.int64)
            times[place + 1 :] -= 1
            # Someone whose rounds were used up was not in the queue any more.
            times = np.minimum(times, caps) if plan.repeats.rounds is not None else times
            asked += _total(times)
            if plan.repeats.max_queries is not None and asked > plan.repeats.max_queries:
                break
            used = used + times
        found.append(int(left[place]))
        left = np.concatenate([left[place + 1 :], left[:place]])
        used = np.concatenate([used[place + 1 :], used[:place]])
        if plan.repeats.rounds is not None:
            left, used = left[used < plan.repeats.rounds], used[used < plan.repeats.rounds]
    return found


def _total(times: NDArray[np.int64]) -> int:
    """Return the exact sum, also where it does not fit in a word."""
    fits = int(times.max()) * len(times) <= np.iinfo(np.int64).max
    return int(times.sum()) if fits else sum(times.tolist())


def _caps(
    rounds: int | None, room: int | None, used: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return how often each may still be asked: by its own rounds, and by what the run has left."""
    if rounds is None and room is None:
        return None
    by_run = np.full(len(used), room if room is not None else np.iinfo(np.int64).max)
    return by_run if rounds is None else np.minimum(by_run, rounds - used)
