"""Candidates as grid steps, and those of them that turned positive."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, NoReturn

from overbar.errors import SecrecyError
from overbar.mechanism.scores import Steps
from overbar.sampling.ranked_draw import Ranked
from overbar.sampling.runner import Runner

#: What positives sort by: when they were found, or how high their values are.
Key = Runner | Ranked | int


class Batch(NamedTuple):
    """Some of the candidates, as grid steps."""

    steps: Steps
    labels: Sequence[Hashable] | None

    def label(self, place: int, offset: int) -> Hashable:
        """Return the label of a candidate; its index among all where there are no labels."""
        return offset + place if self.labels is None else self.labels[place]


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

    @property
    def full(self) -> bool:
        """Whether as many were found as may be."""
        return len(self.best) == self._most

    def add(self, batch: Batch, passed: Iterable[tuple[Key, int]]) -> None:
        """Take in those of a batch that passed, and keep the best of all."""
        offset, kept = self.total, self._with_scores
        self.best += (
            Positive(
                when,
                offset + place,
                batch.label(place, offset),
                int(batch.steps[place]) if kept else None,
            )
            for when, place in passed
        )
        self.best = sorted(self.best)[: self._most]
        self.total += len(batch.steps)

    def __repr__(self) -> str:
        return "Positives (hidden)"
