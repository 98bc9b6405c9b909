"""Which columns hold what, and what is said when a name is wrong.

Column names and types of Parquet files and databases are public: a message may name them. The first
line of a text file may be someone's row, where names are expected but there are none. So no message
shows any of it.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from overbar.cli.tables.engine import ReadingError
from overbar.errors import ParameterError

#: How many names a message lists.
SHOWN = 20
#: Up to here columns can be called by their number.
MOST_NUMBERED = 10_000
#: What the column is called that says why a row is left out, where its owner asks.
REASON = "\x1fwhy"
#: And the one with a number as it is written, where it is read as text.
WRITTEN = "\x1fwritten"


@dataclass(frozen=True)
class NamedColumns:
    """The columns asked for, by the part they play; several may name an item together."""

    item: str | tuple[str, ...]
    person: str | None = None
    value: str | None = None
    score: str | None = None
    others: tuple[str, ...] = ()
    groups: str | None = None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for part in ("groups", "item", "person", "value", "score"):
            names = getattr(self, part)
            for name in (names,) if isinstance(names, str) else names or ():
                yield part, name
        for name in self.others:
            yield "where", name

    @property
    def items(self) -> tuple[str, ...]:
        """The columns that name the item together; mostly one. The group comes first."""
        items = (self.item,) if isinstance(self.item, str) else self.item
        return items if self.groups is None else (self.groups, *items)

    def wider(self, others: Sequence[str]) -> NamedColumns:
        """Return these and others, by which rows are told apart."""
        named = {name for _, name in self}
        more = tuple(dict.fromkeys(name for name in others if name not in named))
        return dataclasses.replace(self, others=more) if more else self

    def numbers(self) -> tuple[str, ...]:
        """Return the parts that must hold numbers."""
        return tuple(part for part in ("value", "score") if getattr(self, part) is not None)


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
