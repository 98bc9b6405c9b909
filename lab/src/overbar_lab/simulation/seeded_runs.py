"""Many seeded runs at once, spread over processes.

A run depends on its seed and number alone, so any split will do. Workers are forked where the
system can: they inherit the job as it is, nothing is pickled on the way in, and a plain script
needs no ``if __name__ == "__main__"``. They only compute on arrays. Elsewhere they are spawned, and
the usual rules of multiprocessing hold.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from overbar.errors import ParameterError
from overbar.mechanisms import ScorePlan
from overbar_lab import checks
from overbar_lab.checks import Number
from overbar_lab.simulation.candidates import (
    Candidates,
    Mechanism,
    Outcome,
    Simulated,
    in_grid_steps,
    read_candidates,
)
from overbar_lab.simulation.seeded import Chosen, Seeded, redrawn

T = TypeVar("T")
#: From the number of a run, or of a point of a figure, to what came out.
Job = Callable[[int], T]
#: Told how many are done, and how many there are.
Report = Callable[[int, int], None]

#: Below this many draws a second process costs more than it saves.
WORTH_A_PROCESS = 5e7

_job: Job[Any]


def silent(done: int, total: int) -> None:
    """Report nothing."""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def sensible_workers(draws: float) -> int:
    """Return how many processes pay for themselves; one where starting them needs care."""
    if multiprocessing.parent_process() is not None or not sys.platform.startswith("linux"):
        return 1
    return max(1, int(min(usable_cores(), draws / WORTH_A_PROCESS)))


def spread(
    job: Job[T], numbers: range, *, workers: int, chunk: int = 1, report: Report = silent
) -> list[T]:
    """Do a job for each number, chunks of them shared out among processes; results in order."""
    report(0, len(numbers))
    parts = [numbers[start : start + chunk] for start in range(0, len(numbers), chunk)]
    by_number: dict[int, T] = {}
    for part, results in _in_processes(job, parts, workers) if workers > 1 else _here(job, parts):
        by_number.update(zip(part, results, strict=True))
        report(len(by_number), len(numbers))
    return [by_number[number] for number in numbers]


def _here(job: Job[T], parts: list[range]) -> Iterator[tuple[range, list[T]]]:
    for part in parts:
        yield part, [job(number) for number in part]


def _in_processes(job: Job[T], parts: list[range], workers: int) -> Iterator[tuple[range, list[T]]]:
    forks = sys.platform.startswith("linux")
    pool = ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("fork" if forks else "spawn"),
        initializer=_begin,
        initargs=(job,),
    )
    try:
        with warnings.catch_warnings():
            # Newer Pythons warn of any fork beside threads, such as those of a BLAS library
            # that stands idle here. The child takes no lock that another thread could hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            by_future: dict[Future[list[T]], range] = {
                pool.submit(_work, part): part for part in parts
            }
        for done in as_completed(by_future):
            yield by_future[done], done.result()
    except (BrokenProcessPool, SystemExit):
        raise RuntimeError("a worker process of the simulation died; try workers=1") from None
    finally:
        pool.shutdown(cancel_futures=True)


def end_with_parent() -> None:
    """Make this worker end when the process that started it is gone, and leave Ctrl-C to that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_for_the_parent, daemon=True).start()


def _wait_for_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _begin(job: Job[Any]) -> None:
    global _job  # noqa: PLW0603  # one job for the life of a worker
    _job = job
    end_with_parent()


def _work(part: range) -> list[Any]:
    return [_job(number) for number in part]


#: One run on some candidates.
Run = Callable[[Candidates, np.random.Generator], Outcome]

#: Runs between two reports of progress: at most a hundredth of all, and never below this many.
SMALLEST_CHUNK = 4


def simulate(
    plan: ScorePlan | Mechanism,
    scores: Any,
    *,
    threshold: Number,
    runs: int,
    seed: int,
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
        A plan, or anything with a ``cutoff`` and a ``run`` (see :mod:`overbar_lab.paper.methods`).
    scores : sequence, array or Series
        One score per candidate.
    threshold : int, float, str, Fraction or Decimal
        The public level.
    runs : int
        How many runs.
    seed : int
        A whole number from zero up.
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
    candidates = read_candidates(scores, threshold, memory)
    start = checks.whole("first_run", first_run, lowest=0)
    numbers = range(start, start + checks.whole("runs", runs))
    checked_seed = checks.whole("seed", seed, lowest=0)
    if workers is None:
        processes = sensible_workers(len(numbers) * len(candidates))
    else:
        processes = min(checks.whole("workers", workers), len(numbers))
    job = _SeededRun(_run_of(plan, candidates), candidates, checked_seed)
    chunk = max(SMALLEST_CHUNK, len(numbers) // 100)
    report = silent if progress is None else progress
    if not callable(report):
        raise ParameterError(f"progress must be a function, got {progress!r}")
    outcomes = spread(job, numbers, workers=processes, chunk=chunk, report=report)
    return Simulated(
        selected=tuple(one.selected for one in outcomes),
        comparisons=np.array([one.comparisons for one in outcomes], dtype=np.float64),
        mechanism=plan,
        seed=checked_seed,
        first_run=numbers.start,
        scores=candidates.scores,
        threshold=candidates.threshold,
    )


@dataclass(frozen=True)
class _SeededRun:
    """All that a worker needs to know."""

    run: Run
    candidates: Candidates
    seed: int

    def __call__(self, number: int) -> Outcome:
        return self.run(self.candidates, generator_of(self.seed, number))


def generator_of(seed: int, run: int) -> np.random.Generator:
    """Return the generator of one run: nothing but the seed and the run's number decide it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))


def _run_of(plan: ScorePlan | Mechanism, candidates: Candidates) -> Run:
    if isinstance(plan, ScorePlan):
        return partial(plan_run, plan, level=_level_of(plan, candidates))
    if not callable(getattr(plan, "run", None)) or not hasattr(plan, "cutoff"):
        raise ParameterError(
            f"plan must be a Plan of scores, or have a cutoff and a run, got {type(plan).__name__}"
        )
    return partial(_mechanism_run, plan)


def _level_of(plan: ScorePlan, candidates: Candidates) -> float | None:
    """Return threshold plus correction in grid steps; None without a bar."""
    if plan.repeats.max_queries is not None:
        raise ParameterError("plan must be one without max_queries, which is for a run online")
    return None if plan.bar is None else level_at(candidates.threshold, plan)


def level_at(threshold: float, plan: ScorePlan) -> float:
    """Return a threshold plus the correction of a plan in its grid steps, not rounded to them."""
    return float((Fraction(threshold) + plan.correction) / plan.grid)


def plan_run(
    plan: ScorePlan, candidates: Candidates, generator: np.random.Generator, *, level: float | None
) -> Outcome:
    """Run a plan itself, on candidates in units, at a level in grid steps."""
    run, steps = Seeded(generator), in_grid_steps(candidates, plan.grid)
    if plan.repeats.resample and level is not None:
        found = redrawn(plan, run, steps, level)
    else:
        found = cast("Chosen", plan.run(run, steps, level).found)
    return Outcome(found.candidate, run.comparisons)


def _mechanism_run(
    mechanism: Mechanism, candidates: Candidates, generator: np.random.Generator
) -> Outcome:
    """Run what is no plan; it does not say how many comparisons it makes."""
    return Outcome(np.asarray(mechanism.run(candidates, generator), np.int64), math.nan)
