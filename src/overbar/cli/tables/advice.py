"""What a file states, and looks like to its owner, who may see its rows: never for a release.

Tables of a database, and columns of a table, are named where the file itself states them. The first
line of a text file may be someone's row: only `owner_columns` shows it. Where something cannot be
told, nothing is said: wrong advice is worse than none.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from overbar.cli.file_identity import STANDARD_INPUT
from overbar.cli.tables.column_names import DELIMITERS, NamedColumns
from overbar.cli.tables.encodings import whole_lines
from overbar.cli.tables.engine import refuse, start_engine
from overbar.cli.tables.files import HEADED, existing_files, form_of, pipe_among
from overbar.cli.tables.source import Source
from overbar.cli.tables.spreadsheet import first_rows, odd_cells, sheet_names
from overbar.cli.tables.typed_tables import (
    attached,
    database_columns,
    opened,
    parquet_relation,
    sqlite_columns,
    sqlite_tables,
)

#: So many records of JSON are looked at for their keys.
RECORDS = 1000


def table_names(places: Sequence[str], input_format: str | None) -> list[str]:
    """Return the tables and views of a database; none for other files."""
    form = form_of(tuple(places), input_format)
    if form == "xlsx":
        return sheet_names(places[0])
    if form == "sqlite":
        with opened(places[0]) as file:
            return sqlite_tables(file)
    if form != "duckdb":
        return []
    with start_engine() as engine:
        return list(attached(engine, places[0]))


def column_names(places: Sequence[str], input_format: str | None, table: str | None) -> list[str]:
    """Return the columns of Parquet files or of a table in a database; none for text files."""
    form = form_of(tuple(places), input_format)
    if form == "parquet":
        with start_engine() as engine:
            return list(parquet_relation(engine, existing_files(tuple(places))).columns)
    if form == "sqlite" and table is not None:
        with opened(places[0]) as file:
            return sqlite_columns(file, table)
    if form == "duckdb" and table is not None:
        with start_engine() as engine:
            return database_columns(engine, places[0], table)
    return []


def owner_columns(source: Source) -> list[str]:
    """Return the names of the columns in their order, off a text file too: for its owner's eyes."""
    files = existing_files(source.places)
    if source.form in ("csv", "tsv"):
        if source.has_header:
            return [name.strip() for name in source.header(files[0]).names]
        line = next(_lines(source, files[0]), b"").decode(errors="replace")
        fields = next(csv.reader([line], delimiter=source.delimiter or ","), [])
        return [str(number) for number in range(1, len(fields) + 1)]
    if source.form in ("json", "jsonl"):
        return list(dict.fromkeys(_keys(source, files[0])))
    if source.form == "xlsx":
        with start_engine() as engine:
            rows = first_rows(engine, files[0], source.table)
            wanted = source.header_row
            cells = (row for at, row in rows if at == wanted or (wanted is None and any(row)))
            return [name for name in next(cells, ()) if name]
    tables = table_names(files, source.form)
    table = source.table or (tables[0] if len(tables) == 1 else None)
    if tables and table is None:
        refuse(f"--table must name a table of {files[0]}; its tables: {', '.join(tables[:20])}")
    return column_names(files, source.form, table)


def _lines(source: Source, name: str) -> Iterator[bytes]:
    for block in whole_lines(source.lines_of(name)):
        yield from filter(None, block.splitlines())


def _keys(source: Source, name: str) -> Iterator[str]:
    for line in islice(_lines(source, name), RECORDS):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        yield from record if isinstance(record, dict) else ()


#: So many lines are looked at for names.
ROWS = 50


def row_of_names(source: Source, columns: NamedColumns) -> int | None:
    """Return in which line or row of a file the names are, of the first fifty."""
    wanted = {name for _, name in columns}
    return next((at for at, names in _split_rows(source) if wanted <= set(names)), None)


def about_names(source: Source, names: Sequence[str]) -> str:
    """Say what to write if these are no names of columns; a title is often alone in its row."""
    if source.form not in HEADED:
        return ""
    if len(names) == 1 and source.header_row is None:
        for at, row in _split_rows(source):
            if len(filled := [name for name in row if name]) > 1:
                listed = ", ".join(filled[:8]) + ", …" * (len(filled) > 8)
                return f"if the names of the columns are {listed}: add --header-row {at}"
    no_names = " (0 if there are none) or --delimiter" if source.form != "xlsx" else ""
    return f"if these are no names of columns, write --header-row N{no_names}"


def _split_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield what is in the first rows below that of names; a line is split in every way."""
    if source.places == (STANDARD_INPUT,) or pipe_among(source.places, source.form):
        return
    rows: Iterable[tuple[int, Iterable[str]]] = ()
    if source.form == "xlsx":
        with start_engine() as engine:
            rows = list(islice(first_rows(engine, source.places[0], source.table), ROWS))
    elif source.has_header:
        name = existing_files(source.places)[0]
        lines = source.lines_of(name)
        text = b"".join(islice(lines, 4))[: 1 << 16].decode(errors="replace").replace("\0", "")
        split = enumerate(re.split(r"\r\n|\r|\n", text), source.header(name).lines + 1)
        rows = ((at, next(csv.reader([x], delimiter=y), [])) for at, x in split for y in DELIMITERS)
    for at, names in islice(rows, ROWS * len(DELIMITERS)):
        yield at, [name.strip() for name in names]


def about_sheet(source: Source) -> Iterator[str]:
    """Yield what is odd about the cells of a workbook."""
    bare, merged = odd_cells(source.places[0], source.table) if source.form == "xlsx" else (0, 0)
    if bare:
        yield (
            f"{bare:,} cells have formulas without a stored result, so they are empty: open the "
            "workbook in a spreadsheet program and save it"
        )
    if merged:
        yield (
            f"{merged:,} areas of cells are merged: only the first cell of each has a value; undo "
            "it and fill the others"
        )
