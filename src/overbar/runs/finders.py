"""How a batch run finds its labels: the highest noisy values, or those who pass when asked in turn.

**The highest** win batch after batch, against one bar or none.

**In turn** candidates are asked once, or again and again. Asking again after every negative answer
is a race (see :mod:`overbar.sampling.race`): one draw per candidate gives the whole run,
identical in law to asking one by one, round after round. Races merge, so candidates may come in
batches, and then only the first so far are kept.

Theory: :doc:`/theory/ranked`, :doc:`/theory/histogram`, :doc:`/theory/appending`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np

from overbar.errors import SecrecyError
from overbar.mechanisms import Plan
from overbar.runs.hidden_bar import HiddenBar
from overbar.runs.scores import Steps
from overbar.sampling.entropy import Source, random_words
from overbar.sampling.highest import Ranked
from overbar.sampling.runner import Runner

#: What positives sort by: when they were found, or how high their values are.
Key = Runner | Ranked | int


class Batch(NamedTuple):
    """Some of the candidates, as grid steps."""

    steps: Steps
    labels: Sequence[Hashable] | None


class Positive(NamedTuple):
    """A candidate that turned positive. Positives sort by when that was."""

    when: Key
    candidate: int
    label: Hashable
    #: In grid steps, where it gets new noise for a count. It is private.
    score: int | None = None

    def __repr__(self) -> str:
        return f"Positive at {self.candidate}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a positive holds a secret score: it cannot be pickled or copied")


class Positives:
    """The best so far of candidates that come in batches. It is private until a run is over."""

    def __init__(self, most: int, *, with_scores: bool) -> None:
        self.best: list[Positive] = []
        self.total = 0
        self._most, self._with_scores = most, with_scores

    def add(self, batch: Batch, passed: Iterable[tuple[Key, int]]) -> None:
        """Take in those of a batch that passed, and keep the best of all."""
        offset, kept, steps = self.total, self._with_scores, batch.steps
        self.best += [
            Positive(
                when,
                offset + place,
                offset + place if batch.labels is None else batch.labels[place],
                int(steps[place]) if kept else None,
            )
            for when, place in passed
        ]
        self.best = sorted(self.best)[: self._most]
        self.total += len(steps)

    def __repr__(self) -> str:
        return "Positives (hidden)"


@dataclass(frozen=True)
class Highest:
    """Gives each candidate a noisy value and keeps the highest that reach the level.

    Where values come out, one more than the cutoff is kept: the highest that was beaten.
    """

    plan: Plan
    level: int | None
    #: Whether scores get new noise for counts.
    with_scores: bool = False

    def find(self, batches: Iterable[Batch], bar: HiddenBar, _: Source) -> Positives:
        """Return those with the highest values."""
        most = self.plan.cutoff + self.plan.gives_values
        positives = Positives(most, with_scores=self.with_scores)
        for batch in batches:
            best = bar.highest(batch.steps, self.level, most)
            positives.add(batch, ((one, one.place) for one in best))
        return positives


@dataclass(frozen=True)
class InTurn:
    """Asks candidates in turn, in a random order, against one bar."""

    plan: Plan
    level: int
    #: Whether scores get new noise for counts.
    with_scores: bool = False

    def find(self, batches: Iterable[Batch], bar: HiddenBar, source: Source) -> Positives:
        """Return who was positive first."""
        once = self.plan.repeats.rounds == 1
        ask: Callable[[Steps, HiddenBar, Source], Sequence[tuple[Key, int]]] = (
            self._asked_once if once else self._asked_again
        )
        positives = Positives(self.plan.cutoff, with_scores=self.with_scores)
        for batch in batches:
            positives.add(batch, ask(batch.steps, bar, source))
        return positives

    def _asked_once(self, steps: Steps, bar: HiddenBar, source: Source) -> list[tuple[int, int]]:
        """Ask each once. The order of the few that pass is all that matters."""
        places = bar.passing(steps, self.level)
        keys = random_words(len(places), 64, source)
        first = np.argsort(keys, kind="stable")[: self.plan.cutoff]
        return list(zip(keys[first].tolist(), places[first].tolist(), strict=True))

    def _asked_again(self, steps: Steps, bar: HiddenBar, _: Source) -> list[tuple[Runner, int]]:
        """Ask each until it turns positive. Positions decide between those of one round."""
        runners = bar.race(
            steps, self.level, count=self.plan.cutoff, rounds=self.plan.repeats.rounds
        )
        return [(runner, runner.place) for runner in runners]
