"""CSV and TSV: streamed by DuckDB line by line, every field as text.

A line is a row. Were a quoted value to go on in the next line, a quote that one person's row opens
and never closes would swallow the rows of everybody behind. So each line is split by itself: what
comes of it depends on that line and on the header. A line that cannot be split, has too few fields,
is not UTF-8 or is too long is left out, whoever's it is, and fields too many are dropped: an error
there would tell about a row. An empty field is no value.

The header is read by us. Sniffing looks at rows, and rows are private: one person's row could
change how everyone's are read. So the delimiter comes from the option, the ending or the header
line. A file without a header is not looked at: its first line is someone's row.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Sequence
from pathlib import Path

from overbar.cli.tables.column_names import (
    NamedColumns,
    find_column,
    find_number,
    hidden_line,
    identifier,
    literal,
)
from overbar.cli.tables.engine import refuse, shielded
from overbar.cli.tables.lines import whole_lines

COMMA, TAB = ",", "\t"
DELIMITERS = (COMMA, ";", TAB, "|")
LONGEST_HEADER = 1 << 20
#: Characters that end no field, so that a line stays whole: the second where the first is in use.
UNUSED = ("\x1f", "\x1e")


def delimited_query(
    place: str,
    columns: NamedColumns,
    delimiter: str | None,
    headers: Sequence[tuple[str, bytes]],
    *,
    skip_header: bool,
) -> str:
    """Write the reading of sources that all have the same header, or none.

    `headers` has the first line of each source, beside its name; it is empty where there are none.
    """
    if headers:
        (name, line), *others = headers
        names, sign = _split_header(name, line, delimiter)
        for other, its_line in others:
            if _split_header(other, its_line, delimiter)[0] != names:
                refuse(f"{other} must have the columns of {name}, in the same order")
        places = _named_places(name, names, columns)
    else:
        places = {wanted: find_number(part, wanted) for part, wanted in columns}
        sign = delimiter or COMMA
    unused = UNUSED[sign == UNUSED[0]]
    lines = whole_lines(place, unused=unused, skip_header=skip_header)
    lines = f"select rtrim(line, chr(13)) as line from {lines}"
    fields = ", ".join(
        f"{_field(sign, at)} as {identifier(wanted)}" for wanted, at in places.items()
    )
    some = ", ".join(map(identifier, places))
    return f"select * from (select {fields} from ({lines})) where coalesce({some}) is not null"


def first_line(name: str) -> bytes:
    """Return the first line of a file, packed or not."""
    with shielded(name):
        if name.lower().endswith(".gz"):
            with gzip.open(name) as stream:
                return stream.readline(LONGEST_HEADER)
        with Path(name).open("rb") as plain:
            return plain.readline(LONGEST_HEADER)


def input_header(descriptor: int) -> bytes:
    """Take the first line of what arrives, and not a byte more."""
    taken = bytearray()
    while not taken.endswith((b"\n", b"\r")) and len(taken) < LONGEST_HEADER:
        byte = os.read(descriptor, 1)
        if not byte:
            break
        taken += byte
    return bytes(taken)


def _split_header(name: str, line: bytes, delimiter: str | None) -> tuple[list[str], str]:
    """Return the names of the columns and what separates them.

    The line ends where the engine ends it: at LF, CRLF or CR.
    """
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        refuse(f"{name} must be UTF-8 text; it begins like UTF-16: save it as UTF-8")
    try:
        text = re.split(rb"[\r\n]", line, maxsplit=1)[0].decode("utf-8-sig")
    except UnicodeDecodeError:
        refuse(f"{name} must be UTF-8 text, beginning with its header")
    if delimiter is None:
        delimiter = max(DELIMITERS, key=text.count)
    try:
        names = next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        refuse(f"{name} must begin with a line of column names, or give --no-header")
    return names, delimiter


def _named_places(name: str, names: list[str], columns: NamedColumns) -> dict[str, int]:
    """Return where the columns are, by the header."""
    if not names:
        refuse(f"{name} is empty: it must begin with a line of column names")
    hidden = hidden_line(len(names))
    return {
        wanted: find_column(name, part, wanted, names, hidden=hidden) for part, wanted in columns
    }


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
