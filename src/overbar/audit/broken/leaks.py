"""Sound noise around something that is not: what is rounded, computed or told beside it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.audit.broken.comparing import exponential, laplace, transcripts
from overbar.audit.broken.entry import Broken
from overbar.audit.exact import Law, ThresholdNoise
from overbar.audit.interfaces import Claim, Outcomes, Pair
from overbar.noise import Exponential, Laplace

__all__ = [
    "CORRECTION_FROM_DATA",
    "HALF_EVEN_ROUNDING",
    "LEAKS",
    "LIST_FROM_DATA",
    "POSITIONS_FROM_DATA",
    "RELEASED_VALUE",
    "ROUNDS_AFTER_THE_END",
]


def _half_even(scores: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    return transcripts(
        np.rint(np.asarray(scores, dtype=np.float64)),
        runs,
        generator,
        threshold=laplace(1.0),
        query=exponential(2.0),
        cutoff=1,
    )[0]


#: ε₁ = ε₂ = 1, c = 1, general queries: query noise 2cΔ/ε₂.
HALF_EVEN_ROUNDING = Broken(
    name="scores rounded half to even",
    fault="0.5 goes to 0 and 1.5 to 2: a sensitivity of one becomes two",
    source="numpy.rint, round",
    claim=Claim.of(2),
    pairs=(Pair((0.5, 1.5), (1.5, 0.5), "the two scores swap places"),),
    run=_half_even,
    law=Law(
        query=Exponential(Fraction(2)),
        threshold=ThresholdNoise(Laplace(Fraction(1))),
        cutoff=1,
        rounding=round,
    ),
)

CANDIDATES = 50


def _from_data(scores: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    below = sum(score < 0 for score in scores)
    correction = 2.0 * math.log1p(below)  # the k/(k + 1) quantile of the query noise
    return transcripts(
        np.asarray(scores, dtype=np.float64) - correction,
        runs,
        generator,
        threshold=laplace(2.0),
        query=exponential(2.0),
        cutoff=1,
    )[0]


#: ε₁ = ε₂ = 1/2, c = 1, monotonic counts.
CORRECTION_FROM_DATA = Broken(
    name="a correction computed from the data",
    fault="one person moves all scores over the threshold, and the correction jumps",
    source="a correction for k negatives with k counted instead of given",
    claim=Claim.of(1),
    pairs=(Pair((-1,) * CANDIDATES, (0,) * CANDIDATES, "all scores reach the threshold"),),
    run=_from_data,
    law=Law(
        query=Exponential(Fraction(2)),
        threshold=ThresholdNoise(Laplace(Fraction(2))),
        cutoff=1,
        monotonic=True,
        level_moves=lambda steps: math.ceil(2 * math.log1p(sum(step < 0 for step in steps))),
    ),
)


def _released_value(scores: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    answers, noisy = transcripts(
        np.asarray(scores, dtype=np.float64),
        runs,
        generator,
        threshold=laplace(2.0),
        query=exponential(2.0),
        cutoff=1,
    )
    return np.where(answers == 1, noisy, np.nan)


#: ε₁ = ε₂ = 1/2, c = 1, monotonic counts.
RELEASED_VALUE = Broken(
    name="the noisy value of a positive released",
    fault="exponential noise is never negative, so the value bounds the score from above",
    source="Algorithm 3 of arXiv:1603.01699 with one-sided noise",
    claim=Claim.of(1),
    pairs=(Pair((1,), (0,), "one count"),),
    run=_released_value,
    law=Law(
        query=Exponential(Fraction(2)),
        threshold=ThresholdNoise(Laplace(Fraction(2)), "continuous"),
        cutoff=1,
        monotonic=True,
        releases_value=True,
    ),
)

CATALOGUE = ("ale", "rum", "tea")


def _list_from_data(counts: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return one answer for each item that occurs in the data, and nothing for the others."""
    answers = np.full((runs, len(CATALOGUE)), -2, dtype=np.int8)
    listed = [place for place, item in enumerate(CATALOGUE) if counts.get(item)]
    answers[:, listed] = transcripts(
        np.array([counts[CATALOGUE[place]] - 20.0 for place in listed]),
        runs,
        generator,
        threshold=laplace(2.0),
        query=exponential(4.0),
        cutoff=2,
    )[0]
    return answers


#: ε₁ = ε₂ = 1/2, c = 2; the δ is that of releasing selected items only.
LIST_FROM_DATA = Broken(
    name="candidates read off the data, every answer released",
    fault="that an item was asked about says that someone holds it",
    source="overbar.accounting.unlisted, which allows selected items only",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair({"rum": 1, "tea": 30}, {"tea": 30}, "rum is one person's"),),
    run=_list_from_data,
)


def _positions(counts: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return at which place of the data's own list the first positive stands."""
    scores = np.array([counts[item] - 20.0 for item in sorted(counts)])
    answers, _ = transcripts(
        scores, runs, generator, threshold=laplace(2.0), query=exponential(2.0), cutoff=1
    )
    found = (answers == 1).any(axis=1)
    return np.where(found, np.argmax(answers == 1, axis=1), -1)


#: ε₁ = ε₂ = 1/2, c = 1.
POSITIONS_FROM_DATA = Broken(
    name="candidates read off the data, positions released",
    fault="a position counts the items before it, among them one that one person holds",
    source="overbar.mechanism.selection, which hides positions there",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair({"rum": 1, "tea": 30}, {"tea": 30}, "rum is one person's"),),
    run=_positions,
)


#: Rounds are counted up to here.
MOST_ROUNDS = 8


def _rounds_after_the_end(scores: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return in which round each candidate turned positive, or would have had the run gone on."""
    bar = generator.laplace(scale=1.0, size=(runs, 1))
    chance = np.exp(-np.maximum(bar - np.asarray(scores, dtype=np.float64), 0.0) / 2)
    rounds = generator.geometric(np.maximum(chance, 1e-12))
    return np.minimum(rounds, MOST_ROUNDS)


#: ε₁ = ε₂ = 1, c = 1, general queries, asked again and again until the first is positive.
ROUNDS_AFTER_THE_END = Broken(
    name="rounds of a negative counted past the last positive",
    fault="in which round the losers would have passed is more positives than were paid for",
    source="docs/theory/race.md: a run ends with its last positive",
    claim=Claim.of(2),
    pairs=(Pair((0, 1, 1, 1), (1, 0, 0, 0), "the first rises, the others fall"),),
    run=_rounds_after_the_end,
)

LEAKS = (
    HALF_EVEN_ROUNDING,
    CORRECTION_FROM_DATA,
    RELEASED_VALUE,
    LIST_FROM_DATA,
    POSITIONS_FROM_DATA,
    ROUNDS_AFTER_THE_END,
)
