"""The rows of a ledger, within one transaction. They know nothing of budgets.

A row is canonical text and a hash that binds it to all rows before it. Where rows are kept is
trusted by nobody. What spending depends on is found from the last row on, by rows that name older
ones with their hashes (:func:`walk`). So damage is noticed before anything is spent on what it
says.

`RowTable` is the joint: all that a place to keep rows must do.

Each row names older rows by number *and hash*. So whatever is found from the last row on is bound
to the head, and a row that was edited, lost or put back from an earlier day shows on the way: there
is no index to believe.

Keys are hashed to 256 bits, their route. A row has a list of links: the one at level k is the
newest row whose route agrees with its own in the first k bits and not in the next. To find a key,
compare its route with that of the newest row of all. If they first differ at bit k, every row of
the key is below link k: go there and compare from bit k + 1 on. That is half a step for each
doubling of the number of keys, and if a link is missing, then so is the key. The links of a new row
are gathered on the same way, and no row is ever changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from overbar.errors import LedgerError
from overbar.ledger.fields import Hash, from_fields

#: A row, by its number and its hash.
Pointer = tuple[int, Hash]
Levels = tuple[Pointer | None, ...]
BITS = 256


@dataclass(frozen=True)
class Links:
    """What a row says about older ones.

    Attributes
    ----------
    datasets, requests
        The newest rows beside its own dataset and its own request, by level.
    newest_request
        The newest row of any request.
    of_request
        The row before it of the same request.
    """

    datasets: Levels = ()
    requests: Levels = ()
    newest_request: Pointer | None = None
    of_request: Pointer | None = None


def route(*names: str) -> int:
    """Return the route of a dataset, or of a dataset and a request."""
    return int.from_bytes(hashlib.sha256(json.dumps(names).encode()).digest(), "big")


def walk(
    start: Pointer | None, goal: int, at: Callable[[Pointer], tuple[int, Levels]]
) -> tuple[Pointer | None, Levels]:
    """Return the newest row of a key, if there is one, and the links of a new row of this key.

    `at` returns the route and the links of a row.
    """
    here, levels = start, list[Pointer | None]()
    while here is not None:
        other, links = at(here)
        level = BITS - (other ^ goal).bit_length()
        if level < len(levels):
            raise LedgerError(f"row {here[0]} is not where it belongs; it was edited")
        levels += links[len(levels) : level]
        if level == BITS:
            break
        levels += [None] * (level - len(levels)) + [here]
        here = links[level] if level < len(links) else None
    return here, tuple(levels)


#: What the first row is chained to.
BEGINNING = hashlib.sha256(b"overbar ledger").hexdigest()

#: Number, content and hash of a row, as a table has them: of any type.
RawRow = tuple[object, object, object]


@dataclass(frozen=True)
class Row:
    """One event, as it is stored."""

    number: int
    content: str
    hash: str

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The content, read."""
        try:
            content = json.loads(self.content)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise LedgerError(f"row {self.number} of the ledger is not readable; it was edited")
        return content

    @property
    def pointer(self) -> Pointer:
        """How later rows name it."""
        return self.number, self.hash

    @cached_property
    def dataset(self) -> str:
        """The dataset that it is about."""
        return from_fields(str, self.fields.get("dataset"), "dataset")

    @property
    def request(self) -> str | None:
        """The request that it belongs to."""
        value = self.fields.get("request")
        return None if value is None else from_fields(str, value, "request")

    @property
    def time(self) -> str:
        """When it was written, in UTC."""
        return from_fields(str, self.fields.get("time"), "time")

    @property
    def newest_request(self) -> Pointer | None:
        """The newest row of any request up to this one."""
        return self.levels("newest_request")[0] if self.request is None else self.pointer

    @property
    def of_request(self) -> Pointer | None:
        """The row before it of the same request."""
        return self.levels("of_request")[0]

    def levels(self, name: str) -> Levels:
        """Return older rows that it names, as far as it takes to look for them there."""
        links = self.fields.get("links")
        named = links.get(name) if isinstance(links, dict) else None
        several = named if name in ("datasets", "requests") else [named]
        if isinstance(several, list) and all(
            one is None or (isinstance(one, list) and [type(part) for part in one] == [int, str])
            for one in several
        ):
            return tuple(one if one is None else (one[0], one[1]) for one in several)
        raise LedgerError(f"row {self.number} names no other rows; it was edited")

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

    def oldest_first(self) -> Iterator[RawRow]:
        """Return all rows by their numbers."""

    def row(self, number: int | None) -> RawRow | None:
        """Return one row, or the one with the largest number."""

    def insert(self, row: Row) -> None:
        """Add a row."""


class Store(Protocol):
    """A place to keep a ledger: a file, or a schema of a database."""

    #: What it is called in messages; without a password.
    name: str

    def reading(self) -> AbstractContextManager[Rows]:
        """Look at one state of the ledger, whatever others write meanwhile."""

    def writing(self, since: int | None = None) -> AbstractContextManager[Rows]:
        """Be the one writer; what was written is on the disk when this ends without an error.

        A place that is far may fetch rows since one beforehand.
        """


class Rows:
    """The rows of a table, checked as they are read."""

    def __init__(self, table: RowTable) -> None:
        self.table = table
        self.trouble = table.trouble
        self._checked: dict[Pointer, Row] = {}
        self._last: Row | None = None
        #: The last row, as far as anybody has come to it.
        self.newest: Pointer | None = None
        #: What was looked for, and what came out: nothing changes until a row is written.
        self._walked: dict[tuple[str, ...], tuple[Pointer | None, Levels]] = {}

    def all(self) -> Iterator[Row]:
        """Return every row, oldest first, each checked against the one before it."""
        previous = BEGINNING
        for number, raw in enumerate(self.table.oldest_first(), 1):
            row = self._row(raw)
            if row is None or row.number != number:
                raise self.trouble(f"row {number} is missing")
            if row.hash != link(previous, row.content):
                raise self.trouble(f"row {number} was edited, moved, or rows before it were")
            previous, self.newest = row.hash, row.pointer
            yield row

    def backwards(self, number: int | None = None) -> Iterator[Row]:
        """Return rows, newest first, from one on, each checked against the one before it."""
        row = self._row(self.table.row(number))
        while row is not None:
            before = self._row(self.table.row(row.number - 1))
            if before is None and row.number != 1:
                raise self.trouble(f"row {row.number - 1} is missing")
            if row.hash != link(BEGINNING if before is None else before.hash, row.content):
                raise self.trouble(f"row {row.number} was edited, or the one before it")
            yield row
            row = before

    def _row(self, raw: RawRow | None) -> Row | None:
        if raw is None:
            return None
        number, content, hash_ = raw
        # A damaged file may hold other types than it declares.
        if isinstance(number, int) and isinstance(content, str) and isinstance(hash_, str):
            return Row(number, content, hash_)
        raise self.trouble("it is damaged: a row is not text")

    def last(self) -> Row | None:
        """Return the last row; nobody else writes meanwhile, or is seen to."""
        if self._last is None:
            self._last = next(self.backwards(), None)
            if self._last is not None:
                self._checked[self._last.pointer] = self._last
                self.newest = self._last.pointer
        return self._last

    def append(self, row: Row) -> Row:
        """Write a row behind the last."""
        self.table.insert(row)
        self._last, self.newest = row, row.pointer
        self._walked.clear()
        return row

    def head(self) -> str:
        """Return the hash of the last row."""
        last = self.last()
        return BEGINNING if last is None else last.hash

    def at(self, pointer: Pointer) -> Row:
        """Return the row that a later one names by its number and hash."""
        if pointer not in self._checked:
            row = next(self.backwards(pointer[0]), None)
            if row is None or row.pointer != pointer:
                raise self.trouble(f"row {pointer[0]} was edited, or is not there any more")
            self._checked[pointer] = row
        return self._checked[pointer]

    def go_on_from(self, number: int, hash_: Hash) -> None:
        """Refuse a ledger that does not have a row that was its last one before."""
        self.last()  # which it mostly is, and which is read once
        seen = number, hash_
        row = self._checked.get(seen) or self._row(self.table.row(number))
        if row is None or row.pointer != seen:
            raise self.trouble(
                f"row {number}, which was the last one before, is not in the ledger any more: an "
                "older copy was put back. Nothing is spent from it; bring back the newer one"
            )

    def have(self, head: str) -> None:
        """Refuse a ledger that does not go on from a head; it goes back through all rows since."""
        if head != BEGINNING and all(row.hash != head for row in self.backwards()):
            raise self.without(head)

    def without(self, head: str) -> LedgerError:
        """Return the error of a ledger that does not have a head."""
        return self.trouble(
            f"the head {head} is not in it: an older copy was put back, or its last rows were "
            "taken away"
        )

    def links(self, dataset: str, request: str | None) -> Links:
        """Return what a new row has to say about older ones."""
        last = self.last()
        root = None if last is None else last.newest_request
        _, datasets = self._walk_to(dataset)
        if request is None:
            return Links(datasets, newest_request=root)
        before, requests = self._walk_to(dataset, request)
        return Links(datasets, requests, root, before)

    def _walk_to(self, *names: str) -> tuple[Pointer | None, Levels]:
        """Walk to the newest row of a dataset, or of a request of a dataset, once."""
        if names not in self._walked:
            last, start, at = self.last(), None, self._dataset_at
            if last is not None and len(names) == 1:
                start = last.pointer
            elif last is not None:
                start, at = last.newest_request, self._request_at
            self._walked[names] = walk(start, route(*names), at)
        return self._walked[names]

    def _dataset_at(self, pointer: Pointer) -> tuple[int, Levels]:
        row = self.at(pointer)
        return route(row.dataset), row.levels("datasets")

    def _request_at(self, pointer: Pointer) -> tuple[int, Levels]:
        row = self.at(pointer)
        return route(row.dataset, row.request or ""), row.levels("requests")

    def latest(self, dataset: str) -> Row | None:
        """Return the last row of a dataset."""
        newest, _ = self._walk_to(dataset)
        return self.at(newest) if newest else None

    def of_request(self, dataset: str, request: str) -> list[Row]:
        """Return all rows of a request, oldest first."""
        rows = list[Row]()
        pointer, _ = self._walk_to(dataset, request)
        while pointer is not None:  # no hash is in a circle, so this ends
            rows.append(self.at(pointer))
            pointer = rows[-1].of_request
        return rows[::-1]

    def of(self, dataset: str) -> list[Row]:
        """Return all rows of a dataset, oldest first."""
        return [row for row in self.all() if row.says(dataset=dataset)]

    def datasets(self) -> list[str]:
        """Return the names of all datasets, in the order they were opened."""
        return [row.dataset for row in self.all() if row.says(kind="opened")]
