"""Our own mechanisms, as the audit runs them: as a user would, with real entropy.

Each run is a release of its own, drawn as any user's would be; the simulator's is seeded. Outcomes
are rows of whole numbers, padded with ``NONE``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from overbar._check import Number, rational
from overbar.audit.interfaces import Outcomes, Sampler
from overbar.frames import Question
from overbar.mechanisms import Composed, Plan
from overbar.privacy import unlisted_delta
from overbar.runs import SparseVector, select, top
from overbar.runs.batch import release
from overbar.runs.batch_run import BatchRun
from overbar.runs.many_runs import SparseVectors
from overbar.runs.monitor import Monitor
from overbar.runs.positives import Batch
from overbar.runs.requeue import Requeue
from overbar.runs.scores import Ruler
from tests.attacks.laboratory import simulate

#: Fills rows up where a run found fewer, or halted.
NONE = -1


def rows_of(run: Callable[[Any], Sequence[int]], width: int | None = None) -> Sampler:
    """Return a subject that makes one run after another; without `width` as wide as the data."""
    return Sampler(
        lambda data, runs: _padded((run(data) for _ in range(runs)), runs, width or len(data))
    )


def _padded(outcomes: Iterable[Sequence[int]], runs: int, width: int) -> Outcomes:
    rows = np.full((runs, width), NONE, dtype=np.int64)
    for row, one in zip(rows, outcomes, strict=True):
        row[: len(one)] = one
    return rows


def select_runs(plan: Plan, threshold: Number) -> Sampler:
    """Who :func:`overbar.select` or, with a plan of top's, :func:`overbar.top` finds, in order.

    Where the plan has counts, the places come first and then the counts, in grid steps.
    """
    plan = _bounded(plan, threshold)

    def run(data: Any) -> Sequence[int]:
        if plan.for_top:
            selection = top(data, plan=plan)
        else:
            selection = select(data, threshold=threshold, plan=plan)
        places = list(selection.indices or ())
        if selection.counts is None:
            return places
        none = [NONE] * (plan.cutoff - len(places))
        return [*places, *none, *(int(count.value / plan.grid) for count in selection.counts)]

    return rows_of(run, plan.cutoff * (2 if plan.gives_counts else 1))


def _bounded(plan: Plan, upper_bound: Number) -> Plan:
    """Return a plan as it is to be audited: a top that is asked in turn has its bound."""
    if isinstance(plan, Composed):
        return replace(plan, labels=_bounded(plan.labels, upper_bound))
    bar = plan.bar
    if bar is None or not bar.above_all:
        return plan
    bar = replace(bar, upper_bound=rational("upper_bound", upper_bound))
    return replace(plan, bar=bar)  # type: ignore[type-var]  # plans are dataclasses


def online_runs(plan: Plan, threshold: Number) -> Sampler:
    """Every answer of :class:`overbar.SparseVector` until it halts."""
    return rows_of(lambda data: list(SparseVector(plan, threshold=threshold).answers(data)))


def monitor_runs(plan: Plan, threshold: Number) -> Sampler:
    """Every answer of :class:`overbar.Monitor`; data are who is asked about, each time."""
    return rows_of(lambda data: [*map(Monitor(plan, threshold=threshold).ask, data)])


def runs_at_once(plan: Plan, threshold: Number) -> Sampler:
    """Every answer of each run of :class:`overbar.SparseVectors` until it halts."""

    def sample(data: Any, runs: int) -> Outcomes:
        gate = SparseVectors(plan, threshold=threshold, runs=runs, disjoint=True)
        rows = np.full((runs, len(data)), NONE, dtype=np.int64)
        for place, score in enumerate(data):
            going = ~gate.halted
            if going.any():
                rows[going, place] = gate.ask(np.full(runs, score))[going]
        return rows

    return Sampler(sample)


def requeue_runs(plan: Plan, threshold: Number) -> Sampler:
    """Who is found in a stream whose negatives come back, in order."""

    def run(data: Any) -> Sequence[int]:
        stream = Requeue(SparseVector(plan, threshold=threshold), enumerate(data))
        return [int(str(label)) for label in stream]

    return rows_of(run, plan.cutoff)


def unlisted_runs(plan: Plan, threshold: Number, catalogue: Sequence[str]) -> Sampler:
    """Who is found, in order, if the candidates are the items that occur in the data.

    Data are counts by item; an item nobody holds does not take part.
    """
    contest = BatchRun(plan, plan.level(threshold))
    delta = unlisted_delta(plan, threshold, 1)

    def run(data: Mapping[str, int]) -> Sequence[int]:
        items = [item for item, held in data.items() if held]
        steps = Ruler.of(plan.grid).many(np.array([data[item] for item in items]))
        selection = release(contest, [Batch(steps, items)], unlisted_delta=delta)
        return [catalogue.index(str(label)) for label in selection.labels]

    return rows_of(run, plan.cutoff)


def key_runs(question: Question, keys: str) -> Sampler:
    """Which keys come out of a table, as letters; data are the keys of each person."""
    import pyarrow

    def run(data: Mapping[str, str]) -> Sequence[int]:
        rows = [(person, key) for person, held in data.items() for key in held]
        person, item = ([row[side] for row in rows] for side in (0, 1))
        columns = {"person": pyarrow.array(person, "string"), "key": pyarrow.array(item, "string")}
        keys_found = question.run(pyarrow.table(columns))
        return [keys.index(str(label)) for label in keys_found]

    return rows_of(run, len(keys))


def simulated_runs(plan: Plan, threshold: Number, seed: int) -> Sampler:
    """Who :func:`overbar_lab.simulate` finds, in order: seeded, in floats, and never a release."""
    done = 0

    def sample(data: Any, runs: int) -> Outcomes:
        nonlocal done  # every sample goes on in the seed's runs
        simulated = simulate(
            plan, data, threshold=threshold, runs=runs, seed=seed, first_run=done, workers=1
        )
        done += runs
        return _padded((one.tolist() for one in simulated.selected), runs, plan.cutoff)

    return Sampler(sample)
