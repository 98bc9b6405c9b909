"""CSV and TSV: streamed by DuckDB, every field as text.

A line that cannot be split, has too few fields or is not UTF-8 is left out, whoever's it is, and
fields too many are dropped: an error there would tell about a row. An empty field is no value.
"""

from __future__ import annotations

import duckdb

from overbar.cli.sources.failures import refuse, shielded
from overbar.cli.sources.files import engine_name
from overbar.cli.sources.header import Header, file_header, input_header, split_header
from overbar.cli.sources.names import Columns, find_column, identifier, literal

__all__ = ["delimited_files", "delimited_input"]

TAB = "\t"


def delimited_files(
    engine: duckdb.DuckDBPyConnection,
    files: tuple[str, ...],
    columns: Columns,
    delimiter: str | None,
    named: bool,
) -> duckdb.DuckDBPyRelation:
    """Return the columns of delimited files that all have the same header."""
    header = file_header(files[0], delimiter, named)
    for other in files[1:]:
        if file_header(other, delimiter, named).names != header.names:
            refuse(f"{other} must have the columns of {files[0]}, in the same order")
    names = ", ".join(literal(engine_name(name)) for name in files)
    query = _query(f"[{names}]", header, columns, files[0], skip_header=named)
    with shielded(files[0]):
        return engine.sql(query)


def delimited_input(
    engine: duckdb.DuckDBPyConnection,
    columns: Columns,
    delimiter: str | None,
    named: bool,
    descriptor: int = 0,
) -> duckdb.DuckDBPyRelation:
    """Return the columns of what arrives on standard input, held in memory."""
    name = "standard input"
    first = input_header(descriptor)
    header = split_header(name, first, delimiter, named)
    query = _query(literal(f"/dev/fd/{descriptor}"), header, columns, name, skip_header=False)
    with shielded(name):
        engine.execute(f"create table standard_input as {query}")
        if not named and first.strip():
            # The line taken to count the columns is a row too.
            fields = _fields(first, header.delimiter)
            picked = [fields[find_column(name, p, n, header.names)] or None for p, n in columns]
            marks = ", ".join("?" for _ in picked)
            engine.execute(f"insert into standard_input values ({marks})", picked)
        return engine.sql("select * from standard_input")


def _fields(line: bytes, delimiter: str) -> list[str]:
    import csv

    return next(csv.reader([line.decode("utf-8-sig").rstrip("\r\n")], delimiter=delimiter))


def _query(place: str, header: Header, columns: Columns, name: str, *, skip_header: bool) -> str:
    """Write the reading, with nothing left for the engine to find out from rows."""
    if not header.names:
        refuse(f"{name} is empty: it must begin with a line of column names")
    picked = ", ".join(
        f"c{find_column(name, part, wanted, header.names)} as {identifier(wanted)}"
        for part, wanted in columns
    )
    kinds = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(header.names)))
    return (
        f"select {picked} from read_csv({place}, auto_detect=false, "
        f"header={str(skip_header).lower()}, delim={literal(header.delimiter)}, quote='\"', "
        f"escape='\"', columns={{{kinds}}}, ignore_errors=true, strict_mode=false)"
    )
