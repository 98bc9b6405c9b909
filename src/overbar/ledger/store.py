"""The file: SQLite with a write-ahead log, one writer at a time, every commit forced to the disk.

A connection lives for one transaction and no longer. So nothing is carried over a fork, threads
share nothing, and a killed process leaves nothing but what it committed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from overbar.errors import LedgerError, ParameterError
from overbar.ledger.rows import Rows

#: The first SQLite with STRICT tables.
OLDEST_SQLITE = (3, 37, 0)
#: How long to wait for another writer, in seconds.
PATIENCE = 60.0
#: How many steps SQLite may take for one answer, beside one for each byte of the file: far more
#: than an honest file takes, so that a file that was made to be read for ever is not.
STEPS = 10_000_000


class Store:
    """Where the rows are. It knows nothing of budgets."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = Path(os.path.abspath(os.fsdecode(path)))
        if "\0" in str(self.path):
            raise ParameterError("the path of a ledger must not have a null character in it")
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise self.trouble(
                f"it needs SQLite 3.37 or newer, and this Python has {sqlite3.sqlite_version}; "
                "use a Python built with a newer one"
            )
        if create:
            self._create()
        else:
            self._find()

    def _find(self) -> None:
        """Refuse a file that is not a ledger yet, and leave it as it is."""
        if self.path.exists():
            with self.reading() as rows:
                if not rows.empty_file:
                    return
        raise LedgerError(
            f"there is no ledger {str(self.path)!r}; make it: overbar ledger open PATH DATASET "
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
        shown = "".join(sign if sign.isprintable() else "?" for sign in what)
        return LedgerError(f"the ledger {str(self.path)!r} cannot be used: {shown}")

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
                rows = Rows(connection, self.trouble)
                rows.check_form()
                yield rows
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
                found = os.stat(f"{self.path}{ending}")
            except OSError:
                continue  # not there, or SQLite says why not
            if not stat.S_ISREG(found.st_mode):
                raise self.trouble(f"{self.path.name}{ending} is not a file")
            size += found.st_size
        return size
