"""Selecting from a table on disk, against the engine's own query on the same file.

Run with ``python -m benchmarks frames``. Twenty million rows of market baskets are written to a
temporary folder: items by a Zipf law, persons and prices uniform. Each run is a process of its own
with two threads of DuckDB and one gigabyte for it, so that its peak memory is its own; runs of all
kinds take turns, and the shortest of each counts. What is owed stands beside each.
Sums have no ratio to owe: the engine's own are in floats and not private.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from overbar import frames

ROWS = 20_000_000
ITEMS = 100_000
PERSONS = 2_000_000
ROUNDS = 5
SETTINGS = {"threads": "2", "memory_limit": "1GB"}

OWN = "select item, count(distinct person) as persons from rows group by item"
OWN_SUM = """
select item, sum(floor(least(greatest(total, 0), 100) + 0.5)) as total
from (select item, person, sum(price) as total from rows group by item, person) group by item
"""
ASK = {"item": "item", "person": "person", "cutoff": 50, "epsilon": 1, "threshold": 50_000}


def write_baskets(path: Path, rows: int) -> None:
    """Write a table of items, persons and prices in cents."""
    item = f"cast(floor(exp(random() * ln({ITEMS}))) as bigint)"
    person = f"cast(floor(random() * {PERSONS}) as bigint)"
    price = "floor(random() * 10000) / 100"
    with duckdb.connect(config=SETTINGS) as engine:
        engine.execute("select setseed(0.25)").fetchall()
        columns = f"{item} as item, {person} as person, {price} as price"
        table = engine.sql(f"select {columns} from range({rows})")
        table.write_parquet(str(path))


def own(table: duckdb.DuckDBPyRelation) -> int:
    """Ask the engine for all counts, and do nothing with them."""
    return int(table.query("rows", OWN).to_arrow_table().num_rows)


def listed(table: duckdb.DuckDBPyRelation) -> int:
    """Select among the items of a public list."""
    return len(frames.select(table, **ASK, catalogue=range(1, ITEMS + 1)))


def unlisted(table: duckdb.DuckDBPyRelation) -> int:
    """Select among items read off the table, ten for each person."""
    numbers = {"items_per_person": 10, "delta": "1e-6", "candidates": ITEMS}
    return len(frames.select(table, **ASK, **numbers))


def own_sum(table: duckdb.DuckDBPyRelation) -> int:
    """Ask the engine for all sums in plain floats, which are not private."""
    return int(table.query("rows", OWN_SUM).to_arrow_table().num_rows)


def summed(table: duckdb.DuckDBPyRelation) -> int:
    """Select by sums of prices among the items of a public list."""
    prices = {"value": {"price": (0, 100)}}
    return len(frames.select(table, **ASK, **prices, catalogue=range(1, ITEMS + 1)))


KINDS = {"own": own, "listed": listed, "unlisted": unlisted, "own sum": own_sum, "summed": summed}
OWED = {
    "listed": "at most 1.3 and 2048 MiB",
    "unlisted": "at most 3 and 1536 MiB",
    "summed": "at most 2048 MiB",
}
#: What each way is measured against.
PEERS = dict.fromkeys(("own", "listed", "unlisted"), "own") | dict.fromkeys(
    ("own sum", "summed"), "own sum"
)


def measure(kind: str, path: str) -> dict[str, float]:
    """Run once in this process and return what it took."""
    with duckdb.connect(config=SETTINGS) as engine:
        table = engine.read_parquet(path)
        start, work = time.perf_counter(), time.process_time()
        found = KINDS[kind](table)
        seconds, processor = time.perf_counter() - start, time.process_time() - work
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"found": found, "seconds": seconds, "processor": processor, "peak": peak}


def measured(kind: str, path: str) -> dict[str, float]:
    """Run once in a process of its own, whose memory is its own."""
    command = [sys.executable, "-m", "benchmarks.frames", kind, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    taken: dict[str, float] = json.loads(done.stdout)
    return taken


def rows(check: bool = False) -> list[dict[str, object]]:
    """Return one row for each way of asking."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "baskets.parquet"
        count = 1_000 if check else ROWS
        write_baskets(path, count)
        runs: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
        for _ in range(1 if check else ROUNDS):
            for kind in KINDS:  # one start tells whether others would start
                run = measure if check and kind != "own" else measured
                runs[kind].append(run(kind, str(path)))
    best = {kind: {name: min(run[name] for run in runs[kind]) for name in runs[kind][0]}
            for kind in KINDS}  # fmt: skip
    return [
        {
            "name": f"DuckDB, {count:,} rows: {kind}",
            "seconds": best[kind]["seconds"],
            "processor seconds": best[kind]["processor"],
            "peak MiB": max(run["peak"] for run in runs[kind]),
            "ratio to own": best[kind]["seconds"] / best[PEERS[kind]]["seconds"],
            "processor ratio": best[kind]["processor"] / best[PEERS[kind]]["processor"],
            "owed": OWED.get(kind, ""),
        }
        for kind in KINDS
    ]


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:3])))
