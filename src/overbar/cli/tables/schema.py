"""Tables of a database, and columns of a table, where the file itself states them.

Nothing is read off a text file: its first line may be someone's row.
"""

from __future__ import annotations

from collections.abc import Sequence

from overbar.cli.tables.engine import start_engine
from overbar.cli.tables.files import existing_files, form_of
from overbar.cli.tables.spreadsheet import sheet_names
from overbar.cli.tables.typed_tables import (
    attached,
    database_columns,
    opened,
    parquet_relation,
    sqlite_columns,
    sqlite_tables,
)


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
