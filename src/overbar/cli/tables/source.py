"""Where a table comes from: said in public words first, opened later."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain

import duckdb

from overbar.cli.file_identity import STANDARD_INPUT
from overbar.cli.tables.arrow_streams import Stream
from overbar.cli.tables.column_names import (
    REASON,
    TAB,
    Header,
    NamedColumns,
    header_of,
    identifier,
)
from overbar.cli.tables.delimited import delimited_query
from overbar.cli.tables.encodings import (
    AS_UTF8,
    blocks_of,
    checked_encoding,
    marked,
    mended,
    text_lines,
    to_utf8,
    unpacked,
)
from overbar.cli.tables.engine import refuse, shielded
from overbar.cli.tables.files import (
    DATABASES,
    HEADED,
    SERVED,
    STREAMS,
    TEXT_FORMS,
    arriving,
    existing_files,
    form_of,
    matching_files,
    pipe_among,
    short_list,
)
from overbar.cli.tables.filters import (
    Comparison,
    comparisons,
    rows_that_fit,
    with_numbers,
)
from overbar.cli.tables.json_lines import array_lines, json_query
from overbar.cli.tables.spreadsheet import sheet_table
from overbar.cli.tables.typed_tables import (
    Typed,
    database_table,
    parquet_files,
    sqlite_table,
)
from overbar.errors import ParameterError
from overbar.frames.postgres_rows import Compared
from overbar.frames.postgres_table import DatabaseTable, database_label_kinds, rows_where
from overbar.ledger.address import is_address
from overbar.ledger.description import digest_of

#: What DuckDB calls the labels of a database.
CALLED = {"text": "VARCHAR", "whole": "BIGINT", "boolean": "BOOLEAN", "date": "DATE"}
#: A table to be counted, and the types of its items.
Opened = tuple[duckdb.DuckDBPyRelation | DatabaseTable, tuple[str, ...]]


@dataclass(frozen=True)
class Source:
    """Names of tables and how to read them; nothing is opened before :meth:`open`."""

    places: tuple[str, ...]
    form: str
    table: str | None
    delimiter: str | None
    decimal_comma: bool | None = None
    encoding: str | None = None
    where: tuple[Comparison, ...] = ()
    header_row: int | None = None
    reasons: bool = False
    served: DatabaseTable | None = None

    @classmethod
    def of(
        cls,
        places: list[str],
        *,
        table: str | None = None,
        input_format: str | None = None,
        delimiter: str | None = None,
        decimal_comma: bool | None = None,
        encoding: str | None = None,
        where: str | None = None,
        header_row: int | None = None,
    ) -> Source:
        """Check what was typed, and nothing else."""
        typed = tuple(places)
        form = form_of(typed, input_format)
        served = DatabaseTable(places[0], table) if form == SERVED else None
        if served is not None:
            typed = (served.name,)
        elif form not in DATABASES and table is not None:
            raise ParameterError(
                f"--table goes with PostgreSQL or a DuckDB, SQLite or .xlsx file, not with {form}"
            )
        if encoding is not None and form not in STREAMS:
            raise ParameterError(f"--encoding goes with {', '.join(STREAMS)}, not with {form}")
        if form not in ("csv", "tsv") and (delimiter is not None or header_row == 0):
            raise ParameterError(
                f"--delimiter and --header-row 0 go with csv and tsv, not with {form}"
            )
        if header_row is not None and form not in HEADED:
            raise ParameterError(f"--header-row goes with {', '.join(HEADED)}, not with {form}")
        delimiter = TAB if delimiter in ("\\t", "tab") else delimiter
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise ParameterError(f"--delimiter must be one character, got {delimiter!r}")
        if decimal_comma and form not in TEXT_FORMS:
            raise ParameterError(
                f"--decimal-comma goes with {', '.join(TEXT_FORMS)}, not with {form}, which says "
                "itself what is a number"
            )
        if form == "tsv" and delimiter is None:
            delimiter = TAB
        rows = () if where is None else comparisons(where)
        if served is not None:
            compared = (Compared(x.column, x.sign, x.number, x.text) for x in rows)
            served = rows_where(served, compared)
        encoding = None if encoding is None else checked_encoding(encoding)
        how = (form, table, delimiter, decimal_comma, encoding, rows, header_row)
        return cls(typed, *how, served=served)

    @property
    def name(self) -> str:
        """What messages call it."""
        place = "standard input" if self.places == (STANDARD_INPUT,) else short_list(self.places)
        return f"{place}{self._rows_in_words}"

    @property
    def in_public(self) -> str:
        """What a report calls it: its name, and of text how it is read, whatever is in it."""
        if self.form not in STREAMS:
            return self.name
        how = AS_UTF8 if self.encoding is None else f"text as {self.encoding}"
        return f"{self.name} ({how})"

    @property
    def _rows_in_words(self) -> str:
        return f" where {' and '.join(map(str, self.where))}" if self.where else ""

    def columns(
        self,
        items: Sequence[str],
        person: str | None,
        value: str | None,
        score: str | None,
        groups: str | None = None,
    ) -> NamedColumns:
        """Return the columns asked for."""
        item = None if not items else items[0] if len(items) == 1 else tuple(items)
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
        names = [name for name in (groups, *items, person, value, score) if name is not None]
        names += {one.column for one in self.where} - set(names)
        if len({name.casefold() for name in names}) < len(names):
            raise ParameterError(f"each option needs a column of its own, got {', '.join(names)}")
        return NamedColumns(item, person, value, score, groups=groups)

    def open(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns
    ) -> duckdb.DuckDBPyRelation:
        """Find the files and their columns. Rows of files and databases are read later."""
        relation, _ = self.opened(engine, columns)
        assert isinstance(relation, duckdb.DuckDBPyRelation)
        return relation

    def opened(self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns) -> Opened:
        """Find the table and its columns, and of which types the items are stored."""
        if self.served is not None:
            labels = [(part, name) for part, name in columns if part in ("groups", "time", "item")]
            return self.served, tuple(CALLED[x] for x in database_label_kinds(self.served, labels))
        relation, kinds = self._relation(engine, columns.wider([one.column for one in self.where]))
        if self.reasons and REASON not in relation.columns:
            relation = relation.project(f"*, null::varchar as {identifier(REASON)}")
        why = f", {identifier(REASON)}" if self.reasons else ""
        if self.where:
            named = ", ".join(identifier(name) for _, name in columns)
            fit = rows_that_fit(relation, self.where, self.decimal_comma)
            relation = fit.project(f"{named}{why}")
        if self.form not in TEXT_FORMS or not columns.numbers():
            return relation, kinds
        reason = REASON if self.reasons else None
        return with_numbers(relation, columns, self.decimal_comma, reason=reason), kinds

    def _relation(self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns) -> Typed:
        texts = ("VARCHAR",) * len(columns.items)
        pipe = pipe_among(self.places, self.form)
        if pipe is not None or self.places == (STANDARD_INPUT,):
            return self._arriving(engine, columns, pipe), texts
        files = existing_files(self.places)
        if self.form == "parquet":
            return parquet_files(engine, files, columns)
        if self.form in DATABASES and len(files) > 1:
            refuse(f"name one file at a time: {self.form} holds tables of its own")
        if self.form == "duckdb":
            return database_table(engine, files[0], self.table, columns)
        if self.form == "sqlite":
            return sqlite_table(engine, files[0], self.table, columns), texts
        if self.form == "xlsx":
            numbers = {name for part, name in columns if part in columns.numbers()}
            numbers |= {one.column for one in self.where if one.number is not None}
            sheet = sheet_table(
                engine,
                files[0],
                self.table,
                columns,
                header_row=self.header_row,
                with_comma=numbers if self.decimal_comma else (),
                reasons=self.reasons,
            )
            return sheet, texts
        return self._texts(engine, columns, files), texts

    def _texts(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns, files: tuple[str, ...]
    ) -> duckdb.DuckDBPyRelation:
        # The first line of a file without a header is not looked at: it is someone's row.
        headers = [self.header(name) for name in files] if self.has_header else []
        signs = {header.delimiter for header in headers}
        if len(signs) > 1:  # each file is read by what its own header has
            parts = [
                (replace(self, delimiter=sign), [x.source for x in headers if x.delimiter == sign])
                for sign in sorted(signs)
            ]
            each = [one._texts(engine, columns, tuple(names)) for one, names in parts]
            return reduce(duckdb.DuckDBPyRelation.union, each)
        place = f"lines split at {self.delimiter}"  # one for each sign
        lines = text_lines(
            lambda: chain.from_iterable(self.lines_of(name, mend=True) for name in files)
        )
        if self.form == "json":  # what is wrong with an array is said at once
            return self._kept(engine, columns, files[0], lines, headers)
        engine.register(place, lines)
        with shielded(files[0]):
            return engine.sql(self._query(identifier(place), columns, headers))

    def header(self, name: str) -> Header:
        """Return the names that a file has, and what is between them."""
        with shielded(name), unpacked(name, by_content=True) as stream:
            _, blocks = self._decoded(blocks_of(stream))
            return header_of(name, blocks, self.header_row, self.delimiter)[0]

    def _decoded(self, blocks: Iterator[bytes]) -> tuple[str | None, Iterator[bytes]]:
        """Return the encoding, named or told by the begin of a header, else None; and UTF-8."""
        begin = next(blocks, b"")
        encoding = self.encoding or (marked(begin) if self.has_header else None)
        return encoding, to_utf8(chain([begin], blocks), encoding)

    def _arriving(
        self, engine: duckdb.DuckDBPyConnection, columns: NamedColumns, pipe: str | None
    ) -> duckdb.DuckDBPyRelation:
        if pipe is None and sys.stdin is not None and sys.stdin.isatty():
            raise ParameterError("standard input is a terminal; pipe a table into it")
        name, headers = "standard input", []
        encoding, blocks = self._decoded(arriving(pipe))
        if self.has_header:
            header, blocks = header_of(name, blocks, self.header_row, self.delimiter)
            headers.append(header)
        if self.form == "json":
            blocks = array_lines(blocks, name)
        lines = text_lines(lambda: mended(blocks, encoding))
        return self._kept(engine, columns, name, lines, headers)

    def lines_of(self, name: str, *, mend: bool = False) -> Iterator[bytes]:
        """Yield the rows of a file as lines of UTF-8, without its header."""
        with shielded(name), unpacked(name, by_content=self.has_header) as stream:
            encoding, blocks = self._decoded(blocks_of(stream))
            if self.form == "json":
                blocks = array_lines(blocks, name)
            if self.has_header:
                _, blocks = header_of(name, blocks, self.header_row, self.delimiter)
            blocks = chain(blocks, [b"\n"])
            yield from mended(blocks, encoding) if mend else blocks

    def _kept(
        self,
        engine: duckdb.DuckDBPyConnection,
        columns: NamedColumns,
        name: str,
        lines: Stream,
        headers: list[Header],
    ) -> duckdb.DuckDBPyRelation:
        """Read what comes once into memory."""
        query = self._query("lines", columns, headers)
        engine.register("lines", lines)
        with shielded(name):
            try:
                engine.execute(f"create table standard_input as {query}")
            except duckdb.Error:
                if lines.failed is not None:
                    raise lines.failed from None
                raise
            return engine.sql("select * from standard_input")

    @property
    def has_header(self) -> bool:
        """Whether a line of names is looked for."""
        return self.form in ("csv", "tsv") and self.header_row != 0

    def _query(
        self,
        place: str,
        columns: NamedColumns,
        headers: list[Header],
    ) -> str:
        if self.form in ("jsonl", "json"):
            return json_query(place, columns, reasons=self.reasons)
        return delimited_query(
            place,
            columns,
            self.delimiter,
            headers,
            decimal_said=self.decimal_comma is not None,
            reasons=self.reasons,
        )

    def in_words(self) -> str:
        """Return what a ledger is told in words: names of files without their folders."""
        if self.served is not None:
            return f"{self.served.name}{self._rows_in_words}"
        names = [os.path.basename(name) for name in self._files]
        return f"{short_list(names) if names else 'what is piped in'}{self._rows_in_words}"

    def digest(self, ledger: str) -> str:
        """Return a digest that is the same for the same files, read the same way.

        Folders go into it as seen from the ledger, so that both can move together, and no path of
        a machine is stored. A database is nowhere among the folders: there whole paths count.
        """
        folder = "/" if is_address(ledger) else os.path.dirname(os.path.realpath(ledger))
        places = [os.path.relpath(name, folder) for name in self._files]
        places = places if self.served is None else [self.served.name]
        how = (self.form, self.table, self.delimiter, self.header_row, bool(self.decimal_comma))
        more = [f"encoding {self.encoding}"] if self.encoding else []
        return digest_of([*how, *more, *(f"where {one}" for one in self.where), *places])

    @cached_property
    def _files(self) -> list[str]:
        """The files behind names, patterns and links; none for standard input and pipes."""
        names = [name for place in self.places for name in matching_files(place)]
        files = {os.path.realpath(name) for name in names if name != STANDARD_INPUT}
        return sorted(name for name in files if os.path.isfile(name))
