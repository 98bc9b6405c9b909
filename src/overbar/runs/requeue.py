"""Ask negatives again on an endless stream, at random later times.

A batch puts a negative query at the end of the queue. A stream has no end, so a negative waits in
a room of bounded size, and before each question a fair coin decides whether the next query comes
from the stream or, at random, from the room. If the room is full, a random one of those waiting
leaves for good. All of this randomness is public and independent of the scores, so re-asking is as
free as any negative answer.

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from overbar import _check
from overbar.errors import ParameterError
from overbar.runs.online import SparseVector
from overbar.runs.secrecy import Unshareable, sealed
from overbar.sampling.entropy import Source, random_below, random_bits, system


class _Waiting(NamedTuple):
    label: Hashable
    score: object
    #: Empty, or the threshold of its own.
    threshold: tuple[Any, ...]
    asked: int

    def __repr__(self) -> str:
        return "a query (hidden)"


class Requeue(Unshareable):
    """Iterates over the labels of positive queries, re-asking negatives, until the run halts.

    When the stream ends, those waiting are asked on until they are used up or the run halts. The
    run itself stays open: with a ledger, use it in a ``with`` block.

    Parameters
    ----------
    run : SparseVector
        The run that answers. Its plan's ``rounds`` says how often a query may be asked.
    queries : iterable of tuple
        Pairs (label, score), possibly without end. If the run was made without a threshold, each
        query brings its own, which is public: (label, score, threshold).
    room : int, default 1024
        How many negatives may wait to be asked again: the memory this takes.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(
    ...     epsilon=1, cutoff=2, monotonic=True, candidates=100, rounds="unlimited"
    ... )
    >>> stream = iter([("quiet", 0), ("alarm", 10**6), ("fire", 10**6)])
    >>> sorted(Requeue(overbar.SparseVector(plan, threshold=500), stream))
    ['alarm', 'fire']
    """

    __slots__ = ("_queries", "_room", "_run", "_source", "_waiting")

    @sealed
    def __init__(
        self, run: SparseVector, queries: Iterable[tuple[Any, ...]], *, room: int = 1024
    ) -> None:
        if not isinstance(run, SparseVector):
            raise ParameterError("run must be a SparseVector")
        self._run = run
        self._queries: Iterator[tuple[Any, ...]] | None = iter(queries)
        self._room = _check.whole("room", room)
        self._waiting: list[_Waiting] = []
        self._source: Source = system

    def __repr__(self) -> str:
        return f"Requeue over {self._run!r}"

    def __iter__(self) -> Iterator[Hashable]:
        return self

    @sealed
    def __next__(self) -> Hashable:
        while not self._run.halted:
            query = self._next_query()
            if query is None:
                raise StopIteration
            if self._run.ask(query.score, *query.threshold):
                return query.label
            self._wait(query._replace(asked=query.asked + 1))
        raise StopIteration

    def _next_query(self) -> _Waiting | None:
        """Take from the stream or from the room, by a fair coin while both have something."""
        if self._queries is not None and (not self._waiting or random_bits(1, self._source)):
            try:
                query = next(self._queries)
            except StopIteration:
                self._queries = None
            else:
                if not isinstance(query, (tuple, list)) or len(query) not in (2, 3):
                    raise ParameterError(
                        "queries must be tuples (label, score), or (label, score, threshold)"
                    )
                label, score, *threshold = query
                return _Waiting(label, score, tuple(threshold), 0)
        return self._take_any() if self._waiting else None

    def _wait(self, query: _Waiting) -> None:
        rounds = self._run.plan.repeats.rounds
        if rounds is not None and query.asked >= rounds:
            return
        self._waiting.append(query)
        if len(self._waiting) > self._room:
            self._take_any()

    def _take_any(self) -> _Waiting:
        """Take a random one out of the room, in constant time: the last one fills its place."""
        place = random_below(len(self._waiting), self._source)
        self._waiting[place], self._waiting[-1] = self._waiting[-1], self._waiting[place]
        return self._waiting.pop()
