"""The rows of the file, within one transaction. They know nothing of budgets.

The file is trusted by nobody. Its declarations must be ours to the letter, or nothing is read. What
spending depends on is read from the table itself, row by row back from the last, each checked
against the hash of the one before; an index helps to find things and must agree with the table. So
a damaged page is noticed before anything is spent on what it says.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator

from overbar.errors import LedgerError
from overbar.ledger.chain import BEGINNING, Row, canonical, link
from overbar.ledger.fields import text

#: Marks the file as ours: "OBAR" in ASCII.
APPLICATION = 0x4F424152
#: The form of the file. One of form 1 is read, and becomes form 2 with the first row written to it.
#: Form 2: how runs of a dataset add up may be settled at its first reservation.
VERSION = 2
KNOWN = (1, 2)

#: All that is looked up is read off the content, so that the hash covers it.
SCHEMA = (
    """CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    content TEXT NOT NULL,
    hash TEXT NOT NULL,
    kind TEXT AS (json_extract(content, '$.kind')),
    dataset TEXT AS (json_extract(content, '$.dataset')),
    request TEXT AS (json_extract(content, '$.request')),
    run INTEGER AS (json_extract(content, '$.run'))
) STRICT""",
    "CREATE INDEX by_dataset ON events (dataset, number)",
    "CREATE INDEX by_request ON events (dataset, request, kind) WHERE request IS NOT NULL",
    "CREATE UNIQUE INDEX settled_once ON events (run) WHERE run IS NOT NULL",
    """CREATE TRIGGER never_edited BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never edited'); END""",
    """CREATE TRIGGER never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never deleted'); END""",
)

#: Rows are read from the table: an index that was damaged has no say in it.
READ = "SELECT number, content, hash FROM events NOT INDEXED"


class Rows:
    """The rows, within one transaction; `trouble` makes the error that names the file."""

    def __init__(
        self, connection: sqlite3.Connection, trouble: Callable[[str], LedgerError]
    ) -> None:
        self._connection = connection
        self.trouble = trouble
        self._requests: dict[tuple[str, str], list[Row]] = {}

    @property
    def empty_file(self) -> bool:
        """Whether nothing was ever laid out here: a new file, or one abandoned at once."""
        return self._pragma("user_version") == 0 and not self.schema()

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def schema(self) -> list[str | None]:
        """Return the text of everything the file declares."""
        return [text for (text,) in self._connection.execute("SELECT sql FROM sqlite_master")]

    def check_form(self) -> None:
        """Refuse files of another kind or another version, and declarations that are not ours."""
        declared = self.schema()
        if self._pragma("user_version") == 0 and not declared:
            return
        if self._pragma("application_id") != APPLICATION:
            raise self.trouble("it is an SQLite file, but not a ledger")
        version = self._pragma("user_version")
        if version not in KNOWN:
            age = "a newer" if version > VERSION else "an older"
            raise self.trouble(
                f"it has form {version}, written by {age} overbar; this one knows form {VERSION}. "
                "Nothing was changed"
            )
        if len(declared) != len(SCHEMA) or set(declared) != set(SCHEMA):
            raise self.trouble("its tables were changed")

    def lay_out(self) -> None:
        """Declare the tables."""
        for statement in SCHEMA:
            self._connection.execute(statement)
        self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
        self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def sound(self) -> None:
        """Let SQLite look for damage in its own pages."""
        found = [text for (text,) in self._connection.execute("PRAGMA integrity_check(1)")]
        if found != ["ok"]:
            raise self.trouble(f"it is damaged: {found[0]}")

    def all(self) -> Iterator[Row]:
        """Return every row, oldest first, each checked against the one before it."""
        previous = BEGINNING
        for number, one in enumerate(self._connection.execute(f"{READ} ORDER BY number"), 1):
            row = self._row(one)
            if row.number != number:
                raise self.trouble(f"row {number} is missing")
            if row.hash != link(previous, row.content):
                raise self.trouble(f"row {number} was edited, moved, or rows before it were")
            previous = row.hash
            yield row

    def backwards(self, condition: str = "TRUE", *values: object) -> Iterator[Row]:
        """Return rows, newest first, from one on, each checked against the one before it."""
        row = self._read(f"{condition} ORDER BY number DESC LIMIT 1", *values)
        while row is not None:
            before = self._read("number = ?", row.number - 1)
            if before is None and row.number != 1:
                raise self.trouble(f"row {row.number - 1} is missing")
            if row.hash != link(BEGINNING if before is None else before.hash, row.content):
                raise self.trouble(f"row {row.number} was edited, or the one before it")
            yield row
            row = before

    def _read(self, condition: str, *values: object) -> Row | None:
        found = self._connection.execute(f"{READ} WHERE {condition}", values).fetchone()
        return None if found is None else self._row(found)

    def _row(self, found: tuple[object, object, object]) -> Row:
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

    def numbered(self, number: int) -> Row | None:
        """Return one row."""
        return next(self.backwards("number = ?", number), None)

    def latest(self, dataset: str) -> Row | None:
        """Return the last row of a dataset: from the table, going back, and the index must agree.

        So it takes as long as there are rows of other datasets since; for one that is not there,
        as long as there are rows.
        """
        found = next((row for row in self.backwards() if row.belongs_to(dataset)), None)
        indexed = self._connection.execute(
            "SELECT number FROM events WHERE dataset = ? ORDER BY number DESC LIMIT 1", (dataset,)
        ).fetchone()
        if indexed != (found and (found.number,)):
            raise self._disagreement()
        return found

    def opening(self, dataset: str) -> Row:
        """Return the row that opened a dataset which has rows."""
        indexed = self._connection.execute(
            "SELECT number FROM events WHERE dataset = ? ORDER BY number LIMIT 1", (dataset,)
        ).fetchone()
        found = None if indexed is None else self.numbered(indexed[0])
        if found is None or not found.belongs_to(dataset) or found.fields.get("kind") != "opened":
            raise self._disagreement()
        return found

    def requests(self, dataset: str, request: str, kind: str) -> list[Row]:
        """Return rows of one kind that belong to a request, oldest first.

        An answer that an index has lost would be drawn and paid for anew. So they are read from
        the table, and the index must agree: it takes as long as there are rows.
        """
        if (dataset, request) not in self._requests:
            self._requests[dataset, request] = self._of_request(dataset, request)
        return [row for row in self._requests[dataset, request] if row.says(kind=kind)]

    def _of_request(self, dataset: str, request: str) -> list[Row]:
        mark = f'"request":{json.dumps(request)}'
        found = [
            row
            for row in self.all()
            if mark in row.content and row.says(dataset=dataset, request=request)
        ]
        indexed = self._connection.execute(
            "SELECT number FROM events INDEXED BY by_request WHERE dataset = ? AND request = ? "
            "ORDER BY number",
            (dataset, request),
        ).fetchall()
        if indexed != [(row.number,) for row in found]:
            raise self._disagreement()
        return found

    def _disagreement(self) -> LedgerError:
        return self.trouble("it is damaged: an index does not agree with the rows")

    def of(self, dataset: str) -> list[Row]:
        """Return all rows of a dataset, oldest first."""
        return [row for row in self.all() if row.belongs_to(dataset)]

    def datasets(self) -> list[str]:
        """Return the names of all datasets, in the order they were opened."""
        openings = (row for row in self.all() if '"kind":"opened"' in row.content)
        return [text(row.fields, "dataset") for row in openings if row.says(kind="opened")]

    def append(self, fields: dict[str, object]) -> Row:
        """Write a row behind the last."""
        self._requests.clear()
        if self._pragma("user_version") != VERSION:  # one of an older form
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
        last = self.last()
        number = 1 if last is None else last.number + 1
        content = canonical({**fields, "number": number})
        row = Row(number, content, link(BEGINNING if last is None else last.hash, content))
        self._connection.execute(
            "INSERT INTO events (number, content, hash) VALUES (?, ?, ?)",
            (row.number, row.content, row.hash),
        )
        return row
