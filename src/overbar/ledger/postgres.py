"""A ledger in PostgreSQL: a schema of its own, one writer at a time, rows that are only added.

Who writes holds a lock of the whole ledger from before it reads where a dataset stands until its
row is committed, so of two that would overspend together one sees the other's row. There is one
lock and it is taken first, so nobody waits in a circle. Two rows of one number, or two settlements
of one run, cannot both be committed even by someone who takes no lock.

The lock is given up before the row is on the disk, so that one write of the disk serves all who
wait. Nobody goes on before it: whoever has written or read anything has the server force its log to
the disk first, which holds all rows in their order. So no draw and no answer depends on a row that
a crash could take away.

Connections are kept for the next transaction; a forked process makes its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from overbar.errors import LedgerError, OverbarError
from overbar.ledger.address import Address, driver, server_words
from overbar.ledger.postgres_schema import FORM, changed, declarations
from overbar.ledger.rows import RawRow, Row, Rows

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

#: How many idle connections are kept.
KEPT = 4
#: Rows that are asked for at once, going back: so many at first, and then so many.
FEW, MANY = 2, 64
#: Commits a message to nobody, and so forces the log to the disk; a copy that only reads has none.
FORCE = """SELECT CASE WHEN pg_is_in_recovery() THEN NULL
ELSE pg_logical_emit_message(true, 'overbar', '') END"""
#: Connections of a parent process: never closed here, because that would end them there.
_PARENTS: list[object] = []


class PostgresTable:
    """Rows in PostgreSQL, within one transaction."""

    def __init__(self, connection: Connection[Any], address: Address, last: list[RawRow]) -> None:
        self.connection, self.address, self.trouble = connection, address, address.trouble
        self._events = f'"{address.schema}".events'
        self._insert = (
            f"INSERT INTO {self._events} (number, content, hash, kind, run) "
            "VALUES (%s, %s, %s, %s, %s)"
        )
        self._read = f"SELECT number, content, hash FROM {self._events}"
        self._last = last[0] if last else None
        self._known: dict[object, RawRow] = {row[0]: row for row in last}
        self._unwritten: list[Row] = []

    def sound(self) -> None:
        """Compare the declarations, and what is looked up by an index, with the rows."""
        self._write()
        self.connection.execute("SET LOCAL enable_seqscan = on")
        if changed(self.connection, self.address.schema):
            raise self.trouble("its tables were changed")
        for method in ("indexscan", "indexonlyscan", "bitmapscan"):
            self.connection.execute(f"SET LOCAL enable_{method} = off")
        with self.connection.cursor("beside") as cursor:
            cursor.execute(f"SELECT number, content, hash, kind, run FROM {self._events}")
            for number, content, hash_, *beside in cursor:
                if _beside(Row(number, content, hash_)) != beside:
                    raise self.trouble(f"what stands beside row {number} was edited")

    def oldest_first(self) -> Iterator[RawRow]:
        """Read the whole table, a part at a time."""
        self._write()
        with self.connection.cursor("rows") as cursor:
            cursor.itersize = 1000
            yield from cursor.execute(f"{self._read} ORDER BY number")

    def row(self, number: int | None) -> RawRow | None:
        """Read one row, or the last; the one before it, whose hash it needs, comes along.

        If the one after it was read, then it is gone through backwards: many come along.
        """
        if number is None:
            return self._last  # nobody else writes meanwhile, or is seen to
        self._write()
        if number not in self._known and number > 0:
            many = FEW - 1 if number + 1 not in self._known else MANY
            wanted = f"{self._read} WHERE number BETWEEN %s AND %s"
            for row in self.connection.execute(wanted, (number - many, number)):
                self._known[row[0]] = row
        return self._known.get(number)

    def insert(self, row: Row) -> None:
        """Write a row, together with what comes next: the end, or a look at what is written."""
        if len(self._unwritten) > MANY:
            self._write()
            self._known.clear()
        self._unwritten.append(row)
        self._last = self._known[row.number] = (row.number, row.content, row.hash)

    def _write(self, *and_then: str) -> None:
        """Send rows that were not sent yet and other statements, in one go."""
        rows, self._unwritten = self._unwritten, []
        statements = [*[self._insert] * len(rows), *and_then]
        if not statements:
            return
        values = [
            value for row in rows for value in (row.number, row.content, row.hash, *_beside(row))
        ]
        with driver().ClientCursor(self.connection) as cursor:
            cursor.execute("; ".join(statements), values or None)
            for _ in rows:
                if cursor.rowcount != 1:
                    raise self.trouble("its tables were changed: a row was not written")
                cursor.nextset()

    def commit(self) -> None:
        """End the transaction, and wait until all that it has seen and written is on the disk."""
        self._write("COMMIT", FORCE)


def _beside(row: Row) -> list[object]:
    """Return what is written beside a row: to be found by, and for the database's own rules."""
    fields = row.fields
    return [fields.get(name) for name in ("kind", "run")]


class PostgresStore:
    """Where the rows are. It knows nothing of budgets."""

    def __init__(self, address: Address, *, create: bool = True) -> None:
        self._address, self.name, self.trouble = address, address.name, address.trouble
        self._idle: list[tuple[int, Connection[Any]]] = []
        digest = hashlib.sha256(f"overbar ledger {address.schema}".encode()).digest()
        lock = int.from_bytes(digest[:8], "big", signed=True)
        self._lock = f"SELECT pg_advisory_xact_lock({lock})"
        events = f'"{address.schema}".events'
        # By the index: a plan that is made while there are few rows, and kept, would read them all.
        self._look = (
            f'SELECT version FROM "{address.schema}".form; SET LOCAL enable_seqscan = off; '
            f"SELECT number, content, hash FROM {events} "
            f"WHERE number >= least(%s, (SELECT max(number) FROM {events}) - 1) "
            "ORDER BY number DESC LIMIT %s"
        )
        with self._transaction("BEGIN") as begun:
            there = self._there(begun.connection)
        if not there and not create:
            raise LedgerError(
                f"there is no ledger {self.name!r}; make it: overbar ledger open ADDRESS DATASET "
                "--epsilon 1"
            )
        if not there:
            self._create()

    def __del__(self) -> None:
        for process, connection in getattr(self, "_idle", ()):
            if process == os.getpid():
                with contextlib.suppress(Exception):
                    connection.close()

    def _there(self, connection: Connection[Any]) -> bool:
        query = (
            "SELECT count(*) FROM pg_class WHERE relname IN ('events', 'form') AND "
            "relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = %s)"
        )
        row = connection.execute(query, (self._address.schema,)).fetchone()
        if row is not None and row[0] == 1:
            raise self.trouble("its schema has other tables in it, and is not a ledger")
        return row is not None and row[0] == 2

    def _create(self) -> None:
        with self._transaction(f"BEGIN; {self._lock}") as begun:
            if not self._there(begun.connection):
                for statement in declarations(self._address.schema):
                    begun.connection.execute(statement)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Rows]:
        """Look at one state of the ledger, whatever others write meanwhile."""
        with self._table("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", None) as table:
            yield Rows(table)

    @contextlib.contextmanager
    def writing(self, since: int | None = None) -> Iterator[Rows]:
        """Be the one writer; what was written is on the disk when this ends without an error.

        What will be read first comes with the lock, so that it is held while one answer travels.
        """
        begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off"
        with self._table(f"{begin}; {self._lock}", since) as table:
            yield Rows(table)

    @contextlib.contextmanager
    def _table(self, begin: str, since: int | None) -> Iterator[PostgresTable]:
        look = (None, FEW) if since is None else (since - 1, MANY)
        with self._transaction(f"{begin}; {self._look}", look) as begun:
            *_, forms, last = _answers(begun)
            if forms != [(FORM,)]:
                raise self.trouble(
                    f"it has form {forms}, and this overbar knows form {FORM}. Nothing was changed"
                )
            table = PostgresTable(begun.connection, self._address, last)
            yield table
            table.commit()

    @contextlib.contextmanager
    def _transaction(self, begin: str, values: tuple[object, ...] = ()) -> Iterator[Cursor[Any]]:
        psycopg = driver()
        begun = self._begun(begin, values)
        connection, done = begun.connection, False
        try:
            yield begun
            if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                connection.execute("COMMIT")
            done = True
        except OverbarError:  # a refusal: the connection is as good as before
            with contextlib.suppress(psycopg.Error):
                connection.execute("ROLLBACK")
                done = True
            raise
        except psycopg.Error as error:
            raise self.trouble(server_words(error)) from None
        finally:
            if done and len(self._idle) < KEPT:
                self._idle.append((os.getpid(), connection))
            else:
                connection.close()

    def _begun(self, begin: str, values: tuple[object, ...]) -> Cursor[Any]:
        """Begin on a connection that is there, or on a new one if the server has ended it."""
        psycopg, failed = driver(), ""
        while not failed:
            connection, reused = self._connection()
            try:
                return _executed(connection, begin, values)
            except psycopg.Error as error:
                connection.close()  # nothing was written yet: a new one may try, but not wait anew
                if not reused or isinstance(error, psycopg.errors.LockNotAvailable):
                    failed = server_words(error)
            except BaseException:
                connection.close()
                raise
        raise self.trouble(failed)

    def _connection(self) -> tuple[Connection[Any], bool]:
        """Return a connection, and whether it was kept from before."""
        while self._idle:
            process, connection = self._idle.pop()
            if process == os.getpid():
                return connection, True
            _PARENTS.append(connection)
        return self._address.connect(), False


def _executed(connection: Connection[Any], query: str, values: tuple[object, ...]) -> Cursor[Any]:
    """Send several statements at once."""
    cursor: Cursor[Any] = driver().ClientCursor(connection)
    return cursor.execute(query, values or None)


def _answers(cursor: Cursor[Any]) -> list[list[Any]]:
    """Return what each of several statements has answered; of the last two there are rows."""
    results = []
    more: bool | None = True
    while more:
        if cursor.description is not None:
            results.append(cursor.fetchall())
        more = cursor.nextset()
    return results
