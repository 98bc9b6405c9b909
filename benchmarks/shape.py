"""`frames.describe` on a wide table: 300 columns and 100,000 rows.

Run with ``python -m benchmarks shape``. Each table is described in a process of its own, without
and with δ. Seconds are those of the clock, and of all processors together, which other programs
do not lengthen. Memory is the most that the process has held, the table in it. Owed: under 30
seconds on two cores, and under 2 GiB.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np
import polars

Row = dict[str, object]


def table_of(columns: int, rows: int) -> polars.DataFrame:
    """Return numbers of several kinds, some missing, days, and text in every tenth column."""
    draw = np.random.default_rng(7)
    table: dict[str, object] = {"person": np.arange(rows)}
    for place in range(columns):
        values = np.round(draw.lognormal(place % 12, 1, rows), 2)
        values[draw.random(rows) < 0.1] = np.nan
        if place % 10 == 0:
            table[f"c{place}"] = [f"t{number}" for number in draw.integers(0, 50, rows)]
        elif place % 10 == 1:
            days = np.datetime64("2000-01-01") + draw.integers(0, 9000, rows)
            table[f"c{place}"] = days.astype("datetime64[D]")
        else:
            table[f"c{place}"] = values
    return polars.DataFrame(table)


def written(columns: int, rows: int, delta: str) -> str:
    """Describe a table here and now, and write what that took."""
    from overbar import frames

    table = table_of(columns, rows)
    clock, processors = time.perf_counter(), time.process_time()
    answer = frames.describe(table, person="person", epsilon=1, delta=delta)
    seconds = time.perf_counter() - clock, time.process_time() - processors
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    row = {
        "name": f"{columns} columns, {rows:,} rows",
        "delta": delta,
        "lines": len(answer),
        "seconds": round(seconds[0], 1),
        "of processors": round(seconds[1], 1),
        "MiB": round(held / 1024),
    }
    return json.dumps(row)


def rows(check: bool) -> list[Row]:
    """Return one row for each δ."""
    found = []
    for delta in ("0", "1e-6"):
        size = (8, 200) if check else (300, 100_000)
        asked = f"from benchmarks import shape; print(shape.written(*{size}, {delta!r}))"
        run = [sys.executable, "-c", asked]
        done = subprocess.run(run, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found
