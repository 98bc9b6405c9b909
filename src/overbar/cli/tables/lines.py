"""One record a line: JSON lines, and FIMI ``.dat`` files of baskets.

A line that is not what it should be, or longer than the limit, is left out, whoever's it is: an
error would tell about it. So no line is looked at before the others either. JSON lines have no
header, and the first object is someone's: a key that it lacks may be in the next, and a key that
nobody has finds no rows.
"""

from __future__ import annotations

import json

import duckdb

from overbar.cli.tables.column_names import NamedColumns, identifier, literal
from overbar.cli.tables.failures import shielded
from overbar.cli.tables.files import engine_name

__all__ = [
    "BASKET_COLUMNS",
    "basket_input",
    "basket_lines",
    "json_input",
    "json_lines",
    "whole_lines",
]

#: What a basket file has: the items of a line, and the line itself as the person.
BASKET_COLUMNS = ("item", "person")
#: LF, CR and CRLF end a line, in every file. Left to itself the engine goes by the first line end,
#: and where that is CRLF a CR in someone's row swallows the beginning of the next line.
LINE_ENDS = "new_line='\\n'"
#: A character that ends no field, so that a line stays whole.
UNUSED = "\x1f"
#: Longer lines are left out: in bytes, of a delimited file or a basket, and of JSON.
LONGEST, LONGEST_RECORD = 1_900_000, 16_000_000
MARGIN = 100_000


def json_lines(
    engine: duckdb.DuckDBPyConnection, files: tuple[str, ...], columns: NamedColumns
) -> duckdb.DuckDBPyRelation:
    """Return the columns of files with one JSON object a line; a key not there is no value."""
    with shielded(files[0]):
        return engine.sql(_json_query(_names(files), columns))


def json_input(
    engine: duckdb.DuckDBPyConnection, columns: NamedColumns, descriptor: int = 0
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


def _json_query(place: str, columns: NamedColumns) -> str:
    """Write the reading: each line is parsed by itself, and gives nulls where it is no object."""
    record = literal(json.dumps({name: "VARCHAR" for _, name in columns}))
    picked = ", ".join(f"record.{identifier(name)} as {identifier(name)}" for _, name in columns)
    lines = whole_lines(place, longest=LONGEST_RECORD)
    parsed = f"json_transform(try_cast(line as json), {record})"
    return f"select {picked} from (select {parsed} as record from {lines})"


def _basket_query(place: str) -> str:
    return (
        "select unnest(string_split_regex(trim(line, E' \\t\\r'), '[ \\t]+')) as item, person "
        f"from (select line, row_number() over () as person from {whole_lines(place)})"
    )


def whole_lines(
    place: str, *, unused: str = UNUSED, longest: int = LONGEST, skip_header: bool = False
) -> str:
    """Write the reading of whole lines, with nothing left for the engine to find out from them.

    The engine leaves out what is too long for it as well, but where a line stands decides about
    the last byte. So ours is the smaller limit.
    """
    return (
        f"(select line from read_csv({place}, auto_detect=false, "
        f"header={str(skip_header).lower()}, delim={literal(unused)}, quote='', escape='', "
        f"{LINE_ENDS}, columns={{'line': 'VARCHAR'}}, ignore_errors=true, strict_mode=false, "
        f"max_line_size={longest + MARGIN}) where strlen(line) <= {longest})"
    )
