"""What an adversary asks: one path, or queries that depend on the answers.

A pure loss is the loss of one transcript, and along one transcript it makes no difference whether
the queries were chosen adaptively. So the search for the largest loss looks at paths. A step that
is taken many times in a row counts with its power, which makes long runs cheap.

A strategy is a list of nodes. Each asks one query, given by its score on both data sets, and goes
on to a later node after either answer. A binary tree is the plain case. Two answers may also lead
to the same node: then the adversary forgets which it was, which can only lower what it learns, so
a δ found this way is still a true lower bound, and long runs stay small. What an adversary sees in
the end is where it stopped.

Where values are released, an outcome is the value in grid steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from overbar._numbers import number_text
from overbar.errors import ParameterError
from tests.attacks.exact.run import Branch, Inquiry, Run, Told

if TYPE_CHECKING:
    from tests.attacks.twin_law import Law


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
