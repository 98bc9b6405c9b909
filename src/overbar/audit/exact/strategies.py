"""What a run is asked: one path, queries that depend on the answers, or a list in turn.

A pure loss is the loss of one transcript, and along one transcript it makes no difference whether
the queries were chosen adaptively. So the search for the largest loss looks at paths. A step that
is taken many times in a row counts with its power, which makes long runs cheap.

A strategy is a list of nodes. Each asks one query, given by its score on both data sets, and goes
on to a later node after either answer. A binary tree is the plain case. Two answers may also lead
to the same node: then the adversary forgets which it was, which can only lower what it learns, so
a δ found this way is still a true lower bound, and long runs stay small. What an adversary sees in
the end is where it stopped.

A transcript has for each comparison which query was asked and what came out, until the run halts.
Queries that were negative go to the end of the queue until they have been asked ``rounds`` times.
Where values are released, an outcome is the value in grid steps. A batch release says less: which
queries were positive, in the order found.

With unlimited rounds there is no last comparison; there the next winner is drawn around the circle
of those that remain, and the chance that query k is next, with the others F before it, is
F·…·F·S / (1 - product of all F).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from overbar._numbers import number_text
from overbar.audit.exact.profile import Array
from overbar.audit.exact.run import Branch, Inquiry, Run, Told, log_cell
from overbar.errors import ParameterError

if TYPE_CHECKING:
    from overbar.audit.exact.law import Law


@dataclass(frozen=True)
class Step:
    """A query with its score on both data sets and the answer it gets, some times in a row.

    Where the mechanism releases values, a positive step has the ``value`` in grid steps.
    """

    positive: bool
    score: Fraction
    neighbour: Fraction
    times: int = 1
    value: int | None = None

    def __str__(self) -> str:
        answer = "above" if self.positive else "below"
        valued = answer if self.value is None else f"{answer} with value {self.value}"
        often = "" if self.times == 1 else f", {self.times} times"
        return f"{number_text(self.score)} | {number_text(self.neighbour)}: {valued}{often}"


@dataclass(frozen=True)
class Path:
    """Steps in the order taken. It reads: score on one data set | on its neighbour: answer."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.steps))

    @property
    def positives(self) -> int:
        """How many answers are positive."""
        return sum(step.times for step in self.steps if step.positive)

    def asked(self, law: Law) -> tuple[Inquiry, Inquiry]:
        """Return what both data sets are asked; raise unless the path is one of this law's."""
        positives, last = self.positives, self.steps[-1]
        before = positives - (last.times if last.positive else 0)
        if law.cutoff is not None and (positives > law.cutoff or before >= law.cutoff):
            raise ParameterError(f"a run halts after {law.cutoff} positives, and this path goes on")
        comparisons = sum(step.times for step in self.steps)
        if law.max_queries is not None and comparisons > law.max_queries:
            raise ParameterError(
                f"a run has at most {law.max_queries} comparisons, and this path more"
            )
        one, other = _scores(law, self.steps)
        return _Taken(law, self, one), _Taken(law, self, other)


@dataclass(frozen=True)
class _Taken:
    """A state is how many steps were taken, and how often the next one; all else is not told."""

    law: Law
    path: Path
    places: tuple[int, ...]
    start = (0, 0)

    @property
    def scores(self) -> tuple[int, ...]:
        steps = zip(self.places, self.path.steps, strict=True)
        return tuple(score for score, step in steps for _ in range(step.times))

    def branches(self, run: Run, state: tuple[int, int]) -> Iterator[Branch]:
        place, done = state
        step = self.path.steps[place]
        outcome = step.positive if step.value is None else step.value
        now = 1 if step.positive and self.law.resample else step.times
        after: Any = (place, done + now) if done + now < step.times else (place + 1, 0)
        if after[0] == len(self.path.steps):
            after = Told(self.path)
        yield now * run.answer(self.places[place], outcome), after, step.positive


@dataclass(frozen=True)
class Node:
    """A query, and the place in the list where it goes on after a negative or a positive answer.

    None ends the run. So does the mechanism, by itself, at its last positive.
    """

    score: Fraction
    neighbour: Fraction
    no: int | None = None
    yes: int | None = None


@dataclass(frozen=True)
class Strategy:
    """Nodes in an order in which every link points to a later one. The first is where it starts."""

    nodes: tuple[Node, ...]

    def __str__(self) -> str:
        shown = "; ".join(
            f"{number_text(node.score)} | {number_text(node.neighbour)}" for node in self.nodes[:12]
        )
        more = "" if len(self.nodes) <= 12 else f"; … ({len(self.nodes):,} nodes)"
        return f"adaptive: {shown}{more}"

    def asked(self, law: Law) -> tuple[Inquiry, Inquiry]:
        """Return what both data sets are asked."""
        if not law.plain:
            raise ParameterError(
                "an adaptive adversary needs a level that does not depend on scores, and answers "
                "without values; use a path"
            )
        for place, node in enumerate(self.nodes):
            links = [link for link in (node.no, node.yes) if link is not None]
            if not all(place < link < len(self.nodes) for link in links):
                raise ParameterError("a strategy's links must point to later nodes")
        one, other = _scores(law, self.nodes)
        return _Led(law, self, one), _Led(law, self, other)


@dataclass(frozen=True)
class _Led:
    """A state is the node that was reached, after how many positives and comparisons."""

    law: Law
    strategy: Strategy
    scores: tuple[int, ...]
    start = (0, 0, 0)

    def branches(self, run: Run, state: tuple[int, int, int]) -> Iterator[Branch]:
        place, positives, count = state
        if count == self.law.max_queries:
            raise ParameterError(f"a run has at most {count} comparisons")
        node = self.strategy.nodes[place]
        for answer, link in ((False, node.no), (True, node.yes)):
            after: Any = (link, positives + answer, count + 1)
            if link is None or positives + answer == self.law.cutoff:
                after = Told((place, answer))
            yield run.answer(self.scores[place], answer), after, answer


def _scores(law: Law, queries: Sequence[Step | Node]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the scores of both data sets in steps; raise unless they are neighbours."""
    law.check_moves([(query.score, query.neighbour) for query in queries])
    one = tuple(law.steps(query.score) for query in queries)
    return one, tuple(law.steps(query.neighbour) for query in queries)


#: Released values are enumerated as far as the noise reaches with this log-chance; what is beyond
#: is one more outcome, which nobody needs to tell apart for a lower bound.
VALUE_DEPTH = 20.0


def asked_in_turn(law: Law, scores: tuple[int, ...], *, labels: bool = False) -> Inquiry:
    """Return a list that is asked in turn; of a batch the labels alone come out."""
    if labels and law.releases_value:
        raise ParameterError("a mechanism that releases values is audited by its answers")
    if law.rounds is not None or law.max_queries is not None:
        return _Queue(law, scores, labels)
    if not labels:
        raise ParameterError(
            "rounds must be limited to enumerate answers; audit the labels of an unlimited race"
        )
    return _Circle(law, scores)


@dataclass(frozen=True)
class _Queue:
    """A state is what was said, how many were positive, and who is next, asked how often."""

    law: Law
    scores: tuple[int, ...]
    labels: bool

    @property
    def start(self) -> Any:
        return self._state((), 0, 0, tuple((query, 0) for query in range(len(self.scores))))

    def _state(self, transcript: tuple[Any, ...], positives: int, count: int, queue: Any) -> Any:
        law = self.law
        if not queue or positives == law.cutoff or count == law.max_queries:
            return Told(transcript)
        return transcript, positives, count, queue

    def branches(self, run: Run, state: Any) -> Iterator[Branch]:
        transcript, positives, count, ((query, times), *others) = state
        score, rounds = self.scores[query], self.law.rounds
        for outcome in self._positive_outcomes(run, score):
            now = (*transcript, query if self.labels else (query, outcome))
            after = self._state(now, positives + 1, count + 1, tuple(others))
            yield run.answer(score, outcome), after, True
        back = [(query, times + 1)] if rounds is None or times + 1 < rounds else []
        now = transcript if self.labels else (*transcript, (query, False))
        after = self._state(now, positives, count + 1, (*others, *back))
        yield run.answer(score, False), after, False

    def _positive_outcomes(self, run: Run, score: int) -> list[int | bool]:
        """Return what a positive can say: True, or the values that are likely enough to matter."""
        law = self.law
        if not law.releases_value:
            return [True]
        points = run.points.steps
        low = min(score, int(run.level + points[0])) - law.reach
        high = max(score, int(run.level + points[-1])) + law.reach
        values = range(low, high + 1)
        return [value for value in values if log_cell(law, value - score) > -VALUE_DEPTH]


@dataclass(frozen=True)
class _Circle:
    """A state is who was found, and where the circle goes on. Who has no chance is never found."""

    law: Law
    scores: tuple[int, ...]

    @property
    def start(self) -> Any:
        return ((), 0) if self.scores else Told(())

    def branches(self, run: Run, state: Any) -> Iterator[Branch]:
        winners, start = state
        size = len(self.scores)
        remaining = [k % size for k in range(start, start + size) if k % size not in winners]
        # 1 - e^-(sum of hazards), where a sum as small as it likes keeps its digits.
        log_sum = np.logaddexp.reduce([self._log_hazards(run, k) for k in remaining], axis=0)
        log_any = _log_one_minus_exp(log_sum)
        passed = np.zeros_like(log_any)
        for k in remaining:
            chance = np.minimum(passed + run.answer(self.scores[k], True) - log_any, 0.0)
            chance[-2:] = 0.0  # beyond the points anything may happen
            now = (*winners, k)
            over = len(now) in {self.law.cutoff, size}
            yield chance, Told(now) if over else (now, k + 1), True
            passed = passed + run.answer(self.scores[k], False)

    def _log_hazards(self, run: Run, query: int) -> Array:
        """Log of -ln F at every point; the two columns beyond are not used."""
        if self.law.query is None:
            raise ParameterError("rounds must be limited for a mechanism without query noise")
        gaps = (run.level + run.points.steps - self.scores[query]) * float(self.law.grid)
        return np.concatenate([self.law.query.log_hazard(gaps), [0.0, 0.0]])


def _log_one_minus_exp(log_hazard: Array) -> Array:
    """Log of 1 - e^-h, from the log of h."""
    with np.errstate(over="ignore", divide="ignore"):
        hazard = np.exp(log_hazard)
        near = np.log(-np.expm1(-hazard))
    return np.where(log_hazard < -18.5, log_hazard - np.minimum(hazard, 1.0) / 2, near)
