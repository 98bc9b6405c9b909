"""The file: SQLite with a write-ahead log, one writer at a time, every commit forced to the disk.

A connection lives for one transaction and no longer. So nothing is carried over a fork, threads
share nothing, and a killed process leaves nothing but what it committed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from overbar.errors import LedgerError, ParameterError
from overbar.ledger.chain import BEGINNING, Row, canonical, link

#: Marks the file as ours: "OBAR" in ASCII.
APPLICATION = 0x4F424152
#: The form of the file; any other is refused, not guessed at.
VERSION = 1
#: The first SQLite with STRICT tables.
OLDEST_SQLITE = (3, 37, 0)
#: How long to wait for another writer, in seconds.
PATIENCE = 60.0

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


class Store:
    """Where the rows are. It knows nothing of budgets."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(os.fsdecode(path)))
        if "\0" in str(self.path):
            raise ParameterError("the path of a ledger must not have a null character in it")
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise self.trouble(
                f"it needs SQLite 3.37 or newer, and this Python has {sqlite3.sqlite_version}; "
                "use a Python built with a newer one"
            )
        self._create()

    def _create(self) -> None:
        """Make the file and its tables, unless they are there."""
        try:
            # Never opened by anything but SQLite afterwards: closing it would drop SQLite's locks.
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            pass
        except OSError as error:
            raise self.trouble(error.strerror or str(error)) from None
        else:
            self._keep_the_name()
        with self.reading() as rows:
            if not rows.empty_file:
                return
        with self._connected() as connection:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                raise self.trouble("its file system cannot keep a write-ahead log")
        with self.writing() as rows:
            if rows.empty_file:
                rows.lay_out()

    def _keep_the_name(self) -> None:
        """Force the folder to the disk, so that a new file is still there after a power cut."""
        if os.name != "posix":
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def trouble(self, what: str) -> LedgerError:
        """Return the error that names the file and what is wrong with it."""
        return LedgerError(f"the ledger {str(self.path)!r} cannot be used: {what}")

    @contextlib.contextmanager
    def reading(self) -> Iterator[Rows]:
        """Look at one state of the ledger, whatever others write meanwhile."""
        with self._transaction("BEGIN") as rows:
            yield rows

    @contextlib.contextmanager
    def writing(self) -> Iterator[Rows]:
        """Be the one writer; what was written is on the disk when this ends without an error."""
        with self._transaction("BEGIN IMMEDIATE") as rows:
            yield rows

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[Rows]:
        with self._connected() as connection:
            connection.execute(begin)
            try:
                rows = Rows(connection, self)
                rows.check_form()
                yield rows
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(self.path))}?mode=rw",
                uri=True,
                timeout=PATIENCE,
                isolation_level=None,
            )
            try:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA fullfsync = ON")  # where fsync alone does not reach
                yield connection
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise self.trouble(str(error)) from None


class Rows:
    """The rows, within one transaction."""

    def __init__(self, connection: sqlite3.Connection, store: Store) -> None:
        self._connection = connection
        self._store = store

    @property
    def empty_file(self) -> bool:
        """Whether nothing was ever laid out here: a new file, or one abandoned at once."""
        return self._pragma("user_version") == 0 and not self.schema()

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def schema(self) -> set[str]:
        """Return the text of everything the file declares."""
        found = self._connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {text for (text,) in found}

    def check_form(self) -> None:
        """Refuse files of another kind or another version."""
        if self.empty_file:
            return
        if self._pragma("application_id") != APPLICATION:
            raise self._store.trouble("it is an SQLite file, but not a ledger")
        version = self._pragma("user_version")
        if version != VERSION:
            age = "a newer" if version > VERSION else "an older"
            raise self._store.trouble(
                f"it has form {version}, written by {age} overbar; this one knows form {VERSION}. "
                "Nothing was changed"
            )

    def lay_out(self) -> None:
        """Declare the tables."""
        for statement in SCHEMA:
            self._connection.execute(statement)
        self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
        self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def sound(self) -> None:
        """Let SQLite look for damage in its own pages."""
        found = [text for (text,) in self._connection.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise self._store.trouble(f"it is damaged: {found[0]}")

    def all(self) -> Iterator[Row]:
        """Return every row, oldest first."""
        found = self._connection.execute("SELECT number, content, hash FROM events ORDER BY number")
        return (Row(*one) for one in found)

    def _one(self, condition: str, *values: object) -> Row | None:
        found = self._connection.execute(
            f"SELECT number, content, hash FROM events WHERE {condition}", values
        ).fetchone()
        return None if found is None else self._trusted(Row(*found))

    def _trusted(self, row: Row) -> Row:
        """Return a row whose hash fits the row before it."""
        before = self._connection.execute(
            "SELECT hash FROM events WHERE number = ?", (row.number - 1,)
        ).fetchone()
        if row.hash != link(BEGINNING if before is None else before[0], row.content):
            raise self._store.trouble(f"row {row.number} was edited, or the one before it")
        return row

    def last(self, dataset: str | None = None) -> Row | None:
        """Return the last row, of all or of a dataset."""
        if dataset is None:
            return self._one("TRUE ORDER BY number DESC LIMIT 1")
        return self._one("dataset = ? ORDER BY number DESC LIMIT 1", dataset)

    def head(self) -> str:
        """Return the hash of the last row."""
        last = self.last()
        return BEGINNING if last is None else last.hash

    def first(self, dataset: str) -> Row | None:
        """Return the row that opened a dataset."""
        return self._one("dataset = ? ORDER BY number LIMIT 1", dataset)

    def numbered(self, number: int) -> Row | None:
        """Return one row."""
        return self._one("number = ?", number)

    def settlement(self, run: int) -> Row | None:
        """Return the row that settled a reservation."""
        return self._one("run = ?", run)

    def requests(self, dataset: str, request: str, kind: str) -> list[Row]:
        """Return rows of one kind that belong to a request, oldest first."""
        found = self._connection.execute(
            "SELECT number, content, hash FROM events "
            "WHERE dataset = ? AND request = ? AND kind = ? ORDER BY number",
            (dataset, request, kind),
        ).fetchall()
        return [self._trusted(Row(*one)) for one in found]

    def of(self, dataset: str) -> list[Row]:
        """Return all rows of a dataset, oldest first."""
        found = self._connection.execute(
            "SELECT number, content, hash FROM events WHERE dataset = ? ORDER BY number", (dataset,)
        )
        return [Row(*one) for one in found.fetchall()]

    def datasets(self) -> list[str]:
        """Return the names of all datasets, in the order they were opened."""
        found = self._connection.execute(
            "SELECT dataset FROM events WHERE kind = 'opened' ORDER BY number"
        )
        return [name for (name,) in found]

    def append(self, fields: dict[str, object]) -> Row:
        """Write a row behind the last."""
        last = self.last()
        number = 1 if last is None else last.number + 1
        content = canonical({**fields, "number": number})
        row = Row(number, content, link(BEGINNING if last is None else last.hash, content))
        self._connection.execute(
            "INSERT INTO events (number, content, hash) VALUES (?, ?, ?)",
            (row.number, row.content, row.hash),
        )
        return row
