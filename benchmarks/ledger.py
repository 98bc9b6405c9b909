"""Ledgers in a file and in a database: how long a booking takes, and how many 32 processes make.

Run with ``python -m benchmarks ledger``. Both are kept in the same folder, in memory where there is
such a place: with a disk it is the disk that is measured. A booking is a reservation and its
settlement, in a ledger with so many runs in it; the shortest of 100 counts, and the ratio is to the
same booking with one run in the ledger. A *rested* dataset was not used since it was opened.

The last rows say how many runs of one plan a budget of (1, 1e-6) takes: by one Rényi order with
half of δ, and by the Gaussian potential, which is settled for such a first run; and how many races
that find 10 of 50, with what comes back of them and without.
"""

from __future__ import annotations

import math
import multiprocessing
import tempfile
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import overbar
from benchmarks import AbsentError
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.budget import Budget, budget_of, by_orders, by_potential
from overbar.ledger.charges import _by_curves, reserved
from overbar.ledger.description import Description
from overbar.ledger.endings import CURVES, cost_of, schedule_of
from overbar.ledger.reservation import Reservation
from overbar.ledger.row_events import Reserved, Settled, latest, record

Row = dict[str, object]
PLAN = overbar.plan(epsilon="1/4", cutoff=2, monotonic=True, candidates=100)
ASKED = Description("batch", PLAN, Fraction(5))
ANSWER = StoredAnswer.of(["tea"], [0])
SIZES, TURNS = (1, 1_000, 10_000, 100_000), 100


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
    ledger.remaining("shared")
    together.wait()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        held = ledger.reserve("shared", ASKED)
        assert isinstance(held, Reservation)
        held.settle(positives=1, asked=True)
        pairs += 1
    counts.put(pairs)


def booked(ledger: overbar.Ledger, name: str, request: str | None) -> None:
    """Reserve and settle one run."""
    held = ledger.reserve(name, ASKED, request_id=request)
    assert isinstance(held, Reservation)
    held.settle(positives=1, asked=True, answer=ANSWER if request else None)


def fill(ledger: overbar.Ledger, first: int, last: int) -> None:
    """Book runs with ids, many in one transaction: whoever waits for a disk waits once."""
    for start in range(first, last, 500):
        with ledger._store.writing() as rows:
            for run in range(start, min(start + 500, last)):
                before, request = latest(rows, "sales").standing, f"request {run}"
                after, form, charge = reserved(before, PLAN, Fraction(0))
                row = record(
                    rows, Reserved, after, request=request, description=ASKED.on("person"),
                    form=form, charge=charge,
                    schedule=None, unfinished=0,
                )  # fmt: skip
                cost = cost_of(PLAN, form, charge, 1, asked=True)
                end = replace(after, balance=after.balance.settle(charge, cost))
                record(
                    rows, Settled, end, request=request, run=row.number, cost=cost, answer=ANSWER,
                    superseded=False,
                )  # fmt: skip


def timed(ledgers: dict[str, overbar.Ledger], turns: int) -> list[Row]:
    """Return the shortest of many bookings in milliseconds: without an id, with one, after rest.

    All ledgers take turns, so that what else the machine does is the same for all.
    """
    best: dict[str, dict[str, float]] = {place: {} for place in ledgers}
    for turn in range(turns):
        for place, ledger in ledgers.items():
            for way, name, request in (
                ("rested", f"rested {turn}", None),
                ("without id", "sales", None),
                ("with id", "sales", f"turn {turn}"),
            ):
                start = time.perf_counter()
                booked(ledger, name, request)
                took = 1000 * (time.perf_counter() - start)
                best[place][way] = min(best[place].get(way, math.inf), took)
    return [
        {"name": place, **{f"{way}, ms": ms for way, ms in times.items()}}
        for place, times in best.items()
    ]


def copied(ledger: overbar.Ledger, where: str) -> overbar.Ledger:
    """Return a ledger with the same rows, which were not verified."""
    copy = overbar.Ledger(where)
    with ledger._store.reading() as old, copy._store.writing() as new:
        for row in old.all():
            new.table.insert(row)
    return copy


def flatness(file: str, database: str, sizes: tuple[int, ...], turns: int) -> list[Row]:
    """Return the times of a booking with so many runs in the ledger, and ratios to the first."""
    growing, ledgers, full = overbar.Ledger(file), dict[str, overbar.Ledger](), 0
    for name in ("sales", *(f"rested {turn}" for turn in range(turns))):
        growing.open(name, epsilon=10**8)
    for size in sizes:
        fill(growing, full, size)
        full = size
        for place, where in (("database (PostgreSQL)", database), ("file (SQLite)", file)):
            ledgers[f"{place}, {size:,} runs"] = copied(growing, f"{where}_{size}")
    table = timed(ledgers, turns)
    for index, row in enumerate(table):
        first = table[index % 2]
        for name in [name for name in row if name.endswith(", ms")]:
            row[name.replace("ms", "ratio")] = float(str(row[name])) / float(str(first[name]))
    return table


def capacity() -> list[Row]:
    """Return how many small runs a budget takes, in both ways."""
    opened = budget_of(1, "1e-6", None)
    small = {"monotonic": True, "cutoff": 10}
    plans = {
        "top 10 at (0.1, 1e-8)": overbar.plan(epsilon="0.1", delta="1e-8", top=True, **small),
        "top 10 at (0.05, 1e-8)": overbar.plan(epsilon="0.05", delta="1e-8", top=True, **small),
        "Gaussian histogram at (0.1, 1e-8)": overbar.plan(
            epsilon="0.1",
            delta="1e-8",
            items_per_person=30,
            candidates=99,
            noise="gaussian",
            **small,
        ),
        "pure 0.01": overbar.plan(epsilon="0.01", candidates=99, **small),
        "pure 0.02": overbar.plan(epsilon="0.02", candidates=99, **small),
    }
    return [
        {
            "name": name,
            "by one order": taken(plan, by_orders(opened)),
            "by the potential": taken(plan, by_potential(opened)),
            "ratio": taken(plan, by_potential(opened)) / taken(plan, by_orders(opened)),
        }
        for name, plan in plans.items()
    ]


def ended_early() -> list[Row]:
    """Return how many races that find 10 of 50 a budget takes, with what comes back of them."""
    budget, found = by_orders(budget_of(1, "1e-6", None)), []
    for monotonic in (True, False):
        plan = overbar.plan(
            epsilon="0.1",
            delta="1e-8",
            cutoff=50,
            candidates=1000,
            monotonic=monotonic,
            mechanism="sparse-vector",
        )
        charge = _by_curves(plan, budget, Fraction(0))
        schedule = schedule_of(plan, CURVES, charge, budget)
        cost = cost_of(plan, CURVES, charge, 10, asked=True, schedule=schedule)
        whole, limit = taken(plan, budget), budget.limits[0]
        early = 1 + int((limit - charge.renyi[0]) / cost.renyi[0])  # the last is held in full
        name = f"race, 10 of 50 at (0.1, 1e-8), {'counts' if monotonic else 'general'}"
        found.append({"name": name, "nothing back": whole, "back": early, "ratio": early / whole})
    return found


def taken(plan: overbar.Plan, budget: Budget) -> int:
    """Return how many runs of a plan fit into a budget, each charged by its curves."""
    charge = _by_curves(plan, budget, Fraction(0))
    ways = budget.used(charge)
    return max(int(limit / cost) for cost, limit in ways)


def rows(check: bool = False) -> list[Row]:
    """Measure both: how long one booking takes, and how many a crowd makes."""
    try:
        from tests.ledger.server import FAST, Server
    except ImportError as error:
        raise AbsentError(str(error)) from None
    processes, seconds = (2, 0.2) if check else (32, 8.0)
    server = Server()
    try:
        with tempfile.TemporaryDirectory(dir=FAST) as folder:
            sizes, turns = ((1, 3), 2) if check else (SIZES, TURNS)
            flat = str(Path(folder) / "flat.db")
            table = flatness(flat, server.address("flat"), sizes, turns)
            file = hammered(str(Path(folder) / "ledger.db"), processes, seconds)
        database = hammered(server.address(), processes, seconds)
    finally:
        server.close()
    crowd = (("file (SQLite)", file), ("database (PostgreSQL)", database))
    return [
        *table,
        *capacity(),
        *ended_early(),
        *(
            {
                "name": f"{processes} processes, {name}",
                "pairs per second": rate,
                "ratio": rate / file,
            }
            for name, rate in crowd
        ),
    ]
