"""A table in an SQLite file, read by Python's own SQLite in batches into memory.

SQLite's columns hold values of any type, whatever they declare, so they are read as CSV is: as
text.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb

from overbar.cli.tables.column_names import NamedColumns, find_column, identifier
from overbar.cli.tables.engine import keep_rows, refuse
from overbar.cli.tables.typed_tables import chosen_table


def sqlite_table(
    engine: duckdb.DuckDBPyConnection, name: str, table: str | None, columns: NamedColumns
) -> duckdb.DuckDBPyRelation:
    """Return the columns of a table or view, as text."""
    found = None
    try:
        with opened(name) as file:
            table = chosen_table(name, table, sqlite_tables(file))
            there = sqlite_columns(file, table)
            for part, wanted in columns:
                find_column(f"{name} ({table})", part, wanted, there)
            file.text_factory = _readable
            names = [wanted for _, wanted in columns]
            picked = ", ".join(f"cast({identifier(wanted)} as text)" for wanted in names)
            rows = file.execute(f"select {picked} from {identifier(table)}")
            found = keep_rows(engine, names, rows)
    except sqlite3.Error:
        pass
    if found is None:
        refuse(f"{name} cannot be read as SQLite; is it whole, and not locked by a writer?")
    return found


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
    query = "select name from sqlite_master where type in ('table', 'view') "
    query += "and name not like 'sqlite!_%' escape '!' order by name"
    return [row[0] for row in file.execute(query)]


def sqlite_columns(file: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns that a table declares."""
    return [row[1] for row in file.execute(f"pragma table_info({identifier(table)})")]
