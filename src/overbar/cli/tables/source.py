"""Where a table comes from: said in public words first, opened later."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

import duckdb

from overbar.cli.apart import STANDARD_INPUT
from overbar.cli.tables.column_names import NamedColumns, identifier, literal
from overbar.cli.tables.delimited import TAB, delimited_query, first_line, input_header
from overbar.cli.tables.engine import shielded
from overbar.cli.tables.files import (
    DATABASES,
    SERVED,
    engine_names,
    existing_files,
    form_of,
    matching_files,
    short_list,
)
from overbar.cli.tables.lines import BASKET_COLUMNS, basket_query, json_query
from overbar.cli.tables.sqlite import sqlite_table
from overbar.cli.tables.streams import passed_on, pipe_among
from overbar.cli.tables.typed_tables import database_table, parquet_files
from overbar.errors import ParameterError
from overbar.frames.database import DatabaseTable, database_label_kind
from overbar.ledger.address import is_address
from overbar.ledger.description import digest_of

#: Kinds whose columns are text, whatever they look like.
TEXT_FORMS = ("csv", "tsv", "jsonl", "dat", "sqlite")


#: What DuckDB calls the labels of a database.
CALLED = {"text": "VARCHAR", "whole": "BIGINT", "boolean": "BOOLEAN", "date": "DATE"}


def item_type(table: duckdb.DuckDBPyRelation | DatabaseTable, item: str) -> str:
    """Return the type of the column of items, which comes first in a relation."""
    if isinstance(table, DatabaseTable):
        return CALLED[database_label_kind(table, item)]
    return str(table.types[0])


@dataclass(frozen=True)
class Source:
    """Names of tables and how to read them; nothing is opened before :meth:`open`."""

    places: tuple[str, ...]
    form: str
    table: str | None
    delimiter: str | None
    named: bool
    decimal_comma: bool = False
    served: DatabaseTable | None = None

    @classmethod
    def of(
        cls,
        places: list[str],
        *,
        table: str | None = None,
        input_format: str | None = None,
        delimiter: str | None = None,
        header: bool = True,
        decimal_comma: bool = False,
    ) -> Source:
        """Check what was typed, and nothing else."""
        typed = tuple(places)
        form = form_of(typed, input_format)
        served = DatabaseTable(places[0], table) if form == SERVED else None
        if served is not None:
            typed = (served.name,)
        elif (form in DATABASES) != (table is not None):
            raise ParameterError(
                f"--table must name a table of {places[0]}"
                if table is None
                else f"--table goes with DuckDB, SQLite or PostgreSQL, not with {form}"
            )
        if form in DATABASES and len(typed) > 1:
            raise ParameterError("name one database at a time")
        if form not in ("csv", "tsv") and (delimiter is not None or not header):
            raise ParameterError(
                f"--delimiter and --no-header go with csv and tsv, not with {form}"
            )
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise ParameterError(f"--delimiter must be one character, got {delimiter!r}")
        if decimal_comma and form not in TEXT_FORMS:
            raise ParameterError(
                f"--decimal-comma goes with {', '.join(TEXT_FORMS)}, not with {form}, which "
                "says itself what is a number"
            )
        if form == "tsv" and delimiter is None:
            delimiter = TAB
        return cls(typed, form, table, delimiter, header, decimal_comma, served)

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.places == (STANDARD_INPUT,) else short_list(self.places)

    def columns(
        self, item: str | None, person: str | None, value: str | None, score: str | None
    ) -> NamedColumns:
        """Return the columns asked for; a basket file knows its own."""
        if self.form == "dat":
            if (item or "item", person or "person", value, score) != (*BASKET_COLUMNS, None, None):
                raise ParameterError(
                    "a .dat file has the columns item and person (its line), and no others: "
                    "leave out --item, --person, --value and --score"
                )
            return NamedColumns(*BASKET_COLUMNS)
        if item is None and person is None and score is None:
            raise ParameterError(
                "--item and --person must name columns: what is counted, and whose row it is"
            )
        if item is None:
            raise ParameterError("--item must name the column of what is counted")
        if person is None and score is None:
            raise ParameterError(
                "--person must name the column that says whose row it is; or give --score, a "
                "column with one score for each item"
            )
        if score is not None and (person is not None or value is not None):
            raise ParameterError("--score stands alone: leave out --person and --value")
        names = [name for name in (item, person, value, score) if name is not None]
        if len({name.casefold() for name in names}) < len(names):
            raise ParameterError(f"each option needs a column of its own, got {', '.join(names)}")
        return NamedColumns(item, person, value, score)

    def open(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns
    ) -> duckdb.DuckDBPyRelation | DatabaseTable:
        """Find the table and its columns. Rows of files and databases are read later."""
        return self.served or self._opened(engine, columns)

    def _opened(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns
    ) -> duckdb.DuckDBPyRelation:
        relation = self._relation(engine, columns)
        if self.form not in TEXT_FORMS or not columns.numbers():
            return relation
        # What is not a number becomes no value, whoever's it is: an error would tell about it.
        picked = (
            self._number(column) if part in columns.numbers() else column
            for part, column in ((part, identifier(name)) for part, name in columns)
        )
        return relation.project(", ".join(picked))

    def _number(self, column: str) -> str:
        """Write how a text becomes a number. How numbers are written is said, not found out."""
        text = f"replace(replace({column}, '.', ''), ',', '.')" if self.decimal_comma else column
        return f"try_cast({text} as double) as {column}"

    def _relation(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns
    ) -> duckdb.DuckDBPyRelation:
        pipe = pipe_among(self.places, self.form)
        if pipe is not None or self.places == (STANDARD_INPUT,):
            return self._arriving(engine, columns, pipe)
        files = existing_files(self.places)
        if self.form == "parquet":
            return parquet_files(engine, files, columns)
        if self.table is not None:
            read = database_table if self.form == "duckdb" else sqlite_table
            return read(engine, files[0], self.table, columns)
        headers = [(name, first_line(name)) for name in files] if self._has_header else []
        query = self._query(engine_names(files), columns, headers, skip_header=self.named)
        with shielded(files[0]):
            return engine.sql(query)

    def _arriving(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns, pipe: str | None
    ) -> duckdb.DuckDBPyRelation:
        """Read what arrives into memory: it comes once."""
        if pipe is None and sys.stdin is not None and sys.stdin.isatty():
            raise ParameterError("standard input is a terminal; pipe a table into it")
        name = "standard input"
        with passed_on(pipe) as descriptor:
            headers = [(name, input_header(descriptor))] if self._has_header else []
            place = literal(f"/dev/fd/{descriptor}")
            query = self._query(place, columns, headers, skip_header=False)
            with shielded(name):
                engine.execute(f"create table standard_input as {query}")
                return engine.sql("select * from standard_input")

    @property
    def _has_header(self) -> bool:
        return self.form in ("csv", "tsv") and self.named

    def _query(
        self,
        place: str,
        columns: NamedColumns,
        headers: list[tuple[str, bytes]],
        *,
        skip_header: bool,
    ) -> str:
        if self.form == "jsonl":
            return json_query(place, columns)
        if self.form == "dat":
            return basket_query(place)
        return delimited_query(place, columns, self.delimiter, headers, skip_header=skip_header)

    def in_words(self) -> str:
        """Return what a ledger is told in words: names of files without their folders."""
        if self.served is not None:
            return self.served.name
        names = [os.path.basename(name) for name in self._files()]
        return short_list(names) if names else "what is piped in"

    def digest(self, ledger: str) -> str:
        """Return a digest that is the same for the same files, read the same way.

        Folders go into it as seen from the ledger, so that both can move together, and no path of
        a machine is stored. A database is nowhere among the folders: there whole paths count.
        """
        folder = "/" if is_address(ledger) else os.path.dirname(os.path.realpath(ledger))
        places = [os.path.relpath(name, folder) for name in self._files()]
        places = places if self.served is None else [self.served.name]
        how = (self.form, self.table, self.delimiter, self.named, self.decimal_comma)
        return digest_of([*how, *places])

    def _files(self) -> list[str]:
        """Return the files behind names, patterns and links; none for standard input and pipes."""
        names = [name for place in self.places for name in matching_files(place)]
        found = {os.path.realpath(name) for name in names if name != STANDARD_INPUT}
        return sorted(name for name in found if os.path.isfile(name))
