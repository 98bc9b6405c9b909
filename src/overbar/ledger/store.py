"""The file: SQLite with a write-ahead log, one writer at a time, every commit forced to the disk.

A connection lives for one transaction and no longer. So nothing is carried over a fork, threads
share nothing, and a killed process leaves nothing but what it committed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

from overbar.errors import LedgerError, ParameterError
from overbar.ledger.rows import RawRow, Row, Rows

#: Marks the file as ours: "OBAR" in ASCII.
APPLICATION = 0x4F424152
#: The form of the file.
VERSION = 4

#: The ends of the table are kept twice: a page that was lost or put back does not change both.
SCHEMA = (
    """CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    content TEXT NOT NULL,
    hash TEXT NOT NULL,
    run INTEGER AS (json_extract(content, '$.run'))
) STRICT""",
    "CREATE INDEX by_number ON events (number, hash)",
    "CREATE UNIQUE INDEX settled_once ON events (run) WHERE run IS NOT NULL",
    """CREATE TRIGGER never_edited BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never edited'); END""",
    """CREATE TRIGGER never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never deleted'); END""",
)

#: Rows are read from the table: an index that was damaged has no say in it.
READ = "SELECT number, content, hash FROM events NOT INDEXED"
LAST, ONE = f"{READ} ORDER BY number DESC LIMIT 1", f"{READ} WHERE number = ?"
LAST_BY_INDEX = (
    "SELECT number, hash FROM events INDEXED BY by_number ORDER BY number DESC, hash DESC LIMIT 1"
)
#: The first SQLite with STRICT tables.
OLDEST_SQLITE = (3, 37, 0)
#: How long to wait for another writer, in seconds.
PATIENCE = 60.0
#: How many steps SQLite may take for one answer, beside one for each byte of the file: far more
#: than an honest file takes, so that a file that was made to be read for ever is not.
STEPS = 10_000_000


class SqliteTable:
    """Rows in SQLite. The declarations must be ours to the letter, or nothing is read."""

    def __init__(
        self, connection: sqlite3.Connection, trouble: Callable[[str], LedgerError]
    ) -> None:
        self.connection, self.trouble = connection, trouble
        declared = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master")]
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        #: Whether nothing was ever laid out here: a new file, or one abandoned at once.
        self.empty_file = version == 0 and not declared
        if self.empty_file:
            return
        if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION,):
            raise trouble("it is an SQLite file, but not a ledger")
        if version != VERSION:
            age = "a newer" if version > VERSION else "an older"
            raise trouble(
                f"it has form {version}, written by {age} overbar; this one knows form {VERSION}. "
                "Nothing was changed"
            )
        if len(declared) != len(SCHEMA) or set(declared) != set(SCHEMA):
            raise trouble("its tables were changed")

    def lay_out(self) -> None:
        """Declare the tables."""
        for statement in SCHEMA:
            self.connection.execute(statement)
        self.connection.execute(f"PRAGMA application_id = {APPLICATION}")
        self.connection.execute(f"PRAGMA user_version = {VERSION}")

    def sound(self) -> None:
        """Let SQLite look for damage in its own pages."""
        (verdict,) = self.connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise self.trouble(f"it is damaged: {verdict}")

    def oldest_first(self) -> Iterator[RawRow]:
        """Read the whole table."""
        return self.connection.execute(f"{READ} ORDER BY number")

    def row(self, number: int | None) -> RawRow | None:
        """Read one row, or the last."""
        if number is not None:
            return next(self.connection.execute(ONE, (number,)), None)
        last: RawRow | None = next(self.connection.execute(LAST), None)
        if next(self.connection.execute(LAST_BY_INDEX), None) != (last and (last[0], last[2])):
            raise self.trouble("it is damaged: an index does not agree with the rows")
        return last

    def insert(self, row: Row) -> None:
        """Write a row."""
        self.connection.execute(
            "INSERT INTO events (number, content, hash) VALUES (?, ?, ?)",
            (row.number, row.content, row.hash),
        )


class FileStore:
    """Where the rows are. It knows nothing of budgets."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool | None = True) -> None:
        self.path = Path(os.path.abspath(os.fsdecode(path)))
        self.name = str(self.path)
        if "\0" in str(self.path):
            raise ParameterError("the path of a ledger must not have a null character in it")
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise self.trouble(
                f"it needs SQLite 3.37 or newer, and this Python has {sqlite3.sqlite_version}; "
                "use a Python built with a newer one"
            )
        if create:
            self._create()
        elif create is not None:
            if not self.path.exists():
                raise self._absent()
            with self.reading():
                pass

    @contextlib.contextmanager
    def _used(self, begin: str) -> Iterator[Rows]:
        """Refuse a file that is not a ledger yet, and leave it as it is."""
        with self._table(begin) as table:
            if table.empty_file:
                raise self._absent()
            yield Rows(table)

    def _absent(self) -> LedgerError:
        return LedgerError(
            f"there is no ledger {self.name!r}; make it: overbar ledger open PATH DATASET "
            "--epsilon 1"
        )

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
        with self._table("BEGIN") as table:
            if not table.empty_file:
                return
        with self._connected() as connection:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                raise self.trouble("its file system cannot keep a write-ahead log")
        with self._table("BEGIN IMMEDIATE") as table:
            if table.empty_file:
                table.lay_out()

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
        shown = "".join(sign if sign.isprintable() else "?" for sign in what)
        return LedgerError(f"the ledger {self.name!r} cannot be used: {shown}")

    def reading(self) -> AbstractContextManager[Rows]:
        """Look at one state of the ledger, whatever others write meanwhile."""
        return self._used("BEGIN")

    def writing(self, since: int | None = None) -> AbstractContextManager[Rows]:
        """Be the one writer; what was written is on the disk when this ends without an error."""
        del since  # a file is near
        return self._used("BEGIN IMMEDIATE")

    @contextlib.contextmanager
    def _table(self, begin: str) -> Iterator[SqliteTable]:
        """Look at the table in one transaction."""
        with self._connected() as connection:
            connection.execute(begin)
            try:
                yield SqliteTable(connection, self.trouble)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):  # what made it fail is told
                        connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        size = self._size()
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(self.path))}?mode=rw",
                uri=True,
                timeout=PATIENCE,
                isolation_level=None,
            )
            try:
                connection.set_progress_handler(lambda: 1, min(STEPS + size, 2**31 - 1))
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA fullfsync = ON")  # where fsync alone does not reach
                yield connection
            finally:
                connection.close()
        except UnicodeDecodeError:  # what SQLite says about a damaged name
            raise self.trouble("it is damaged: a text in it is not readable") from None
        except sqlite3.Error as error:
            if str(error) == "interrupted":
                raise self.trouble("it is damaged: reading it does not come to an end") from None
            raise self.trouble(str(error)) from None

    def _size(self) -> int:
        """Return how long the file and its log are; refuse what would keep a reader waiting."""
        size = 0
        for ending in ("", "-wal", "-shm", "-journal"):
            try:
                state = os.stat(f"{self.path}{ending}")
            except OSError:
                continue  # not there, or SQLite says why not
            if not stat.S_ISREG(state.st_mode):
                raise self.trouble(f"{self.path.name}{ending} is not a file")
            size += state.st_size
        return size
