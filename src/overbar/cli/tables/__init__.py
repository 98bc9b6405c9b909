"""Reading tables: what was typed, what is there, what is read.

DuckDB streams files; nothing of a row reaches a message. Text formats (CSV, TSV, JSON lines,
SQLite) give text, whatever it looks like, so that no row decides about a type; Parquet
and DuckDB bring their own types.
"""

from overbar.cli.tables.column_names import NamedColumns
from overbar.cli.tables.engine import (
    DEFAULT_MEMORY,
    ReadingError,
    check_engine,
    shielded,
    start_engine,
)
from overbar.cli.tables.source import Source

__all__ = [
    "DEFAULT_MEMORY",
    "NamedColumns",
    "ReadingError",
    "Source",
    "check_engine",
    "shielded",
    "start_engine",
]
