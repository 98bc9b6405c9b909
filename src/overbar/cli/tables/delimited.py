"""CSV and TSV: streamed by DuckDB line by line, every field as text.

A line is a row. Were a quoted value to go on in the next line, a quote that one person's row opens
and never closes would swallow the rows of everybody behind. So each line is split by itself: what
comes of it depends on that line and on the header. A line that cannot be split, has too few fields,
is not UTF-8 or is too long is left out, whoever's it is, and fields too many are dropped: an error
there would tell about a row. An empty field is no value.
"""

from __future__ import annotations

import duckdb

from overbar.cli.tables.column_names import (
    NamedColumns,
    find_column,
    find_number,
    hidden_line,
    identifier,
    literal,
)
from overbar.cli.tables.failures import refuse, shielded
from overbar.cli.tables.files import engine_name
from overbar.cli.tables.header import Header, file_header, input_header, split_header
from overbar.cli.tables.lines import whole_lines

__all__ = ["delimited_files", "delimited_input"]

COMMA, TAB = ",", "\t"
#: Characters that end no field, so that a line stays whole: the second where the first is in use.
UNUSED = ("\x1f", "\x1e")


def delimited_files(
    engine: duckdb.DuckDBPyConnection,
    files: tuple[str, ...],
    columns: NamedColumns,
    delimiter: str | None,
    named: bool,
) -> duckdb.DuckDBPyRelation:
    """Return the columns of delimited files that all have the same header, or none."""
    names = ", ".join(literal(engine_name(name)) for name in files)
    if named:
        header = file_header(files[0], delimiter)
        for other in files[1:]:
            if file_header(other, delimiter).names != header.names:
                refuse(f"{other} must have the columns of {files[0]}, in the same order")
        places, delimiter = _named_places(files[0], header, columns), header.delimiter
    else:
        places, delimiter = _numbered_places(columns), delimiter or COMMA
    query = _query(f"[{names}]", delimiter, places, skip_header=named)
    with shielded(files[0]):
        return engine.sql(query)


def delimited_input(
    engine: duckdb.DuckDBPyConnection,
    columns: NamedColumns,
    delimiter: str | None,
    named: bool,
    descriptor: int = 0,
) -> duckdb.DuckDBPyRelation:
    """Return the columns of what arrives on standard input, held in memory."""
    name = "standard input"
    if named:
        header = split_header(name, input_header(descriptor), delimiter)
        places, delimiter = _named_places(name, header, columns), header.delimiter
    else:
        places, delimiter = _numbered_places(columns), delimiter or COMMA
    query = _query(literal(f"/dev/fd/{descriptor}"), delimiter, places, skip_header=False)
    with shielded(name):
        engine.execute(f"create table standard_input as {query}")
        return engine.sql("select * from standard_input")


def _named_places(name: str, header: Header, columns: NamedColumns) -> dict[str, int]:
    """Return where the columns are, by the header."""
    if not header.names:
        refuse(f"{name} is empty: it must begin with a line of column names")
    hidden = hidden_line(len(header.names))
    return {
        wanted: find_column(name, part, wanted, header.names, hidden=hidden)
        for part, wanted in columns
    }


def _numbered_places(columns: NamedColumns) -> dict[str, int]:
    """Return where the columns are, by their numbers: the first line is someone's row."""
    return {wanted: find_number(part, wanted) for part, wanted in columns}


def _query(place: str, delimiter: str, places: dict[str, int], *, skip_header: bool) -> str:
    """Write the reading, with nothing left for the engine to find out from rows."""
    unused = UNUSED[delimiter == UNUSED[0]]
    lines = whole_lines(place, unused=unused, skip_header=skip_header)
    lines = f"select rtrim(line, chr(13)) as line from {lines}"
    fields = ", ".join(
        f"{_field(delimiter, at)} as {identifier(wanted)}" for wanted, at in places.items()
    )
    some = ", ".join(map(identifier, places))
    return f"select * from (select {fields} from ({lines})) where coalesce({some}) is not null"


def _field(delimiter: str, place: int) -> str:
    """Write how one field is cut out of a line; null where it is empty or not there."""
    plain = f"split_part(line, {literal(delimiter)}, {place + 1})"
    sign = f"\\x{{{ord(delimiter):x}}}"
    any_field = f'(?:"(?:[^"]|"")*"|[^"{sign}][^{sign}]*|)'
    whole = f"^{f'{any_field}{sign}' * place}({any_field})(?:{sign}|$)"
    found = f"regexp_extract(line, {literal(whole)}, 1)"
    bare = f"replace(substr({found}, 2, length({found}) - 2), '\"\"', '\"')"
    quoted = f"case when starts_with({found}, '\"') then {bare} else {found} end"
    return f"nullif(case when contains(line, '\"') then {quoted} else {plain} end, '')"
