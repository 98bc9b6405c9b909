"""What a run says whose queries are given in advance, with bounds on the probability of each.

A transcript has for each comparison which query was asked and what came out, until the run halts.
Queries that were negative go to the end of the queue until they have been asked ``rounds`` times.
Where values are released, an outcome is the value in grid steps.

A batch release says less: which queries were positive, in the order found. The queue of a batch
has a clock that all runs share: round by round, query by query. So runs that have found the same
queries so far are added up at every tick. With unlimited rounds there is no last tick; there the
next winner is drawn around the circle of those that remain, and the chance that query k is next,
with the others F before it, is F·…·F·S / (1 - product of all F).
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
#: Queries that were positive, in the order found.
Labels = tuple[int, ...]
#: Lower and upper log-probability of each thing that can be said.
Distribution = dict[Transcript, tuple[float, float]]
LabelDistribution = dict[Labels, tuple[float, float]]

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


def labels(law: Law, scores: Sequence[int], depth: float = DEEP) -> LabelDistribution:
    """Enumerate what a batch release says."""
    if law.releases_value:
        raise ParameterError("a mechanism that releases values is audited by its answers")
    run = comparisons(law, scores, depth)
    rounds = law.rounds if law.rounds is not None else law.max_queries
    return _circle(law, run, scores) if rounds is None else _ticks(law, run, scores, rounds)


def _ticks(law: Law, run: Comparisons, scores: Sequence[int], rounds: int) -> LabelDistribution:
    """Run the clock; a state is what was found and, where it matters, how often was asked."""
    going: dict[tuple[Labels, int], Array] = {((), 0): run.start()}
    done: dict[Labels, Array] = {}

    def keep(
        into: dict[tuple[Labels, int], Array], found: Labels, asked: int, weights: Array
    ) -> None:
        if len(found) == law.cutoff or (law.max_queries is not None and asked == law.max_queries):
            done[found] = merged(weights, done.get(found))
        else:
            key = (found, asked if law.max_queries is not None else 0)
            into[key] = merged(weights, into.get(key))

    for tick in range(rounds * len(scores)):
        query = tick % len(scores)
        after: dict[tuple[Labels, int], Array] = {}
        for (found, asked), weights in going.items():
            if query in found:
                keep(after, found, asked, weights)
                continue
            yes = weights + run.answer(scores[query], True)
            keep(after, (*found, query), asked + 1, run.redrawn(yes) if law.resample else yes)
            keep(after, found, asked + 1, weights + run.answer(scores[query], False))
        going = after
    for (found, _), weights in going.items():
        done[found] = merged(weights, done.get(found))
    return {found: bounds(weights) for found, weights in done.items()}


def _circle(law: Law, run: Comparisons, scores: Sequence[int]) -> LabelDistribution:
    """Draw winners around the circle, without end. Queries without a chance are never found."""
    done: LabelDistribution = {}
    log_hazards = [_log_hazards(law, run, score) for score in scores]

    def go(found: Labels, start: int, weights: Array) -> None:
        remaining = [k % len(scores) for k in range(start, start + len(scores))]
        remaining = [k for k in remaining if k not in found]
        if not remaining or len(found) == law.cutoff:
            done[found] = bounds(weights)
            return
        # 1 - e^-(sum of hazards), where a sum as small as it likes keeps its digits.
        log_sum = np.logaddexp.reduce([log_hazards[k] for k in remaining], axis=0)
        log_any = _log_one_minus_exp(log_sum)
        passed = np.zeros_like(log_any)
        for k in remaining:
            chance = passed + run.answer(scores[k], True) - log_any
            chance = np.minimum(chance, 0.0)
            chance[-2:] = 0.0  # beyond the points anything may happen
            yes = weights + chance
            go((*found, k), k + 1, run.redrawn(yes) if law.resample else yes)
            passed = passed + run.answer(scores[k], False)

    go((), 0, run.start())
    return done


def _log_hazards(law: Law, run: Comparisons, score: int) -> Array:
    """Log of -ln F at every point; the two columns beyond are not used."""
    if law.query is None:
        raise ParameterError("rounds must be limited for a mechanism without query noise")
    gaps = (run.level + run.points.steps - score) * float(law.grid)
    return np.concatenate([law.query.log_hazard(gaps), [0.0, 0.0]])


def _log_one_minus_exp(log_hazard: Array) -> Array:
    """Log of 1 - e^-h, from the log of h."""
    with np.errstate(over="ignore", divide="ignore"):
        hazard = np.exp(log_hazard)
        near = np.log(-np.expm1(-hazard))
    return np.where(log_hazard < -18.5, log_hazard - np.minimum(hazard, 1.0) / 2, near)
