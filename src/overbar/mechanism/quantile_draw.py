"""Quantiles on a public ladder: for each share of persons the rung where it is reached.

The rung that is right is at a distance of zero: with the persons up to it the share is reached, and
with those below it is not. Another one is as far as persons would have to be moved for that. The
nearest wins, by distances with noise. Both ends of an interval are found in the same way, for so
many persons less or more that they are on their side of the truth with 97.5 % each.

How many persons there are is private. It is counted first, with noise, and says how fine the ladder
may be, and how much nearer to the middle than asked for: above the last value no rung is far from a
high share, so a table of few persons would give any of them.

A mean is a noisy sum over a noisy number of persons. Values are clamped to two quantiles, and
counted from the middle between them, so that one person moves the sum by at most half of their
distance, whatever they are.

Theory: :doc:`/theory/quantiles`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar._numbers import exact_text
from overbar.accounting import spent
from overbar.calibration import bounds_kind
from overbar.calibration.quantile_kind import MISSES, margin
from overbar.mechanism.counting import PERSONS, PERSONS_LABEL, Count, Day, Quantile, counted
from overbar.mechanism.hidden_bar import raise_bar
from overbar.mechanism.selection import Selection
from overbar.noise import Laplace
from overbar.plans.quantile_plan import MEAN_STEPS, QuantilePlan, parts_of
from overbar.sampling.entropy import Source
from overbar.sampling.histogram_draw import noisy_values

MEAN_LABELS = (PERSONS_LABEL, "low", "high", "mean")
#: A rung beyond all values comes out with at most about this chance; one of a mean far less often,
#: because such a bound would leave nothing but noise.
BEYOND = 0.1
#: No aim is further off, whatever ε is: in words of 64 bits.
FARTHEST = 2**38
#: Beyond so many scales noise lies with half the chance that an interval may miss.
MEAN_LOG = Fraction(math.ceil(1000 * math.log(2 / MISSES)), 1000)
ROUNDED = Fraction(1, 2 * MEAN_STEPS)

Counts = NDArray[np.int64]
#: Places of rungs; the last of all is among them.
Places = NDArray[np.intp]
#: The sum of all values, each clamped to two bounds and counted from their middle, in steps.
Total = Callable[[Fraction, Fraction], int]


def drawn_quantiles(
    plan: QuantilePlan,
    rungs: Sequence[Fraction],
    levels: Sequence[Places],
    below: Counts,
    source: Source,
    total: Total | None = None,
) -> Selection:
    """Return the number of persons and the quantiles, each with its interval, and a mean.

    `below` says how many persons have a value up to each rung; up to the last all have. `levels`
    are parts of the ladder, from the finest to the coarsest.
    """
    assert plan.persons is not None  # nobody else has counted them
    persons, one = plan.persons, Fraction(1)
    noisy = noisy_values([int(below[-1])], noise=persons, grid=one, source=source)
    counts = list(counted(noisy, PERSONS, noise=persons, grid=one))
    counts += quantiles_of(plan, rungs, levels, below, max(0, noisy[0]), source)
    labels = (PERSONS_LABEL, *map(exact_text, plan.shares))
    if plan.total is not None:
        assert total is not None
        low, high = (count.value for count in counts[1:])
        grid = Fraction(1, MEAN_STEPS)
        steps = [total(low, high)]
        (noisy_sum,) = noisy_values(steps, noise=plan.total, grid=grid, source=source)
        counts.append(_mean(plan.total, persons, (low, high), noisy_sum, noisy[0], plan.days))
        labels = MEAN_LABELS
    return Selection(None, labels, plan, spent(plan), counts=tuple(counts))


def quantiles_of(
    plan: QuantilePlan,
    rungs: Sequence[Fraction],
    levels: Sequence[Places],
    below: Counts,
    persons: int,
    source: Source,
) -> list[Quantile]:
    """Return the quantiles, in rising order, where so many persons were counted with noise."""
    values = []
    for share in plan.shares:
        level, shift = aim(plan, share, levels, persons)
        values.append(_quantile(plan, share, rungs, level, below[level], shift, source))
    return values if plan.intervals else sorted(values)


def _mean(
    on_sum: Laplace, on_persons: Laplace, bounds: tuple[Fraction, Fraction],
    steps: int, persons: int, days: bool,
) -> Quantile:  # fmt: skip
    """Return the mean of values clamped to the bounds, with an interval.

    Each noise misses its own with at most half of what both may: e^-t/s beyond t, and a step for
    the grid. Values were rounded by half a step.
    """
    low, high = bounds
    middle, half, total = (low + high) / 2, (high - low) / 2, Fraction(steps, MEAN_STEPS)
    off = [Fraction(math.ceil(noise.scale * MEAN_LOG)) + 1 for noise in (on_sum, on_persons)]
    numbers = [max(Fraction(1), persons + sign * off[1]) for sign in (-1, 1)]
    ends = [
        pick((total + sign * off[0]) / number for number in numbers) + sign * ROUNDED
        for pick, sign in ((min, -1), (max, 1))
    ]
    low, value, high = (
        middle + half * min(max(share, Fraction(-1)), Fraction(1))
        for share in (ends[0], total / max(1, persons), ends[1])
    )
    fine = (
        Fraction(1)
        if days or high == low
        else Fraction(10) ** math.floor(math.log10((high - low) / 50))
    )
    value = fine * round(value / fine)
    kind = Day if days else Quantile
    return kind(
        value, min(value, fine * math.floor(low / fine)), max(value, fine * math.ceil(high / fine))
    )


def aim(
    plan: QuantilePlan, share: Fraction, levels: Sequence[Places], persons: int
) -> tuple[Places, int]:
    """Return which part of the ladder is asked, and for how many persons less than the share.

    The finest on which no rung beyond all values is as near as noise reaches, if need be after an
    aim nearer to the middle: at most so much that twice as many persons are left out. The bounds
    of a mean leave out as many as that takes on the part next to the finest, whatever the share.
    """
    left_out = min(share, 1 - share) * persons
    coarse, beyond = levels[:2][-1], BEYOND if plan.total is None else bounds_kind.BEYOND
    enough = margin(plan, share, beyond, len(coarse))
    if plan.total is not None and 8 * enough <= persons:
        shift = math.floor(enough - left_out)
        return coarse, shift if 2 * share > 1 else -shift
    to_middle = abs(share - Fraction(1, 2)) * persons
    level, lacking = levels[-1], 0
    for level in levels:
        lacking = max(0, math.ceil(margin(plan, share, beyond, len(level)) - left_out))
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
    rungs: Sequence[Fraction],
    level: Places,
    below: Counts,
    shift: int,
    source: Source,
) -> Quantile:
    """Return a rung and its interval. The truth may lie between the lower end and the next rung."""
    first = middle = last = _nearest(plan, share, below, shift, source)
    if plan.intervals:
        away = min(margin(plan, share, MISSES / 2, len(level)), FARTHEST)
        first, last = sorted(_nearest(plan, share, below, less, source) for less in (away, -away))
        middle, first = min(max(middle, first), last), max(0, first - 1)
    elif plan.total is not None and 2 * share < 1:  # values between two rungs count as the upper
        first = middle = last = max(0, middle - 1)
    return (Day if plan.days else Quantile)(*(rungs[level[at]] for at in (middle, first, last)))


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
