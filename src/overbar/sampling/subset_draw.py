"""Draw one of all sets of c candidates, with odds e^(lead / scale), exactly.

The lead of a set is its lowest score less the highest outside. Let candidates be in falling order,
by rank from 0 on. Of the best c the lead is the gap behind them. Any other set leaves out some rank
i < c first and ends with some rank j >= c, and its lead is score j - score i. There are
C(j - i - 1, c - 1 - i) such sets, so C(m - i, c - i) of them end at rank m or before. So:

1. choose between the best c and the first rank left out,
2. choose among the scores that the last rank may have; equal ones together,
3. draw one of those ranks by whole numbers, and what lies between uniformly.

Steps 1 and 2 compare a uniform number with sums of certified bounds, and reveal more of its bits
until they are certain. How long this takes depends on the scores; the law depends on no float.

Theory: :doc:`/theory/subsets`.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
from flint import arb, ctx

from overbar.noise.grid_tails import ball
from overbar.sampling.coin import choose
from overbar.sampling.entropy import Source, random_below, system
from overbar.sampling.integers import Integers, whole_numbers


def draw_subset(
    scores: Integers, count: int, *, scale: Fraction, source: Source = system
) -> list[int]:
    """Return the places of one set of `count` candidates, in order; of all if there are no more.

    Precondition: scores and scale are in grid steps; count >= 1; scale > 0.
    """
    scores = whole_numbers(scores)
    total = len(scores)
    if total <= count:
        return list(range(total))
    order = np.argsort(scores, kind="stable")[::-1].tolist()
    falling = [int(score) for score in scores[order]]
    outside = falling[count:]
    #: The last rank of each run of equal scores outside the best, after one that none has.
    last = [
        count - 1,
        *(count + at for at, pair in enumerate(pairwise(outside)) if pair[0] != pair[1]),
    ]
    last.append(total - 1)
    rate = 1 / scale

    def lows(precision: int) -> list[arb]:
        """Return e^((score - highest outside) / scale) of each run."""
        with ctx.workprec(precision):
            step = ball(rate)
            return [((falling[rank] - falling[count]) * step).exp() for rank in last[1:]]

    def by_run(first: int, precision: int) -> list[arb]:
        """Return the odds of each run, if `first` is the first rank left out."""
        with ctx.workprec(precision):
            sets = [arb(comb(rank - first, count - first)) for rank in last]
            return [
                (b - a) * low for (a, b), low in zip(pairwise(sets), lows(precision), strict=True)
            ]

    def by_first(precision: int) -> list[arb]:
        """Return the odds of each first rank left out; the last is that of the best."""
        with ctx.workprec(precision):
            step, ends = ball(rate), lows(precision)
            sets = [arb(comb(rank, count)) for rank in last]
            odds: list[arb] = []
            for first in range(count):
                ways = sum((b - a) * low for (a, b), low in zip(pairwise(sets), ends, strict=True))
                odds.append(ways * ((falling[count] - falling[first]) * step).exp())
                # C(m - 1, k - 1) = C(m, k) · k / m; the first of all, none, stays none.
                sets = [
                    each * (count - first) / (rank - first) if rank >= count else arb(0)
                    for each, rank in zip(sets, last, strict=True)
                ]
            return [*odds, ((falling[count - 1] - falling[count]) * step).exp()]

    first = choose(by_first, source)
    if first == count:
        return sorted(order[:count])
    run = choose(lambda precision: by_run(first, precision), source)
    free = count - first
    before = comb(last[run] - first, free)
    drawn = before + random_below(comb(last[run + 1] - first, free) - before, source)
    ranks = range(last[run] + 1, last[run + 1] + 1)
    end = ranks[bisect_right(ranks, drawn, key=lambda rank: comb(rank - first, free))]
    between = _sample(range(first + 1, end), free - 1, source)
    return sorted(order[rank] for rank in (*range(first), *between, end))


def _sample(ranks: range, count: int, source: Source) -> set[int]:
    """Return a uniform subset (Floyd: Bentley 1987, Programming Pearls, CACM 30(9))."""
    chosen: set[int] = set()
    for size in range(len(ranks) - count, len(ranks)):
        drawn = ranks[random_below(size + 1, source)]
        chosen.add(ranks[size] if drawn in chosen else drawn)
    return chosen
