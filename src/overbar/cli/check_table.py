"""From what was typed to a look at the table: the work of `check`. Nothing is written or booked.

Before any column is named, it shows the columns of the file and how many rows it has.
"""

from __future__ import annotations

import dataclasses
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import duckdb
import narwhals as nw

from overbar.cli.file_identity import STANDARD_INPUT
from overbar.cli.release import named_source, named_table, opened
from overbar.cli.screen import show, wants_json
from overbar.cli.tables.advice import (
    about_names,
    about_sheet,
    owner_columns,
    row_of_names,
)
from overbar.cli.tables.column_names import REASON, NamedColumns, identifier
from overbar.cli.tables.encodings import (
    LONGEST,
    blocks_of,
    is_utf8,
    unpacked,
    whole_lines,
)
from overbar.cli.tables.engine import ReadingError, refuse, shielded
from overbar.cli.tables.files import SERVED, STREAMS, existing_files, pipe_among
from overbar.cli.tables.public_list import fitted, read_catalogue
from overbar.cli.tables.source import Source
from overbar.cli.verbs import CheckOptions
from overbar.errors import ParameterError
from overbar.frames import DatabaseTable
from overbar.frames.catalogue import catalogue_of
from overbar.frames.measure import COUNTS, Measure
from overbar.frames.owner_check import look
from overbar.frames.postgres_table import table_size
from overbar.report import Report
from overbar.words.check_report import check_report, outline_report

JSON_FORMS = ("json", "jsonl")
#: The rest of a line from its first byte that is no UTF-8, which is kept as half a pair.
ODD_REST = re.compile(r"[\udc80-\udcff][^\r\n]*")


def run(options: CheckOptions) -> None:
    """Look at the table and show true numbers, marked as what they are."""
    as_json = wants_json(options.format_)
    named = (options.item, options.person, options.value, options.score, options.catalogue)
    alone = named_source(options) if named == (None,) * 5 else None
    if alone is not None and alone.form in OUTLINED and not is_piped(alone):
        show(outline(options, alone, unreadable_lines(alone)[0]), as_json=as_json)
        return
    source, columns = named_table(options)
    if not isinstance(columns.item, str):
        raise ParameterError("--item must be one column for check; look at several one by one")
    listed = options.catalogue
    labels = None if listed is None else read_catalogue(listed, encoding=source.encoding)
    source = dataclasses.replace(source, reasons=True)
    unreadable, remarks = unreadable_lines(source)
    value = columns.value or columns.score
    measure = Measure("sum", columns.item, columns.person, value, None, None, COUNTS)
    with names_sought(source, columns), opened(options, source, columns, None) as table:
        relation, kinds = table
        summary = look(
            relation,
            measure,
            None if labels is None else catalogue_of(fitted(labels, *kinds)),
            show_true_counts=options.show_true_counts,
            reason=REASON,
            keep=in_engine,
            about_items=partial(_about_items, columns.item, source.form),
        )
    notes = [*summary.notes, *remarks, *about_sheet(source)]
    whole = dataclasses.replace(
        summary,
        rows=summary.rows + sum(unreadable.values()),
        left_out={**unreadable, **summary.left_out},
        notes=tuple(notes),
    )
    show(check_report(whole), as_json=as_json)


def _about_items(column: str, form: str, items: nw.Series[Any]) -> Iterator[str]:
    """Say so if items are records themselves, or look the same and are not."""
    if items.dtype != nw.String:
        return
    if form in JSON_FORMS and items.str.contains(r"^[{\[]").any():
        yield f"some items are objects or lists: name a field, such as {column}.NAME"
    if blanks := items.filter(items.str.strip_chars() != items).to_list():
        every = set(items.to_list())
        blanks = sorted(item for item in blanks if item.strip() in every)
    if blanks:
        ways = ", ".join(f"{each!r} and {each.strip()!r}" for each in blanks[:3])
        yield (
            f"some items differ in blanks at their ends alone, such as {ways}: each counts by "
            "itself; write them in one way"
        )


def in_engine(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Keep rows in the engine, within its limits; if they do not fit, it reads them each time."""
    relation = rows.to_native()
    name = f"kept_{secrets.token_hex(8)}"
    try:
        relation.create(name)
    except duckdb.OutOfMemoryException:
        return rows
    kept: nw.LazyFrame[Any] = nw.from_native(relation.query("pairs", f"select * from {name}"))
    return kept


@contextmanager
def names_sought(source: Source, columns: NamedColumns) -> Iterator[None]:
    """Say in which line the names are, if a column is not found in the first one."""
    try:
        yield
    except ReadingError as error:
        wider = columns.wider([one.column for one in source.where])
        row = None if source.header_row else row_of_names(source, wider)
        if row is None:
            raise
        raise ReadingError(f"{error}. Line {row} has these names: add --header-row {row}") from None


def is_piped(source: Source) -> bool:
    """Tell whether it comes once, and cannot be looked at before."""
    return source.places == (STANDARD_INPUT,) or pipe_among(source.places, source.form) is not None


def unreadable_lines(source: Source) -> tuple[dict[str, int], list[str]]:
    """Return how many lines never became rows, by the reason, and what is to be said of others.

    Files alone are looked at: what is piped in comes once.
    """
    if source.form not in STREAMS or is_piped(source):
        return {}, []
    odd = long = 0
    doubtful, plain = source.encoding is not None, True
    for name in existing_files(source.places):
        with shielded(name):
            for block in whole_lines(source.lines_of(name)):
                if len(block) > LONGEST:
                    long += sum(len(line) > LONGEST for line in re.split(rb"[\r\n]", block))
                if is_utf8(block):
                    continue  # most blocks are passed over as a whole
                text = block.decode("utf-8", "surrogateescape")
                odd += sum(1 for _ in ODD_REST.finditer(text))
            if source.encoding is not None:
                with unpacked(name) as stream:
                    for block in whole_lines(blocks_of(stream)):
                        doubtful = doubtful and is_utf8(block)
                        plain = plain and block.isascii()
    left_out = {"lines too long": long} if long else {}
    if odd and source.encoding is not None:
        return {f"not {source.encoding}": odd, **left_out}, []
    if doubtful and not plain:
        return left_out, ["all lines are UTF-8, and not in ASCII alone: leave out --encoding"]
    read = (
        f"{odd:,} lines are no UTF-8 and were read as Windows-1252; if letters are wrong, name the "
        "encoding, such as --encoding cp850"
    )
    return left_out, [read] if odd else []


#: Kinds of files that have columns to show.
OUTLINED = ("csv", "tsv", "json", "jsonl", "parquet", "duckdb", "sqlite", "xlsx", SERVED)


def outline(options: CheckOptions, source: Source, unreadable: dict[str, int]) -> Report:
    """Return the columns and how many rows there are; lines that never became rows are known."""
    if source.served is not None:
        return outline_report(*table_size(source.served))
    names = owner_columns(source)
    rows, reasons = _rows(options, dataclasses.replace(source, reasons=True), names)
    rows, left_out = rows + sum(unreadable.values()), {**unreadable, **reasons}
    return outline_report(rows, left_out, names, about_names(source, names))


def _rows(options: CheckOptions, source: Source, names: list[str]) -> tuple[int, dict[str, int]]:
    """Count them by a column that can be read: the last, so that a row that is too short shows."""
    counted: list[tuple[str | None, int]] = []
    for name in reversed([name for name in names if name and names.count(name) == 1]):
        with suppress(ReadingError):  # of a type that names nothing, such as a list
            with opened(options, source, NamedColumns(name), None) as (relation, _):
                assert not isinstance(relation, DatabaseTable)
                counted = relation.aggregate(f"{identifier(REASON)}, count(*)").fetchall()
            break
    else:
        refuse(f"{source.name} has no column of text, numbers or dates with a name of its own")
    rows = sum(count for _, count in counted)
    return rows, {why: count for why, count in sorted(counted, key=str) if why is not None}
