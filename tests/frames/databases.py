"""Tables in PostgreSQL, made for a test."""

from __future__ import annotations

from contextlib import contextmanager

import psycopg

from overbar.frames import DatabaseTable


class Database:
    """A database, and someone who may do everything in it."""

    def __init__(self, plain, connection):
        self.plain, self.connection = plain, connection
        self._made = 0

    def sql(self, *statements):
        for statement in statements:
            self.connection.execute(statement)

    def table(self, columns, rows=(), name=None):
        """Make a table of these columns and rows, and return it as a source."""
        self._made += 1
        name = name or f"t{self._made}"
        self.sql(f"CREATE TABLE {name} ({columns})")
        if rows:
            wanted = ", ".join(["%s"] * len(rows[0]))
            with self.connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO {name} VALUES ({wanted})", rows)
        return self.source(name)

    def source(self, name):
        return DatabaseTable(self.plain, name)


@contextmanager
def new_database(server, name):
    """Make a database of its own on a server."""
    with psycopg.connect(server.plain, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    plain = server.plain.replace("/postgres?", f"/{name}?")
    with psycopg.connect(plain, autocommit=True) as connection:
        yield Database(plain, connection)
