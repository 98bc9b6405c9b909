"""CSV and TSV: streamed by DuckDB line by line, every field as text.

A line is a row. Were a quoted value to go on in the next line, a quote that one person's row opens
and never closes would swallow the rows of everybody behind. So each line is split by itself: what
comes of it depends on that line and on the header. A line that cannot be split, has too few fields
or more than the header, or is too long is left out, whoever's it is: an error there would tell
about a row. (A comma too many moves the fields behind it into columns of others.) An empty field is
no value.

The header is read by us. Sniffing looks at rows, and rows are private: one person's row could
change how everyone's are read. So the delimiter comes from the option, the ending or the header
line. A file without a header is not looked at: its first line is someone's row.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from overbar.cli.exit import complain
from overbar.cli.tables.column_names import (
    REASON,
    NamedColumns,
    find_column,
    find_number,
    identifier,
    literal,
)
from overbar.cli.tables.encodings import MARKS, readable, whole_lines
from overbar.cli.tables.engine import refuse

COMMA, TAB = ",", "\t"
DELIMITERS = (COMMA, ";", TAB, "|")
LONGEST_HEADER = 1 << 20
#: What is rather a value than a name: numbers, dates and times, and nothing.
_VALUE = re.compile(r"[-+]?[\d.,/:\-TZ ]*\d[\d.,/:\-TZ ]*|")


def delimited_query(
    place: str,
    columns: NamedColumns,
    delimiter: str | None,
    headers: Sequence[tuple[str, bytes]],
    *,
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
    most = len(_split_header(*headers[0], delimiter)[0]) if headers else None
    fields = {wanted: _field(at) for wanted, at in places.items()}
    if reasons:
        labels = [places[name] for part, name in columns if part in ("item", "person")]
        fields[REASON] = _reason(sign, max(labels), most)
    named = ", ".join(f"fields.{identifier(name)}" for name in fields)
    written = ", ".join(f"{literal(name)}: {field}" for name, field in fields.items())
    lines = _cut(place, places.values(), sign, most)
    fit = "" if reasons or most is None else f" where coalesce(len(parts.plain) <= {most}, true)"
    rows = f"select {named} from (select unnest([{{{written}}}]) as fields from ({lines}){fit})"
    return rows if reasons else f"{rows} where coalesce({named}) is not null"


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


def take_header(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    r"""Return the first line of what is in UTF-8, as far as a header may go, and all the rest.

    >>> header, rest = take_header(iter([b"a,", b"b\n1,", b"2"]))
    >>> header, b"".join(rest)
    (b'a,b', b'\n1,2')
    """
    lines = whole_lines(blocks)
    first = next(lines, b"")
    end = re.search(rb"[\r\n]|$", first)
    at = len(first) if end is None else end.start()
    return first[:at][:LONGEST_HEADER], chain([first[at:]], lines)


def _split_header(name: str, line: bytes, delimiter: str | None) -> tuple[list[str], str]:
    """Return the names of the columns and what separates them."""
    if line.startswith(MARKS):
        refuse(f"{name} must be UTF-8 text; it begins like UTF-16: add --encoding utf-16")
    text = readable(line, mend=True).decode()
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


def _cut(lines: str, places: Iterable[int], sign: str, most: int | None) -> str:
    """Write how lines are cut into `parts`: all fields of a plain one, those wanted of another.

    A line without quotes is split as a whole; in another each field is found by a pattern. No
    filter is pushed below an `unnest`, where it would cut the lines again for itself.
    """
    is_quoted = "contains(line, '\"')"
    few = "true" if most is None else f"not regexp_matches(line, {_more_than(sign, most)})"
    fields = ", ".join(
        f"'at{place}': regexp_extract(line, {_up_to(sign, place)}, 1)" for place in places
    )
    parts = (
        f"'plain': case when not {is_quoted} then string_split(line, {literal(sign)}) end, "
        f"'quoted': case when {is_quoted} and {few} then {{{fields}}} end"
    )
    return f"select line, unnest([{{{parts}}}]) as parts from {lines}"


def _field(place: int) -> str:
    """Write what a field holds; null where it is empty or not there."""
    quoted = f"parts.quoted.at{place}"
    bare = f"replace(substr({quoted}, 2, length({quoted}) - 2), '\"\"', '\"')"
    text = f"case when starts_with({quoted}, '\"') then {bare} else {quoted} end"
    return f"nullif(coalesce(parts.plain[{place + 1}], {text}), '')"


def _pattern(delimiter: str) -> tuple[str, str]:
    """Write what separates fields, and what a field looks like, in quotes or not.

    Two quotes in a row are one that is meant: so each quote ends a text and may begin another.
    After every character there is one way on, which makes it fast.
    """
    sign = f"\\x{{{ord(delimiter):x}}}"
    return sign, f'(?:(?:"[^"]*")+|[^"{sign}][^{sign}]*|)'


def _up_to(delimiter: str, place: int) -> str:
    """Write what a line looks like up to a field, which is the one in brackets."""
    sign, field = _pattern(delimiter)
    return literal(f"^{f'{field}{sign}' * place}({field})(?:{sign}|$)")


def _more_than(delimiter: str, most: int) -> str:
    """Write what a line looks like that has more fields."""
    sign, field = _pattern(delimiter)
    return literal("^" + f"{field}{sign}" * most)


def _reason(delimiter: str, place: int, most: int | None) -> str:
    """Write why a line has no field at a place, for the owner of the file."""
    sign, field = _pattern(delimiter)
    whole = literal(f"^{field}(?:{sign}{field})*$")
    torn = f"not regexp_matches(line, {whole})"
    lost = f"not regexp_matches(line, {_up_to(delimiter, place)})"
    many = "false" if most is None else f"coalesce(len(parts.plain) > {most}, parts.quoted is null)"
    few = "'too few fields'"
    return (
        f"case when {many} then 'too many fields' "
        f"when parts.plain is not null then if(len(parts.plain) > {place}, null, {few}) "
        f"when {lost} then if({torn}, 'quotes that do not end', {few}) end"
    )
