"""Where a table comes from: said in public words first, opened later."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import duckdb

from overbar.cli.tables.column_names import NamedColumns, identifier
from overbar.cli.tables.delimited import TAB, delimited_files, delimited_input
from overbar.cli.tables.file_kinds import DATABASES, STANDARD_INPUT, form_of
from overbar.cli.tables.files import existing_files, short_list
from overbar.cli.tables.lines import (
    BASKET_COLUMNS,
    basket_input,
    basket_lines,
    json_input,
    json_lines,
)
from overbar.cli.tables.sqlite import sqlite_table
from overbar.cli.tables.streams import passed_on, pipe_among
from overbar.cli.tables.typed_tables import database_table, parquet_files
from overbar.errors import ParameterError

__all__ = ["Source"]

#: Kinds whose columns are text, whatever they look like.
TEXT_FORMS = ("csv", "tsv", "jsonl", "dat", "sqlite")


@dataclass(frozen=True)
class Source:
    """Names of tables and how to read them; nothing is opened before :meth:`open`."""

    places: tuple[str, ...]
    form: str
    table: str | None
    delimiter: str | None
    named: bool
    decimal_comma: bool = False

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
        if (form in DATABASES) != (table is not None):
            raise ParameterError(
                f"--table must name a table of {places[0]}"
                if table is None
                else f"--table goes with a DuckDB or SQLite file, not with {form}"
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
                f"--decimal-comma goes with {', '.join(TEXT_FORMS)}, not with {form}, whose "
                "numbers are numbers"
            )
        if form == "tsv" and delimiter is None:
            delimiter = TAB
        return cls(typed, form, table, delimiter, header, decimal_comma)

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
    ) -> duckdb.DuckDBPyRelation:
        """Find the files and their columns. Rows of files and databases are read later."""
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
        if self.form in ("csv", "tsv"):
            return delimited_files(engine, files, columns, self.delimiter, self.named)
        if self.form == "jsonl":
            return json_lines(engine, files, columns)
        if self.form == "dat":
            return basket_lines(engine, files)
        if self.form == "parquet":
            return parquet_files(engine, files, columns)
        assert self.table is not None
        read = database_table if self.form == "duckdb" else sqlite_table
        return read(engine, files[0], self.table, columns)

    def _arriving(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns, pipe: str | None
    ) -> duckdb.DuckDBPyRelation:
        if pipe is None and sys.stdin is not None and sys.stdin.isatty():
            raise ParameterError("standard input is a terminal; pipe a table into it")
        with passed_on(pipe) as descriptor:
            if self.form == "jsonl":
                return json_input(engine, columns, descriptor)
            if self.form == "dat":
                return basket_input(engine, descriptor)
            return delimited_input(engine, columns, self.delimiter, self.named, descriptor)
