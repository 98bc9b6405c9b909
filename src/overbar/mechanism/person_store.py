"""The file of a monitor: who was counted, and how often. It is as private as the data.

SQLite, and every commit is forced to the disk. A connection lives for one transaction, so nothing
is carried over a fork, and a killed process leaves nothing but what it committed. Whoever writes
the file puts a new mark into it; whoever finds another mark than their last writes no more.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from overbar.errors import LedgerError, ParameterError

NOTICE = (
    "This file says who was counted in alarms. It is as private as the data itself: keep it beside "
    "the data and show it to nobody. Never put back an older copy: hits that it has forgotten "
    "would be given out again."
)
#: Marks the file as ours: "OBMO" in ASCII, and the form of the file.
APPLICATION, VERSION = 0x4F424D4F, 1
SCHEMA = (
    "CREATE TABLE as_private_as_the_data (notice TEXT NOT NULL) STRICT",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE persons (id BLOB PRIMARY KEY, used INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)
COUNT = "INSERT INTO persons VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET used = excluded.used"
SAY = "INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
#: How long to wait for somebody who reads the file, in seconds.
PATIENCE = 10.0
#: What must be left on the disk, in bytes: far more than an alarm writes.
ROOM = 1 << 26


class PersonStore:
    """Where the hits are. It knows nothing of plans."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(os.fsdecode(path)))
        #: The mark of the last commit, and those of commits that may have been made since.
        self._marks: list[str] = []
        self._last: tuple[int, ...] | None = None

    def take(self, new: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
        """Make the file ours from now on; return what is said in it, and who has used up how much.

        Where there is none it is made, and says what is `new`. One with another plan is left alone.
        """
        with contextlib.suppress(FileExistsError):
            try:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except FileExistsError:
                raise
            except OSError as error:
                raise self.trouble(error.strerror or str(error)) from None
        with self._writing() as connection:
            declared = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master")]
            if not declared:
                if not new:
                    raise self.trouble("nothing is in it yet; give the parameters of a plan")
                for statement in SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
                connection.execute("INSERT INTO as_private_as_the_data VALUES (?)", (NOTICE,))
                connection.executemany(SAY, new.items())
            elif tuple(declared) != SCHEMA or self._form(connection) != (APPLICATION, VERSION):
                raise self.trouble("it is not the store of a monitor")
            about = dict(connection.execute("SELECT name, value FROM about"))
            if new and about.get("plan") != new["plan"]:
                raise ParameterError(
                    "the store was made with another plan, and goes on with that one alone: leave "
                    "out plan and its parameters, or begin a new monitor with a new store"
                )
            used = {
                person.decode("utf-8", "surrogatepass"): many
                for person, many in connection.execute("SELECT id, used FROM persons")
            }
            self._put_mark(connection)
        del self._marks[:-1]
        return about, used

    def write(self, about: Mapping[str, str], used: Mapping[str, int]) -> None:
        """Write down what is said and who has used up how much; on the disk when this returns."""
        with self._writing() as connection:
            self._refuse_others(connection)
            connection.executemany(SAY, about.items())
            rows = ((person.encode("utf-8", "surrogatepass"), used[person]) for person in used)
            connection.executemany(COUNT, rows)
            self._put_mark(connection)
        del self._marks[:-1]

    def check(self) -> None:
        """Refuse to go on if the file was taken away, put back, or opened by somebody else."""
        if self._state() != self._last:
            with self._writing() as connection:
                self._refuse_others(connection)

    def check_room(self) -> None:
        """Refuse to go on if the disk is nearly full."""
        try:
            left = shutil.disk_usage(self.path.parent).free
        except OSError as error:
            raise self.trouble(error.strerror or str(error)) from None
        if left < ROOM:
            raise self.trouble(f"less than {ROOM >> 20} MiB are left on its disk")

    def trouble(self, what: str) -> LedgerError:
        """Return the error that names the file and what is wrong with it."""
        shown = "".join(sign if sign.isprintable() else "?" for sign in what)
        return LedgerError(f"the store {str(self.path)!r} cannot be used: {shown}")

    def _refuse_others(self, connection: sqlite3.Connection) -> None:
        mark = connection.execute("SELECT value FROM about WHERE name = 'mark'").fetchone()
        if mark is None or mark[0] not in self._marks:
            raise self.trouble(
                "another monitor has opened it since, or another copy was put in its place; this "
                "one gives no more answers"
            )

    def _put_mark(self, connection: sqlite3.Connection) -> None:
        self._marks.append(secrets.token_hex(16))
        connection.execute(SAY, ("mark", self._marks[-1]))

    @staticmethod
    def _form(connection: sqlite3.Connection) -> tuple[int, int]:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        return application, connection.execute("PRAGMA user_version").fetchone()[0]

    def _state(self) -> tuple[int, ...] | None:
        """Return what changes when somebody writes the file; None if it is gone."""
        try:
            state = os.stat(self.path)
        except OSError:
            return None
        return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Be the one writer; what was written is on the disk when this ends without an error."""
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(self.path))}?mode=rw",
                uri=True,
                timeout=PATIENCE,
                isolation_level=None,
            )
            try:
                # EXTRA: that the journal is gone is on the disk too, or a power cut would undo it.
                for pragma in ("synchronous = EXTRA", "fullfsync = ON", "journal_mode = DELETE"):
                    connection.execute(f"PRAGMA {pragma}")
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            finally:  # closing undoes what was not committed
                connection.close()
            self._last = self._state()
        except UnicodeError:  # whose message would show what it could not read
            raise self.trouble("it is damaged: a text in it is not readable") from None
        except sqlite3.Error as error:
            raise self.trouble(str(error)) from None
