"""Files as people have them: how each is made, what is typed, and what must come out.

`right` is followed by the rows that it means, of which a plain loop counts the persons; the other
outcomes by a sentence that must be there. Each kind has a group, for the table in the docs.
"""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
import sqlite3
import threading
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet

from tests.cli.workbook import write_workbook

#: Who bought what, for how much: a person with two rows of an item counts once.
ROWS = [(f"k{n}", item) for item, count in (("Käse", 5), ("Öl", 3)) for n in range(count)]
ROWS.append(("k0", "Käse"))
PAID = [(*row, 1.5 + place) for place, row in enumerate(ROWS)]
LIST = ["Käse", "Öl", "Tee", "Rum"]
ASK = ["--item", "product", "--person", "customer"]
SUMS = ["--value", "amount", "--value-range", "0,100"]
NAMES = ("customer", "product")


def table(name="t.csv", text=None, encoding="utf-8", **how):
    Path(name).write_bytes((lines(**how) if text is None else text).encode(encoding))
    return [name]


def lines(rows=ROWS, names=NAMES, sign=",", end="\n", before="", quote=False):
    cells = [names, *rows] if names else rows
    wrapped = ([f'"{one}"' if quote else str(one) for one in row] for row in cells)
    return before + end.join(map(sign.join, wrapped)) + end


def listing(text, encoding="utf-8", name="list.txt"):
    Path(name).write_bytes(text.encode(encoding))


def listed(labels, coded="utf-8", **how):
    listing(labels, coded)
    return table(**how)


def paid(form, sign=";", rows=PAID, quote=False):
    """A table with amounts, each written by `form`."""
    return table(rows=[(*row[:2], form(row[2])) for row in rows], names=(*NAMES, "amount"),
                 sign=sign, quote=quote)  # fmt: skip


def comma(amount):
    return f"{amount:.2f}".replace(".", ",")


def packed(write, name, inner=None):
    with write(name, "wb") as file:
        file.write(lines().encode() if inner is None else inner)
    return [name]


def zipped(name="t.csv"):
    write_workbook(name, Blatt=[["a"]])
    return [name]


def raw(name, content):
    Path(name).write_bytes(content)
    return [name]


def folder(**files):
    """A folder of files, by their names with __ for the point."""
    Path("in").mkdir()
    for name, text in files.items():
        Path("in", name.replace("__", ".")).write_bytes(
            text if isinstance(text, bytes) else text.encode()
        )
    return ["in"]


def records(key="product"):
    return [{"user": {"id": person}, key: {"name": item}} for person, item in ROWS]


def flat(**more):
    return [{"customer": person, "product": item, **more} for person, item in ROWS]


def json_lines(found=None):
    return "\n".join(json.dumps(one) for one in (records() if found is None else found))


def stored(items=None, persons=None, name="t.parquet", **more):
    items = [item for _, item in ROWS] if items is None else items
    persons = [person for person, _ in ROWS] if persons is None else persons
    pyarrow.parquet.write_table(
        pyarrow.table({"customer": persons, "product": items, **more}), name
    )
    return [name]


def each(means, kind=None):
    return pyarrow.array([means[item] for _, item in ROWS], kind)


DAYS = {"Käse": datetime.date(2024, 1, 31), "Öl": datetime.date(2024, 2, 1)}
TIMES = {"Käse": datetime.datetime(2024, 1, 31, 8), "Öl": datetime.datetime(2024, 2, 1)}


def named(**labels):
    """The rows with other labels for the items."""
    return [(person, labels.get(item, item)) for person, item in ROWS]


def sheet(rows, **more):
    write_workbook("t.xlsx", Verkauf=[list(row) for row in rows], **more)
    return ["t.xlsx"]


def database(*names, columns="customer, product", view=""):
    with sqlite3.connect("t.db") as engine:
        for name in names:
            engine.execute(f"create table {name} ({columns})")
            engine.executemany(f"insert into {name} values (?, ?)", ROWS)
        if view:
            engine.execute(view)
    engine.close()
    return ["t.db"]


def duck():
    with duckdb.connect("t.duckdb") as engine:
        engine.execute("create table sales (customer varchar, product varchar)")
        engine.executemany("insert into sales values (?, ?)", ROWS)
    return ["t.duckdb"]


def pipe(content):
    os.mkfifo("t.csv")
    threading.Thread(target=lambda: Path("t.csv").write_bytes(content), daemon=True).start()
    return ["t.csv"]


def dictionary(rows):
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def german_day(day):
    return day.strftime("%d.%m.%Y")


def dated(form, name="t.csv"):
    rows = [(*row, form(datetime.date(2024, 6, 28) + datetime.timedelta(days=place)))
            for place, row in enumerate(ROWS)]  # fmt: skip
    return table(name, rows=rows, names=(*NAMES, "day"))


TITLE = "Umsatz je Kunde\nStand 31.12.2024\n\n"
LATER = [row for place, row in enumerate(ROWS) if place >= 3]
NUMBERED = [("7", "8"), *((str(n), item) for n in range(9) for item in ("8", "9")[: 1 + (n < 4)])]
NO_NUMBER = "rows without a number"
WINDOWS = "are no UTF-8 and were read as Windows-1252"
DECIMAL = [*SUMS, "--decimal-comma"]
NESTED = ["--item", "product.name", "--person", "user.id"]
