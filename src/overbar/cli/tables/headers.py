"""The line with the names of the columns: where it stands, and what is between the names.

It is public, and so is what stands before it; the lines behind it are rows, and no name, sign or
error comes from them. A file without a header is not looked at: its first line is someone's row.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from overbar.cli.exit import complain
from overbar.cli.tables.column_names import NamedColumns, find_column
from overbar.cli.tables.contents import no_text
from overbar.cli.tables.encodings import readable
from overbar.cli.tables.engine import refuse

COMMA, TAB = ",", "\t"
DELIMITERS = (COMMA, ";", TAB, "|")
#: All up to the end of the header is not longer than this.
LONGEST_HEADER = 1 << 20
#: A first line of Excel's own that says what separates fields.
_SEPARATOR = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
#: What to write where the names are not those that were asked for.
IN_A_TEXT = (
    "write --header-row N if the names are in another line (overbar check finds it), --header-row "
    "0 if there are none, or --delimiter if it is split in the wrong places"
)
IN_A_SHEET = "write --header-row N if the names are in another row (overbar check finds it)"
_LINE_END = re.compile(rb"\r\n|\r|\n")
#: What is rather a value than a name: numbers, dates and times, and nothing.
_VALUE = re.compile(r"[-+]?[\d.,/:\-TZ ]*\d[\d.,/:\-TZ ]*|")


@dataclass(frozen=True)
class Header:
    """The names of the columns of a source, and how many lines there are before its rows."""

    source: str
    names: tuple[str, ...]
    delimiter: str
    lines: int = 1


def header_of(
    source: str, blocks: Iterable[bytes], row: int | None = None, delimiter: str | None = None
) -> tuple[Header, Iterator[bytes]]:
    r"""Take the header off a source of UTF-8: its first line, or the one in a row that was named.

    >>> header, rows = header_of("a.csv", [b"sep=;\r", b"\ncustomer;product\r\nc1;t", b"ea\n"])
    >>> header.names, header.delimiter, header.lines, b"".join(rows)
    (('customer', 'product'), ';', 2, b'c1;tea\n')
    """
    taken, rest = _first_lines(iter(blocks), row or 2)
    ends = [(end.start(), end.end()) for end in _LINE_END.finditer(taken)]
    ends = [*ends, (len(taken), len(taken))]  # the last line may have no end
    first = _text(source, taken[: ends[0][0]])
    if not taken:
        refuse(f"{source} is empty: it must begin with a line of column names")
    stated = _SEPARATOR.fullmatch(first.strip())
    at = row or (2 if stated else 1)
    if at > len(ends):
        refuse(f"{source} must have the names of its columns in line {at}, but it ends before")
    if at == len(ends) and len(taken) >= LONGEST_HEADER:
        refuse(f"{source} must have the names of its columns in a line of at most a megabyte")
    line = first if at == 1 else _text(source, taken[ends[at - 2][1] : ends[at - 1][0]])
    if delimiter is None:
        delimiter = stated[1] if stated else max(DELIMITERS, key=line.count)
    try:
        names = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        refuse(f"{source} must begin with a line of column names, or give --header-row 0")
    return Header(source, tuple(names), delimiter, at), chain([taken[ends[at - 1][1] :]], rest)


def _first_lines(blocks: Iterator[bytes], count: int) -> tuple[bytes, Iterator[bytes]]:
    """Take so many lines, or as much as a header may have; return them, and what is left."""
    taken = b""
    for block in blocks:
        taken += block
        # A CR at the end may be the first half of a line end.
        if len(_LINE_END.findall(taken[:-1])) >= count or len(taken) >= LONGEST_HEADER:
            break
    return taken, blocks


def _text(source: str, line: bytes) -> str:
    if (what := no_text(line)) is not None:
        refuse(f"{source} is {what}")
    return readable(line[:LONGEST_HEADER], mend=True).decode().removeprefix("\ufeff")


def same_columns(headers: Sequence[Header]) -> Header:
    """Return the header of several sources, which must be the same."""
    first, *others = headers
    for other in others:
        if other.names != first.names:
            refuse(f"{other.source} must have the columns of {first.source}, in the same order")
    return first


def named_places(
    source: str, names: Sequence[str], columns: NamedColumns, instead: str = IN_A_TEXT
) -> dict[str, int]:
    """Return where the columns are, by the header; `instead` says what to write if they are not."""
    if not any(names):
        refuse(
            f"{source} must have the names of the columns in its first line, which is empty; "
            f"{instead}"
        )
    if looks_like_a_row(names):
        complain(
            f"the first line of {source} is taken for names, but looks like someone's row: all of "
            f"it is numbers or dates; {instead}"
        )
    bare = [name.strip() for name in names]
    return {
        wanted: find_column(source, part, wanted, names if wanted in names else bare, instead)
        for part, wanted in columns
    }


def looks_like_a_row(names: Sequence[str]) -> bool:
    """Tell whether a line that should hold names has nothing but numbers, dates and blanks.

    >>> looks_like_a_row(["17", "2024-01-31", ""]), looks_like_a_row(["id", "2024"])
    (True, False)
    """
    return any(map(str.strip, names)) and all(map(_VALUE.fullmatch, map(str.strip, names)))
