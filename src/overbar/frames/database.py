"""A table in PostgreSQL, counted there: one query, of which items and scores come back.

What other engines do by Narwhals is said here in SQL, by the same rules: labels are compared by
their bytes, a person counts once for an item, sums are whole numbers of fine steps. No row can stop
the query: what has no label is missing before it is cast, and floats are kept from the overflow and
underflow that PostgreSQL stops at. A view that calls functions is its owner's business.

Answers are streamed, so that the driver never holds them all; a cursor of the server would do the
same, but lets it use one core.

Theory: :doc:`/theory/tables`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from overbar.errors import MissingExtraError, ParameterError, ScoreError, named
from overbar.frames.amounts import ROW_LIMIT, Amounts
from overbar.frames.catalogue import Catalogue
from overbar.frames.columns import label_kind, refuse_missing, refuse_what_is_no_number
from overbar.frames.inferred import refuse_other_kind
from overbar.frames.measure import Measure
from overbar.frames.texts import EXACT
from overbar.ledger.address import ServerAddress
from overbar.mechanism.secrecy import sealed

if TYPE_CHECKING:
    from psycopg import Connection

#: Types of PostgreSQL, by what Narwhals would call them. A domain counts as what it is made of.
WHOLE, FLOATS, TEXTS = (
    ("int2", "int4", "int8"),
    ("float4", "float8"),
    ("text", "varchar", "bpchar", "name", "uuid", "citext"),
)
KINDS: dict[str, nw.dtypes.DType] = {
    **dict.fromkeys(WHOLE, nw.Int64()),
    **dict.fromkeys(FLOATS, nw.Float64()),
    **dict.fromkeys(TEXTS, nw.String()),
    "bool": nw.Boolean(),
    "date": nw.Date(),
    "numeric": nw.Decimal(),
}
#: How labels of each kind travel. Days are counted from the first of 1970.
SENT_AS = {"text": "text", "whole": "bigint", "boolean": "boolean", "date": "integer"}
#: Answers taken from the driver at once.
SOME = 1 << 14
#: Below this a float is divided to zero without being it, and PostgreSQL would stop.
NEXT_TO_NOTHING = "1e-200"
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


class Column(NamedTuple):
    """What the database declares about a column."""

    kind: str
    #: Whether values that are equal there have equal bytes.
    exact: bool
    declared: str


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


class DatabaseTable:
    """A table or view in PostgreSQL, for :func:`select`, :func:`top` and :func:`keys`.

    Rows are counted by the server, and what comes back is each item with its score. (For `keys`,
    and for persons with more than `items_per_person` items, who has what comes back.) Types of
    columns are public. Text is compared by its bytes, whatever the collation.

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

    @property
    def name(self) -> str:
        """What the table is called in messages: its address, without the password."""
        return self._address.name

    def __repr__(self) -> str:
        return f"DatabaseTable({self.name!r})"

    @contextmanager
    def _asked(self) -> Iterator[tuple[Connection[Any], str, dict[str, Column]]]:
        """Connect; yield the table as SQL names it, and its columns, which are public."""
        chosen = self._address.chosen
        schema, _, last = chosen.rpartition(".")
        with self._address.connect() as connection:
            for place in dict.fromkeys([(schema or "public", last), ("public", chosen)]):
                found = connection.execute(COLUMNS, place).fetchall()
                if found:
                    there = {name: Column(*more) for name, *more in found}
                    yield connection, ".".join(map(_identifier, place)), there
                    return
        raise self._address.trouble(
            f"there is no table {chosen!r} with columns; write schema.table, in the letters that "
            "the database uses"
        )


def database_label_kind(table: DatabaseTable, item: str) -> str:
    """Return what the items of a table are: text, whole, boolean or date."""
    with table._asked() as (_, _, there):
        return _label_kind("item", item, there)


def database_scores(
    table: DatabaseTable, measure: Measure, grid: Fraction, catalogue: Catalogue | None
) -> nw.LazyFrame[Any]:
    """Return columns item and score; with a limit for each person item, person and share.

    There, shares without a person are sums over those within the limit.
    """
    with table._asked() as (connection, place, there):
        query = _Query(place, there, measure, grid, catalogue)
        if measure.items_per_person is not None:
            return query.answered(connection, query.crowded, "item", "person", "share")
        asked = query.highest if measure.kind == "score" else query.totals
        return query.answered(connection, asked, "item", "score")


def database_pairs(table: DatabaseTable, measure: Measure) -> nw.LazyFrame[Any]:
    """Return columns item, person and share: who has what, each pair once."""
    with table._asked() as (connection, place, there):
        query = _Query(place, there, measure, Fraction(1), None)
        return query.answered(connection, query.pairs, "item", "person", "share")


class _Query:
    """What is asked of a table, in SQL. Made after a look at its columns alone."""

    def __init__(
        self,
        place: str,
        there: dict[str, Column],
        measure: Measure,
        grid: Fraction,
        catalogue: Catalogue | None,
    ) -> None:
        self._measure = measure
        self._listed: list[Any] | None = None
        self.kinds = {"score": "whole", "share": "whole"}
        picked = []
        for role, name in measure.labels.items():
            self.kinds[role] = _label_kind(role, name, there)
            picked.append(f"{_label(name, there[name].kind)} AS {role}")
        if catalogue is not None:
            refuse_other_kind(measure.item, self.kinds["item"], catalogue)
        if measure.column is not None:
            picked.append(f"{self._value(there, measure.column, grid)} AS value")
        self._rows = f"SELECT {', '.join(picked)} FROM {place}"
        self._rows = f"SELECT * FROM ({self._rows}) AS labelled WHERE " + " AND ".join(
            [*(f"{role} IS NOT NULL" for role in measure.labels), *self._on(catalogue)]
        )

    def _value(self, there: dict[str, Column], name: str, grid: Fraction) -> str:
        parameter = "value" if self._measure.kind == "sum" else "score"
        refuse_missing(parameter, name, list(there))
        declared = there[name].kind
        kind = KINDS.get(declared, nw.Unknown())
        if parameter == "score" and declared == "numeric":
            kind = nw.Unknown()
        refuse_what_is_no_number(parameter, name, kind)
        column = _identifier(name)
        if parameter == "value":
            assert self._measure.value_range is not None
            self._amounts = Amounts(name, kind, self._measure.value_range, grid)
            return _fine_steps(column, declared, self._amounts)
        if declared in WHOLE:
            return f"{column}::bigint"
        self.kinds["score"] = "float"
        usable = "{0} < 'NaN'" if self._measure.value_range else "abs({0}) < 'Infinity'"
        return f"CASE WHEN {usable.format(f'{column}::float8')} THEN {column}::float8 END"

    def _on(self, catalogue: Catalogue | None) -> Iterator[str]:
        """Yield what keeps items that are on the catalogue."""
        if catalogue is None:
            return
        if catalogue.ends is not None and catalogue.contiguous:
            yield "item BETWEEN {} AND {}".format(*catalogue.ends)
            return
        first = date(1970, 1, 1)
        self._listed = [
            (label - first).days if isinstance(label, date) else label
            for label in catalogue.labels
            if not (isinstance(label, str) and "\0" in label)  # which no text has there
        ]
        yield f"item IN (SELECT unnest(%(listed)s::{SENT_AS[catalogue.kind]}[]))"

    @property
    def highest(self) -> str:
        return f"SELECT item, coalesce(max(value), 0) FROM ({self._rows}) AS rows GROUP BY item"

    @property
    def pairs(self) -> str:
        by = "GROUP BY item, person"
        if self._measure.kind == "count":
            return f"SELECT item, person, 1::bigint AS share FROM ({self._rows}) AS rows {by}"
        total = _clipped("sum(value)", -self._amounts.limit, self._amounts.limit)
        above, below = self._amounts.ratio
        steps = f"floor((total::float8 * {_float(above)} + {_float(below)}) / {_float(2 * below)})"
        return (
            f"SELECT item, person, {_clipped(f'{steps}::bigint', *self._amounts.ends)} AS share "
            f"FROM (SELECT item, person, {total}::bigint AS total FROM ({self._rows}) AS rows {by})"
            " AS totals"
        )

    @property
    def totals(self) -> str:
        score = "count(*)" if self._measure.kind == "count" else "sum(share)::bigint"
        return f"SELECT item, {score} FROM ({self.pairs}) AS pairs GROUP BY item"

    @property
    def crowded(self) -> str:
        over = f"count(*) OVER (PARTITION BY person) > {self._measure.items_per_person}"
        return (
            f"WITH held AS (SELECT item, person, share, {over} AS over FROM ({self.pairs}) AS "
            "pairs) SELECT item, person, share FROM held WHERE over UNION ALL "
            "SELECT item, NULL, sum(share)::bigint FROM held WHERE NOT over GROUP BY item"
        )

    def answered(self, connection: Connection[Any], query: str, *roles: str) -> nw.LazyFrame[Any]:
        """Return what the server answers, as a table of Arrow."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtraError(
                "tables in PostgreSQL need PyArrow: pip install 'overbar[postgres]'"
            ) from None
        kinds = {
            "text": pyarrow.string(),
            "whole": pyarrow.int64(),
            "boolean": pyarrow.bool_(),
            "date": pyarrow.int32(),
            "float": pyarrow.float64(),
        }
        sent = pyarrow.schema([(role, kinds[self.kinds[role]]) for role in roles])
        parts = []
        with connection.cursor(binary=True) as cursor:
            rows = cursor.stream(query, {"listed": self._listed})
            while some := list(islice(rows, SOME)):
                columns = map(pyarrow.array, zip(*some, strict=True), sent.types)
                parts.append(pyarrow.record_batch(list(columns), schema=sent))
        table = pyarrow.Table.from_batches(parts, sent)
        for place, role in enumerate(roles):
            if self.kinds[role] == "date":
                days = table.column(place).cast(pyarrow.date32())
                table = table.set_column(place, role, days)
        found: nw.LazyFrame[Any] = nw.from_native(table).lazy()
        return found


def _label_kind(role: str, name: str, there: dict[str, Column]) -> str:
    refuse_missing(role, name, list(there))
    column = there[name]
    kind = KINDS.get(column.kind)
    if kind is None or column.kind == "numeric":
        raise ParameterError(
            f"{named(role)} must be a column of text, whole numbers, dates or booleans, got "
            f"{name!r} of type {column.declared}; cast it to text in a view"
        )
    if role == "person" and not column.exact:
        raise ParameterError(
            f"{named('person')} must be a column in which equal values are written the same, got "
            f"{name!r}, for which the database says that different texts are one; make a view "
            "that has one text for each person, such as lower(name)"
        )
    return label_kind(role, name, kind)


def _label(name: str, kind: str) -> str:
    """Return a column as labels; null where a value has none. Never fails on a value."""
    column = _identifier(name)
    if kind in TEXTS:
        return f'{column}::text COLLATE "C"'
    if kind in WHOLE:
        return f"{column}::bigint"
    if kind in FLOATS:
        value = f"{column}::float8"
        inside = f"abs({value}) < {EXACT}::float8 AND {value} = floor({value})"
        return f"CASE WHEN {inside} THEN {value}::bigint END"
    if kind == "date":  # which is infinite too, and then has no difference to a day
        inside = f"{column} BETWEEN date '0001-01-01' AND date '9999-12-31'"
        return f"CASE WHEN {inside} THEN {column} - date '1970-01-01' END"
    return column


def _fine_steps(column: str, kind: str, amounts: Amounts) -> str:
    """Return a column as whole numbers of fine steps; zero where there is no number."""
    digits = amounts.digits
    if amounts.whole:
        return _clipped(f"coalesce({column}::bigint, 0)", -ROW_LIMIT, ROW_LIMIT)
    if kind == "numeric":  # exactly, as it is written
        end = f"'{ROW_LIMIT}e{-digits}'::numeric"
        inside = f"least(greatest({column}, -{end}), {end})"
        steps = f"floor({inside} * '1e{digits}'::numeric + 0.5)::bigint"
        return f"CASE WHEN {column} < 'NaN' THEN {steps} ELSE 0 END"
    value, power = f"{column}::float8", _float(10 ** abs(digits))
    end = _float(Fraction(2 * ROW_LIMIT) / Fraction(10) ** digits)
    inside = f"least(greatest({value}, -{end}), {end})"
    steps = f"{inside} * {power}" if digits >= 0 else f"{inside} / {power}"
    steps = f"floor({_clipped(steps, -ROW_LIMIT, ROW_LIMIT, 'float8')} + 0.5::float8)::bigint"
    counts = f"{value} < 'NaN'" + (f" AND abs({value}) > {NEXT_TO_NOTHING}" * (digits < 0))
    return f"CASE WHEN {counts} THEN {steps} ELSE 0 END"


def _clipped(value: str, low: int, high: int, kind: str = "bigint") -> str:
    """Return a number within two ends. It must not be null, of which the greatest is the other."""
    return f"least(greatest({value}, '{low}'::{kind}), '{high}'::{kind})"


def _float(number: int | Fraction) -> str:
    return f"'{float(number)!r}'::float8"


def _identifier(name: str) -> str:
    """Write a name for SQL that has parameters in it."""
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'
