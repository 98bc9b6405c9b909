"""Races with counted comparisons equal the plain loop, coin by coin."""

from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.mechanism.finders import capped_race, comparisons, resampled_race
from overbar.plans import Repeats

LONGEST = 24


class Coins:
    """A bar whose answers are written down: coins[turn][candidate][attempt]."""

    def __init__(self, coins):
        self.coins = coins

    def race(self, scores, level, turn=0, *, count, rounds, positions=None):
        assert positions is None
        found = []
        for place, candidate in enumerate(scores.tolist()):
            limit = rounds if rounds is None or isinstance(rounds, int) else int(rounds[place])
            first = self.coins[turn][candidate].index(True) + 1
            if limit is None or first <= limit:
                found.append((first, place))
        return [SimpleNamespace(round=g, place=place) for g, place in sorted(found)[:count]]


def plain_loop(coins, plan, total):
    """Ask the head of the queue, put it at the end after a negative answer, and so on."""
    queue = deque((candidate, 0) for candidate in range(total))
    tossed = [[0] * total for _ in coins]
    found, asked, turn = [], 0, 0
    while queue and len(found) < plan.cutoff and asked != plan.repeats.max_queries:
        candidate, times = queue.popleft()
        asked += 1
        answer = coins[turn][candidate][tossed[turn][candidate]]
        tossed[turn][candidate] += 1
        if answer:
            found.append(candidate)
            turn += plan.repeats.resample
        elif plan.repeats.rounds is None or times + 1 < plan.repeats.rounds:
            queue.append((candidate, times + 1))
    return found


@settings(max_examples=600, deadline=None)
@given(
    total=st.integers(1, 5),
    cutoff=st.integers(1, 5),
    rounds=st.sampled_from([None, 1, 2, 3, 4]),
    max_queries=st.none() | st.integers(1, 16),
    resample=st.booleans(),
    chance=st.sampled_from([0.05, 0.2, 0.5]),
    seed=st.integers(0, 2**32),
)
def test_the_plain_loop(total, cutoff, rounds, max_queries, resample, chance, seed):
    tosses = np.random.default_rng(seed).random((cutoff, total, LONGEST)) < chance
    tosses[:, :, -1] = True
    coins = tosses.tolist()
    plan = SimpleNamespace(cutoff=cutoff, repeats=Repeats(rounds, resample, max_queries))
    run = resampled_race if resample else capped_race
    assert run(Coins(coins), np.arange(total), 0, plan) == plain_loop(coins, plan, total)


@pytest.mark.parametrize("rounds", [None, 10**18])
def test_counting_does_not_wrap_around(rounds):
    """A hundred queries, 1.85e17 times each, are 5e16 comparisons modulo 2^64."""

    class Late:
        def race(self, scores, level, turn=0, *, count, rounds, positions=None):
            late = 185 * 10**15
            limit = np.broadcast_to(rounds, scores.shape)[0]
            return [SimpleNamespace(round=late, place=0)] if late <= limit else []

        def redraw(self):
            pass

    plan = SimpleNamespace(cutoff=3, repeats=Repeats(rounds, True, 10**18))
    assert resampled_race(Late(), np.arange(100), 0, plan) == []
    assert capped_race(Late(), np.arange(100), 0, plan) == []


def test_many_winners_are_counted_in_good_time():
    """The even ones leave the queue in the first round, and the odd ones in the second."""
    winners = [(1 + place % 2, place) for place in range(50_000)]
    counts = comparisons(sorted(winners), 50_000)
    assert counts[:3] == [1, 3, 5]
    assert counts[25_000:] == list(range(50_001, 75_001))
