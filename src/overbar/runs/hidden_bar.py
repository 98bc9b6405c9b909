"""The threshold with its secret noise: it answers comparisons and shows nothing else.

The noise lives in a closure and nowhere else: no attribute holds it, so no repr, pickle or
traceback that walks attributes prints it by accident. Every comparison of the library, online or
in a batch, is made here.

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.mechanisms import ScorePlan
from overbar.runs.exact import THRESHOLD_DRAWS, Exact
from overbar.runs.positives import opened
from overbar.runs.scores import Ruler, Steps
from overbar.runs.secrecy import FORKS, Unshareable
from overbar.sampling.bernoulli import (
    GLANCE_BITS,
    below,
    decided,
    is_positive,
    lowest_scores,
    noise_table,
    positive_drawer,
    positives_above,
)
from overbar.sampling.entropy import Source, drawn_ahead, random_words
from overbar.sampling.integers import Integers, exact_gaps, exact_sums
from overbar.sampling.threshold import draw_many

#: How many scores are compared together when most of the answers may not be needed.
FIRST_BLOCK = 1 << 10
LAST_BLOCK = 1 << 20
#: How many random words a run that is asked one by one draws at a time.
WORDS_AHEAD = 256
#: Of many runs so many are asked together: what belongs to them stays in the processor's cache.
BLOCK = 1 << 15
#: Bytes that many runs draw at a time, where a question takes fewer.
BYTES_AHEAD = 1 << 16
#: So few answers are decided one by one, in less time than together.
FEW = 32


class HiddenBar(Unshareable):
    """What can be done with a noisy threshold. A level is the public part of it, in grid steps.

    ``passes(score, level, turn)`` tells whether one score passes; ``passing(scores, level, turn)``
    gives the places of those that do, each asked once.

    The turn says which noise to compare with: where noise is drawn anew after each positive, it is
    the number of positives before; elsewhere it is 0. Noise is drawn for a turn once and kept, so
    a run that was interrupted goes on with the noise it had, whatever was drawn or lost meanwhile.
    """

    __slots__ = ("passes", "passing")

    passes: Callable[..., bool]
    passing: Callable[..., NDArray[np.intp]]

    def __init__(self, **doors: Callable[..., Any]) -> None:
        for name, door in doors.items():
            setattr(self, name, door)

    def __repr__(self) -> str:
        return f"{type(self).__name__} (hidden)"


def raise_bar(plan: ScorePlan, source: Source) -> HiddenBar:
    """Draw the threshold noise and hide it in a bar."""
    exact, forks = Exact(source), FORKS.here()
    noises = [exact.draw(plan.threshold_noise, plan.grid)]
    draw_at: Callable[[int], bool] | None = None  # made when first asked

    def secret(turn: int) -> int:
        FORKS.check(forks)
        while len(noises) <= turn:
            noises.append(exact.draw(plan.threshold_noise, plan.grid))
        return opened(noises[turn])

    first = secret(0)

    def passes(score: int, level: int, turn: int = 0) -> bool:
        nonlocal draw_at
        if draw_at is None:
            table = noise_table(plan.query_noise, plan.grid)
            draw_at = positive_drawer(table, source, ahead=WORDS_AHEAD)
        return draw_at(level + (secret(turn) if turn else first) - score)

    def passing(scores: Steps, level: int, turn: int = 0) -> NDArray[np.intp]:
        table = noise_table(plan.query_noise, plan.grid)
        return positives_above(scores, level + secret(turn), table, source)

    return HiddenBar(passes=passes, passing=passing)


class HiddenBars(HiddenBar):
    """The noisy thresholds of many runs.

    ``passing(values, levels, runs)`` gives the runs that pass, each compared with its own noise.
    `runs` are those asked, None for all; a level serves all of them, or there is one for each.
    ``renew(turns)`` draws noise anew for the runs that are at another turn than before.
    """

    __slots__ = ("renew",)

    renew: Callable[[NDArray[np.int64]], None]


def raise_bars(plan: ScorePlan, ruler: Ruler, runs: int, source: Source) -> HiddenBars:
    """Draw the threshold noise of each run by itself, and hide it.

    Of the answers of a question, floats rule out most that are negative for certain, by the bits
    that were drawn for them. All others are decided exactly, by the same bits.
    """
    forks, noise, grid = FORKS.here(), plan.threshold_noise, plan.grid
    table = noise_table(plan.query_noise, grid)
    surplus, ahead = max(0, table.word_bits - GLANCE_BITS), drawn_ahead(source, BYTES_AHEAD)

    def draw(count: int) -> Integers:
        if noise is None:
            return np.zeros(count, dtype=np.int64)
        return draw_many(THRESHOLD_DRAWS[type(noise)], noise.scale, grid, count, source)

    secrets, drawn_at = draw(runs), np.zeros(runs, dtype=np.int64)
    rough = below(secrets, grid)

    def renew(turns: NDArray[np.int64]) -> None:
        nonlocal secrets
        stale = np.flatnonzero(drawn_at != turns)
        fresh = draw(len(stale))
        if fresh.dtype != secrets.dtype:  # one of them does not fit in a word
            secrets, fresh = secrets.astype(np.object_), fresh.astype(np.object_)
        # If this is interrupted in between, noise that no answer came from is drawn once more.
        secrets[stale], rough[stale] = fresh, below(fresh, grid)
        drawn_at[stale] = turns[stale]

    def passing(
        values: NDArray[Any], levels: int | Integers, runs: NDArray[np.intp] | None = None
    ) -> NDArray[np.intp]:
        FORKS.check(forks)
        if runs is None and len(values) <= BLOCK:
            return among(slice(None), values, levels)
        passed = [np.empty(0, dtype=np.intp)]
        for start in range(0, len(values if runs is None else runs), BLOCK):
            block = slice(start, start + BLOCK)
            asked = block if runs is None else runs[block]
            here = levels if isinstance(levels, int) else levels[asked]
            places = start + among(asked, values[asked], here)
            passed.append(places if runs is None else runs[places])
        return np.concatenate(passed)

    def among(
        asked: slice | NDArray[np.intp], values: NDArray[Any], levels: int | Integers
    ) -> NDArray[np.intp]:
        words = random_words(len(values), table.word_bits, ahead)
        base = levels if isinstance(levels, int) else 0
        first = (words >> surplus).astype(np.intp)
        bounds = lowest_scores(table, base).take(first, mode="clip")  # spares a check of each
        bounds += rough[asked]
        if not isinstance(levels, int):
            bounds += below(levels, grid)
        (places,) = (ruler.rough(values) >= bounds).nonzero()
        own, each = secrets[asked], None if isinstance(levels, int) else levels
        if len(places) <= FEW:
            passed = []
            for place in places.tolist():
                bar = own.item(place) + (base if each is None else each.item(place))
                gap = bar - ruler.one(values.item(place))
                if is_positive(gap, words.item(place), table, source):
                    passed.append(place)
            return np.array(passed, dtype=np.intp)
        own = own[places] if each is None else exact_sums(own[places], each[places])
        gaps = exact_gaps(exact_sums(ruler.many(values[places]), exact_gaps(own, 0)), base)
        return places[decided(gaps, words[places], table, source)]

    return HiddenBars(passing=passing, renew=renew)


def first_passing(
    bar: HiddenBar, scores: Steps, level: int, *, count: int, resample: bool, before: int = 0
) -> tuple[list[int], int]:
    """Ask each score once, in order, until `count` have passed.

    Returns the places of those that passed, and how many scores were asked. With `resample`
    everything behind a positive is asked against fresh noise; `before` have passed already.
    """
    passed: list[int] = []
    start, block = 0, FIRST_BLOCK
    while start < len(scores) and len(passed) < count:
        turn = before + len(passed) if resample else 0
        places = bar.passing(scores[start : start + block], level, turn)
        wanted = places[: 1 if resample else count - len(passed)] + start
        passed.extend(wanted.tolist())
        if resample and len(wanted):
            start, block = passed[-1] + 1, FIRST_BLOCK
        else:
            start += block
            block = min(2 * block, LAST_BLOCK)
    asked = passed[-1] + 1 if len(passed) == count else len(scores)
    return passed, asked
