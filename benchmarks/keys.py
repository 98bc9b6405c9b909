"""How many keys come out that nobody listed: weights 1/√t, and larger ones, as only bits come out.

Run with ``python -m benchmarks keys``; ``OVERBAR_DATA`` names the folder of the datasets. Means
over five runs at δ = 1e-6, with 100 keys of each person, and the standard error of the larger one.
"""

from __future__ import annotations

import gzip
import os
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
from examples.market_baskets import market_baskets

from benchmarks import AbsentError
from overbar.frames import Question
from overbar.planning.key_rounds import set_union

DELTA, RUNS, ITEMS = "1e-6", 5, 100
#: Files of one person a line, and ε.
CASES = {
    "kosarak-first100k.dat.gz": ("1", "0.1", "3"),
    "bms-pos-first100k.csv.gz": ("0.1", "0.02"),
    "T40I10D100K.dat.gz": ("0.02",),
}

Row = dict[str, object]


def read(name: str) -> pyarrow.Table:
    """Return rows of a line and an item."""
    path = Path(os.environ.get("OVERBAR_DATA", "")) / name
    if not path.is_file():
        raise AbsentError(f"no {name}; set OVERBAR_DATA to its folder")
    lines = gzip.decompress(path.read_bytes()).decode().replace(",", " ").splitlines()
    pairs = [(place, int(key)) for place, line in enumerate(lines) for key in set(line.split())]
    return pyarrow.table({"line": [place for place, _ in pairs], "key": [key for _, key in pairs]})


def drawn() -> pyarrow.Table:
    """Return a small table, to see that this works."""
    baskets = market_baskets(500, seed=1)
    return pyarrow.table({"line": baskets.row, "key": baskets.item})


def row(name: str, table: pyarrow.Table, epsilon: str, runs: int, items: int) -> Row:
    question = Question.keys(
        item="key", person="line", epsilon=epsilon, delta=DELTA, items_per_person=items
    )
    numbers = {}
    for by_bits in (False, True):
        plan = set_union(epsilon, DELTA, by_bits=by_bits, items_per_person=items)
        searched = replace(question, plan=plan)
        numbers[by_bits] = [len(searched.run(table).labels) for _ in range(runs)]
    plain, larger = (float(np.mean(numbers[by_bits])) for by_bits in (False, True))
    error = statistics.stdev(numbers[True]) / runs**0.5 if runs > 1 else None
    return {
        "name": f"{name}, ε = {epsilon}",
        "weights 1/√t": plain,
        "larger weights": larger,
        "more": f"{100 * (larger / plain - 1):.1f} %" if plain else "",
        "± of it": error,
    }


def rows(check: bool = False) -> list[Row]:
    if check:
        return [row("drawn", drawn(), "10", 1, items=3)]
    tables = {name: read(name) for name in CASES}
    return [
        row(name.split(".")[0], tables[name], epsilon, RUNS, items=ITEMS)
        for name, levels in CASES.items()
        for epsilon in levels
    ]
