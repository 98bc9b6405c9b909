"""Neighbouring tables of every engine and type; odd values come early, late and mixed.

A cell is a label and one of the ways in which a table can hold it; None is the label of what
cannot be read. So what a table must give is known before any engine has seen it.
"""

from __future__ import annotations

import datetime
import functools
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet

from overbar import OverbarError
from tests.cli.workbook import DAY as DAY_STYLE
from tests.cli.workbook import styled
from tests.frozen import seam
from tests.frozen.written_tables import written


class Unprintable:
    def __str__(self):
        raise RuntimeError("no text")


DAY = datetime.date(2024, 2, 29)
NAN, INFINITY = float("nan"), float("inf")
#: {label: the ways to hold it}. Under None: what has no label.
OBJECTS = {
    **{str(n): [n, str(n), float(n), Decimal(n), np.int64(n), np.float32(n)] for n in range(6)},
    **{word: [word] for word in ("tea", "TEA", "é", "e\u0301", "", "x" * 300)},
    "True": [True, np.True_, "True"],
    "7.5": ["7.5", Decimal("7.5")],
    "b'1'": [b"1"],
    "[1, 2]": [[1, 2]],
    "{'a': 1}": [{"a": 1}],
    str(DAY): [DAY, str(DAY)],
    f"{DAY} 00:00:00": [pandas.Timestamp(DAY), datetime.datetime(2024, 2, 29)],
    None: [
        *(None, NAN, np.float32("nan"), pandas.NA, pandas.NaT, np.datetime64("NaT"), "\ud800"),
        *("a\0b", "tea\0", Decimal("nan"), Decimal("snan"), Unprintable(), 10**5000),
        *(7.5, np.float32(7.5), 2**53, -(2**60), INFINITY, object(), [object()]),
    ],
}
#: Without lists, which are no categories, and without what equals another category.
CATEGORIES = {
    **{label: [label] for label in ("tea", "TEA", "é", "", "x" * 300)},
    **{str(n): [n, str(n)] for n in range(6)},
    str(DAY): [DAY],
    None: [None, NAN, 7.5, 2**60],
}
WORDS = ("tea", "TEA", "é", "e\u0301", "", "1", "1.0", "true", "x" * 300)
STRINGS = {**{word: [word] for word in WORDS}, None: [None]}
PANDAS_STRINGS = {**STRINGS, None: [None, "a\0b", "tea\0"]}
PYTHON_STRINGS = {**STRINGS, None: [None, "\ud800", "a\0b", "tea\0"]}
BYTES = {
    **{word: [word.encode()] for word in (*WORDS, "a\0b", "tea\0")},
    None: [None, b"\xff", b"tea\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xff" * 30],
}
#: In pandas a NUL makes text missing, because it does in objects.
PANDAS_BYTES = {
    **{word: [word.encode()] for word in WORDS},
    None: [*BYTES[None], b"a\0b", b"tea\0"],
}
WHOLE = {**{n: [n] for n in range(-2, 7)}, None: [None]}
FLOATS = {
    **{n: [float(n)] for n in range(7)},
    0: [0.0, -0.0],
    None: [None, NAN, 7.5, INFINITY, -INFINITY, 1e300, 2.0**53],
}
#: What pandas takes for a column of whole numbers, and with one missing for one of floats.
LONG = {**WHOLE, None: [None, 2**53, -(2**53), 2**60 + 1, 2**63 - 1, -(2**63)]}
SMALL_FLOATS = {**FLOATS, None: [None, NAN, 7.5, INFINITY, -INFINITY]}
BOOLEANS = {True: [True], False: [False], None: [None]}
#: Days since 1970, also beyond the years that Python knows.
DAYS = {
    **{datetime.date(1970, 1, 1) + datetime.timedelta(n): [n] for n in (0, 1, 400, -30_000)},
    None: [None, 8_000_000, -8_000_000, 2**31 - 1, -(2**31) + 1],
}
REFUSED = {"refused": [None]}
NOTHING = {None: [None]}


def arrow_text(kind):
    raw = {pyarrow.string(): pyarrow.binary(), pyarrow.large_string(): pyarrow.large_binary()}

    def build(values):
        return pyarrow.array(values, raw.get(kind, pyarrow.binary_view())).view(kind)

    return build


def arrow_words(values):
    """Return a dictionary that may hold what is not UTF-8, entries twice and entries unused."""
    entries = [*dict.fromkeys(values), b"unused", b"\xfe"]
    words = pyarrow.array(entries, pyarrow.binary()).view(pyarrow.string())
    places = pyarrow.array([entries.index(value) for value in values], pyarrow.int32())
    return pyarrow.DictionaryArray.from_arrays(places, words)


def arrow_days(values):
    return pyarrow.array(values, pyarrow.int32()).view(pyarrow.date32())


def arrow_of(kind):
    return lambda values: pyarrow.array(values, kind)


ARROW = {
    "string": (BYTES, arrow_text(pyarrow.string())),
    "large_string": (BYTES, arrow_text(pyarrow.large_string())),
    "string_view": (BYTES, arrow_text(pyarrow.string_view())),
    "dictionary of text": (BYTES, arrow_words),
    "dictionary of numbers": (
        {None if n is None else str(n): [n] for n in WHOLE},
        lambda values: pyarrow.array(values, pyarrow.int64()).dictionary_encode(),
    ),
    "int64": (WHOLE, arrow_of(pyarrow.int64())),
    "int8": (WHOLE, arrow_of(pyarrow.int8())),
    "double": (FLOATS, arrow_of(pyarrow.float64())),
    "float": (FLOATS, arrow_of(pyarrow.float32())),
    "bool": (BOOLEANS, arrow_of(pyarrow.bool_())),
    "date32": (DAYS, arrow_days),
    "null": (NOTHING, arrow_of(pyarrow.null())),
    "decimal": (REFUSED, arrow_of(pyarrow.decimal128(9, 2))),
    "timestamp": (REFUSED, arrow_of(pyarrow.timestamp("us"))),
    "binary": (REFUSED, arrow_of(pyarrow.binary())),
    "list": (REFUSED, arrow_of(pyarrow.list_(pyarrow.int64()))),
}


def in_pandas(build):
    return lambda values: pandas.Series(pandas.arrays.ArrowExtensionArray(build(values)))


def series(kind):
    return lambda values: pandas.Series(values, dtype=kind)


PANDAS = {
    "object": (OBJECTS, series(object)),
    "category": (CATEGORIES, lambda values: pandas.Series(pandas.Categorical(values))),
    "string[python]": (PYTHON_STRINGS, series("string[python]")),
    "string[pyarrow]": (PANDAS_STRINGS, series("string[pyarrow]")),
    "str": (PANDAS_STRINGS, series("str")),
    "whatever whole numbers become": (LONG, series(None)),
    "Int64": (WHOLE, series("Int64")),
    "float64": (FLOATS, series("float64")),
    "Float64": (SMALL_FLOATS, series("Float64")),
    "boolean": (BOOLEANS, series("boolean")),
    "datetime64": (REFUSED, series("datetime64[ns]")),
    **{
        f"{name} of Arrow": (PANDAS_BYTES if pool is BYTES else pool, in_pandas(build))
        for name, (pool, build) in ARROW.items()
    },
}
if pandas.__version__ < "3":
    PANDAS["str"] = (PYTHON_STRINGS, series("str"))
#: Polars and DuckDB hold a dictionary of numbers as numbers.
PLAIN_ARROW = {name: how for name, how in ARROW.items() if name != "dictionary of numbers"}
POLARS = {
    **{name: (pool, lambda values, build=build: polars.Series(build(values)))
       for name, (pool, build) in PLAIN_ARROW.items()},
    "Object": (OBJECTS, lambda values: polars.Series(values, dtype=polars.Object)),
    "Enum": (STRINGS, lambda values: polars.Series(values, dtype=polars.Enum(WORDS))),
    "Float16": (SMALL_FLOATS, lambda values: polars.Series(values, dtype=polars.Float16)),
}  # fmt: skip


def chunked(array, at):
    return pyarrow.chunked_array([array[:at], array[at:]], array.type)


#: How DuckDB holds a text, a number or a day that arrives as such.
DUCKDB = {
    "varchar": (STRINGS, "varchar"),
    "collated varchar": (STRINGS, "varchar collate nocase"),
    "enum": (STRINGS, f"enum({', '.join(map(repr, WORDS))})"),
    "json": (
        {None if n is None else str(n): [None if n is None else str(n)] for n in WHOLE},
        "json",
    ),
    "bigint": (WHOLE, "bigint"),
    "double": (FLOATS, "double"),
    "boolean": (BOOLEANS, "boolean"),
    "date": (
        {DAY: [str(DAY)], None: [None, "infinity", "-infinity", "290000-01-01", "44-03-15 (BC)"]},
        "date",
    ),
    **{name: (REFUSED, name) for name in ("uuid", "hugeint", "interval", "blob", "time", "bit")},
}
FILES = {
    "jsonl": {
        **{word: [word] for word in (*WORDS, "a\0b")},
        **{str(n): [n, str(n)] for n in range(1, 7)},
        "true": [True],
        "7.5": [7.5],
        "[1,2]": [[1, 2]],
        None: [None],
    },
    "sqlite": {
        **{word: [word, word.encode()] for word in (*WORDS, "a\0b")},
        **{str(n): [n, str(n)] for n in range(1, 7)},
        "7.5": [7.5],
        None: [None, b"\xff", b"tea\xff"],
    },
    "csv": {**{word: [word] for word in WORDS if word}, None: [""]},
    "parquet": BYTES,
    "cp1252.csv": {
        **{word: [word] for word in WORDS if word.isascii() and word},
        "é": ["é"],
        None: [""],
    },
    "xlsx": {
        **{word: [word] for word in WORDS if word},
        **{str(n): [n, str(n), f"<c><v>{n}.0</v></c>"] for n in range(1, 7)},
        "true": ["true", '<c t="b"><v>1</v></c>'],
        "2024-01-31": ["2024-01-31", styled(45322, DAY_STYLE)],
        None: [
            "",
            styled(1e300, DAY_STYLE),
            '<c t="e"><v>#SPILL!</v></c>',
            '<c t="s"><v>9</v></c>',
            '<c r="ß1"><v>9</v></c>',
            "<c/>",
        ],
    },
}
FILES["json"] = FILES["jsonl"]


@dataclass(frozen=True)
class Drawn:
    """A table, as labels and as cells; the last person's rows are marked."""

    what: list[tuple[Any, Any]]
    who: list[tuple[Any, Any]]
    extra: list[bool]

    def rows(self, everybody):
        """Return the labels of the rows, with or without the last person."""
        cells = zip(self.what, self.who, self.extra, strict=True)
        return [(a[0], b[0]) for a, b, extra in cells if everybody or not extra]

    def cells(self, everybody):
        """Return the cells of both columns."""
        kept = [everybody or not extra for extra in self.extra]
        return (
            [cell[1] for cell, keep in zip(column, kept, strict=True) if keep]
            for column in (self.what, self.who)
        )


def draw(dice: random.Random, items: dict, persons: dict) -> Drawn:
    """Return rows of some persons; one of them, whose rows lie anywhere, is the last."""

    def cell(pool, label):
        return label, dice.choice(pool[label])

    labels = list(persons)
    last = dice.choice(labels)
    others = [label for label in labels if label != last] or labels
    others = dice.sample(others, min(len(others), dice.randint(1, 5)))
    crowd = dice.choice([label for label in others if label is not None] or others)
    padding = dice.choice([0, 0, 0, 0, 0, 5, 99, 101, 101, 120, 1_001])
    plain = cell(items, dice.choice(list(items))), cell(persons, crowd)
    rows = [(*plain, False)] * padding
    some = [
        (cell(items, dice.choice(list(items))), cell(persons, dice.choice(others)), False)
        for _ in range(dice.randint(0, 25))
    ]
    own = [
        (cell(items, dice.choice(list(items))), cell(persons, last), True)
        for _ in range(dice.randint(1, 4))
    ]
    tail = [*some, *own]
    dice.shuffle(tail)
    rows = [*rows, *tail] if dice.random() < 0.7 else [*tail, *rows]
    what, who, extra = (list(column) for column in zip(*rows, strict=True))
    return Drawn(what, who, extra)


def pools(engine: str, item: str, person: str) -> tuple[dict, dict]:
    """Return the cells that columns of two types can hold; a person has one spelling."""
    if engine in FILES:
        items = persons = FILES[engine]
    else:
        items, persons = FAMILIES[engine][item][0], FAMILIES[engine][person][0]
    spelled: dict = {}
    for label, cells in persons.items():
        spelled.setdefault("1" if label == "1.0" else label, []).extend(cells)
    return items, spelled


def built(engine: str, item: str, person: str, cells: Any, at: int) -> Any:
    """Return a table of an engine."""
    what, who = cells
    if engine == "duckdb":
        return _in_duckdb(DUCKDB[item][1], DUCKDB[person][1], what, who)
    kinds = FAMILIES[engine]
    columns = {"what": kinds[item][1](what), "who": kinds[person][1](who)}
    if engine == "pandas":
        return pandas.DataFrame(columns)
    if engine.startswith("polars"):
        frame = polars.DataFrame(columns)
        return frame.lazy() if "lazy" in engine else frame
    table = pyarrow.table({name: chunked(array, at) for name, array in columns.items()})
    return engine_of_all().from_arrow(table) if engine == "duckdb over Arrow" else table


@functools.cache
def engine_of_all():
    """Return one DuckDB for all tables: to start one takes longer than to ask it."""
    return duckdb.connect(config={"threads": 1})


def _in_duckdb(item, person, what, who):
    connection = engine_of_all()
    connection.execute(f"create or replace table rows (what {item}, who {person})")
    plain = pyarrow.table({"what": _plain(what), "who": _plain(who)})
    connection.register("given", plain)
    connection.execute("insert into rows select * from given")
    return connection.table("rows")


def _plain(values):
    return pyarrow.array(values, None if any(v is not None for v in values) else pyarrow.string())


def asked(
    ask: Callable[[Any], Any], engine: str, kinds: Any, drawn: Drawn, seed: int, folder: Path
):
    """Return what is answered about two neighbours; files are read as the command line does."""
    answers = []
    for everybody in (True, False):
        cells = drawn.cells(everybody)
        try:
            if engine in FILES:
                path = written(folder, engine, cells, random.Random(seed), everybody)
                encoding = "cp1252" if engine == "cp1252.csv" else None
                with seam.opened([path], "what", "who", encoding=encoding) as frame:
                    answers.append(ask(frame))
            else:
                answers.append(ask(built(engine, *kinds, cells, seed % 6)))
        except OverbarError as error:
            answers.append(f"{type(error).__name__}: {error}")
    return answers


FAMILIES: dict[str, dict[str, Any]] = {
    "pandas": PANDAS,
    "pyarrow": ARROW,
    "polars": POLARS,
    "polars, lazy": POLARS,
    "duckdb": DUCKDB,
    "duckdb over Arrow": PLAIN_ARROW,
}
