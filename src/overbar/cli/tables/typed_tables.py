"""Tables that state their columns: Parquet files and databases, read in place.

Parquet and DuckDB bring their own types. SQLite's columns hold values of any type, whatever they
declare, so they are read as CSV is: as text, by Python's own SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import duckdb

from overbar.cli.tables.arrow_streams import stream_of_rows
from overbar.cli.tables.column_names import NamedColumns, find_column, identifier, literal
from overbar.cli.tables.engine import refuse, shielded
from overbar.cli.tables.files import engine_names
from overbar.cli.tables.parquet_stream import parquet_streams
from overbar.frames.texts import LONGEST, row_by_row

#: Columns that were asked for, and of which type the items were where they are stored.
Typed = tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]

SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
WHOLE = (*SIGNED, *(f"U{kind}" for kind in SIGNED))
NUMBERS = (*WHOLE, "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
#: Labels of these types are kept as they are; those of others become text.
LABELS = (*WHOLE, "VARCHAR", "BOOLEAN", "DATE", "FLOAT", "DOUBLE")
#: What a label cannot be. The engine stops at JSON that is none, so it is no label either.
NESTED = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "VARIANT", "JSON")
#: Moments of which the engine has the microseconds, whatever they are. It stops at others that it
#: cannot hold, and at times of day: their types all begin with TIME.
MOMENTS = ("TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")
TIMES = "TIME"
#: The moments of the years 1 to 9999 in microseconds; others are missing.
FIRST_MOMENT, LAST_MOMENT = -62_135_596_800_000_000, 253_402_300_799_999_999
#: Decimals with more digits than this can hold a number below all decimals; the engine stops there.
SHORT_DECIMAL = 18
#: Rows that the engine unpacks at once, and how often it may have their texts, step by step.
AT_ONCE, COPIES = 2048, 6
#: Folders are text: the engine would go by what all of them are, so one person's could decide.
FOLDERS = "hive_types_autocast=false"


def parquet_files(
    engine: duckdb.DuckDBPyConnection, files: tuple[str, ...], columns: NamedColumns
) -> Typed:
    """Return the columns of Parquet files; folders named key=value add a column key.

    Whether they are refused is told from their names and types, which are public, and by no row.
    """
    whole = parquet_relation(engine, files)
    known = set(whole.columns)
    inner = _inner_fields(whole, columns)
    whole = _with_inner(whole, inner, files[0])
    picked = _picked(whole, files[0], columns)
    _check_units(engine, files, columns)
    _check_same_kinds(engine, files, columns)
    kinds = dict(zip(whole.columns, map(str, whole.types), strict=True))
    if "VARCHAR" in (kinds[name] for _, name in columns):  # which is public, as all types are
        outer = {name if name in known else name.split(".")[0]: None for _, name in columns}
        with shielded(files[0]):
            streams = map(engine.from_arrow, parquet_streams(files, list(outer)))
            stream = reduce(duckdb.DuckDBPyRelation.union, streams)
        stream = _with_inner(stream, inner, files[0])
        _check_stream(stream, files[0], columns, kinds)
        picked = _picked(stream, files[0], columns)
    return picked, tuple(kinds[name] for name in columns.items)


def _check_stream(
    stream: duckdb.DuckDBPyRelation, name: str, columns: NamedColumns, kinds: dict[str, str]
) -> None:
    """Refuse what a stream has as another type: the engine might stop at a value of it."""
    there = dict(zip(stream.columns, map(str, stream.types), strict=True))
    for part, wanted in columns:
        kind, other = kinds[wanted], there[wanted]
        if kind != other and not {kind, other} <= {*MOMENTS}:
            refuse(
                f"{name}: --{part} must be of a plain type, but {wanted!r} is stored as "
                f"{_brief(kind)} and was written as {_brief(other)}; write it as text or numbers"
            )


def _inner_fields(whole: duckdb.DuckDBPyRelation, columns: NamedColumns) -> str:
    """Write fields inside of structures that names with points stand for, as columns."""
    kinds = dict(zip(whole.columns, whole.types, strict=True))
    projected = ""
    for _, wanted in columns:
        first, *others = wanted.split(".")
        kind: Any = kinds.get(first)
        if wanted in kinds or kind is None or not others:
            continue
        for name in others:
            fields = dict(kind.children) if kind is not None and kind.id == "struct" else {}
            kind = fields.get(name)
        if kind is not None:
            path = ".".join(map(identifier, (first, *others)))
            projected += f", {path} as {identifier(wanted)}"
    return projected


def _with_inner(whole: duckdb.DuckDBPyRelation, inner: str, name: str) -> duckdb.DuckDBPyRelation:
    with shielded(name):
        return whole.project(f"*{inner}") if inner else whole


def _check_units(
    engine: duckdb.DuckDBPyConnection, files: tuple[str, ...], columns: NamedColumns
) -> None:
    """Refuse moments in milliseconds: the engine multiplies them, and stops at a large one."""
    with shielded(files[0]):
        query = (
            "select distinct name from parquet_schema({}) where type = 'INT64' "
            "and (converted_type = 'TIMESTAMP_MILLIS' or logical_type like '%MILLIS=Milli%')"
        )
        rows = engine.execute(query.format(engine_names(files))).fetchall()
    coarse = {name.lower() for (name,) in rows}
    for part, wanted in columns:
        if coarse & {wanted.lower(), wanted.lower().rpartition(".")[2]}:
            refuse(
                f"{files[0]}: --{part} must be text, whole numbers or dates, but {wanted!r} is in "
                "milliseconds, and the engine stops at a time that it cannot hold; write the "
                "column in microseconds, as text or as dates"
            )


def _check_same_kinds(
    engine: duckdb.DuckDBPyConnection, files: tuple[str, ...], columns: NamedColumns
) -> None:
    """Refuse files that differ in type: the engine would stop at a value that it cannot convert."""
    first = _kinds_of(engine, files[0]) if len(files) > 1 else {}
    for other in files[1:]:
        there = _kinds_of(engine, other)
        for part, wanted in columns:
            known = wanted.lower() if wanted.lower() in first else wanted.lower().split(".")[0]
            kind, found = first.get(known), there.get(known)
            if kind is not None and found != kind:
                has = f"is {_brief(found)} there" if found else "is not there"
                refuse(
                    f"{other}: --{part} must be of the same type in all files; {wanted!r} {has}, "
                    f"and {_brief(kind)} in {files[0]}: write the files anew with one type"
                )


def _kinds_of(engine: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """Return the types of the columns that a file itself has."""
    place = engine_names([name])
    with shielded(name):
        whole = engine.sql(f"select * from read_parquet({place}, hive_partitioning=false)")
    return dict(zip(map(str.lower, whole.columns), map(str, whole.types), strict=True))


def parquet_relation(
    engine: duckdb.DuckDBPyConnection, files: tuple[str, ...]
) -> duckdb.DuckDBPyRelation:
    """Return Parquet files with all their columns; no row is read yet."""
    with shielded(files[0]):
        return engine.sql(f"select * from read_parquet({engine_names(files)}, {FOLDERS})")


def database_table(
    engine: duckdb.DuckDBPyConnection, name: str, table: str | None, columns: NamedColumns
) -> Typed:
    """Return the columns of a table or view of a DuckDB database, opened for reading only."""
    whole = database_relation(engine, name, table)
    whole = _with_inner(whole, _inner_fields(whole, columns), name)
    picked = _picked(whole, f"{name} ({table})", columns)
    kinds = dict(zip(whole.columns, map(str, whole.types), strict=True))
    return picked, tuple(kinds[name] for name in columns.items)


def database_columns(engine: duckdb.DuckDBPyConnection, name: str, table: str) -> list[str]:
    """Return the columns of a table or view of a DuckDB database."""
    return list(database_relation(engine, name, table).columns)


def database_relation(
    engine: duckdb.DuckDBPyConnection, name: str, table: str | None
) -> duckdb.DuckDBPyRelation:
    """Return a table or view of a DuckDB database with all its columns; no row is read yet."""
    known = attached(engine, name)
    table = chosen_table(name, table, list(known)) if table is None else table
    schema, _, last = table.rpartition(".")
    if (schema or "main", last) not in known.values():
        schema, last = "main", table  # a name with a point in it
    if (schema or "main", last) not in known.values():
        chosen_table(name, table, list(known))
    with shielded(name):
        place = f"source.{identifier(schema or 'main')}.{identifier(last)}"
        try:
            return engine.sql(f"select * from {place}")
        except duckdb.PermissionException:
            refuse(
                f"{name}: {table} is a view of other files, and only this file is opened; write "
                "what it shows into a table of this file"
            )


def attached(engine: duckdb.DuckDBPyConnection, name: str) -> dict[str, tuple[str, str]]:
    """Open a database for reading; return schema and name of its tables, by what one types.

    Its views are queries of whoever made the file. So from here on the engine opens no other file,
    and nothing can change that, nor have it write a log.
    """
    with shielded(name):
        engine.execute(f"attach {literal(name)} as source (read_only, type duckdb)")
        _make_room(engine)
        engine.execute("set enable_external_access = false")
        engine.execute("set lock_configuration = true")
        rows = engine.execute(
            "select schema_name, table_name from duckdb_tables() where database_name = 'source' "
            "union select schema_name, view_name from duckdb_views() "
            "where database_name = 'source' and not internal"
        ).fetchall()
    return {t if s == "main" else f"{s}.{t}": (s, t) for s, t in sorted(rows)}


def _make_room(engine: duckdb.DuckDBPyConnection) -> None:
    """Raise the limit of memory by what the longest texts of a file need, whoever they belong to.

    The engine unpacks the texts of many rows at once, and no setting makes them fewer.
    """
    tables = "select schema_name, table_name from duckdb_tables() where database_name = 'source'"
    most = 0
    for names in engine.execute(tables).fetchall():
        place = literal(".".join(map(identifier, ("source", *names))))
        sizes = f"least({AT_ONCE} * stats.max_string_length::hugeint, stats.total_string_length)"
        [(needed,)] = engine.execute(
            f"select coalesce(sum(most), 0) from (select max({sizes}) as most from "
            f"pragma_storage_info({place}) where segment_type = 'VARCHAR' group by column_path)"
        ).fetchall()
        most = max(most, int(needed))
    size = "parse_formatted_bytes(current_setting('memory_limit'))"
    [(limit, threads)] = engine.execute(f"select {size}, current_setting('threads')").fetchall()
    engine.execute(f"set memory_limit = '{limit + most * COPIES * threads} bytes'")


def chosen_table(name: str, table: str | None, known: list[str], what: str = "table") -> str:
    """Return the table that was named, or the only one; refuse with those that are there."""
    listed = ", ".join(known[:20]) or "none"
    if table is None and len(known) != 1:
        refuse(f"--table must name a {what} of {name}; its {what}s: {listed}")
    if table is not None and table not in known:
        refuse(f"{name} has no {what} {table!r}; its {what}s: {listed}")
    return known[0] if table is None else table


def _brief(kind: str) -> str:
    """Return the name of a type; a structure may have thousands of fields."""
    return kind if len(kind) <= 60 else f"{kind[:57]}..."


def _picked(
    whole: duckdb.DuckDBPyRelation, name: str, columns: NamedColumns
) -> duckdb.DuckDBPyRelation:
    """Return the columns asked for, after a look at their types, which are public.

    Text has no value where it is not UTF-8.
    """
    kinds = [str(kind) for kind in whole.types]
    picked = []
    for part, wanted in columns:
        kind = kinds[find_column(name, part, wanted, whole.columns)]
        column = identifier(wanted)
        text = column
        if kind == "VARCHAR":  # what is too long for a label is not copied
            text = f"case when strlen({column}) <= {LONGEST} then decode(encode({column})) end"
        column = _above_the_lowest(row_by_row(text), kind)
        if part in columns.numbers():
            if kind.split("(")[0] not in NUMBERS:
                refuse(
                    f"{name}: --{part} must be a column of numbers, but {wanted!r} is "
                    f"{_brief(kind)}"
                )
        elif kind.startswith(NESTED) or kind.endswith("]"):
            inside = f"; name a field of it, such as {wanted}.NAME" * kind.startswith("STRUCT")
            refuse(
                f"{name}: --{part} must be text, whole numbers or dates, but {wanted!r} is "
                f"{_brief(kind)}{inside}"
            )
        elif kind in MOMENTS:
            column = _moment(column, kind)
        elif kind.startswith(TIMES):
            refuse(
                f"{name}: --{part} must be text, whole numbers or dates, but {wanted!r} is "
                f"{kind}, and the engine stops at a time that it cannot hold; write the column in "
                "microseconds, as text or as dates"
            )
        elif kind not in LABELS:
            column = f"cast({column} as varchar)"
        picked.append(f"{column} as {identifier(wanted)}")
    with shielded(name):
        return whole.project(", ".join(picked))


def _moment(column: str, kind: str) -> str:
    """Write how a moment becomes text, in UTC where it has a zone; never fails on one.

    Its microseconds are taken first, which the engine has of every moment, and made a moment again
    where its year has four digits. Parts of a microsecond are dropped.
    """
    since = f"epoch_ns({column}) // 1000" if kind == "TIMESTAMPTZ_NS" else f"epoch_us({column})"
    inside = f"{since} between {FIRST_MOMENT} and {LAST_MOMENT}"
    text = f"cast(make_timestamp(case when {inside} then {since} end) as varchar)"
    return f"{text} || '+00'" if "TZ" in kind or "ZONE" in kind else text


def _above_the_lowest(column: str, kind: str) -> str:
    """Write a column so that a long decimal below all of its type, or the lowest, is missing."""
    if not kind.startswith("DECIMAL"):
        return column
    digits, point = map(int, kind.removeprefix("DECIMAL(").removesuffix(")").split(","))
    if digits <= SHORT_DECIMAL:
        return column
    lowest = f"cast('-{'9' * (digits - point)}.{'9' * point}' as {kind})"
    return f"nullif(greatest({column}, {lowest}), {lowest})"  # the greatest of null and it is it


def sqlite_table(
    engine: duckdb.DuckDBPyConnection, name: str, table: str | None, columns: NamedColumns
) -> duckdb.DuckDBPyRelation:
    """Return the columns of a table or view, as text.

    What is too long for a label in every encoding of a database is not copied.
    """
    names = [wanted for _, wanted in columns]
    picked = ", ".join(
        f"case when length(cast({column} as blob)) <= {2 * LONGEST} then cast({column} as text) end"
        for column in map(identifier, names)
    )
    with _refused(name), opened(name) as file:
        table = chosen_table(name, table, sqlite_tables(file))
        there = sqlite_columns(file, table)
        for part, wanted in columns:
            find_column(f"{name} ({table})", part, wanted, there)
        query = f"select {picked} from {identifier(table)}"
        file.execute(query)  # a view that is broken shows here

    def rows() -> Iterator[Sequence[str | None]]:
        with _refused(name), opened(name) as file:
            file.text_factory = _readable
            yield from file.execute(query)

    engine.register("sqlite rows", stream_of_rows(names, rows))
    return engine.sql('select * from "sqlite rows"')


@contextmanager
def _refused(name: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error:
        message = f"{name} cannot be read as SQLite; is it whole, and not locked by a writer?"
    else:
        return
    refuse(message)


def _readable(raw: bytes) -> str | None:
    """Return text, or no value where bytes are not UTF-8: they must not stop the reading."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def opened(name: str) -> closing[sqlite3.Connection]:
    """Open a file for reading only; the engine reads in whichever thread it likes."""
    place = f"{Path(name).absolute().as_uri()}?mode=ro"
    return closing(sqlite3.connect(place, uri=True, check_same_thread=False))


def sqlite_tables(file: sqlite3.Connection) -> list[str]:
    """Return the names of tables and views."""
    query = "select name from sqlite_master where type in ('table', 'view') "
    query += "and name not like 'sqlite!_%' escape '!' order by name"
    return [row[0] for row in file.execute(query)]


def sqlite_columns(file: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns that a table declares."""
    return [row[1] for row in file.execute(f"pragma table_info({identifier(table)})")]
