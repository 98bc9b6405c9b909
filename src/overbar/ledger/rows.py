"""The rows of a ledger, within one transaction. They know nothing of budgets.

A row is canonical text and a hash that binds it to all rows before it. Where rows are kept is
trusted by nobody. What spending depends on is read from the rows themselves, one by one back from
the last, each checked against the hash of the one before; an index helps to find things and must
agree with the rows. So damage is noticed before anything is spent on what it says.

`RowTable` is the joint: all that a place to keep rows must do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from overbar.errors import LedgerError
from overbar.ledger.fields import text

#: What the first row is chained to.
BEGINNING = hashlib.sha256(b"overbar ledger").hexdigest()

#: Number, content and hash of a row, as they were found: of any type.
Found = tuple[object, object, object]


@dataclass(frozen=True)
class Row:
    """One event, as it is stored."""

    number: int
    content: str
    hash: str

    @property
    def fields(self) -> dict[str, Any]:
        """The content, read."""
        try:
            found = json.loads(self.content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise LedgerError(f"row {self.number} of the ledger is not readable; it was edited")
        return found

    def says(self, **wanted: object) -> bool:
        """Return whether these fields have these values."""
        # Most other rows are told without reading them: within a value quotes would be escaped.
        for name, value in wanted.items():
            if f'"{name}":{json.dumps(value)}' not in self.content:
                return False
        fields = self.fields
        return all(name in fields and fields[name] == value for name, value in wanted.items())


def link(previous: str, content: str) -> str:
    """Return the hash of a row: over the hash before it and its own text."""
    return hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()


def canonical(fields: Mapping[str, object]) -> str:
    """Write fields as text, always in the same way: ASCII, sorted, without spaces."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)


class RowTable(Protocol):
    """Where rows are kept, within one transaction that nobody else's writing disturbs.

    It finds rows and adds rows, and need not be believed: `Rows` checks what it finds.
    """

    def trouble(self, what: str) -> LedgerError:
        """Return the error that names the ledger and what is wrong with it."""

    def sound(self) -> None:
        """Look for damage below the rows."""

    def oldest_first(self) -> Iterator[Found]:
        """Return all rows by their numbers."""

    def row(self, number: int | None) -> Found | None:
        """Return one row, or the one with the largest number."""

    def indexed(self, dataset: str) -> int | None:
        """Return the number of a dataset's last row, by an index."""

    def indexed_request(self, dataset: str, request: str) -> list[int]:
        """Return the numbers of a request's rows, by an index."""

    def insert(self, row: Row) -> None:
        """Add a row."""


class Store(Protocol):
    """A place to keep a ledger: a file, or a schema of a database."""

    #: What it is called in messages; without a password.
    name: str

    def reading(self) -> AbstractContextManager[Rows]:
        """Look at one state of the ledger, whatever others write meanwhile."""

    def writing(self, dataset: str = "", since: int | None = None) -> AbstractContextManager[Rows]:
        """Be the one writer; what was written is on the disk when this ends without an error.

        A place that is far may fetch beforehand where a dataset stands, and rows since one.
        """

    def make_roles(self) -> tuple[str, ...]:
        """Make the roles that may read, spend, and open and close; return their names."""


class Rows:
    """The rows of a table, checked as they are read."""

    def __init__(self, table: RowTable) -> None:
        self.table = table
        self.trouble = table.trouble
        self._requests: dict[tuple[str, str], list[Row]] = {}

    def all(self) -> Iterator[Row]:
        """Return every row, oldest first, each checked against the one before it."""
        previous = BEGINNING
        for number, found in enumerate(self.table.oldest_first(), 1):
            row = self._row(found)
            if row.number != number:
                raise self.trouble(f"row {number} is missing")
            if row.hash != link(previous, row.content):
                raise self.trouble(f"row {number} was edited, moved, or rows before it were")
            previous = row.hash
            yield row

    def backwards(self, number: int | None = None) -> Iterator[Row]:
        """Return rows, newest first, from one on, each checked against the one before it."""
        row = self._read(number)
        while row is not None:
            before = self._read(row.number - 1)
            if before is None and row.number != 1:
                raise self.trouble(f"row {row.number - 1} is missing")
            if row.hash != link(BEGINNING if before is None else before.hash, row.content):
                raise self.trouble(f"row {row.number} was edited, or the one before it")
            yield row
            row = before

    def _read(self, number: int | None) -> Row | None:
        found = self.table.row(number)
        return None if found is None else self._row(found)

    def _row(self, found: Found) -> Row:
        number, content, hash_ = found
        # A damaged file may hold other types than it declares.
        if isinstance(number, int) and isinstance(content, str) and isinstance(hash_, str):
            return Row(number, content, hash_)
        raise self.trouble("it is damaged: a row is not text")

    def last(self) -> Row | None:
        """Return the last row."""
        return next(self.backwards(), None)

    def head(self) -> str:
        """Return the hash of the last row."""
        last = self.last()
        return BEGINNING if last is None else last.hash

    def latest(self, dataset: str) -> Row | None:
        """Return the last row of a dataset: from the table, going back, and the index must agree.

        So it takes as long as there are rows of other datasets since; for one that is not there,
        as long as there are rows.
        """
        found = next((row for row in self.backwards() if row.says(dataset=dataset)), None)
        if self.table.indexed(dataset) != (found and found.number):
            raise self._disagreement()
        return found

    def opening(self, dataset: str) -> Row:
        """Return the row that opened a dataset which has rows."""
        found = self.of(dataset)
        if not found or not found[0].says(kind="opened"):
            raise self._disagreement()
        return found[0]

    def requests(self, dataset: str, request: str, kind: str) -> list[Row]:
        """Return rows of one kind that belong to a request, oldest first.

        An answer that an index has lost would be drawn and paid for anew. So they are read from
        the table, and the index must agree: it takes as long as there are rows.
        """
        key = dataset, request
        if key not in self._requests:
            found = [row for row in self.all() if row.says(dataset=dataset, request=request)]
            if self.table.indexed_request(*key) != [row.number for row in found]:
                raise self._disagreement()
            self._requests[key] = found
        return [row for row in self._requests[key] if row.says(kind=kind)]

    def _disagreement(self) -> LedgerError:
        return self.trouble("it is damaged: an index does not agree with the rows")

    def of(self, dataset: str) -> list[Row]:
        """Return all rows of a dataset, oldest first."""
        return [row for row in self.all() if row.says(dataset=dataset)]

    def datasets(self) -> list[str]:
        """Return the names of all datasets, in the order they were opened."""
        openings = (row for row in self.all() if '"kind":"opened"' in row.content)
        return [text(row.fields, "dataset") for row in openings if row.says(kind="opened")]

    def append(self, fields: dict[str, object]) -> Row:
        """Write a row behind the last."""
        self._requests.clear()
        last = self.last()
        number = 1 if last is None else last.number + 1
        content = canonical({**fields, "number": number})
        row = Row(number, content, link(BEGINNING if last is None else last.hash, content))
        self.table.insert(row)
        return row
