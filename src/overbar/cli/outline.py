"""What a file has, before any column is named: its columns and how many rows. Not private."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from overbar.cli.check_command import CheckOptions
from overbar.cli.release import opened
from overbar.cli.tables.column_names import REASON, NamedColumns, identifier
from overbar.cli.tables.encodings import whole_lines
from overbar.cli.tables.engine import ReadingError, refuse, start_engine
from overbar.cli.tables.files import existing_files
from overbar.cli.tables.schema import column_names, table_names
from overbar.cli.tables.source import Source
from overbar.cli.tables.spreadsheet import first_rows
from overbar.frames import DatabaseTable
from overbar.report import Report
from overbar.words.check_report import outline_report

#: Kinds of files that have columns to show.
OUTLINED = ("csv", "tsv", "json", "jsonl", "parquet", "duckdb", "sqlite", "xlsx")
HEADED = ("csv", "tsv", "xlsx")
#: So many records of JSON are looked at for their keys.
RECORDS = 1000


def outline(options: CheckOptions, source: Source, unreadable: dict[str, int]) -> Report:
    """Return the columns and how many rows there are; lines that never became rows are known."""
    names = _columns(source)
    rows, reasons = _rows(options, dataclasses.replace(source, reasons=True), names)
    rows, left_out = rows + sum(unreadable.values()), {**unreadable, **reasons}
    return outline_report(rows, left_out, names, has_header=source.form in HEADED)


def _columns(source: Source) -> list[str]:
    """Return the names of the columns, in their order."""
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


def _rows(options: CheckOptions, source: Source, names: list[str]) -> tuple[int, dict[str, int]]:
    """Count them by a column that can be read: the last, so that a row that is too short shows."""
    counted: list[tuple[str | None, int]] = []
    for name in reversed([name for name in names if name and names.count(name) == 1]):
        with suppress(ReadingError):  # of a type that names nothing, such as a list
            with opened(options, source, NamedColumns(name), None) as (relation, _):
                assert not isinstance(relation, DatabaseTable)
                counted = relation.aggregate(f"{identifier(REASON)}, count(*)").fetchall()
            break
    else:
        refuse(f"{source.name} has no column of text, numbers or dates with a name of its own")
    rows = sum(count for _, count in counted)
    return rows, {why: count for why, count in sorted(counted, key=str) if why is not None}
