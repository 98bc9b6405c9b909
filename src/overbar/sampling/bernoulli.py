"""Draw positive or negative exactly, with chance S(gap), one at a time or many at once.

Let U be uniform and W = 2^word_bits. An answer is positive iff U < S(gap). S falls as the gap
grows, so for each whole number t there is a *cut*: the last gap with S(gap) · W >= t. If the first
bits of U form the word w, then w <= U · W < w + 1, and

    gap <= cut[w + 1]   means   U · W < w + 1 <= S · W:   positive for certain;
    gap >  cut[w]       means   U · W >= w > S · W:       negative for certain.

Only one word in W is left undecided by this; then U and S are refined together until they part.
The cuts are exact whole numbers and public ones, so a table of them is kept for the next run.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from overbar._numbers import exact_text
from overbar.errors import ParameterError
from overbar.noise import Exponential, Noise
from overbar.sampling import enclosure
from overbar.sampling.coin import settle
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import (
    HIGHEST,
    LOWEST,
    ROOM,
    Integers,
    as_array,
    exact_gaps,
    sieve,
    whole_numbers,
)

WORD_BITS = 16
#: Trust in floats: an entry is taken from them if it survives an error this large, relative to the
#: entry, to the scale and to one step. Their true error is below 1e-14.
MARGIN = 1e-9
#: So many bits of a word are looked at by floats: a table for them stays in the processor's cache.
GLANCE_BITS = 12
#: Far more than the relative error of a few floats that are added up.
TRUST = 2.0**-40
#: Twice the precision each time; no cut is known to need more than the first.
MOST_PRECISION = 1 << 16


@dataclass(frozen=True, eq=False)
class CutTable:
    """The cuts of one noise on one grid; all public numbers.

    ``cuts[t]`` is the last gap with S · 2^word_bits >= t, for t from 0 to 2^word_bits: an int of
    any size, plus infinity for t = 0, and minus infinity at the end for a noise that never reaches
    S = 1. ``clipped_cuts`` holds the same in int64, moved to the nearest end where they do not fit,
    and ``glance_cuts`` the exact and finite ones that the first half of a word is compared with.
    """

    noise: Noise
    grid: Fraction
    word_bits: int
    cuts: list[int | float]
    clipped_cuts: NDArray[np.int64]
    glance_cuts: Integers

    def __repr__(self) -> str:
        return f"CutTable({self.noise!r}, grid='{exact_text(self.grid)}')"


@lru_cache(maxsize=8)
def cut_table(noise: Noise, grid: Fraction, word_bits: int = WORD_BITS) -> CutTable:
    """Return the cuts, each an exact whole number.

    Floats find a cut wherever both ends of a generous interval around their answer have the same
    floor; ball arithmetic finds the others.
    """
    enclosure.check_exact(noise, once=True)
    size = 1 << word_bits
    ratio = float(noise.scale / grid)
    guess = ratio * noise.unit_isf(np.arange(1, size) / size)
    margin = MARGIN * (np.abs(guess) + ratio + 1)
    certain = np.floor(guess - margin) == np.floor(guess + margin)
    # Where it is certain the margin is below one step, so the cut is far inside int64.
    inner = np.floor(np.where(certain, guess, 0)).astype(np.int64)
    cuts: list[int | float] = inner.tolist()
    for place in np.flatnonzero(~certain).tolist():
        cuts[place] = exact = _exact_cut(noise, grid, Fraction(place + 1, size))
        inner[place] = max(LOWEST, min(exact, HIGHEST))
    reached = isinstance(noise, Exponential)  # whether S reaches 1, which it then does at 0
    cuts = [math.inf, *cuts, 0 if reached else -math.inf]
    clipped = np.concatenate([[HIGHEST], inner, [0 if reached else LOWEST]])
    stride = size >> word_bits // 2
    glance = as_array([int(cut) for cut in cuts[stride:-1:stride]])
    clipped.flags.writeable = glance.flags.writeable = False
    return CutTable(noise, grid, word_bits, cuts, clipped, glance)


def _exact_cut(noise: Noise, grid: Fraction, level: Fraction) -> int:
    """Return the last gap with S >= level, the floor of the real gap where S equals it.

    Where that is a whole number other than zero the balls would never tell. Lindemann's theorem
    rules it out for exponential and Laplace noise, Schanuel's conjecture for Gumbel noise. For
    Gaussian noise none is known; a scale that had one would be refused.
    """
    precision = 64 + math.ceil(noise.scale / grid).bit_length()
    while precision <= MOST_PRECISION:
        with ctx.workprec(precision):
            cut = enclosure.last_gap(noise, grid, level, precision).floor().unique_fmpz()
        if cut is not None:
            return int(cut)
        precision *= 2
    raise ParameterError(
        f"scale {exact_text(noise.scale)} on grid {exact_text(grid)} has a probability too "
        "close to a fraction; change the scale a little"
    )


def positive_drawer(
    table: CutTable, source: Source = system, *, ahead: int = 1
) -> Callable[[int], bool]:
    """Return a function of a gap that is True with probability exactly S(gap).

    The gap may be an int of any size. So many words are drawn `ahead` at a time, because asking the
    system takes longer than all the rest; each is taken off the list before it is looked at, so
    whatever interrupts a draw, no word decides two answers.
    """
    cuts, bits, words = table.cuts, table.word_bits, list[int]()
    next_word = words.pop

    def draw(gap: int) -> bool:
        if not words:
            words.extend(random_words(ahead, bits, source).tolist())
        word = next_word()
        if gap > cuts[word]:
            return False
        if gap <= cuts[word + 1]:
            return True
        return _refine(gap, word, table, source)

    return draw


def draw_positive(gap: int, table: CutTable, source: Source = system) -> bool:
    """Return True with probability exactly S(gap). The gap may be an int of any size."""
    return positive_drawer(table, source)(gap)


def _refine(gap: int, word: int, table: CutTable, source: Source) -> bool:
    def probability(precision: int) -> arb:
        return enclosure.survival(table.noise, table.grid, gap, precision)

    return settle(word, table.word_bits, probability, source)


def positives_above(
    scores: Integers, base: int, table: CutTable, source: Source = system
) -> NDArray[np.intp]:
    """Return the places of the positive answers, where the gap of a score is base - score.

    Precondition: scores and base are in grid steps; base may be an int of any size, and so may
    scores in an array of ints.
    Postcondition: the answers are independent, each positive with chance S(gap); places in order.

    The first half of each word is drawn for all scores; the few that it leaves undecided draw the
    second half. As the gap is base - score, gap > cut iff score < base - cut.
    """
    scores = whole_numbers(scores)
    if scores.dtype == np.object_:
        answers = [draw_positive(base - score, table, source) for score in scores.tolist()]
        return np.flatnonzero(answers)
    first = table.word_bits // 2
    rest = table.word_bits - first
    glance = random_words(len(scores), first, source)
    levels = exact_gaps(table.glance_cuts, base)
    # The last level is infinite for a noise that never reaches S = 1.
    last = as_array([base - 1 if table.cuts[-1] == 0 else HIGHEST])
    low, high = np.append(as_array([LOWEST]), levels), np.append(levels - 1, last)
    places, sure = sieve(scores, glance, low, high)

    more = random_words(len(places), rest, source).astype(np.intp)
    word = glance[places].astype(np.intp) << rest | more
    positive = decided(exact_gaps(scores[places], base), word, table, source)
    return np.sort(np.concatenate([sure, places[positive]]), kind="stable")


def decided(
    gaps: Integers, words: NDArray[Any], table: CutTable, source: Source = system
) -> NDArray[np.bool_]:
    """Tell which answers are positive, where the first bits of each U are known already."""
    if gaps.dtype == np.object_:
        pairs = zip(gaps, words.tolist(), strict=True)
        return np.array([is_positive(*pair, table, source) for pair in pairs], dtype=np.bool_)
    clipped, word = table.clipped_cuts, words.astype(np.intp)
    positive: NDArray[np.bool_] = gaps <= clipped[word + 1]
    for place in np.flatnonzero(~positive & (gaps <= clipped[word])).tolist():
        positive[place] = _refine(int(gaps[place]), int(word[place]), table, source)
    return positive


def is_positive(gap: int, word: int, table: CutTable, source: Source = system) -> bool:
    """Tell whether one answer is positive, where the first bits of U are known already."""
    if gap > table.cuts[word]:
        return False
    return gap <= table.cuts[word + 1] or _refine(gap, word, table, source)


def below(steps: Integers, grid: Fraction) -> NDArray[np.float64]:
    """Return floats below so many grid steps, by more than all rounding of a sum of a few.

    For Python ints nothing is known: they are minus infinity.
    """
    if steps.dtype == np.object_:
        return np.full(len(steps), -np.inf)
    floats = steps * float(grid)
    return np.asarray(floats - np.abs(floats) * TRUST)


@lru_cache(maxsize=8)
def lowest_scores(table: CutTable, base: int) -> NDArray[np.float64]:
    """Return, for the first bits of a word, a float below all scores that may pass with it.

    A score that is half a step lower may be rounded to it; so the float is one step lower.
    """
    cuts = table.clipped_cuts[: -1 : 1 << max(0, table.word_bits - GLANCE_BITS)]
    lowest = np.full(len(cuts), -np.inf)
    if -ROOM < base < ROOM:
        known = (cuts > -ROOM) & (cuts < ROOM)
        lowest[known] = below(base - 1 - cuts[known], table.grid)
    lowest.flags.writeable = False
    return lowest
