"""Many runs of a law at once: seeded and in floats, for studies and controls, never a release.

A sparse vector run is threshold noise, query noise and a cutoff, so most faults are a law with one
of the three wrong, with scores prepared wrongly before it, or with too much told after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.audit.exact.law import Law, RankedLaw
from overbar.audit.interfaces import Outcomes
from overbar.noise import Noise
from overbar.simulation.seeded_values import draw_noise

Array = NDArray[np.float64]
#: One row for each run: 1 above, 0 below, HALTED once there were enough.
Answers = NDArray[np.int8]
#: Many runs on some data, with a generator to draw from.
Run = Callable[[Any, int, np.random.Generator], Outcomes]

#: Stands in a transcript for a question that was not answered any more.
HALTED = -1


def law_runs(law: Law, tell: Callable[[Answers, Array], Outcomes] | None = None) -> Run:
    """Return runs of a law; `tell` turns answers and noisy scores into what is released."""
    if isinstance(law, RankedLaw):
        return partial(_highest, law)

    def run(data: Any, runs: int, generator: np.random.Generator) -> Outcomes:
        answers, noisy = transcripts(law, data, runs, generator)
        if tell is not None:
            return tell(answers, noisy)
        return np.where(answers == 1, noisy, np.nan) if law.releases_value else answers

    return run


def transcripts(
    law: Law, scores: Sequence[Any], runs: int, generator: np.random.Generator
) -> tuple[Answers, Array]:
    """Return the answers of many runs, and the noisy scores: continuous, as floats draw them."""
    if law.rounding is not None:
        scores = [law.steps(score) for score in scores]
    level = law.level + (law.level_moves(tuple(scores)) if law.level_moves else 0)
    bar, noisy = (
        np.full((runs, 1), float(level * law.grid)),
        np.tile(np.asarray(scores, float), (runs, 1)),
    )
    if law.threshold is not None:
        bar += _drawn(law.threshold, bar, generator) * (-1 if law.mirrored else 1)
    if law.query is not None:
        noisy += _drawn(law.query, noisy, generator)
    answers = (noisy >= bar).astype(np.int8)
    if law.cutoff is not None:
        before = np.cumsum(answers, axis=1, dtype=np.int32) - answers
        answers[before >= law.cutoff] = HALTED
    return answers, noisy


def _highest(
    law: RankedLaw, scores: Sequence[Any], runs: int, generator: np.random.Generator
) -> Outcomes:
    """Return who has the highest values, in order, with values or counts where they are told."""
    grid, steps = float(law.grid), [float(law.steps(score)) for score in scores]
    own, bar = np.tile(steps, (runs, 1)), np.full((runs, 1), float(law.level))
    assert law.query is not None
    values = own + np.floor(_drawn(law.query, own, generator) / grid)
    if law.threshold is not None:
        noise = np.floor(_drawn(law.threshold, bar, generator) / grid)
        bar += -noise if law.mirrored else noise
    ties = -own if law.ties_by_score else np.zeros(own.shape)
    order = np.lexsort((generator.random(own.shape), ties, -values), axis=1)[:, : law.cutoff]
    highest = np.take_along_axis(values, order, axis=1)
    passing = (highest >= bar) | (not law.has_bar)
    columns = [np.where(passing, order, HALTED)]
    if law.releases_value:
        columns.append(np.where(passing, highest, np.nan))
    if law.counts is not None:
        scores_found = np.take_along_axis(own, order, axis=1)
        fresh = np.floor(_drawn(law.counts, scores_found, generator) / grid)
        columns.append(np.where(passing, scores_found + fresh, np.nan))
    return np.hstack(columns)


def _drawn(noise: Noise, like: Array, generator: np.random.Generator) -> Array:
    return draw_noise(noise, like.size, generator).reshape(like.shape)
