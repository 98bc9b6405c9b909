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
    "the data and show it to nobody. Never put back an older copy, and never go on with two: hits "
    "that a copy does not know would be given out again."
)
#: Marks the file as ours: "OBMO" in ASCII, and the form of the file.
FORM = {"application_id": 0x4F424D4F, "user_version": 1}
SCHEMA = (
    "CREATE TABLE as_private_as_the_data (notice TEXT NOT NULL) STRICT",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE alarms (number INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT",
    "CREATE TABLE persons (id BLOB PRIMARY KEY, used INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)
COUNT = "INSERT INTO persons VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET used = excluded.used"
LABEL = "INSERT INTO alarms VALUES (?, ?) ON CONFLICT DO UPDATE SET label = excluded.label"
SAY = "INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
#: Whether it is a database of somebody else, of which nothing is altered.
FOREIGN = (
    f"SELECT application_id <> {FORM['application_id']} AND EXISTS (SELECT * FROM sqlite_master) "
    "FROM pragma_application_id"
)
#: EXTRA: that the journal is gone is on the disk too, or a power cut would undo a commit.
PRAGMAS = ("synchronous = EXTRA", "fullfsync = ON", "journal_mode = DELETE")
#: How long to wait for somebody who reads the file, in seconds.
PATIENCE = 10.0
#: What must be left on the disk, in bytes: far more than an alarm writes.
ROOM = 1 << 26


class DiskError(LedgerError):
    """The file cannot be read or written, for now."""


class PersonStore:
    """Where the hits are. It knows nothing of plans."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self.path = Path(os.path.abspath(os.fsdecode(path)))
        except TypeError:
            raise ParameterError(f"store must be a path, got {type(path).__name__}") from None
        #: The mark of the last commit, and those of commits that may have been made since.
        self._marks: list[str] = []
        self._last: tuple[int, ...] | None = None

    def is_new(self) -> bool:
        """Tell whether nothing is in it yet: whoever was killed while making it left it so."""
        with contextlib.suppress(sqlite3.Error), contextlib.closing(self._connected()) as file:
            return not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return not self.path.exists()

    def _connected(self) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path))}?mode=rw"
        return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)

    def take(self, new: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int], list[str]]:
        """Make the file ours; return what is said in it, who has used up how much, and labels.

        Where there is none it is made, and says what is `new`. One with another plan is left alone.
        """
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except (OSError, ValueError) as error:  # a path with a null character is the second
            raise self.trouble(getattr(error, "strerror", None) or str(error)) from None
        with self._writing(new=True) as connection:
            declared = tuple(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master"))
            form = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in FORM}
            if not declared and new:
                for name, value in FORM.items():
                    connection.execute(f"PRAGMA {name} = {value}")
                for statement in SCHEMA:
                    connection.execute(statement)
                connection.execute("INSERT INTO as_private_as_the_data VALUES (?)", (NOTICE,))
                connection.executemany(SAY, new.items())
            elif declared != SCHEMA or form != FORM:
                raise self.trouble("it is not the store of a monitor, or nothing is in it yet")
            about = dict(connection.execute("SELECT name, value FROM about"))
            if new and about.get("plan") != new["plan"]:
                raise ParameterError(
                    "the store was made with another plan, and goes on with that one alone: leave "
                    "out plan and its parameters, or begin a new monitor with a new store"
                )
            rows = connection.execute("SELECT id, used FROM persons")
            used = {person.decode("utf-8", "surrogatepass"): many for person, many in rows}
            named = connection.execute("SELECT label FROM alarms ORDER BY number")
            labels = [label for (label,) in named]
        return about, used, labels

    def write(
        self, about: Mapping[str, str], used: Mapping[str, int], alarm: tuple[int, str] = (0, "")
    ) -> None:
        """Write down what is said and who has used up how much; on the disk when this returns.

        An alarm that has a label is written with its number: once, however often that is tried.
        """
        with self._writing() as connection:
            connection.executemany(SAY, about.items())
            rows = ((person.encode("utf-8", "surrogatepass"), used[person]) for person in used)
            connection.executemany(COUNT, rows)
            if alarm[1]:
                connection.execute(LABEL, alarm)

    def check(self) -> None:
        """Refuse to go on if another copy was put in its place, or somebody else has opened it.

        Not if the disk fails: that may be known from an alarm that could not be written.
        """
        if self._state() != self._last:
            with contextlib.suppress(DiskError):
                self.write({}, {})

    def check_room(self) -> None:
        """Refuse to go on if the disk is nearly full."""
        try:
            left = shutil.disk_usage(self.path.parent).free
        except OSError as error:
            raise self.trouble(error.strerror or str(error)) from None
        if left < ROOM:
            raise self.trouble(f"less than {ROOM >> 20} MiB are left on its disk")

    def trouble(
        self, what: str = "it is damaged", kind: type[LedgerError] = LedgerError
    ) -> LedgerError:
        """Return the error that names the file and what is wrong with it."""
        shown = "".join(sign if sign.isprintable() else "?" for sign in what)
        return kind(f"the store {str(self.path)!r} cannot be used: {shown}")

    def _state(self) -> tuple[int, ...] | None:
        """Return what changes when somebody writes the file; None if it is gone."""
        try:
            state = os.stat(self.path)
        except OSError:
            return None
        return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns

    @contextlib.contextmanager
    def _writing(self, *, new: bool = False) -> Iterator[sqlite3.Connection]:
        """Be the one writer; what was written is on the disk when this ends without an error."""
        try:
            # Closing undoes what was not committed.
            with contextlib.closing(self._connected()) as connection:
                if connection.execute(FOREIGN).fetchone()[0]:
                    raise self.trouble("it is not the store of a monitor")
                for pragma in PRAGMAS:
                    connection.execute(f"PRAGMA {pragma}")
                connection.execute("BEGIN IMMEDIATE")
                if not new:
                    self._refuse_others(connection)
                yield connection
                self._marks.append(secrets.token_hex(16))
                connection.execute(SAY, ("mark", self._marks[-1]))
                connection.execute("COMMIT")
        except UnicodeError:  # whose message would show what it could not read
            raise self.trouble() from None
        except sqlite3.Error as error:
            raise self.trouble(str(error), DiskError) from None
        del self._marks[:-1]
        self._last = self._state()

    def _refuse_others(self, connection: sqlite3.Connection) -> None:
        mark = connection.execute("SELECT value FROM about WHERE name = 'mark'").fetchone()
        if mark is None or mark[0] not in self._marks:
            raise self.trouble(
                "another monitor has opened it since, or another copy was put in its place; this "
                "one gives no more answers"
            )
