"""The same rows in many orders and with many threads: every engine must give one score.

``python -m tests.frames.orders`` runs all of it, the tests run a part. The number of
threads of Polars, and a Spark session, belong to a process, so these have one of their own.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import polars
import pyarrow

from overbar.frames.measure import measure_of
from tests.frames.engines import ENGINES, scores_of, table_of
from tests.reference import frames as reference

ROOT = Path(__file__).resolve().parents[2]
THREADS = (1, 8, 64)
ENORMOUS = 2.0**53
NASTY = [ENORMOUS, 1.0, -ENORMOUS, 0.1, 0.2, -0.3, 1e6, 5 - 1e6, 1e308, -1e308, math.inf, -math.inf]
NASTY += [math.nan, None, 2.5, 5e-324, 0.005, 2.0**61, -(2.0**61)]
#: Some ends lie between two points of a grid.
RANGES = [(0, 1), (-2, 3), (0, 100), (-5, -1), (Fraction(-7, 10), 3), (-3, Fraction(1, 2))]
GRIDS = [Fraction(1), Fraction(1, 8), Fraction(1, 10)]


class Case(NamedTuple):
    """Rows, how they are summed, and the score that they have."""

    table: pyarrow.Table
    value_range: tuple[int, int]
    grid: Fraction
    score: dict[str, int]


@cache
def attack(persons=6_400):
    """Return rows whose float sum is 0 or 1, as the order will have it."""
    table = pyarrow.table(
        {
            "what": ["tea"] * (3 * persons),
            "who": np.repeat(np.arange(persons), 3),
            "much": np.tile([ENORMOUS, 1.0, -ENORMOUS], persons),
        }
    )
    return Case(table, (0, 1), Fraction(1, 8), {"tea": 8 * persons})


@cache
def prices(count=300_000, kind=None):
    """Return prices in cents, as floats; those who get more back than they paid count as zero."""
    random = np.random.default_rng(11)
    items = random.integers(0, 20, count)
    persons = random.integers(0, count // 60, count)
    cents = random.integers(-500, 2_500, count)
    table = pyarrow.table(
        {"what": pyarrow.array(items).cast("string"), "who": persons, "much": cents / 100}
    )
    if kind is not None:
        much = table["much"].to_numpy().round(2)
        table = table.set_column(2, "much", pyarrow.array(much).cast(kind, safe=False))
    rows = zip(items.astype(str).tolist(), persons.tolist(), cents.tolist(), strict=True)
    score = reference.sums(rows, 0, 100, Fraction(1, 2), exactly=lambda cent: Fraction(cent, 100))
    return Case(table, (0, 100), Fraction(1, 2), score)


CASES = {"attack": attack, "prices": prices}


def disagreements(make, case, orders):
    """Return how many of so many orders of the rows have another score."""
    wrong = 0
    for seed in range(orders):
        order = np.random.default_rng(seed).permutation(case.table.num_rows)
        frame = make(case.table.take(order))
        found = scores_of(frame, grid=case.grid, value="much", value_range=case.value_range)
        wrong += found != case.score
    return wrong


def neighbours(random):
    """Return rows with nasty numbers, and the same without one person, each in an order of its own.

    In half of them everyone has the rows of the attack.
    """
    count = int(random.integers(1, 60))
    persons = random.integers(0, 12, count).tolist()
    some = [0, 1, 2] if random.integers(2) else random.choice(len(NASTY), 4).tolist()
    values = [NASTY[place] for place in random.choice(some, count)]
    rows = list(zip(random.choice(["a", "b"], count).tolist(), persons, values, strict=True))
    others = [row for row in rows if row[1] != persons[0]]
    return [[some[place] for place in random.permutation(len(some))] for some in (rows, others)]


def largest_excess(make, tables):
    """Return by how much drawn neighbours differ at most, beyond what one person may do."""
    random, worst = np.random.default_rng(5), -math.inf
    for _ in range(tables):
        ends = RANGES[random.integers(len(RANGES))]
        grid = GRIDS[random.integers(len(GRIDS))]
        sums = {"item": "what", "person": "who", "value": "much", "value_range": ends}
        reach = measure_of(**sums).reach.outwards(grid)
        one, other = (
            scores_of(make(table_of(rows)), grid=grid, value="much", value_range=ends)
            for rows in neighbours(random)
        )
        for item in {*one, *other}:
            move = (one.get(item, 0) - other.get(item, 0)) * grid
            worst = max(worst, move - reach.high, reach.low - move)
    return worst


def with_threads(threads):
    """Return a DuckDB of so many threads."""
    return lambda table: duckdb.connect(config={"threads": str(threads)}).from_arrow(table)


def spark_session():
    """Return a session with eight threads."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than these tables do
    }
    return SparkSession.builder.master("local[8]").config(map=settings).getOrCreate()


def elsewhere(engine, threads, orders):
    """Run an engine in a process of its own; return what it says. It must agree."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.frames.orders", "--only", engine,
         "--orders", str(orders)],
        env={**os.environ, "POLARS_MAX_THREADS": str(threads)},
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def report(name, make, orders):
    """Print how an engine fares; return whether it always agreed."""
    good = True
    for case, rows in CASES.items():
        wrong = disagreements(make, rows(), orders)
        print(f"{name}, {case}: {wrong} of {orders} orders differ", flush=True)
        good &= wrong == 0
    return good


def main():
    """Run one engine, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--only", choices=["polars", "spark"])
    asked = parser.parse_args()
    if asked.only == "polars":
        size = polars.thread_pool_size()
        return report(f"Polars, {size} threads", polars.from_arrow, asked.orders)
    if asked.only == "spark":
        session = spark_session()
        good = report("Spark, local[8]", session.createDataFrame, asked.orders)
        session.stop()
        return good
    engines = ENGINES | {f"DuckDB, {count} threads": with_threads(count) for count in (1, 2, 8)}
    good = [report(name, make, asked.orders) for name, make in engines.items()]
    for engine, threads in [*(("polars", count) for count in THREADS), ("spark", 8)]:
        print(elsewhere(engine, threads, asked.orders), end="", flush=True)
    for name in ("pyarrow", "pandas", "polars", "DuckDB, 8 threads"):
        excess = largest_excess(engines[name], asked.tables)
        print(f"{name}: {asked.tables} neighbours, {excess} beyond the sensitivity", flush=True)
        good.append(excess <= 0)
    return all(good)


if __name__ == "__main__":
    sys.exit(not main())
