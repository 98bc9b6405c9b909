"""A table of pandas, Polars, PyArrow, DuckDB or Spark: asked by Narwhals, by one rule for all.

Rows are grouped by item and person first, so that a repeated row changes nothing, and then by item.

Theory: :doc:`/theory/tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import narwhals as nw

from overbar.errors import ParameterError
from overbar.frames import columns, texts
from overbar.frames.amounts import Amounts
from overbar.frames.arrow_words import brought, to_group
from overbar.frames.catalogue import Catalogue
from overbar.frames.columns import joined
from overbar.frames.contributions import distinct, fresh_key, not_too_long, only_listed, totals
from overbar.frames.inferred import (
    READ_AS,
    is_inferred,
    met,
    number_kind,
    of_nothing,
    refuse_other_kinds,
    spelled,
)
from overbar.frames.measure import Measure

Lazy = nw.LazyFrame[Any]


class NarwhalsTable:
    """An engine that Narwhals knows (:class:`overbar.frames.scoring.Engine`)."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def check(self, measure: Measure, grid: Fraction) -> None:
        """Refuse columns that cannot be scored, by the schema alone."""
        _amounts(opened(self._frame, measure, None), measure, grid)

    def scores(
        self, measure: Measure, grid: Fraction, catalogue: Catalogue | None
    ) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
        """Return columns item and score, and of which kinds the columns are that name an item."""
        table = opened(self._frame, measure, catalogue)
        schema = table.collect_schema()
        kinds = tuple(columns.label_kind("item", name, schema[name]) for name in measure.items)
        amounts = _amounts(table, measure, grid)
        rows = _rows(table, measure, amounts, catalogue)
        scores = _aggregated(rows, measure, amounts, catalogue)
        if measure.kind == "sum":  # DuckDB adds up in 128 bits, of which 61 can be needed
            scores = scores.with_columns(nw.col("score").cast(nw.Int64))
        return brought(scores, catalogue), kinds

    def pairs(self, measure: Measure) -> Lazy:
        """Return who has what: columns item and person, as :func:`totals` wants them."""
        return distinct(_rows(opened(self._frame, measure, None), measure, None, None))


def opened(frame: Any, measure: Measure, catalogue: Catalogue | None, *also: str) -> Lazy:
    """Return any engine's table with the columns that were named, after a look at its schema.

    A catalogue that no item of the column can be in is refused, by the schema alone. Columns of
    text that are there `also` stay as they are. A column that holds nothing is read as numbers: one
    row could give it a type, and that must not show.
    """
    table = table_of(frame)
    wanted = {**measure.labels, measure.kind: measure.column}
    chosen = [name for name in (*wanted.values(), *also) if name is not None]
    there = table.collect_schema().names()
    for role, name in wanted.items():
        if name is None:
            continue
        parameter = "value" if role == "sum" else role.split()[0]
        columns.refuse_missing(parameter, name, there)
        if name == measure.column and table.implementation.is_pandas_like():
            columns.refuse_objects(table.to_native(), parameter, name)
    table = table.select(chosen)
    read_as: dict[str, nw.dtypes.DType]
    read_as = dict.fromkeys(chosen, nw.String())
    if measure.column is not None:
        read_as[measure.column] = nw.Float64()
    if catalogue is not None:
        read_as |= zip(measure.items, map(READ_AS.__getitem__, catalogue.kinds), strict=True)
    nothing = [nw.col(name).cast(read_as[name]) for name in chosen if of_nothing(table, name)]
    table = table.with_columns(*nothing) if nothing else table
    if catalogue is not None and isinstance(measure.item, str):
        table = met(table, measure.item, catalogue)
    elif catalogue is not None:
        refuse_other_kinds(table, measure.items, catalogue)
    for role, name in measure.labels.items():
        columns.label_kind(role.split()[0], name, table.collect_schema()[name])
    labels = list(measure.labels.values())
    readable = texts.plain_labels(spelled(table, labels), labels, measure.person)
    return columns.known_days(readable, labels).lazy()


def table_of(frame: Any) -> texts.Table:
    """Return a table of an engine whose ways with labels are known."""
    if nw.dependencies.is_ibis_table(frame):
        frame = _behind_ibis(frame)
    try:
        table = nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise ParameterError(
            "frame must have columns of different names; rename those that are there twice"
        ) from None
    if isinstance(table, nw.DataFrame | nw.LazyFrame) and texts.is_known(table):
        return table
    raise ParameterError(
        "frame must be a table of pandas, Polars, PyArrow, DuckDB, Ibis on DuckDB or PySpark, or a "
        f"DatabaseTable, got {type(frame).__name__}"
    )


def _behind_ibis(table: Any) -> Any:
    """Return the query that Ibis would put to DuckDB, as a relation: then the rules are DuckDB's.

    Nothing is read for it. What other engines make of the same query is not known here.
    """
    engine = table.get_backend()
    if engine.name != "duckdb":
        raise ParameterError(
            f"frame must be a table of Ibis with DuckDB behind it, got one of {engine.name}; hand "
            "over the table of that engine itself, or collect it: table.to_pyarrow()"
        )
    try:
        return engine.con.sql(engine.compile(table))
    except Exception as error:
        raise ParameterError(
            f"frame must be a table that DuckDB has ({type(error).__name__}); write a memtable of "
            "Ibis into it first: connection.create_table(NAME, table)"
        ) from None


def _amounts(table: Lazy, measure: Measure, grid: Fraction) -> Amounts | None:
    """Return how a column is summed; None where none is. By the schema alone."""
    if measure.kind != "sum":
        return None
    assert measure.column is not None
    assert measure.value_range is not None
    kind = number_kind(table, measure.column)
    columns.refuse_what_is_no_number("value", measure.column, kind)
    return Amounts(measure.column, kind, measure.value_range, grid)


def labels_of(table: Lazy, measure: Measure) -> dict[str, nw.Expr]:
    """Return the columns of labels by their roles; null where a value is no label."""
    named = measure.labels.items()
    return {role: columns.label(name, number_kind(table, name)) for role, name in named}


def with_labels(rows: Lazy, roles: Sequence[str]) -> Lazy:
    """Return the rows that have all their labels, as they are compared."""
    whole = rows.filter(*(~nw.col(role).is_null() for role in roles))
    return columns.whole_labels(whole, list(roles))


def _rows(
    table: Lazy, measure: Measure, amounts: Amounts | None, catalogue: Catalogue | None
) -> Lazy:
    """Return the rows that count, under the names item, person and value."""
    chosen = labels_of(table, measure)
    labels = list(chosen)
    if amounts is not None:
        chosen["value"] = amounts.row()
    elif measure.column is not None:
        chosen["value"] = columns.score(
            measure.column,
            number_kind(table, measure.column),
            clamped=measure.value_range is not None,
            clipped=is_inferred(table, measure.column),
        )
    rows = table.select(*(column.alias(name) for name, column in chosen.items()))
    rows = with_labels(rows, labels)
    if len(measure.items) > 1:
        rows = joined(rows, labels[: len(measure.items)])
    if catalogue is not None and texts.is_spark(rows):
        return only_listed(rows, catalogue)
    if rows.implementation.is_pyarrow():
        return to_group(rows.collect().to_native(), catalogue).lazy()
    if catalogue is not None and rows.implementation.is_duckdb():
        return not_too_long(rows, catalogue)
    return rows


def _aggregated(
    rows: Lazy, measure: Measure, amounts: Amounts | None, catalogue: Catalogue | None
) -> Lazy:
    if measure.kind == "score":
        # The largest of scores that each move by at most Δ moves by at most Δ; their sum would not.
        found = rows.group_by("item").agg(nw.col("value").max().alias("score"))
        if rows.collect_schema()["value"].is_decimal():
            return found  # the null is filled in by _steps: engines differ in how wide a zero is
        return found.with_columns(nw.col("score").fill_null(0))
    pairs = None if amounts is None else amounts.shares(rows)
    if measure.items_per_person is None and measure.lots is None:
        if pairs is None:
            pairs = rows.group_by("item", "person").agg(nw.len().alias("rows"))
        score = nw.len() if amounts is None else nw.col("share").sum()
        return pairs.group_by("item").agg(score.alias("score"))
    pairs = distinct(rows) if pairs is None else pairs
    if catalogue is not None:
        pairs = only_listed(pairs, catalogue)
    most, groups = measure.items_per_person, measure.groups_per_person
    added = totals(pairs, most, fresh_key(), "item", groups=groups)
    return added.select("item", score="persons" if amounts is None else "total").lazy()
