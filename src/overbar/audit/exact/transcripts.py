"""Every transcript of a run whose queries are given in advance, with bounds on its probability.

A transcript is what a run says: for each comparison which query was asked and what came out, until
the run halts. Queries that were negative go to the end of the queue until they have been asked
``rounds`` times. Where values are released, an outcome is the value in grid steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from overbar.audit.exact.comparison import Comparisons, comparisons, log_cell, log_total
from overbar.audit.exact.law import Law
from overbar.audit.exact.threshold_points import DEEP, Array
from overbar.errors import ParameterError

#: (query, outcome) for each comparison; an outcome is an answer, or a released value in steps.
Transcript = tuple[tuple[int, int | bool], ...]
#: Lower and upper log-probability of each thing that can be said.
Distribution = dict[Transcript, tuple[float, float]]

#: More transcripts than this are not enumerated.
MOST_TRANSCRIPTS = 300_000
#: Released values are enumerated as far as the noise reaches with this log-chance; what is beyond
#: is one more outcome, which nobody needs to tell apart for a lower bound.
VALUE_DEPTH = 20.0


def answers(law: Law, scores: Sequence[int], depth: float = DEEP) -> Distribution:
    """Enumerate what a run says, answer by answer."""
    if law.rounds is None and law.max_queries is None:
        raise ParameterError(
            "rounds must be limited to enumerate answers; audit the labels of an unlimited race"
        )
    run = comparisons(law, scores, depth)
    found: Distribution = {}
    outcomes = [_positive_outcomes(law, score, run) for score in scores]

    def go(queue: list[int], asked: dict[int, int], said: Transcript, weights: Array) -> None:
        positives = sum(1 for _, outcome in said if outcome is not False)
        if not queue or positives == law.cutoff or len(said) == law.max_queries:
            if len(found) >= MOST_TRANSCRIPTS:
                raise ParameterError(
                    f"scores must be so few that there are at most {MOST_TRANSCRIPTS:,} transcripts"
                )
            found[said] = bounds(weights)
            return
        query, *others = queue
        for outcome in outcomes[query]:
            yes = weights + run.answer(scores[query], outcome)
            go(others, asked, (*said, (query, outcome)), run.redrawn(yes) if law.resample else yes)
        times = asked[query] + 1
        back = [query] if law.rounds is None or times < law.rounds else []
        no = weights + run.answer(scores[query], False)
        go([*others, *back], {**asked, query: times}, (*said, (query, False)), no)

    everyone = list(range(len(scores)))
    go(everyone, dict.fromkeys(everyone, 0), (), run.start())
    return found


def _positive_outcomes(law: Law, score: int, run: Comparisons) -> list[int | bool]:
    """Return what a positive can say: True, or the values that are likely enough to matter."""
    if not law.releases_value:
        return [True]
    points = run.points.steps
    low = min(score, int(run.level + points[0]))
    high = max(score, int(run.level + points[-1]))
    reach = law.reach
    return [
        value
        for value in range(low - reach, high + reach + 1)
        if log_cell(law, value - score) > -VALUE_DEPTH
    ]


def bounds(weights: Array) -> tuple[float, float]:
    """Return the lower and the upper log-probability of a lower and an upper row of weights."""
    lower, upper = log_total(weights)
    return float(lower), float(upper)


def merged(one: Array, other: Array | None) -> Array:
    """Add two rows of weights that led to the same thing said."""
    return one if other is None else np.logaddexp(one, other)
