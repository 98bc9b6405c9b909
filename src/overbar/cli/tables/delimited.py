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
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from overbar.cli.exit import complain
from overbar.cli.tables.column_names import (
    REASON,
    NamedColumns,
    find_column,
    find_number,
    identifier,
    literal,
)
from overbar.cli.tables.encodings import MARKS, to_utf8
from overbar.cli.tables.engine import refuse, shielded
from overbar.cli.tables.files import unpacked
from overbar.cli.tables.lines import whole_lines
from overbar.cli.tables.streams import blocks_of

COMMA, TAB = ",", "\t"
DELIMITERS = (COMMA, ";", TAB, "|")
LONGEST_HEADER = 1 << 20
#: Characters that end no field, so that a line stays whole: the second where the first is in use.
UNUSED = ("\x1f", "\x1e")
#: What is rather a value than a name: numbers, dates and times, and nothing.
_VALUE = re.compile(r"[-+]?[\d.,/:\-TZ ]*\d[\d.,/:\-TZ ]*|")


def delimited_query(
    place: str,
    columns: NamedColumns,
    delimiter: str | None,
    headers: Sequence[tuple[str, bytes]],
    *,
    skip_header: bool,
    decimal_said: bool = True,
    reasons: bool = False,
) -> str:
    """Write the reading of sources that all have the same header, or none.

    `headers` has the first line of each source, beside its name; it is empty where there are none.
    """
    places, sign = split_places(columns, delimiter, headers)
    if sign == ";" and columns.numbers() and not decimal_said:
        refuse(
            f"{headers[0][0] if headers else 'the table'} has ; between its fields, as where "
            "numbers are written 1.234,50: add --decimal-comma, or --decimal-point if they are "
            "written 1234.50"
        )
    unused = UNUSED[sign == UNUSED[0]]
    lines = whole_lines(place, unused=unused, skip_header=skip_header)
    lines = f"select rtrim(line, chr(13)) as line from {lines}"
    fields = ", ".join(
        f"{_field(sign, at)} as {identifier(wanted)}" for wanted, at in places.items()
    )
    if reasons:
        labels = [places[name] for part, name in columns if part in ("item", "person")]
        return f"select {fields}, {_reason(sign, max(labels))} from ({lines}) where line <> ''"
    some = ", ".join(map(identifier, places))
    return f"select * from (select {fields} from ({lines})) where coalesce({some}) is not null"


def split_places(
    columns: NamedColumns, delimiter: str | None, headers: Sequence[tuple[str, bytes]]
) -> tuple[dict[str, int], str]:
    """Return where the columns are, and what separates fields: by the headers, or by numbers."""
    if headers:
        (name, line), *others = headers
        names, sign = _split_header(name, line, delimiter)
        for other, its_line in others:
            if _split_header(other, its_line, delimiter)[0] != names:
                refuse(f"{other} must have the columns of {name}, in the same order")
        return named_places(name, names, columns), sign
    return {wanted: find_number(part, wanted) for part, wanted in columns}, delimiter or COMMA


def first_line(name: str, encoding: str | None) -> bytes:
    """Return how a file begins, as UTF-8: at least its first line, as far as a header may go."""
    taken = b""
    with shielded(name), unpacked(name) as stream:
        for block in to_utf8(blocks_of(stream), encoding):
            taken += block
            if re.search(rb"[\r\n]", taken) or len(taken) >= LONGEST_HEADER:
                break
    return taken[:LONGEST_HEADER]


def without_header(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what comes after the first line."""
    taken, rest = b"", iter(blocks)
    for block in rest:
        taken += block
        if end := re.search(rb"[\r\n]", taken):
            yield taken[end.start() :]
            break
    yield from rest


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
    if line.startswith(MARKS):
        refuse(f"{name} must be UTF-8 text; it begins like UTF-16: add --encoding utf-16")
    try:
        text = re.split(rb"[\r\n]", line, maxsplit=1)[0].decode("utf-8-sig")
    except UnicodeDecodeError:
        refuse(
            f"{name} must be UTF-8 text, beginning with its header; if it was saved in another "
            "encoding, name it, such as --encoding cp1252 or latin-1"
        )
    if delimiter is None:
        delimiter = max(DELIMITERS, key=text.count)
    try:
        names = next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        refuse(f"{name} must begin with a line of column names, or give --no-header")
    return names, delimiter


def named_places(name: str, names: list[str], columns: NamedColumns) -> dict[str, int]:
    """Return where the columns are, by the header."""
    if not names:
        refuse(f"{name} is empty: it must begin with a line of column names")
    if looks_like_a_row(names):
        complain(
            f"the first line of {name} is taken for names, but looks like someone's row: all of it "
            "is numbers or dates; write --no-header if it holds no names"
        )
    return {
        wanted: find_column(name, part, wanted, names, is_schema=False) for part, wanted in columns
    }


def looks_like_a_row(names: Sequence[str]) -> bool:
    """Tell whether a line that should hold names has nothing but numbers, dates and blanks.

    >>> looks_like_a_row(["17", "2024-01-31", ""]), looks_like_a_row(["id", "2024"])
    (True, False)
    """
    return any(map(str.strip, names)) and all(map(_VALUE.fullmatch, map(str.strip, names)))


def _field(delimiter: str, place: int) -> str:
    """Write how one field is cut out of a line; null where it is empty or not there."""
    plain = f"split_part(line, {literal(delimiter)}, {place + 1})"
    found = f"regexp_extract(line, {_up_to(delimiter, place)}, 1)"
    bare = f"replace(substr({found}, 2, length({found}) - 2), '\"\"', '\"')"
    quoted = f"case when starts_with({found}, '\"') then {bare} else {found} end"
    return f"nullif(case when contains(line, '\"') then {quoted} else {plain} end, '')"


def _pattern(delimiter: str) -> tuple[str, str]:
    """Write what separates fields, and what a field looks like, in quotes or not."""
    sign = f"\\x{{{ord(delimiter):x}}}"
    return sign, f'(?:"(?:[^"]|"")*"|[^"{sign}][^{sign}]*|)'


def _up_to(delimiter: str, place: int) -> str:
    """Write what a line looks like up to a field, which is the one in brackets."""
    sign, field = _pattern(delimiter)
    return literal(f"^{f'{field}{sign}' * place}({field})(?:{sign}|$)")


def _reason(delimiter: str, place: int) -> str:
    """Write why a line has no field at a place, for the owner of the file."""
    sign, field = _pattern(delimiter)
    quoted, whole = "contains(line, '\"')", literal(f"^{field}(?:{sign}{field})*$")
    few = f"length(line) - length(replace(line, {literal(delimiter)}, '')) < {place}"
    lost = f"if({quoted}, not regexp_matches(line, {_up_to(delimiter, place)}), {few})"
    torn = f"{quoted} and not regexp_matches(line, {whole})"
    reason = f"if({torn}, 'quotes that do not end', 'too few fields')"
    return f"case when {lost} then {reason} end as {identifier(REASON)}"
