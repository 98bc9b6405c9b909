"""What a run says of a list of scores that is asked in turn.

A transcript has for each comparison which query was asked and what came out, until the run halts.
Queries that were negative go to the end of the queue until they have been asked ``rounds`` times.
A batch release says less: which queries were positive, in the order found.

With unlimited rounds there is no last comparison; there the next winner is drawn around the circle
of those that remain, and the chance that query k is next, with the others F before it, is
F·…·F·S / (1 - product of all F).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from overbar.audit.profile import Array
from overbar.errors import ParameterError
from tests.attacks.exact.run import Branch, Inquiry, Run, Told

if TYPE_CHECKING:
    from tests.attacks.exact.law import Law


def asked_in_turn(law: Law, scores: tuple[int, ...], *, labels: bool = False) -> Inquiry:
    """Return a list that is asked in turn; of a batch the labels alone come out."""
    if law.rounds is not None or law.max_queries is not None:
        return Queue(law, scores, labels)
    if not labels:
        raise ParameterError(
            "rounds must be limited to enumerate answers; audit the labels of an unlimited race"
        )
    return _Circle(law, scores)


@dataclass(frozen=True)
class Queue:
    """A state is what was said, how many were positive, and who is next, asked how often."""

    law: Law
    scores: tuple[int, ...]
    labels: bool

    @property
    def start(self) -> Any:
        """The queue as it is, and nothing said."""
        return self._state((), 0, 0, tuple((query, 0) for query in range(len(self.scores))))

    def _state(self, transcript: tuple[Any, ...], positives: int, count: int, queue: Any) -> Any:
        law = self.law
        if not queue or positives == law.cutoff or count == law.max_queries:
            return Told(transcript)
        return transcript, positives, count, queue

    def branches(self, run: Run, state: Any) -> Iterator[Branch]:
        """Yield both answers of who is next."""
        transcript, positives, count, ((query, times), *others) = state
        score, rounds = self.scores[query], self.law.rounds
        now = (*transcript, query if self.labels else (query, True))
        after = self._state(now, positives + 1, count + 1, tuple(others))
        yield run.answer(score, True), after, True
        back = [(query, times + 1)] if rounds is None or times + 1 < rounds else []
        now = transcript if self.labels else (*transcript, (query, False))
        after = self._state(now, positives, count + 1, (*others, *back))
        yield run.answer(score, False), after, False


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
