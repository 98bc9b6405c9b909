"""Runs spread over processes. A run depends on its seed and number alone, so any split will do.

Workers are forked where the system can: they inherit the job as it is, nothing is pickled on
the way in, and a plain script needs no ``if __name__ == "__main__"``. They only compute on arrays
and write to their own pipe. Elsewhere they are spawned, and the usual rules of multiprocessing
hold.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from overbar.simulation.candidates import Indices

#: From run numbers to what each of them selected.
Job = Callable[[range], list[Indices]]
#: Number of the first run of a chunk, how many each run selected, and all of that in one array.
Message = tuple[int, Indices, Indices]

#: Below this many draws a second process costs more than it saves.
WORTH_A_PROCESS = 5e7


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
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")
    by_start = {part.start: part for part in parts}
    processes, pipes = [], []
    try:
        for number in range(workers):
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(
                target=_work, args=(job, parts[number::workers], theirs), daemon=True
            )
            with warnings.catch_warnings():
                # Newer Pythons warn of any fork beside threads, such as those of a BLAS library
                # that stands idle here. The child takes no lock that another thread could hold.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            theirs.close()
            processes.append(process)
            pipes.append(mine)
        for start, lengths, flat in _messages(pipes):
            yield by_start.pop(start), np.split(flat, np.cumsum(lengths)[:-1])
        if by_start:
            raise RuntimeError("a worker process of the simulation died; try workers=1")
    finally:
        for process in processes:
            process.terminate()
            process.join()
        for pipe in pipes:
            pipe.close()


def _messages(pipes: list[Connection]) -> Iterator[Message]:
    """Yield what workers send until all of them have closed their pipes."""
    waiting = list(pipes)
    while waiting:
        for ready in wait(waiting):
            assert isinstance(ready, Connection)
            try:
                message = ready.recv()
            except EOFError:
                waiting.remove(ready)
                continue
            if isinstance(message, BaseException):
                raise message
            yield message


def _work(job: Job, parts: list[range], pipe: Connection) -> None:
    """Do a worker's share; errors travel back like results."""
    try:
        for part in parts:
            found = job(part)
            lengths = np.array([len(one) for one in found], dtype=np.int64)
            pipe.send((part.start, lengths, np.concatenate(found)))
    except Exception as error:
        pipe.send(error)
    finally:
        pipe.close()
