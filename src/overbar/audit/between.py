"""The exact privacy profile of a plan between two neighbouring inputs: small runs, enumerated.

What a release says is the plan's own ``run``, or ``ask`` online, gone through by
:class:`~overbar.audit.every.Every`.

A count with noise of its own tells two sides apart only by how much likelier it is on one of them:
values with the same ratio are one outcome, and nothing is lost.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text
from overbar.audit.every import SHALLOW, Drawn, Every, Fork
from overbar.audit.points import DEEP, grid_points
from overbar.audit.profile import Array, Outcomes, Profile
from overbar.errors import ParameterError
from overbar.mechanisms import KeyPlan, Plan, ScorePlan, SparseVectorPlan
from overbar.mechanisms.keys import Held
from overbar.mechanisms.run import Run
from overbar.mechanisms.score_plan import of_scores
from overbar.noise import Noise
from overbar.runs.batch_run import BatchRun
from overbar.runs.scores import Ruler

__all__ = ["exact_profile"]

#: What a run lets the world see: every answer, or the queries found, in the order found.
RELEASES = ("answers", "labels")
#: All orders of candidates read off the data are enumerated, so there may not be many.
MOST_ITEMS = 6

#: Neighbouring inputs: two lists of scores, or two tables.
Between = tuple[Sequence[Number], Sequence[Number]] | tuple[Mapping[str, Any], ...]


def exact_profile(
    plan: Plan,
    between: Between,
    *,
    threshold: Number = 0,
    release: str = "answers",
) -> Profile:
    """Compute what a run gives away between two neighbouring inputs, with certified bounds.

    Parameters
    ----------
    plan : Plan
        The plan, of which a release is enumerated.
    between : pair of sequences or of mappings
        Two neighbouring lists of scores, asked in order; two mappings from items to scores, where
        the candidates are those that occur; or for keys, two mappings from persons to their keys,
        each a letter.
    threshold : int, float, str, Fraction or Decimal, default 0
        The public threshold.
    release : {"answers", "labels"}, default "answers"
        "answers": all answers, one by one. "labels": which queries were positive, in the order
        found, as a batch release says. What takes a whole list of scores, such as ranked
        selection, has labels alone, or labels and counts.

    Returns
    -------
    Profile
        Each outcome with its chances on both sides.

    Raises
    ------
    ParameterError
        If the two inputs are no neighbours, or something in the plan would not be looked at.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=1, correction=0, grid=1, mechanism="sparse-vector")
    >>> profile = exact_profile(plan, ([0, 0], [1, -1]))
    >>> round(profile.loss().low, 6), profile.worst()
    (1.0, ((0, False), (1, True)))
    >>> exact_profile(plan, ({"tea": 9, "mine": 1}, {"tea": 9}), threshold=8).delta(1).low > 0
    True
    """
    one, other = between
    if not isinstance(one, Mapping) and not isinstance(other, Mapping):
        check_moves(plan, one, other)
    sides = (law(plan, data, threshold=threshold, release=release) for data in (one, other))
    return side_by_side(*sides)


def law(
    plan: Plan, data: Any, *, threshold: Number = 0, release: str = "answers", **how: Any
) -> Outcomes:
    """Return all that a release says about one input; `how` is as for :class:`Every`."""
    return _Compared(**how).outcomes(said(plan, data, threshold=threshold, release=release))


def said(
    plan: Plan, data: Any, *, threshold: Number = 0, release: str = "answers"
) -> Callable[[Run], Hashable]:
    """Return what a release says about one input, as a function of a run."""
    labels = _check.choice("release", release, RELEASES) == "labels"
    if isinstance(plan, KeyPlan):
        return _keys(plan, data)
    plan = of_scores(plan)
    for name in ("first", "groups"):
        if getattr(plan, name) is not None:
            raise ParameterError(
                f"plan must be one without {name}, which is not looked at: what is enumerated is "
                "one run, and the guarantee is about more; audit each part"
            )
    ruler = Ruler.of(plan.grid)
    if isinstance(data, Mapping):
        return _unlisted(plan, {item: ruler.one(data[item]) for item in data}, threshold)
    scores = tuple(ruler.one(_check.rational("score", score)) for score in data)
    whole = plan.items_per_person is not None or plan.counts is not None
    if labels or whole or not isinstance(plan, SparseVectorPlan):
        level, names = BatchRun.of(plan, threshold).level, range(len(scores))
        return lambda run: _found(plan, run, scores, level, names)
    if plan.repeats.rounds is None:
        raise ParameterError(
            "rounds must be limited to enumerate answers; audit the labels of an unlimited race"
        )
    return lambda run: _answers(plan, run, scores, plan.level(threshold))


def check_moves(plan: Plan, one: Any, other: Any) -> None:
    """Raise unless one person can move all scores so."""
    if len(one) != len(other):
        raise ParameterError("neighbouring lists of scores must have the same length")
    pairs = zip(other, one, strict=True)
    moves = [_check.rational("score", a) - _check.rational("score", b) for a, b in pairs]
    reach, items = of_scores(plan).reach, plan.items_per_person
    if any(abs(move) > reach.most for move in moves):
        raise ParameterError(f"neighbouring scores must differ by at most {exact_text(reach.most)}")
    least, most = min(moves, default=0), max(moves, default=0)
    if not (reach.low <= least <= most <= reach.high or -reach.high <= least <= most <= -reach.low):
        moved = "in the same direction" if reach.one_way else f"by {reach}, or all of them back"
        raise ParameterError(f"neighbouring scores must all move {moved}")
    if items is not None and sum(map(bool, moves)) > items:
        raise ParameterError(f"neighbouring scores must differ in {items} places at most")


def _found(
    plan: ScorePlan, run: Run, scores: Sequence[int], level: int | None, names: Sequence[Hashable]
) -> Hashable:
    """Return who comes out of a batch, and the values that are told."""
    answer = plan.run(run, scores, level)
    labels = tuple(names[one.candidate] for one in answer.found)
    return labels if answer.values is None else (labels, answer.values)


def _unlisted(
    plan: ScorePlan, scores: Mapping[str, int], threshold: Number
) -> Callable[[Run], Hashable]:
    """Return what is said of candidates read off the data."""
    if not 1 <= len(scores) <= MOST_ITEMS:
        raise ParameterError(f"a universe must have 1 to {MOST_ITEMS} items, got {len(scores)}")
    level = BatchRun.of(plan, threshold).level
    steps, names = list(scores.values()), list(scores)
    return lambda run: _found(plan, run, steps, level, names)


def _answers(plan: SparseVectorPlan, run: Run, scores: Sequence[int], level: int) -> Hashable:
    """Return all that is said online: who fails is asked again, until its rounds are over."""
    rounds, queue = plan.repeats.rounds or 1, deque((place, 1) for place in range(len(scores)))
    asked: list[int] = []
    told: list[tuple[int, bool]] = []

    def questions() -> Iterator[int]:
        while queue:
            place, times = queue.popleft()
            asked.append(place)
            yield scores[place]
            if not told[-1][1] and times < rounds:
                queue.append((place, times + 1))

    for answer in plan.ask(run, questions(), level):
        told.append((asked[-1], answer))
    return tuple(told)


def _keys(plan: KeyPlan, data: Mapping[str, str]) -> Callable[[Run], Hashable]:
    """Return which keys come out of a table."""
    if plan.gives_counts:
        raise ParameterError("plan must be one without counts, which are not looked at")
    return lambda run: frozenset(plan.run(run, Held(run, data), None).found)


#: A lower and an upper log-chance.
Bounds = tuple[float, float]


# Counts with noise of their own -------------------------------------------------------------------


class Fresh(NamedTuple):
    """A number that is told, of noise that is in nothing else."""

    noise: Noise
    grid: Fraction
    centre: int


class _Compared(Every):
    """Numbers with noise of their own are told as what they are, for :func:`side_by_side`."""

    def tell(self, number: Any) -> Any:
        """Return a number that may be known."""
        if isinstance(number, Drawn) and self._at == len(self._path):
            state = self._state
            if number.sign > 0 and number.number not in {state.number, *state.before}:
                told = Fresh(number.noise, number.grid, number.moved)
                used = state._replace(before=state.before | {number.number})
                self._path.append(Fork(used, [(told, 0.0)]))
        return super().tell(number)


def side_by_side(one: Outcomes, other: Outcomes) -> Profile:
    """Put what is said about two inputs side by side.

    Counts are said as the logarithm of how much likelier they are on the first side.
    """
    if not any(map(_counts, [*one.chances, *other.chances])):
        return Profile.between(one, other)
    sides = tuple(Outcomes({}, side.left_out, complete=False) for side in (one, other))
    first, second = ({_labels(said): said for said in side.chances} for side in (one, other))
    for labels in dict.fromkeys([*first, *second]):
        here, there = first.get(labels), second.get(labels)
        pairs = zip(_counts(here or there), _counts(there or here), strict=True)
        moved = ((at.noise, at.grid, at.centre - to.centre) for at, to in pairs)
        ratios, *logs = _told(tuple(sorted(moved, key=str)))
        for alone, said, both, bounds in zip((one, other), (here, there), sides, logs, strict=True):
            if said is not None:
                low, high = alone.chances[said]
                for ratio, (least, most) in zip(ratios, bounds, strict=True):
                    both.chances[labels, ratio] = (low + least, high + most)
    return Profile.between(*sides)


def _labels(said: Any) -> tuple[Hashable, ...]:
    """Return the labels of what is said beside counts."""
    return tuple(said[0])


def _counts(said: Any) -> tuple[Fresh, ...]:
    """Return counts with noise of their own."""
    match said:
        case (_, tuple((Fresh(), *_) as counts)):
            return tuple(counts)
    return ()


@lru_cache(maxsize=256)
def _told(
    moved: tuple[tuple[Noise, Fraction, int], ...],
) -> tuple[list[float], list[Bounds], list[Bounds]]:
    """Return all log-ratios of counts, and bounds on the log-chance of each on either side."""
    chances, beyond = np.ones((2, 1)), 0.0
    for noise, grid, distance in moved:
        own, other, left_out = _values(noise, grid, distance)
        chances = _merged(np.einsum("ki,kj->kij", chances, np.exp([own, other])).reshape(2, -1))
        beyond += left_out
    with np.errstate(divide="ignore"):
        low, high = np.log(chances), np.log(chances + beyond)
    first, second = np.stack([low, high], axis=-1).tolist()
    return (low[0] - low[1]).tolist(), first, second


def _values(noise: Noise, grid: Fraction, distance: int) -> tuple[Array, Array, float]:
    """Return the log-chances of all values of a count and of one so far away, but for some."""
    deep, near = grid_points(noise, grid, DEEP), grid_points(noise, grid, SHALLOW)
    first, last = near.steps[[0, -1]]
    steps = np.arange(first - max(0, distance), last + max(0, -distance) + 1)
    own, other = (
        np.interp(at, deep.steps, deep.log_masses, -math.inf, -math.inf)
        for at in (steps, steps + distance)
    )
    return own, other, math.exp(near.log_beyond)


def _merged(chances: Array) -> Array:
    """Add up values with the same ratio."""
    possible = chances[:, chances.any(axis=0)]
    with np.errstate(divide="ignore"):
        own, other = np.log(possible)
    _, kinds = np.unique(np.round(own - other, 9), return_inverse=True)
    return np.stack([np.bincount(kinds, weights=side) for side in possible])
