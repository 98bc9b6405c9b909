"""Draw positive or negative exactly, with chance S(gap), one at a time or many at once.

An answer is positive iff N >= gap, where N is the noise floored to the grid. The first bits of the
uniform number that N is a function of bound N from both sides (:mod:`overbar.sampling.on_grid`),
which decides nearly always; then the number and S(gap) are refined together until they part. The
bounds are public numbers, so a table of them is kept for the next run.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from overbar._numbers import exact_text
from overbar.noise import Exponential, Noise
from overbar.sampling.coin import settle
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import (
    HIGHEST,
    LOWEST,
    ROOM,
    Integers,
    clipped,
    exact_gaps,
    sieve,
    whole_numbers,
)
from overbar.sampling.on_grid import OnGrid, word_bounds

WORD_BITS = 16
#: So many bits of a word are looked at by floats: a table for them stays in the processor's cache.
GLANCE_BITS = 12
#: Far more than the relative error of a few floats that are added up.
TRUST = 2.0**-40


@dataclass(frozen=True, eq=False)
class NoiseTable:
    """What the noise of one law is at least and at most, for each first word; public numbers.

    What does not fit in an int64 is moved to its nearest end there.
    """

    law: OnGrid
    word_bits: int

    def __repr__(self) -> str:
        return f"NoiseTable({self.law.noise!r}, grid='{exact_text(self.law.grid)}')"

    @cached_property
    def low(self) -> list[int | float]:
        """The least, an int of any size or minus infinity."""
        # All bits may be 1 for ever. Exponential noise is never below zero all the same.
        end = 0 if isinstance(self.law.noise, Exponential) else -math.inf
        return [*self._bounds[0].tolist()[:-1], end]

    @cached_property
    def high(self) -> list[int | float]:
        """The most, an int of any size or infinity: all bits may be 0 for ever."""
        return [math.inf, *self._bounds[1].tolist()[1:]]

    @cached_property
    def lows(self) -> NDArray[np.int64]:
        """The least, in int64."""
        return _fitted(
            self._bounds[0], -1, 0 if isinstance(self.law.noise, Exponential) else LOWEST
        )

    @cached_property
    def highs(self) -> NDArray[np.int64]:
        """The most, in int64."""
        return _fitted(self._bounds[1], 0, HIGHEST)

    @cached_property
    def _bounds(self) -> tuple[Integers, Integers]:
        return word_bounds(self.law, self.word_bits)


def _fitted(bounds: Integers, place: int, end: int) -> NDArray[np.int64]:
    """Return bounds in int64, of which one is this."""
    fitted = np.array(clipped(bounds))
    fitted[place] = end
    fitted.flags.writeable = False
    return fitted


@lru_cache(maxsize=8)
def noise_table(
    noise: Noise, grid: Fraction, word_bits: int = WORD_BITS, *, floored: bool = True
) -> NoiseTable:
    """Return the bounds of a noise on a grid, made when they are asked for."""
    return NoiseTable(OnGrid(noise, grid, floored), word_bits)


def positive_drawer(
    table: NoiseTable, source: Source = system, *, ahead: int = 1
) -> Callable[[int], bool]:
    """Return a function of a gap that is True with probability exactly S(gap).

    The gap may be an int of any size. So many words are drawn `ahead` at a time, because asking the
    system takes longer than all the rest; each is taken off the list before it is looked at, so
    whatever interrupts a draw, no word decides two answers.
    """
    low, high, bits, words = table.low, table.high, table.word_bits, list[int]()
    next_word = words.pop

    def draw(gap: int) -> bool:
        if not words:
            words.extend(random_words(ahead, bits, source).tolist())
        word = next_word()
        if gap > high[word]:
            return False
        if gap <= low[word]:
            return True
        return _refine(gap, word, table, source)

    return draw


def draw_positive(gap: int, table: NoiseTable, source: Source = system) -> bool:
    """Return True with probability exactly S(gap). The gap may be an int of any size."""
    return positive_drawer(table, source)(gap)


def _refine(gap: int, word: int, table: NoiseTable, source: Source) -> bool:
    def probability(precision: int) -> arb:
        return table.law.tail(gap, precision)

    return settle(word, table.word_bits, probability, source)


def positives_above(
    scores: Integers, base: int, table: NoiseTable, source: Source = system
) -> NDArray[np.intp]:
    """Return the places of the positive answers, where the gap of a score is base - score.

    Precondition: scores and base are in grid steps; base may be an int of any size, and so may
    scores in an array of ints.
    Postcondition: the answers are independent, each positive with chance S(gap); places in order.

    The first half of each word is drawn for all scores; the few that it leaves undecided draw the
    second half. As the gap is base - score, gap > most iff score < base - most.
    """
    scores = whole_numbers(scores)
    if scores.dtype == np.object_:
        answers = [draw_positive(base - score, table, source) for score in scores.tolist()]
        return np.flatnonzero(answers)
    first = table.word_bits // 2
    rest = table.word_bits - first
    glance = random_words(len(scores), first, source)
    least, most = word_bounds(table.law, first)
    low, high = exact_gaps(most, base), exact_gaps(least, base) - 1
    low[0], high[-1] = LOWEST, base - 1 if table.low[-1] == 0 else HIGHEST
    places, sure = sieve(scores, glance, low, high)

    more = random_words(len(places), rest, source).astype(np.intp)
    word = glance[places].astype(np.intp) << rest | more
    positive = decided(exact_gaps(scores[places], base), word, table, source)
    return np.sort(np.concatenate([sure, places[positive]]), kind="stable")


def decided(
    gaps: Integers, words: NDArray[Any], table: NoiseTable, source: Source = system
) -> NDArray[np.bool_]:
    """Tell which answers are positive, where the first bits of each U are known already."""
    if gaps.dtype == np.object_:
        pairs = zip(gaps, words.tolist(), strict=True)
        return np.array([is_positive(*pair, table, source) for pair in pairs], dtype=np.bool_)
    word = words.astype(np.intp)
    positive: NDArray[np.bool_] = gaps <= table.lows[word]
    for place in np.flatnonzero(~positive & (gaps <= table.highs[word])).tolist():
        positive[place] = is_positive(int(gaps[place]), int(word[place]), table, source)
    return positive


def is_positive(gap: int, word: int, table: NoiseTable, source: Source = system) -> bool:
    """Tell whether one answer is positive, where the first bits of U are known already."""
    if gap > table.high[word]:
        return False
    return gap <= table.low[word] or _refine(gap, word, table, source)


def below(steps: Integers, grid: Fraction) -> NDArray[np.float64]:
    """Return floats below so many grid steps, by more than all rounding of a sum of a few.

    For Python ints nothing is known: they are minus infinity.
    """
    if steps.dtype == np.object_:
        return np.full(len(steps), -np.inf)
    floats = steps * float(grid)
    return np.asarray(floats - np.abs(floats) * TRUST)


@lru_cache(maxsize=8)
def lowest_scores(table: NoiseTable, base: int) -> NDArray[np.float64]:
    """Return, for the first bits of a word, a float below all scores that may pass with it.

    A score that is half a step lower may be rounded to it; so the float is one step lower.
    """
    most = table.highs[:: 1 << max(0, table.word_bits - GLANCE_BITS)]
    lowest = np.full(len(most), -np.inf)
    if -ROOM < base < ROOM:
        known = (most > -ROOM) & (most < ROOM)
        lowest[known] = below(base - 1 - most[known], table.law.grid)
    lowest.flags.writeable = False
    return lowest
