"""The places a ledger is kept in, and how someone edits rows there behind its back."""

import contextlib
import json
import sqlite3
import uuid

import psycopg

import overbar

KEPT = "SELECT number, content, hash FROM events ORDER BY number"


class FilePlace:
    """A file, and someone who may write it."""

    refused = sqlite3.IntegrityError
    processes = 8

    def __init__(self, path):
        self.where = str(path)

    def another(self):
        """Return a new place of the same kind."""
        return FilePlace(f"{self.where}.another")

    def ledger(self):
        return overbar.Ledger(self.where)

    def rows(self):
        with contextlib.closing(sqlite3.connect(self.where)) as connection:
            return connection.execute(KEPT).fetchall()

    def write(self, rows):
        """Put these rows in the place of all, triggers put aside and put back."""
        with contextlib.closing(sqlite3.connect(self.where, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            kept = connection.execute(triggers).fetchall()
            connection.execute("BEGIN")
            for name, _ in kept:
                connection.execute(f"DROP TRIGGER {name}")
            connection.execute("DELETE FROM events")
            connection.executemany(
                "INSERT INTO events (number, content, hash) VALUES (?, ?, ?)", rows
            )
            for _, text in kept:
                connection.execute(text)
            connection.execute("COMMIT")

    def sql(self, *statements):
        """Do as someone does who may write the file."""
        with contextlib.closing(sqlite3.connect(self.where)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()


class DatabasePlace:
    """A schema of a database, and its superuser."""

    refused = psycopg.errors.UniqueViolation
    processes = 32

    def __init__(self, server):
        self.server, self.schema = server, f"t{uuid.uuid4().hex[:12]}"
        self.where = server.address(self.schema)
        self._ledger = self._editor = None

    def another(self):
        """Return a new place of the same kind."""
        return DatabasePlace(self.server)

    def ledger(self):
        self._ledger = self._ledger or overbar.Ledger(self.where)
        return self._ledger

    def _connected(self):
        connection = psycopg.connect(self.server.plain, autocommit=True)
        connection.execute(f"SET search_path = {self.schema}")
        connection.execute("SET session_replication_role = replica")  # no triggers
        return connection

    def close(self):
        if self._editor is not None:
            self._editor.close()

    def rows(self):
        with self._connected() as connection:
            return connection.execute(KEPT).fetchall()

    def write(self, rows):
        """Put these rows in the place of all, and what stands beside them."""
        self._editor = self._editor or self._connected()
        told = [json.loads(content) for _, content, _ in rows]
        beside = [[fields.get(name) for name in ("kind", "run")] for fields in told]
        with self._editor.transaction(), self._editor.cursor() as cursor:
            cursor.execute("DELETE FROM events")
            cursor.executemany(
                "INSERT INTO events (number, content, hash, kind, run) VALUES (%s, %s, %s, %s, %s)",
                [(*row, *one) for row, one in zip(rows, beside, strict=True)],
            )

    def sql(self, *statements):
        """Do as a superuser does, with the triggers on."""
        with self._connected() as connection:
            connection.execute("SET session_replication_role = origin")
            for statement in statements:
                connection.execute(statement)
