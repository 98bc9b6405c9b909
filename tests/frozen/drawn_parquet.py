"""Nasty Parquet files, drawn: values that statistics leave out or mistake, in every shape of file.

Each value comes with what it means as a label, or None where it has none: a plain loop needs no
more. `python -m tests.frozen.drawn_parquet 2000` writes so many files, with statistics and
without, asks the command line's reader and a caller's own relation, and compares with the loop.
"""

from __future__ import annotations

import math
import random
import re
import struct
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import polars
import pyarrow
import pyarrow.parquet

from overbar.frames import check
from tests.frozen import seam
from tests.frozen.seam import KEY
from tests.reference import frames as reference

NAN, INF = math.nan, math.inf
FIRST = date(1970, 1, 1)
FLOATS = [NAN, NAN, NAN, INF, -INF, -0.0, 0.0, 1.0, 2.0, 2.5, 7.0, -3.0, 1000.0, None]
#: Between these a file's statistics are finite, and say nothing of NaN.
TAME = [-0.0, 0.0, 1.0, 2.0, 2.5, 7.0, -3.0]
FLOATING = ("float16", "float", "double")
POOLS: dict[str, list[Any]] = {
    "float16": FLOATS,
    "float": [*FLOATS, 1e-45, 3e38],
    "double": [*FLOATS, 5e-324, -1e-310, 1e300, 2.0**53, 2.0**53 - 1, -(2.0**53)],
    "int64": [0, 1, 2, 7, -3, 2**63 - 1, -(2**63), None],
    "int8": [0, 1, 7, 127, -128, None],
    "uint64": [0, 1, 7, 2**64 - 1, None],
    "date32": [0, 1, 2**31 - 1, 1 - 2**31, 24_700_000, -719_163, -719_162, 2_932_896, 2_932_897],
    "moments": [0, 1_000_000, 2**63 - 1, 1 - 2**63, -62_135_596_800_000_001, None],
    "string": [b"tea", b"rum", b"\xffrum", "é".encode(), b"", b"?rum", None],
    "dictionary": [b"tea", b"rum", "é".encode(), None],
    "bool": [True, False, None],
    "decimal(9,2)": [Decimal("1.50"), Decimal("-2.00"), Decimal("9999999.99"), None],
    "decimal(38,2)": [Decimal("1.50"), Decimal("9" * 36), Decimal("-7.00"), None],
}
TYPES = {
    "float16": pyarrow.float16(), "float": pyarrow.float32(), "double": pyarrow.float64(),
    "int64": pyarrow.int64(), "int8": pyarrow.int8(), "uint64": pyarrow.uint64(),
    "bool": pyarrow.bool_(), "decimal(9,2)": pyarrow.decimal128(9, 2),
    "decimal(38,2)": pyarrow.decimal128(38, 2),
}  # fmt: skip
#: What every engine takes as a label; the command line takes the others as well.
LABELS = ("double", "double", "float", "float16", "int64", "uint64", "date32", "dictionary", "bool")
LABELS_OF_FILES = (*LABELS, "string", "string", "moments", "decimal(9,2)", "decimal(38,2)")
VALUES = ("double", "double", "float", "float16", "int64", "int8", "decimal(9,2)", "decimal(38,2)")
RANGES = [(0, 100), (-5, 0), (-100, 100), (-3, 1)]
WHERE = ["w > 5", "w < 2", "w = 0", "w != 1", "w >= -3", "w <= 1000", "w > 2000"]


class Nasty(NamedTuple):
    """Cells as they are stored, and the types of the columns."""

    kinds: dict[str, str]
    rows: list[tuple[Any, ...]]


def label(kind: str, value: Any) -> Any:
    """Return what a value means as a label; None where it has no meaning."""
    if value is None or kind in ("int64", "int8", "uint64", "bool"):
        return value
    if kind in FLOATING:
        whole = abs(value) < 2**53 and value == math.floor(value)
        return int(value) if whole else None
    if kind == "date32":
        inside = -719_162 <= value <= 2_932_896
        return FIRST + timedelta(days=value) if inside else None
    if kind == "moments":
        inside = -62_135_596_800_000_000 <= value <= 253_402_300_799_999_999
        return value if inside else None
    if kind in ("string", "dictionary"):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    return f"{value:.2f}"


def person_label(kind: str, value: Any) -> Any:
    """Return what a value means as a person, who is one as -2 and as -2.00."""
    text = label(kind, value)
    if not isinstance(text, str) or re.fullmatch("-?[0-9]+[.]0+", text) is None:
        return text
    whole = text.partition(".")[0]
    return whole.lstrip("-") if int(whole) == 0 else whole


def arrow(kind: str, values: list[Any]) -> pyarrow.Array:
    """Return values as a column of Arrow."""
    if kind == "float16":
        cells = [None if v is None else np.float16(v) for v in values]
        return pyarrow.array(cells, pyarrow.float16())
    if kind == "date32":
        return pyarrow.array(values, pyarrow.int32()).view(pyarrow.date32())
    if kind == "moments":
        return pyarrow.array(values, pyarrow.int64()).view(pyarrow.timestamp("us"))
    if kind in ("string", "dictionary"):
        text = pyarrow.array(values, pyarrow.binary()).view(pyarrow.string())
        return text.dictionary_encode() if kind == "dictionary" else text
    return pyarrow.array(values, TYPES[kind])


def table_of(nasty: Nasty) -> pyarrow.Table:
    """Return drawn rows as a table of Arrow."""
    columns = zip(*nasty.rows, strict=True)
    pairs = zip(nasty.kinds.items(), columns, strict=True)
    return pyarrow.table({name: arrow(kind, list(cells)) for (name, kind), cells in pairs})


def drawn(dice: random.Random, labels: tuple[str, ...]) -> Nasty:
    """Draw types and rows: columns of few values, of one and NaN, or sorted are drawn often."""
    kinds = {
        "item": dice.choice(labels),
        "person": dice.choice(labels),
        "v": dice.choice(VALUES),
        "w": dice.choice(["double", "float"]),
    }
    count = dice.choice([1, 2, 5, 20, 60])
    columns = {}
    for name, kind in kinds.items():
        pool = POOLS[kind]
        if kind in FLOATING and dice.random() < 0.6:
            pool = [NAN, *dice.choices(TAME, k=dice.choice([1, 2, 3]))]
        elif dice.random() < 0.5:
            pool = [pool[0], *dice.choices(pool, k=dice.choice([0, 1, 2]))]
        cells = dice.choices(pool, k=count)
        if dice.random() < 0.3:
            cells.sort(key=lambda one: (one is None, str(one) == "nan", str(one)))
        columns[name] = cells
    return Nasty(kinds, list(zip(*columns.values(), strict=True)))


def write(nasty: Nasty, path: Path, dice: random.Random, statistics: bool) -> list[str]:
    """Write one file or several, by a writer and with settings that are drawn too."""
    whole = table_of(nasty)
    parts = [whole]
    if dice.random() < 0.2 and len(whole) > 1:
        middle = dice.randint(1, len(whole) - 1)
        parts = [whole.slice(0, middle), whole.slice(middle)]
    names = []
    for number, part in enumerate(parts):
        name = path.with_name(f"{path.name}-{number}.parquet")
        writer = dice.choice(["pyarrow"] * 4 + ["polars", "duckdb"])
        if {"float16", "moments"} & {*nasty.kinds.values()} or _has_odd_text(nasty):
            writer = "pyarrow"
        group = dice.choice([1, 3, 7, 10_000])
        if writer == "polars":
            frame = polars.DataFrame(part)
            frame.write_parquet(name, statistics=statistics, row_group_size=group)
        elif writer == "duckdb" and statistics:
            with duckdb.connect() as engine:
                engine.from_arrow(part).write_parquet(str(name), row_group_size=group)
        else:
            pyarrow.parquet.write_table(
                part, name, write_statistics=statistics, row_group_size=group,
                use_dictionary=dice.random() < 0.5, write_page_index=dice.random() < 0.3,
                data_page_size=dice.choice([1, 1 << 20]), compression=dice.choice(["none", "zstd"]),
                data_page_version=dice.choice(["1.0", "2.0"]),
            )  # fmt: skip
        if statistics and dice.random() < 0.1:
            _with_nan_as_an_end(name)
        names.append(str(name))
    return names


def _has_odd_text(nasty: Nasty) -> bool:
    return any(isinstance(one, bytes) and b"\xff" in one for row in nasty.rows for one in row)


def _with_nan_as_an_end(name: Path) -> None:
    """Do what some old writers did: write NaN as the greatest value of a column."""
    content = name.read_bytes()
    (size,) = struct.unpack("<I", content[-8:-4])
    footer = content[-8 - size :]
    for end in (7.0, 1000.0, INF):
        footer = footer.replace(struct.pack("<d", end), struct.pack("<d", NAN))
    name.write_bytes(content[: -8 - size] + footer)


def matches(where: str, value: float | None) -> bool:
    """Tell whether a row takes part, as ``--where`` says: NaN is on neither side."""
    if value is None or math.isnan(value):
        return False
    _, sign, number = where.split()
    return bool(eval(f"value {'==' if sign == '=' else sign} {number}"))


class Question(NamedTuple):
    """What is asked, and what a loop answers."""

    value_range: tuple[int, int] | None
    most: int | None
    where: str | None

    def loop(self, nasty: Nasty) -> dict[Any, int]:
        """Answer in plain Python."""
        kinds = nasty.kinds
        rows = [
            (label(kinds["item"], item), person_label(kinds["person"], person), v)
            for item, person, v, w in nasty.rows
            if self.where is None or matches(self.where, _as_stored(kinds["w"], w))
        ]
        if self.value_range is None:
            return reference.counts([row[:2] for row in rows], self.most, KEY)
        rows = [(item, person, _as_stored(kinds["v"], v)) for item, person, v in rows]
        low, high = map(Fraction, self.value_range)
        whole = kinds["v"].startswith("int")
        digits = reference.fine_digits(low, high)

        def exactly(v: Any) -> Fraction:
            limited = Fraction(min(max(v, -(2**61)), 2**61)) if whole else None
            return limited if whole else reference.in_fine_steps(float(v), digits)

        return reference.sums(rows, low, high, Fraction(1), self.most, KEY, exactly)

    def engine(self, relation: Any) -> dict[Any, int]:
        """Answer by the engine."""
        summed = {"v": self.value_range} if self.value_range else None
        return seam.scores(
            relation, item="item", person="person", value=summed, items_per_person=self.most
        )


def _as_stored(kind: str, value: Any) -> Any:
    """Return a number as its column holds it."""
    if value is None or kind not in ("float16", "float"):
        return value
    return float((np.float16 if kind == "float16" else np.float32)(value))


def without_a_number(nasty: Nasty) -> tuple[int, int]:
    """Return how many rows count, and how many of them have no number."""
    counted = [
        v is None or math.isnan(v)
        for item, person, v, _ in nasty.rows
        if None not in (label(nasty.kinds["item"], item), label(nasty.kinds["person"], person))
    ]
    return len(counted), sum(counted)


def disagreements(seed: int, folder: Path) -> list[str]:
    """Draw rows, write them with statistics and without, ask both doors; say what differs."""
    wrong = []
    for door, labels in (("command line", LABELS_OF_FILES), ("own relation", LABELS)):
        dice = random.Random(f"{door} {seed}")
        nasty = drawn(dice, labels)
        where = dice.choice([None, *WHERE]) if door == "command line" else None
        most = None if "moments" in nasty.kinds.values() else dice.choice([None, None, 1, 2])
        question = Question(dice.choice([None, *RANGES]), most, where)
        wanted, counted = question.loop(nasty), without_a_number(nasty)
        if nasty.kinds["item"] == "moments":
            wanted = Counter(wanted.values())
        for statistics in (True, False):
            files = write(nasty, folder / "nasty", dice, statistics)
            with ExitStack() as stack:
                try:
                    if door == "command line":
                        opened = seam.opened(files, "item", "person", "v", where=where)
                        relation = stack.enter_context(opened)
                    else:
                        relation = stack.enter_context(duckdb.connect()).read_parquet(files)
                    found: Any = question.engine(relation)
                    if nasty.kinds["item"] == "moments":
                        found = Counter(found.values())
                    looked = check(relation, item="item", person="person", value="v")
                    numbers = (looked.counted, looked.no_number) if where is None else counted
                except Exception as error:
                    found, numbers = repr(error), counted
            if found != wanted or numbers != counted:
                how = (seed, door, statistics, nasty.kinds, question)
                wrong.append(f"{how}: {found} for {wanted}, check {numbers} for {counted}")
    return wrong


def main(seeds: int, first: int = 0) -> int:
    """Run a campaign and say how it went."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + seeds):
            wrong += disagreements(seed, Path(folder))
    for one in wrong[:20]:
        print(one)
    print(f"{seeds * 4:,} files by two doors, {len(wrong):,} differ from a plain loop")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
