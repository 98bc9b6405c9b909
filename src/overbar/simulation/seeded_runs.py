"""Many seeded runs at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError
from overbar.plans import Plan
from overbar.plans.plan import Finds
from overbar.simulation.candidates import Candidates, Indices, Mechanism, Simulated, read_candidates
from overbar.simulation.seeded_race import race_run
from overbar.simulation.seeded_values import values_run
from overbar.simulation.workers import Report, sensible_workers, silent, spread

#: One run on some candidates.
Run = Callable[[Candidates, np.random.Generator], Indices]

#: How a run is simulated, by how labels come out of a plan.
RUNS: dict[Finds, Callable[[Plan, Candidates, np.random.Generator], Indices]] = {
    "highest": values_run,
    "in turn": race_run,
}

#: Runs between two reports of progress: at most a hundredth of all, and never below this many.
SMALLEST_CHUNK = 4


@_check.known_keywords
def simulate(
    plan: Plan | Mechanism,
    scores: Any,
    *,
    threshold: Number,
    runs: int,
    seed: int,
    order: str = "random",
    first_run: int = 0,
    workers: int | None = None,
    memory: int = 1 << 26,
    progress: Report | None = None,
) -> Simulated:
    """Simulate many runs of a plan, or of another mechanism, on known scores.

    A study tool: seeded, fast, in floating point, with continuous noise instead of the grid of
    releases. It protects nobody; to release, use :func:`overbar.select` or :func:`overbar.top`.

    Parameters
    ----------
    plan : Plan or mechanism
        A plan, or anything with a ``cutoff`` and a ``run`` (see :mod:`overbar.paper.methods`).
    scores : sequence, array or Series
        One score per candidate.
    threshold : int, float, str, Fraction or Decimal
        The public level.
    runs : int
        How many runs.
    seed : int
        A whole number from zero up.
    order : {"random", "given"}, default "random"
        The public order in which candidates are asked: "random", anew in each run, or "given".
    first_run : int, default 0
        The number of the first run. Run i depends on the seed and i alone, so
        ``runs=1, first_run=i`` replays it.
    workers : int, optional
        Processes to use; by default as many as there are cores, if the work is worth it. Results
        are the same for any number.
    memory : int
        Bytes that one worker may use for its draws, besides the scores and the result.
    progress : callable, optional
        Told how many runs are done, and how many there are.

    Returns
    -------
    Simulated
        What each run selected.

    Raises
    ------
    ParameterError
        If a parameter is wrong; the message says what to write instead.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, candidates=5)
    >>> simulate(plan, [900, 3, 700, 5, 1], threshold=100, runs=2, seed=7)
    Simulated, not released: runs 0 to 1 of seed 7 on 5 candidates at threshold 100; 2 selected ...
      simulated run 0: 0, 2
      simulated run 1: 0, 2
    """
    candidates = read_candidates(scores, threshold, order, memory)
    start = _check.whole("first_run", first_run, lowest=0)
    numbers = range(start, start + _check.whole("runs", runs))
    checked_seed = _check.whole("seed", seed, lowest=0, largest=math.inf)
    if workers is None:
        processes = sensible_workers(len(numbers) * len(candidates))
    else:
        processes = min(_check.whole("workers", workers), len(numbers))
    job = _SeededRun(_run_of(plan), candidates, checked_seed)
    chunk = max(SMALLEST_CHUNK, len(numbers) // 100)
    report = silent if progress is None else progress
    if not callable(report):
        raise ParameterError(f"progress must be a function, got {progress!r}")
    selections = spread(job, numbers, workers=processes, chunk=chunk, report=report)
    return Simulated(
        selected=tuple(selections),
        mechanism=plan,
        seed=checked_seed,
        first_run=numbers.start,
        scores=candidates.scores,
        threshold=candidates.threshold,
        order=candidates.order,
    )


@dataclass(frozen=True)
class _SeededRun:
    """All that a worker needs to know."""

    run: Run
    candidates: Candidates
    seed: int

    def __call__(self, number: int) -> Indices:
        selected = self.run(self.candidates, generator_of(self.seed, number))
        return np.asarray(selected, np.int64)


def generator_of(seed: int, run: int) -> np.random.Generator:
    """Return the generator of one run: nothing but the seed and the run's number decide it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))


def _run_of(plan: Plan | Mechanism) -> Run:
    if isinstance(plan, Plan):
        run = RUNS.get(plan.labels.finds)
        if run is None:
            raise ParameterError(f"plan must be one for scores, got one for {plan.labels.finds}")
        return partial(run, plan.labels)
    if not callable(getattr(plan, "run", None)) or not hasattr(plan, "cutoff"):
        raise ParameterError(
            f"plan must be a Plan, or have a cutoff and a run, got {type(plan).__name__}"
        )
    return plan.run
