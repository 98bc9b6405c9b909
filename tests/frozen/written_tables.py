"""Tables as files of every kind, with lines in them that hold no record."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from tests.cli.workbook import write_workbook

#: Lines that hold no record, whoever wrote them.
NO_RECORD = (b"not json", b"[1]", b"\xff\xfe", b'{"what": "te', b"{" * 4_000, b"\x00", b'"', b"7")
#: The same within an array, where they stand between commas.
NO_MEMBER = (
    b"nope",
    b"[1]",
    b"NaN",
    b'{"what": nope, "who": 1}',
    b'"{"',
    b"7",
    b"[" * 99 + b"]" * 99,
)

#: Rows of a sheet that make its document no XML.
NO_ROW = (
    b"<row><c><v>a\x01</v></c></row>",
    b"<row><c><!--",
    b"<row>]]></c></sheetData>",
    b"<row>\xff",
)


def written(folder: Path, engine: str, cells: Any, dice: random.Random, everybody: bool) -> str:
    """Write a file; the last person may bring lines that hold no record."""
    what, who = cells
    path = folder / f"rows.{engine}"
    path.unlink(missing_ok=True)
    rows = list(zip(what, who, strict=True))
    if engine == "sqlite":
        connection = sqlite3.connect(path)
        connection.execute("create table rows (what, who)")
        connection.executemany("insert into rows values (?, ?)", rows)
        connection.commit()
        connection.close()
    elif engine == "parquet":
        columns = (pyarrow.array(v, pyarrow.binary()).view(pyarrow.string()) for v in (what, who))
        table = pyarrow.table(dict(zip(("what", "who"), columns, strict=True)))
        pyarrow.parquet.write_table(table, path)
    elif engine == "xlsx":
        cells = [["what", "who"], *map(list, rows)]
        if everybody:
            cells.insert(dice.randint(1, len(cells)), dice.choice(NO_ROW))
        write_workbook(path, rows=cells)
    else:
        text = "cp1252" if engine == "cp1252.csv" else "utf-8"
        if engine.startswith("json"):
            lines = [json.dumps({"what": a, "who": b}).encode() for a, b in rows]
        else:
            lines = [f"{a},{b}".encode(text) for a, b in rows]
        odd = NO_MEMBER if engine == "json" else NO_RECORD
        if engine == "cp1252.csv":  # which has no such letters where it is named
            odd = (*odd, b"\x81,\x8d")
        place, broken = dice.randint(0, len(lines)), dice.choice(odd)
        if everybody:
            lines.insert(0 if dice.random() < 0.5 else place, broken)
        head = [b"what,who"] if engine.endswith("csv") else []
        whole = b"\n".join([*head, *lines]) + b"\n"
        path.write_bytes(b"[" + b",\n".join(lines) + b"]" if engine == "json" else whole)
    return str(path)
