"""Quantiles on a public ladder: for each share of persons the rung where it is reached.

The rung that is right is at a distance of zero: with the persons up to it the share is reached, and
with those below it is not. Another one is as far as persons would have to be moved for that. The
nearest wins, by distances with noise. Both ends of an interval are found in the same way, for so
many persons less or more that they are on their side of the truth with 97.5 % each.

How many persons there are is private. It is counted first, with noise, and says how fine the ladder
may be, and how much nearer to the middle than asked for: above the last value no rung is far from a
high share, so a table of few persons would give any of them.

Theory: :doc:`/theory/quantiles`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar._numbers import exact_text
from overbar.accounting import spent
from overbar.calibration.quantile_kind import MISSES, margin
from overbar.mechanism.counting import PERSONS, Count, Quantile, counted
from overbar.mechanism.hidden_bar import raise_bar
from overbar.mechanism.selection import Selection
from overbar.plans.quantile_plan import QuantilePlan, parts_of
from overbar.sampling.entropy import Source
from overbar.sampling.histogram_draw import noisy_values

#: The line with the number of persons.
PERSONS_LABEL = "persons"
#: A rung beyond all values comes out with at most about this chance.
BEYOND = 0.1
#: No aim is further off, whatever ε is: in words of 64 bits.
FARTHEST = 2**38

Counts = NDArray[np.int64]
#: Places of rungs; the last of all is among them.
Places = NDArray[np.intp]


def drawn_quantiles(
    plan: QuantilePlan,
    rungs: Sequence[Fraction],
    levels: Sequence[Places],
    below: Counts,
    source: Source,
) -> Selection:
    """Return the number of persons and the quantiles, each with its interval.

    `below` says how many persons have a value up to each rung; up to the last all have. `levels`
    are parts of the ladder, from the finest to the coarsest.
    """
    total = int(below[-1])
    noisy = noisy_values([total], noise=plan.persons, grid=Fraction(1), source=source)
    counts = list(counted(noisy, PERSONS, noise=plan.persons, grid=Fraction(1)))
    for share in plan.shares:
        level, shift = aim(plan, share, levels, max(0, noisy[0]))
        ladder = [rungs[place] for place in level]
        counts.append(_quantile(plan, share, ladder, below[level], shift, source))
    labels = (PERSONS_LABEL, *map(exact_text, plan.shares))
    return Selection(None, labels, plan, spent(plan), counts=tuple(counts))


def aim(
    plan: QuantilePlan, share: Fraction, levels: Sequence[Places], persons: int
) -> tuple[Places, int]:
    """Return which part of the ladder is asked, and for how many persons less than the share.

    The finest on which no rung beyond all values is as near as noise reaches, if need be after an
    aim nearer to the middle: at most so much that twice as many persons are left out.
    """
    left_out = min(share, 1 - share) * persons
    to_middle = abs(share - Fraction(1, 2)) * persons
    level, lacking = levels[-1], 0
    for level in levels:
        lacking = max(0, math.ceil(margin(plan, share, BEYOND, len(level)) - left_out))
        if lacking <= min(left_out, to_middle):
            break
    shift = min(lacking, math.floor(to_middle), FARTHEST)
    return level, shift if 2 * share > 1 else -shift


def shares_within(
    plan: QuantilePlan, levels: Sequence[Places], counted_persons: Count
) -> list[tuple[float, float]]:
    """Return for each share between which others a value lies, with 95 %.

    Of so many persons as were counted at least the first share have no more, and at most the second
    have less. The numbers are those that `drawn_quantiles` went by.
    """
    persons = int(counted_persons.value)
    within = []
    for share in plan.shares:
        level, shift = aim(plan, share, levels, persons)
        off, aimed = margin(plan, share, MISSES, len(level)), share * persons - shift
        ends = ((aimed + end) / max(1, persons) for end in (-off, off))
        low, high = (float(min(max(end, Fraction(0)), Fraction(1))) for end in ends)
        within.append((low, high))
    return within


def _quantile(
    plan: QuantilePlan,
    share: Fraction,
    ladder: Sequence[Fraction],
    below: Counts,
    shift: int,
    source: Source,
) -> Quantile:
    """Return a rung and its interval. The truth may lie between the lower end and the next rung."""
    middle = _nearest(plan, share, below, shift, source)
    if not plan.intervals:
        return Quantile(ladder[middle], ladder[middle], ladder[middle])
    away = min(margin(plan, share, MISSES / 2, len(ladder)), FARTHEST)
    ends = sorted(_nearest(plan, share, below, less, source) for less in (away, -away))
    middle = min(max(middle, ends[0]), ends[1])
    return Quantile(ladder[middle], ladder[max(0, ends[0] - 1)], ladder[ends[1]])


def _nearest(plan: QuantilePlan, share: Fraction, below: Counts, less: int, source: Source) -> int:
    """Return the rung that is nearest to the share less so many persons, by noisy distances."""
    bar = raise_bar(plan.pick, source)
    ((_, place),) = bar.highest(-distances(plan, share, below, less), None, 1)
    return place


def distances(plan: QuantilePlan, share: Fraction, below: Counts, less: int = 0) -> Counts:
    """Return how far each rung is from the share less so many persons, in grid steps.

    Whole numbers: a person below the aim counts 1 - q, one above it q, and both in units of the
    larger. All values lie above the first rung's left end and below the last rung's right one.
    """
    steps = int(1 / plan.grid) // max(parts_of(share))
    reached = below * share.denominator
    aimed = int(below[-1]) * share.numerator - less * share.denominator
    short, over = aimed - reached, np.empty_like(reached)
    short[-1] = over[0] = 0
    over[1:] = reached[:-1] - aimed
    return np.maximum(np.maximum(short, over), 0) * steps
