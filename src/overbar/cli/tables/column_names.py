"""Which columns hold what, and what is said when a name is wrong.

Column names and types of Parquet files and databases are public: a message may name them. The first
line of a text file may be someone's row, where names are expected but there are none. So no message
shows any of it.

**The header**, the line with these names, is public, and so is what stands before it; the lines
behind it are rows, and no name, sign or error comes from them. A file without a header is not
looked at: its first line is someone's row.

**Labels of a public list** are read as the column of items holds them, by its type: that is public.
"""

from __future__ import annotations

import csv
import dataclasses
import difflib
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import chain

from overbar.cli.exit import complain
from overbar.cli.tables.encodings import no_text, readable
from overbar.cli.tables.engine import ReadingError, refuse
from overbar.errors import ParameterError

#: How many names a message lists.
SHOWN = 20
#: Up to here columns can be called by their number.
MOST_NUMBERED = 10_000
#: What the column is called that says why a row is left out, where its owner asks.
REASON = "\x1fwhy"


@dataclass(frozen=True)
class NamedColumns:
    """The columns asked for, by the part they play; several may name an item together."""

    item: str | tuple[str, ...]
    person: str | None = None
    value: str | None = None
    score: str | None = None
    others: tuple[str, ...] = ()
    groups: str | None = None
    time: str | None = None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for part in ("groups", "time", "item", "person", "value", "score"):
            names = getattr(self, part)
            for name in (names,) if isinstance(names, str) else names or ():
                yield part, name
        for name in self.others:
            yield "where", name

    @property
    def items(self) -> tuple[str, ...]:
        """The columns that name the item together; mostly one. Group or day comes first."""
        items = (self.item,) if isinstance(self.item, str) else self.item
        return (*(name for name in (self.groups, self.time) if name is not None), *items)

    def wider(self, others: Sequence[str]) -> NamedColumns:
        """Return these and others, by which rows are told apart."""
        named = {name for _, name in self}
        more = tuple(dict.fromkeys(name for name in others if name not in named))
        return dataclasses.replace(self, others=more) if more else self

    def numbers(self) -> tuple[str, ...]:
        """Return the parts that must hold numbers."""
        return tuple(part for part in ("value", "score") if getattr(self, part))


def find_column(
    source: str, part: str, wanted: str, there: Sequence[str], instead: str = ""
) -> int:
    """Return where a column is; a missing one is refused with the names there are.

    Where no schema states them, what was taken for names is not shown, and `instead` says what to
    write.
    """
    places = [place for place, name in enumerate(there) if name == wanted]
    if len(places) == 1:
        return places[0]
    if len(places) > 1:
        raise ReadingError(
            f"{source} has {len(places)} columns called {wanted!r}; rename one for --{part}"
        )
    if instead:
        names = (
            "the name of 1 column" if len(there) == 1 else f"the names of {len(there):,} columns"
        )
        raise ReadingError(
            f"{source} has no column {wanted!r} for --{part}; its first line is taken as {names} "
            f"and not shown, because it may be someone's row: look at it, and {instead}"
        )
    folded = {name.casefold(): name for name in there}
    close = difflib.get_close_matches(wanted.casefold(), folded, n=1)
    hint = f" (did you mean {folded[close[0]]!r}?)" if close else ""
    listed = ", ".join(repr(name) for name in there[:SHOWN])
    more = f" and {len(there) - SHOWN} more" if len(there) > SHOWN else ""
    raise ReadingError(
        f"{source} has no column {wanted!r} for --{part}{hint}; its columns: {listed}{more}"
    )


def find_number(part: str, wanted: str) -> int:
    """Return where a column is that is called by its number, from 1.

    How many there are is not asked: it would be the first row that says so.
    """
    if not (wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= MOST_NUMBERED):
        raise ParameterError(
            f"--{part} must be the number of a column, from 1 to {MOST_NUMBERED:,}, where there "
            f"is no header; got {wanted!r}"
        )
    return int(wanted) - 1


def identifier(name: str) -> str:
    """Write a column's name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Write a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


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


Read = Callable[[str], Hashable]


def moment_text(moment: datetime) -> str:
    """Write a moment as the engine does: 2024-01-31 08:15:00.25, in UTC where it has a zone.

    >>> moment_text(datetime(2024, 1, 31, 8, 15, 0, 250_000))
    '2024-01-31 08:15:00.25'
    """
    plain = moment.replace(tzinfo=None).isoformat(" ")
    plain = plain.rstrip("0") if moment.microsecond else plain
    return plain if moment.tzinfo is None else f"{plain}+00"


def reader_of(kind: str) -> tuple[Read, str] | None:
    """Return how a text is read as a label of a type, and what it must be; None for plain text.

    >>> read, what = reader_of("DECIMAL(10,2)")
    >>> read("1.5"), what
    ('1.50', 'numbers with at most 2 digits after the point')
    """
    if kind == "BOOLEAN":
        return _boolean, "true and false"
    if kind == "DATE":
        return date.fromisoformat, "dates such as 2024-01-31"
    if kind.endswith("HUGEINT"):
        return lambda text: str(int(text)), "whole numbers"
    if kind.endswith(("INT", "INTEGER")) or kind in ("FLOAT", "DOUBLE"):
        return int, "whole numbers"
    if kind.startswith("DECIMAL"):
        digits = int(kind.removesuffix(")").rpartition(",")[2])
        what = f"numbers with at most {digits} digits after the point"
        return lambda text: _decimal(text, digits), what
    if kind.startswith("TIMESTAMP"):
        zoned = "TZ" in kind or "ZONE" in kind
        what = "moments such as 2024-01-31 08:15:00"
        if zoned:
            what = "moments with a zone such as 2024-01-31 08:15:00+01:00"
        return lambda text: _moment(text, zoned), what
    return None


def _boolean(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _decimal(text: str, digits: int) -> str:
    number = Decimal(text)
    rounded = number.quantize(Decimal(1).scaleb(-digits))
    if rounded != number:
        raise ValueError
    return f"{rounded:f}"


def _moment(text: str, zoned: bool) -> str:
    moment = datetime.fromisoformat(text)
    if zoned != (moment.tzinfo is not None):
        raise ValueError
    return moment_text(moment.astimezone(UTC) if zoned else moment)
