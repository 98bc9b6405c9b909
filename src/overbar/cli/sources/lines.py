"""One record a line: JSON lines, and FIMI ``.dat`` files of baskets.

A line that is not what it should be is left out, whoever's it is: an error would tell about it.
"""

from __future__ import annotations

import json

import duckdb

from overbar.cli.sources.delimited import LINE_ENDS
from overbar.cli.sources.failures import refuse, shielded
from overbar.cli.sources.files import engine_name
from overbar.cli.sources.header import first_line
from overbar.cli.sources.names import Columns, find_column, identifier, literal

__all__ = ["BASKET_COLUMNS", "basket_lines", "json_lines"]

#: What a basket file has: the items of a line, and the line itself as the person.
BASKET_COLUMNS = ("item", "person")
#: What is said of a key that the first object does not have.
HIDDEN_KEYS = (
    "the keys of its first object are taken as the names of columns and not shown, because they "
    "may be about someone: look at the first line"
)
#: A character that ends no field, so that a line stays whole.
UNUSED = "\x1f"


def json_lines(
    engine: duckdb.DuckDBPyConnection, files: tuple[str, ...], columns: Columns
) -> duckdb.DuckDBPyRelation:
    """Return the columns of files with one JSON object a line; a key not there is no value.

    The keys of the first object are taken as the header, and so as public.
    """
    line = first_line(files[0])
    if line.strip():  # an empty file is a table without rows
        keys = _keys(files[0], line)
        for part, wanted in columns:
            find_column(files[0], part, wanted, keys, hidden=HIDDEN_KEYS)
    with shielded(files[0]):
        return engine.sql(_json_query(_names(files), columns))


def json_input(
    engine: duckdb.DuckDBPyConnection, columns: Columns, descriptor: int = 0
) -> duckdb.DuckDBPyRelation:
    """Return the columns of JSON lines on standard input, held in memory."""
    place = literal(f"/dev/fd/{descriptor}")
    with shielded("standard input"):
        engine.execute(f"create table standard_input as {_json_query(place, columns)}")
        return engine.sql("select * from standard_input")


def basket_lines(
    engine: duckdb.DuckDBPyConnection, files: tuple[str, ...]
) -> duckdb.DuckDBPyRelation:
    """Return items and persons of files with one basket a line, items separated by spaces."""
    with shielded(files[0]):
        return engine.sql(_basket_query(_names(files)))


def basket_input(engine: duckdb.DuckDBPyConnection, descriptor: int = 0) -> duckdb.DuckDBPyRelation:
    """Return items and persons of baskets on standard input, held in memory."""
    with shielded("standard input"):
        query = _basket_query(literal(f"/dev/fd/{descriptor}"))
        engine.execute(f"create table standard_input as {query}")
        return engine.sql("select * from standard_input")


def _names(files: tuple[str, ...]) -> str:
    return "[" + ", ".join(literal(engine_name(name)) for name in files) + "]"


def _json_query(place: str, columns: Columns) -> str:
    kinds = ", ".join(f"{literal(name)}: 'VARCHAR'" for _, name in columns)
    picked = ", ".join(identifier(name) for _, name in columns)
    return (
        f"select {picked} from read_json({place}, format='newline_delimited', auto_detect=false, "
        f"columns={{{kinds}}}, ignore_errors=true)"
    )


def _basket_query(place: str) -> str:
    return (
        "select unnest(string_split_regex(trim(line, E' \\t\\r'), '[ \\t]+')) as item, person "
        f"from (select line, row_number() over () as person from read_csv({place}, "
        f"auto_detect=false, header=false, delim={literal(UNUSED)}, quote='', escape='', "
        f"{LINE_ENDS}, columns={{'line': 'VARCHAR'}}, ignore_errors=true, strict_mode=false))"
    )


def _keys(name: str, line: bytes) -> list[str]:
    try:
        first = json.loads(line)
    except ValueError:
        first = None
    if not isinstance(first, dict):
        refuse(f"{name} must hold one JSON object a line")
    return list(first)
