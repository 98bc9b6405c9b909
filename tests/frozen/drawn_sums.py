"""Neighbouring tables with a column of numbers, on every engine and in every kind of file.

Numbers are odd: none, no number, infinite, far too large, minus zero. Where a file can hold text
alone, it says so in words.
"""

from __future__ import annotations

import csv
import json
import math
import random
import sqlite3
from contextlib import contextmanager
from fractions import Fraction
from typing import NamedTuple

import pyarrow.parquet

from tests.cli.workbook import write_workbook
from tests.frozen import seam
from tests.frozen.engines import ENGINES, table_of
from tests.reference import frames as reference

NAN, INFINITY = math.nan, math.inf
GRID = Fraction(1, 2)
NUMBERS = (*(None, NAN, NAN, NAN, 0.0, -0.0, 0.5, 1.0, -1.5, 2.0, 3.0, 7.5, -4.0, 99.0),)
FAR = (INFINITY, -INFINITY, 1e300, -1e300, 5e-324)
RANGES = ((0, 4), (-3, 3), (-5, 0), (1, 6))
#: Files have words where a table has no number.
FILES = ("csv", "jsonl", "json", "xlsx", "sqlite", "parquet")


class Pair(NamedTuple):
    """Rows of two neighbours, of which the first has one person more; and what is asked."""

    rows: list[tuple[str, int, float | None]]
    last: int
    value_range: tuple[int, int]
    most: int | None

    def sides(self):
        return self.rows, [row for row in self.rows if row[1] != self.last]

    def wanted(self, rows):
        """Return the sums of a plain loop."""
        low, high = self.value_range
        digits = reference.fine_digits(low, high)

        def exactly(value):
            return reference.in_fine_steps(value, digits)

        return reference.sums(rows, low, high, GRID, self.most, seam.KEY, exactly)

    def faults(self, answers):
        """Return what two answers give away, in a word."""
        with_them, without = answers
        if isinstance(with_them, str) or isinstance(without, str):
            return ["one side raised"] if with_them != without else []
        low, high = (end / GRID for end in self.value_range)
        moves = [with_them.get(key, 0) - without.get(key, 0) for key in {*with_them, *without}]
        far = any(not min(low, 0) <= move <= max(high, 0) for move in moves)
        wrong = [self.wanted(rows) for rows in self.sides()] != list(answers)
        return ["moved"] * far + ["other than a loop"] * wrong


def draw(dice, far=True):
    """Return two neighbours; the person who is more has rows anywhere."""
    numbers = [*NUMBERS, *(FAR if far else ())]
    rows = [
        (dice.choice(["tea", "rum", "é"]), dice.randint(1, 5), dice.choice(numbers))
        for _ in range(dice.randint(4, 30))
    ]
    rows.append((dice.choice(["tea", "gin"]), 1, dice.choice(numbers)))
    dice.shuffle(rows)
    return Pair(rows, 1, dice.choice(RANGES), dice.choice([None, None, 1, 2]))


def _written(value, word):
    return "" if value is None else word if math.isnan(value) else value


@contextmanager
def in_a_file(kind, rows, folder):
    """Open the rows from a file."""
    path = folder / f"rows.{kind}"
    path.unlink(missing_ok=True)
    names = ("what", "who", "much")
    cells = [(what, who, _written(much, "NaN")) for what, who, much in rows]
    if kind == "parquet":
        pyarrow.parquet.write_table(table_of(rows), path)
    elif kind == "xlsx":
        write_workbook(path, rows=[list(names), *map(list, cells)])
    elif kind == "sqlite":
        with sqlite3.connect(path) as base:
            base.execute("create table rows (what, who, much)")
            base.executemany("insert into rows values (?, ?, ?)", cells)
        base.close()
    elif kind == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *cells])
    else:
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in cells]
        path.write_text(f"[{','.join(lines)}]" if kind == "json" else "\n".join(lines))
    with seam.opened([str(path)], *names) as table:
        yield table


@contextmanager
def in_a_database(rows, database):
    """Put the rows into a table of a server."""
    database.sql("DROP TABLE IF EXISTS sums")
    yield database.table("what text, who bigint, much float8", rows, "sums")


@contextmanager
def in_memory(engine, rows):
    yield ENGINES[engine](table_of(rows))


def answers(pair, opened):
    """Return the scores of both neighbours; `opened` has rows as a table."""
    found = []
    for rows in pair.sides():
        asked = {"value": {"much": pair.value_range}, "items_per_person": pair.most}
        try:
            with opened(rows) as table:
                found.append(seam.scores(table, grid=GRID, **asked))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


def pairs(name, count, far=True):
    """Draw so many neighbours, the same every time."""
    dice = random.Random(f"sums of {name}")
    return [draw(dice, far) for _ in range(count)]
