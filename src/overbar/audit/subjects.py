"""Our own mechanisms, as the audit runs them: as a user would, with real entropy.

Every class here has ``sample(data, runs)``. Each run is a release of its own, drawn as any user's
would be; the simulator's is seeded. Outcomes are rows of whole numbers, padded with ``NONE``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar._check import Number
from overbar.accounting import unlisted_delta
from overbar.mechanism import SparseVector, select, top
from overbar.mechanism.batch import release
from overbar.mechanism.batch_run import Batch, BatchRun, OrderName
from overbar.mechanism.requeue import Requeue
from overbar.mechanism.scores import Ruler
from overbar.plan import Plan
from overbar.simulation import simulate

#: Fills rows up where a run found fewer, or halted.
NONE = -1

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class SelectRuns:
    """:func:`overbar.select` with a plan; also what :func:`overbar.top` does with its plan."""

    plan: Plan
    threshold: Number
    order: OrderName = "given"

    def sample(self, data: Any, runs: int) -> Rows:
        """Return who was selected, in the order found."""
        rows = np.full((runs, self.plan.cutoff), NONE, dtype=np.int64)
        for row in rows:
            if self.plan.is_top:
                found = top(data, upper_bound=self.threshold, plan=self.plan, order=self.order)
            else:
                found = select(data, threshold=self.threshold, plan=self.plan, order=self.order)
            row[: len(found)] = found.indices or ()
        return rows


@dataclass(frozen=True)
class OnlineRuns:
    """:class:`overbar.SparseVector`, asked one score after the other."""

    plan: Plan
    threshold: Number

    def sample(self, data: Any, runs: int) -> Rows:
        """Return every answer until the run halts."""
        rows = np.full((runs, len(data)), NONE, dtype=np.int64)
        for row in rows:
            answers = list(SparseVector(self.plan, threshold=self.threshold).answers(data))
            row[: len(answers)] = answers
        return rows


@dataclass(frozen=True)
class RequeueRuns:
    """:class:`overbar.mechanism.requeue.Requeue`: a stream whose negatives come back."""

    plan: Plan
    threshold: Number

    def sample(self, data: Any, runs: int) -> Rows:
        """Return the places of positive queries, in the order found."""
        rows = np.full((runs, self.plan.cutoff), NONE, dtype=np.int64)
        for row in rows:
            run = SparseVector(self.plan, threshold=self.threshold)
            found = [int(str(label)) for label in Requeue(run, enumerate(data))]
            row[: len(found)] = found
        return rows


@dataclass(frozen=True)
class UnlistedRuns:
    """A selection whose candidates are the items that occur in the data.

    Data are counts by item; an item nobody holds does not take part.
    """

    plan: Plan
    threshold: Number
    catalogue: Sequence[str]
    items_per_person: int = 1

    def sample(self, data: Mapping[str, int], runs: int) -> Rows:
        """Return the selected items, in the order found."""
        contest = BatchRun(self.plan, self.plan.level(self.threshold), "random")
        items = [item for item, count in data.items() if count]
        steps = Ruler.of(self.plan.grid).many(np.array([data[item] for item in items]))
        delta = unlisted_delta(self.plan, self.threshold, self.items_per_person)
        place = {item: number for number, item in enumerate(self.catalogue)}
        rows = np.full((runs, self.plan.cutoff), NONE, dtype=np.int64)
        for row in rows:
            found = release(contest, [Batch(steps, items)], unlisted_delta=delta)
            row[: len(found)] = [place[str(label)] for label in found.labels]
        return rows


class SimulatedRuns:
    """:func:`overbar.simulate`: seeded, in floats, and never a release."""

    def __init__(self, plan: Plan, threshold: Number, seed: int, order: str = "given") -> None:
        self.plan, self.threshold, self.seed, self.order = plan, threshold, seed, order
        self._next = 0

    def sample(self, data: Any, runs: int) -> Rows:
        """Return who was selected, in the order found; every call goes on in the seed's runs."""
        found = simulate(
            self.plan,
            data,
            threshold=self.threshold,
            runs=runs,
            seed=self.seed,
            order=self.order,
            first_run=self._next,
            workers=1,
        )
        self._next += runs
        rows = np.full((runs, self.plan.cutoff), NONE, dtype=np.int64)
        for row, one in zip(rows, found.selected, strict=True):
            row[: len(one)] = one
        return rows
