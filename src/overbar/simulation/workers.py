"""Runs spread over processes. A run depends on its seed and number alone, so any split will do.

Workers are forked where the system can: they inherit the job as it is, nothing is pickled on
the way in, and a plain script needs no ``if __name__ == "__main__"``. They only compute on arrays.
Elsewhere they are spawned, and the usual rules of multiprocessing hold.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

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
