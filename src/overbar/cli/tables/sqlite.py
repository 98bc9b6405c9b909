"""A table in an SQLite file, read by Python's own SQLite in batches into memory.

SQLite's columns hold values of any type, whatever they declare, so they are read as CSV is: as
text.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np

from overbar.cli.tables.column_names import NamedColumns, find_column, identifier
from overbar.cli.tables.engine import ReadingError, shielded
from overbar.cli.tables.typed_tables import nearest_table

ROWS = 1 << 16


def sqlite_table(
    engine: duckdb.DuckDBPyConnection, name: str, table: str, columns: NamedColumns
) -> duckdb.DuckDBPyRelation:
    """Return the columns of a table or view, as text."""
    failed = False
    try:
        with opened(name) as file:
            _check_names(file, name, table, columns)
            file.text_factory = _readable
            _copy(file, engine, table, columns)
    except sqlite3.Error:
        failed = True
    if failed:
        raise ReadingError(
            f"{name} cannot be read as SQLite; is it whole, and not locked by a writer?"
        )
    with shielded(name):
        return engine.sql("select * from sqlite_rows")


def _readable(raw: bytes) -> str | None:
    """Return text, or no value where bytes are not UTF-8: they must not stop the reading."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def opened(name: str) -> closing[sqlite3.Connection]:
    """Open a file for reading only."""
    return closing(sqlite3.connect(f"{Path(name).absolute().as_uri()}?mode=ro", uri=True))


def sqlite_tables(file: sqlite3.Connection) -> list[str]:
    """Return the names of tables and views."""
    query = "select name from sqlite_master where type in ('table', 'view') order by name"
    return [row[0] for row in file.execute(query)]


def sqlite_columns(file: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns that a table declares."""
    return [row[1] for row in file.execute(f"pragma table_info({identifier(table)})")]


def _check_names(file: sqlite3.Connection, name: str, table: str, columns: NamedColumns) -> None:
    known = sqlite_tables(file)
    if table not in known:
        nearest_table(name, table, known)
    there = sqlite_columns(file, table)
    for part, wanted in columns:
        find_column(f"{name} ({table})", part, wanted, there)


def _copy(
    file: sqlite3.Connection, engine: duckdb.DuckDBPyConnection, table: str, columns: NamedColumns
) -> None:
    kinds = ", ".join(f"{identifier(name)} VARCHAR" for _, name in columns)
    picked = ", ".join(f"cast({identifier(name)} as text)" for _, name in columns)
    cursor = file.execute(f"select {picked} from {identifier(table)}")
    names = [name for _, name in columns]
    with shielded(table):
        engine.execute(f"create table sqlite_rows ({kinds})")
        while rows := cursor.fetchmany(ROWS):
            batch = {
                name: np.array(column, dtype=object)
                for name, column in zip(names, zip(*rows, strict=True), strict=True)
            }
            engine.register("batch", batch)
            engine.execute("insert into sqlite_rows select * from batch")
            engine.unregister("batch")
