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

from overbar.simulation.candidates import Indices

#: From run numbers to what each of them selected.
Job = Callable[[range], list[Indices]]

#: Below this many draws a second process costs more than it saves.
WORTH_A_PROCESS = 5e7

_job: Job


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def sensible_workers(runs: int, candidates: int) -> int:
    """Return how many processes pay for themselves; one where starting them needs care."""
    if multiprocessing.current_process().daemon or not sys.platform.startswith("linux"):
        return 1
    return max(1, min(usable_cores(), int(runs * candidates / WORTH_A_PROCESS)))


def chunks(runs: range, size: int) -> list[range]:
    """Cut run numbers into chunks."""
    return [runs[start : start + size] for start in range(0, len(runs), size)]


def in_this_process(job: Job, parts: list[range]) -> Iterator[tuple[range, list[Indices]]]:
    """Do one chunk after the other."""
    for part in parts:
        yield part, job(part)


def in_processes(
    job: Job, parts: list[range], workers: int
) -> Iterator[tuple[range, list[Indices]]]:
    """Share chunks out among processes, and give back each as it is done."""
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
            by_future: dict[Future[list[Indices]], range] = {
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


def _begin(job: Job) -> None:
    global _job  # noqa: PLW0603  # one job for the life of a worker
    _job = job
    end_with_parent()


def _work(part: range) -> list[Indices]:
    return _job(part)
