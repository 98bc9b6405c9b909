"""Broken mechanisms with sound noise that leak by rounding, or by what else they compute."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.audit.broken.wrong_noise import SOUND
from overbar.audit.checks import broken
from overbar.audit.interfaces import Claim, Outcomes, Pair
from overbar.audit.law_runs import transcripts
from overbar.noise import Exponential, Laplace

#: ε₁ = ε₂ = 1, c = 1, general queries: query noise 2cΔ/ε₂.
HALF_EVEN_ROUNDING = broken(
    name="scores rounded half to even",
    fault="0.5 goes to 0 and 1.5 to 2: a sensitivity of one becomes two",
    source="numpy.rint, round",
    claim=Claim.of(2),
    pairs=(Pair((0.5, 1.5), (1.5, 0.5), "the two scores swap places"),),
    law=replace(SOUND, threshold=Laplace(Fraction(1)), monotonic=False, rounding=round),
)

CANDIDATES = 50

CORRECTION_FROM_DATA = broken(
    name="a correction computed from the data",
    fault="one person moves all scores over the threshold, and the correction jumps",
    source="a correction for k negatives with k counted instead of given",
    pairs=(Pair((-1,) * CANDIDATES, (0,) * CANDIDATES, "all scores reach the threshold"),),
    law=replace(
        SOUND,
        # The k/(k + 1) quantile of the query noise.
        level_moves=lambda steps: math.ceil(2 * math.log1p(sum(step < 0 for step in steps))),
    ),
)

RELEASED_VALUE = broken(
    name="the noisy value of a positive released",
    fault="exponential noise is never negative, so the value bounds the score from above",
    source="Algorithm 3 of arXiv:1603.01699 with one-sided noise",
    pairs=(Pair((1,), (0,), "one count"),),
    law=replace(SOUND, continuous=True, releases_value=True),
)

CATALOGUE = ("ale", "rum", "tea")
LISTED = replace(SOUND, level=20)
TWO_LISTED = replace(LISTED, query=Exponential(Fraction(4)), cutoff=2)


def _list_from_data(counts: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return one answer for each item that occurs in the data, and nothing for the others."""
    answers = np.full((runs, len(CATALOGUE)), -2, dtype=np.int8)
    listed = [place for place, item in enumerate(CATALOGUE) if counts.get(item)]
    scores = [counts[CATALOGUE[place]] for place in listed]
    answers[:, listed] = transcripts(TWO_LISTED, scores, runs, generator)[0]
    return answers


def _position(counts: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return at which place of the data's own list the first positive stands."""
    answers, _ = transcripts(LISTED, [counts[item] for item in sorted(counts)], runs, generator)
    found = (answers == 1).any(axis=1)
    return np.where(found, np.argmax(answers == 1, axis=1), -1)


#: The δ of both is that of releasing selected items only.
LIST_FROM_DATA = broken(
    name="candidates read off the data, every answer released",
    fault="that an item was asked about says that someone holds it",
    source="overbar.accounting.unlisted, which allows selected items only",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair({"rum": 1, "tea": 30}, {"tea": 30}, "rum is one person's"),),
    run=_list_from_data,
)

POSITIONS_FROM_DATA = broken(
    name="candidates read off the data, positions released",
    fault="a position counts the items before it, among them one that one person holds",
    source="overbar.mechanism.selection, which hides positions there",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair({"rum": 1, "tea": 30}, {"tea": 30}, "rum is one person's"),),
    run=_position,
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
ROUNDS_AFTER_THE_END = broken(
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
