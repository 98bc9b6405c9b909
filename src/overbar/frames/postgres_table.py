"""A table in PostgreSQL, counted there: one query, of which items and scores come back.

A view that calls functions is its owner's business: they may stop, or tell rows to others.

Answers are streamed, so that the driver never holds them all; a cursor of the server would do the
same, but lets it use one core.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from overbar.errors import MissingExtraError, ParameterError, ScoreError, named
from overbar.frames.arrow_words import in_words
from overbar.frames.catalogue import Catalogue
from overbar.frames.contributions import fresh_key
from overbar.frames.measure import Measure
from overbar.frames.postgres_query import Column, Query, declared_kind, identifier
from overbar.frames.postgres_rows import Compared, conditions
from overbar.ledger.address import ServerAddress
from overbar.runs.secrecy import sealed

if TYPE_CHECKING:
    from psycopg import Connection

#: Answers taken from the driver at once.
SOME = 1 << 14
#: Columns of tables and views, with the types that domains are made of.
COLUMNS = """WITH RECURSIVE columns AS (
SELECT attnum, attname, atttypid AS type, coalesce(collisdeterministic, true) AS exact
FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation
WHERE attnum > 0 AND NOT attisdropped AND attrelid = (
SELECT pg_class.oid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = %s AND relname = %s AND relkind IN ('r', 'v', 'm', 'f', 'p'))
UNION ALL SELECT attnum, attname, typbasetype, exact
FROM columns JOIN pg_type ON pg_type.oid = type WHERE typtype = 'd')
SELECT attname::text, CASE typtype WHEN 'e' THEN 'text' ELSE typname::text END,
exact AND typname <> 'citext', format_type(type, NULL)
FROM columns JOIN pg_type ON pg_type.oid = type WHERE typtype <> 'd' ORDER BY attnum"""


class TableAddress(ServerAddress):
    """Where a table is; nothing can be written through its connections."""

    what, part = "table", "table"

    def trouble(self, what: str) -> ScoreError:
        """Return the error that names the table and what is wrong with it."""
        return ScoreError(self.in_words(what))

    def _made_ready(self, connection: Connection[Any]) -> str:
        row = connection.execute(
            "SELECT current_setting('server_encoding'), set_config('search_path', 'pg_catalog', "
            "false), set_config('default_transaction_read_only', 'on', false)"
        ).fetchone()
        # In other encodings a row can hold what cannot be read here.
        wrong = "its database must have the encoding UTF8; copy it into one that has"
        return "" if row is not None and row[0] == "UTF8" else wrong


class Server(NamedTuple):
    """A connection, and the parameters of which rows take part."""

    connection: Connection[Any]
    values: dict[str, str]


class DatabaseTable:
    """A table or view in PostgreSQL, for :func:`select`, :func:`top` and :func:`keys`.

    Rows are counted by the server, and what comes back is each item with its score; for `keys` it
    is who has what. Types of columns are public. Text is compared by its bytes, whatever the
    collation.

    Parameters
    ----------
    address : str
        ``postgresql://USER@HOST:5432/DATABASE``. A password belongs into ``PGPASSWORD``,
        ``.pgpass`` or a service file; one in the address is never shown.
    table : str, optional
        ``"schema.table"``, or ``"table"`` for one in the schema public. It may stand in the address
        instead: ``?table=schema.table``.

    Raises
    ------
    ParameterError
        If the address is not readable, or no table is named.

    Examples
    --------
    >>> DatabaseTable("postgresql://ann:secret@db.example.org/shop", "crm.sales")
    DatabaseTable('postgresql://ann@db.example.org/shop?table=crm.sales')
    """

    @sealed  # the address may have a password in it
    def __init__(self, address: str, table: str | None = None) -> None:
        self._address = TableAddress(address)
        chosen = self._address.chosen
        if table is not None and chosen not in ("", table):
            raise ParameterError(
                f"the address names the table {chosen!r}, and {named('table')} says {table!r}; "
                "name one"
            )
        if not (chosen or table) or "\0" in (chosen or str(table)):
            raise ParameterError(
                f"{named('table')} must name a table or view of the database, such as shop.sales"
            )
        self._address.chosen = chosen or str(table)
        self._taken: tuple[Compared, ...] = ()

    @property
    def name(self) -> str:
        """What the table is called in messages: its address, without the password."""
        return self._address.name

    def __repr__(self) -> str:
        return f"DatabaseTable({self.name!r})"

    @contextmanager
    def _asked(self) -> Iterator[tuple[Server, str, dict[str, Column]]]:
        """Connect; yield the rows that take part, for SQL, and the columns, which are public."""
        chosen = self._address.chosen
        schema, _, last = chosen.rpartition(".")
        with self._address.connect() as connection:
            for place in dict.fromkeys([(schema or "public", last), ("public", chosen)]):
                found = connection.execute(COLUMNS, place).fetchall()
                if found:
                    there = {name: Column(*more) for name, *more in found}
                    rows = ".".join(map(identifier, place))
                    wanted, values = conditions(self._taken, there)
                    if wanted:
                        rows = f"(SELECT * FROM {rows} WHERE {wanted}) AS taken"
                    yield Server(connection, values), rows, there
                    return
        raise self._address.trouble(
            f"there is no table {chosen!r} with columns; write schema.table, in the letters that "
            "the database uses"
        )


def rows_where(table: DatabaseTable, comparisons: Iterable[Compared]) -> DatabaseTable:
    """Return a table of which only the rows take part for which all comparisons hold."""
    fewer = copy(table)
    fewer._taken = tuple(comparisons)
    return fewer


def table_size(table: DatabaseTable) -> tuple[int, dict[str, int], list[str]]:
    """Return how many rows there are, none left out, and the columns: for the owner's eyes."""
    with table._asked() as (server, place, there):
        (row,) = server.connection.execute(f"SELECT count(*) FROM {place}", server.values)
        return row[0], {}, list(there)


def looked_at(
    table: DatabaseTable, measure: Measure, listed: Catalogue | None
) -> nw.LazyFrame[Any]:
    """Return labels as they are read, null where there is none, with rows of which none are lost.

    For the owner's eyes alone: columns item and person, how many rows have them, and how many of
    these have no number.
    """
    with table._asked() as (server, place, there):
        query = Query(place, there, replace(measure, column=None), Fraction(1), listed)
        names = [*measure.labels, "rows", "no number"]
        return _answered(server, query, query.look(there, measure.column), *names, words=False)


def database_label_kinds(
    table: DatabaseTable, columns: Iterable[tuple[str, str]]
) -> tuple[str, ...]:
    """Return what columns, each with its role, hold: text, whole, boolean or date."""
    with table._asked() as (_, _, there):
        return tuple(declared_kind(role, name, there) for role, name in columns)


class PostgresEngine:
    """A table that its server counts (:class:`overbar.frames.scoring.Engine`)."""

    def __init__(self, table: DatabaseTable) -> None:
        self._table = table

    def check(self, measure: Measure, grid: Fraction) -> None:
        """Refuse columns that cannot be scored, by what is declared about them."""
        with self._table._asked() as (_, place, there):
            Query(place, there, measure, grid, None)

    def scores(
        self, measure: Measure, grid: Fraction, catalogue: Catalogue | None
    ) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
        """Return columns item and score, and of which kinds the columns are that name an item."""
        with self._table._asked() as (server, place, there):
            query = Query(place, there, measure, grid, catalogue)
            wanted, key = query.highest if measure.kind == "score" else query.totals, ""
            if measure.items_per_person is not None or measure.lots is not None:
                wanted, key = query.limited, fresh_key()
            rows = _answered(server, query, wanted, "item", "score", key=key)
            return rows.collect(), query.item_kinds

    def pairs(self, measure: Measure) -> nw.LazyFrame[Any]:
        """Return columns item and person: who has what, each pair once."""
        with self._table._asked() as (server, place, there):
            query = Query(place, there, measure, Fraction(1), None)
            wanted = f"SELECT item, person FROM ({query.pairs}) AS pairs"
            return _answered(server, query, wanted, "item", "person")


def _answered(
    server: Server, query: Query, asked: str, *roles: str, key: str = "", words: bool = True
) -> nw.LazyFrame[Any]:
    """Return what the server answers, as a table of Arrow, with text as words of a dictionary."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(
            "tables in PostgreSQL need PyArrow: pip install 'overbar[postgres]'"
        ) from None
    kinds = {
        "text": pyarrow.large_string(),  # of any length together
        "whole": pyarrow.int64(),
        "boolean": pyarrow.bool_(),
        "date": pyarrow.int32(),
        "float": pyarrow.float64(),
    }
    sent = pyarrow.schema([(role, kinds[query.kinds[role]]) for role in roles])
    parts = []
    with server.connection.cursor(binary=True) as cursor:
        rows = cursor.stream(asked, {"listed": query.listed, "key": key, **server.values})
        while some := list(islice(rows, SOME)):
            columns = map(pyarrow.array, zip(*some, strict=True), sent.types)
            parts.append(pyarrow.record_batch(list(columns), schema=sent))
    table = pyarrow.Table.from_batches(parts, sent)
    for place, role in enumerate(roles):
        if query.kinds[role] == "date":
            days = table.column(place).cast(pyarrow.date32())
            table = table.set_column(place, role, days)
    return in_words(table).lazy() if words else nw.from_native(table).lazy()
