"""The file of a monitor: who was counted, and how often. It is as private as the data.

SQLite, and every commit is forced to the disk. A connection lives for one transaction, so nothing
is carried over a fork, and a killed process leaves nothing but what it committed. Whoever writes
the file puts a new mark into it; whoever finds another mark than their last writes no more.

A damaged file must not have forgotten a hit without a word. So beside the rows stand their sums,
written with them, and a digest of all else. A sum is moved by what is put in the place of what was
there: damage that comes between shows as well.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zlib import crc32

from overbar.errors import LedgerError, ParameterError, named

NOTICE = (
    "This file says who was counted in alarms. It is as private as the data itself: keep it beside "
    "the data and show it to nobody. Never put back an older copy, and never go on with two: hits "
    "that a copy does not know would be given out again."
)
#: Marks the file as ours: "OBMO" in ASCII, and the form of the file.
FORM = {"application_id": 0x4F424D4F, "user_version": 4}
SCHEMA = (
    "CREATE TABLE as_private_as_the_data (notice TEXT NOT NULL) STRICT",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE alarms (number INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT",
    "CREATE TABLE persons (id BLOB PRIMARY KEY, used INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)
COUNT = "INSERT INTO persons VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET used = excluded.used"
COUNTED = "SELECT used FROM persons WHERE id = ?"
LABEL = "INSERT INTO alarms VALUES (?, ?) ON CONFLICT DO NOTHING"
SAY = "INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
#: Whether it is a database of somebody else, of which nothing is altered.
FOREIGN = (
    f"SELECT application_id <> {FORM['application_id']} AND EXISTS (SELECT * FROM sqlite_master) "
    "FROM pragma_application_id"
)
#: EXTRA: that the journal is gone is on the disk too, or a power cut would undo a commit.
PRAGMAS = ("synchronous = EXTRA", "fullfsync = ON", "journal_mode = DELETE")
DAMAGED = (
    "it is damaged, and may have forgotten who was counted. Bring back a whole and newest copy if "
    "there is one; else this monitor has ended, and a new one is paid for anew"
)
ANOTHER = (
    "another monitor has opened it since, or another copy was put in its place; this one gives no "
    "more answers"
)
#: How long to wait for somebody who reads the file, in seconds.
PATIENCE = 10.0
#: What must be left on the disk, in bytes: far more than an alarm writes.
ROOM = 1 << 26
#: What is said in the file of its rows: the sum of what each person has used up, times the CRC-32
#: of their id behind a byte, so that it is not zero of an empty one; that of the numbers of alarms,
#: times that of their labels; a digest of all that is said. They find damage, not forgery. A wrong
#: number is missed if the CRC is zero, a wrong text if both have one CRC: one in four billion.
#: Hashes of SHA-256 would take far longer.
HITS, LABELS, DIGEST = "sum of hits", "sum of labels", "digest"


class DiskError(LedgerError):
    """The file cannot be read or written, for now."""


class PersonStore:
    """Where the hits are. It knows nothing of plans.

    Whoever watches a table says by which columns: another column of persons would count everybody
    anew. Such a store goes on with them alone; a monitor of one's own ids names none.
    """

    def __init__(
        self, path: str | os.PathLike[str], columns: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        try:
            self.path = Path(os.path.abspath(os.fsdecode(path)))
        except TypeError:
            raise ParameterError(f"store must be a path, got {type(path).__name__}") from None
        self.columns = "" if columns is None else json.dumps(columns)
        #: The mark of the last commit, and those of commits that may have been made since.
        self._marks: list[str] = []
        self._last: tuple[int, ...] | None = None

    def __fspath__(self) -> str:
        return str(self.path)

    def is_new(self) -> bool:
        """Tell whether nothing is in it yet: whoever was killed while making it left it so."""
        with contextlib.suppress(sqlite3.Error), contextlib.closing(self._connected()) as file:
            file.execute("SELECT * FROM sqlite_master")  # undoes what was not committed
        return self._is_empty()

    def _is_empty(self) -> bool:
        """Tell whether there is no byte in it: damage can make any other file look so."""
        state = self._state()
        return state is None or not state[2]

    def _connected(self) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path))}?mode=rw"
        file = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
        # Of a damaged text too: the error that SQLite has for it would show it.
        file.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        return file

    def take(self, new: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int], list[str]]:
        """Make the file ours; return what is said in it, who has used up how much, and labels.

        Where there is none it is made, and says what is `new`. One with another plan is left alone,
        and so is one whose rows are not those that were written.
        """
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except (OSError, ValueError) as error:  # a path with a null character is the second
            raise self.trouble(getattr(error, "strerror", None) or str(error)) from None
        new = new and {**new, "columns": self.columns}
        with self._writing(new=new) as (connection, about):
            if new and about.get("plan") != new["plan"]:
                raise ParameterError(
                    "the store was made with another plan, and goes on with that one alone: leave "
                    "out plan and its parameters, or begin a new monitor with a new store"
                )
            if self.columns and about.get("columns") != self.columns:
                raise ParameterError(_made_by(about.get("columns", "")))
            # The tables are strict: that every value has its type is checked too.
            if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                raise self.trouble()
            used, labels = dict[str, int](), list[str]()
            hits = names = 0
            for person, many in connection.execute("SELECT id, used FROM persons"):
                used[person.decode("utf-8", "surrogatepass")] = many
                hits += many * _weight(person)
            for number, label in connection.execute("SELECT * FROM alarms ORDER BY number"):
                labels.append(label)
                names += number * crc32(label.encode())
            if (about[HITS], about[LABELS]) != (str(hits), str(names)):
                raise self.trouble()
        return about, used, labels

    def write(
        self, about: Mapping[str, str], used: Mapping[str, int], alarm: tuple[int, str] = (0, "")
    ) -> None:
        """Write down what is said and who has used up how much; on the disk when this returns.

        An alarm that has a label is written with its number: once, however often that is tried.
        """
        with self._writing() as (connection, said):
            rows = [(person.encode("utf-8", "surrogatepass"), used[person]) for person in used]
            more = 0
            for person, many in rows:
                (before,) = connection.execute(COUNTED, (person,)).fetchone() or (0,)
                more += (many - before) * _weight(person)
            connection.executemany(COUNT, rows)
            said |= {**about, HITS: str(int(said[HITS]) + more)}
            if alarm[1] and connection.execute(LABEL, alarm).rowcount:
                said[LABELS] = str(int(said[LABELS]) + alarm[0] * crc32(alarm[1].encode()))

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

    def trouble(self, what: str = DAMAGED, kind: type[LedgerError] = LedgerError) -> LedgerError:
        """Return the error that names the file and what is wrong with it."""
        shown = "".join(sign if sign.isprintable() else "?" for sign in what)
        return kind(f"the store {str(self.path)!r} cannot be used: {shown}")

    def _state(self) -> tuple[int, ...] | None:
        """Return what changes when somebody writes the file; None if it is gone."""
        try:
            state = os.stat(self.path)
        except (OSError, ValueError):  # a path with a null character is the second
            return None
        return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns

    @contextlib.contextmanager
    def _writing(
        self, *, new: Mapping[str, str] | None = None
    ) -> Iterator[tuple[sqlite3.Connection, dict[str, str]]]:
        """Be the one writer, with what the file says of itself; what is put there is said in it.

        What was written is on the disk when this ends without an error. Whoever says what is `new`
        is not asked for a mark, and makes what is not there.
        """
        try:
            # Closing undoes what was not committed.
            with contextlib.closing(self._connected()) as connection:
                if connection.execute(FOREIGN).fetchone()[0]:
                    raise self.trouble("it is not the store of a monitor")
                for pragma in PRAGMAS:
                    connection.execute(f"PRAGMA {pragma}")
                connection.execute("BEGIN IMMEDIATE")
                if new and self._is_empty():
                    _make(connection)
                    about = {**new, HITS: "0", LABELS: "0"}
                else:
                    about = self._said(connection)
                if new is None and about.get("mark") not in self._marks:
                    raise self.trouble(ANOTHER)
                yield connection, about
                self._marks.append(secrets.token_hex(16))
                about["mark"] = self._marks[-1]
                connection.executemany(SAY, [*about.items(), (DIGEST, _digest(about))])
                connection.execute("COMMIT")
        except UnicodeError:  # whose message would show what it could not read
            raise self.trouble() from None
        except sqlite3.Error as error:
            raise self.trouble(str(error), DiskError) from None
        del self._marks[:-1]
        self._last = self._state()

    def _said(self, connection: sqlite3.Connection) -> dict[str, str]:
        """Return what the file says of itself, if nothing of it was changed."""
        declared = tuple(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master"))
        form = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in FORM}
        if declared != SCHEMA or form != FORM:
            raise self.trouble("it is not the store of a monitor, or nothing is in it yet")
        about = dict(connection.execute("SELECT name, value FROM about"))
        if about.pop(DIGEST, None) != _digest(about):
            raise self.trouble()
        return about


def _make(connection: sqlite3.Connection) -> None:
    for name, value in FORM.items():
        connection.execute(f"PRAGMA {name} = {value}")
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute("INSERT INTO as_private_as_the_data VALUES (?)", (NOTICE,))


def _made_by(columns: str) -> str:
    """Return what is said to whoever watches by other columns."""
    if not columns:
        return "the store was made for ids that are no column: begin with a new store"
    made = json.loads(columns).items()
    said = (f"{named(what)} {' '.join(map(repr, which))}" for what, which in made)
    return (
        f"the store was made with {', '.join(said)}, and knows who was counted by these columns "
        "alone: write the same, or begin with a new store"
    )


def _weight(person: bytes) -> int:
    """Return what one hit of a person adds to the sum of hits."""
    return crc32(b"\0" + person)


def _digest(about: Mapping[Any, Any]) -> str:
    """Return a digest of what is said, whatever damage has made of it."""
    return hashlib.sha256(repr(sorted(about.items(), key=repr)).encode()).hexdigest()
