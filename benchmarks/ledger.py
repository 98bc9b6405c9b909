"""Reserve and settle from 32 processes at once: a file against a database, in one run.

Run with ``python -m benchmarks ledger``. Both are kept in the same folder, in memory where there is
such a place: with a disk it is the disk that is measured.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import overbar
from benchmarks import AbsentError
from overbar.ledger import Description, Reservation

Row = dict[str, object]


def hammered(where: str, processes: int, seconds: float) -> float:
    """Return how many pairs were made per second, by so many processes on one budget."""
    ledger = overbar.Ledger(where)
    ledger.open("shared", epsilon=10**8)
    context = multiprocessing.get_context("fork")
    together, counts = context.Barrier(processes), context.SimpleQueue()
    workers = [
        context.Process(target=_work, args=(where, seconds, together, counts))
        for _ in range(processes)
    ]
    for worker in workers:
        worker.start()
    pairs = sum(counts.get() for _ in workers)
    for worker in workers:
        worker.join()
    ledger.verify()
    if len(ledger.show("shared").entries) != pairs:
        raise AssertionError("a pair was lost")
    return pairs / seconds


def _work(where: str, seconds: float, together: Any, counts: Any) -> None:
    ledger, pairs = overbar.Ledger(where), 0
    plan = overbar.calibrate(epsilon="1/4", cutoff=2, monotonic=True, candidates=100)
    ledger.remaining("shared")
    together.wait()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        held = ledger.reserve("shared", Description("batch", plan, Fraction(5)))
        assert isinstance(held, Reservation)
        held.settle(positives=1, asked=True)
        pairs += 1
    counts.put(pairs)


def rows(check: bool = False) -> list[Row]:
    """Measure both."""
    try:
        from tests.ledger.server import FAST, Server
    except ImportError as error:
        raise AbsentError(str(error)) from None
    processes, seconds = (2, 0.2) if check else (32, 8.0)
    server = Server()
    try:
        with tempfile.TemporaryDirectory(dir=FAST) as folder:
            file = hammered(str(Path(folder) / "ledger.db"), processes, seconds)
        database = hammered(server.address(), processes, seconds)
    finally:
        server.close()
    return [
        {"name": f"{processes} processes, {name}", "pairs per second": rate, "ratio": rate / file}
        for name, rate in (("file (SQLite)", file), ("database (PostgreSQL)", database))
    ]
