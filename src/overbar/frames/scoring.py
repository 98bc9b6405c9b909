"""Compute one score for each item that occurs, inside the engine, as whole numbers of grid steps.

Rows are grouped by item and person first, so that a repeated row changes nothing, and then by item.
No float is ever added: a row of a sum becomes a whole number of fine steps by itself, a person's
total is clamped and rounded to whole grid steps, and these are added up. So a score depends on what
the rows are and not on their order, on threads or on the engine.

Theory: :doc:`/theory/tables`.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from overbar.errors import ParameterError, named
from overbar.frames import columns, texts
from overbar.frames.amounts import Amounts
from overbar.frames.arrays import array_of
from overbar.frames.arrow_words import brought, to_group
from overbar.frames.catalogue import Catalogue
from overbar.frames.contributions import distinct, fresh_key, only_listed, totals
from overbar.frames.discretion import discreetly
from overbar.frames.inferred import (
    READ_AS,
    is_inferred,
    met,
    number_kind,
    of_nothing,
    refuse_other_kinds,
    spelled,
)
from overbar.frames.joined_items import joined
from overbar.frames.measure import Measure
from overbar.frames.postgres_table import (
    DatabaseTable,
    check_database,
    database_pairs,
    database_scores,
)
from overbar.mechanism.scores import Ruler, Steps

#: A person's share of a sum has at most this many steps, so that the shares of 2^40 persons fit
#: in 61 bits.
MOST_STEPS = 2**21

Lazy = nw.LazyFrame[Any]


class Scored(NamedTuple):
    """Items, each once and in the order of their labels, and the score of each.

    Where several columns name an item, it is one text, and `kinds` has the kinds of the columns.
    """

    items: nw.Series[Any]
    steps: Steps
    kinds: tuple[str, ...] = ()


def scored(frame: Any, measure: Measure, grid: Fraction, catalogue: Catalogue | None) -> Scored:
    """Ask the engine for the score of every item that occurs.

    Whatever an engine raises may quote rows, so only the name of its error is passed on.
    """
    check_steps(measure, grid)
    with discreetly():
        if isinstance(frame, DatabaseTable):
            scores, kinds = database_scores(frame, measure, grid, catalogue)
        else:
            table = opened(frame, measure, catalogue)
            schema = table.collect_schema()
            kinds = tuple(columns.label_kind("item", name, schema[name]) for name in measure.items)
            amounts = _amounts(table, measure, grid)
            rows = _rows(table, measure, amounts, catalogue)
            scores = _aggregated(rows, measure, amounts, catalogue)
        if measure.kind == "sum":  # DuckDB adds up in 128 bits, of which 61 can be needed
            scores = scores.with_columns(nw.col("score").cast(nw.Int64))
        duckdb = scores.implementation.is_duckdb()
        found = (brought(scores, catalogue) if duckdb else scores.collect()).sort("item")
        several = kinds if len(kinds) > 1 else ()
        return Scored(found["item"], _steps(found["score"], measure, grid), several)


def check_columns(frame: Any, measure: Measure, grid: Fraction) -> None:
    """Refuse columns that cannot be scored, by the schema alone."""
    with discreetly():
        if isinstance(frame, DatabaseTable):
            check_database(frame, measure, grid)
        else:
            _amounts(opened(frame, measure, None), measure, grid)


def pairs_of(frame: Any, measure: Measure) -> Lazy:
    """Return who has what: columns item and person, as :func:`totals` wants them."""
    if len(measure.items) > 1:
        raise ParameterError(f"{named('item')} must be one column here; put several into one first")
    if isinstance(frame, DatabaseTable):
        return database_pairs(frame, measure)
    return distinct(_rows(opened(frame, measure, None), measure, None, None))


def count_items(frame: Any, measure: Measure) -> int:
    """Return how many items a column of scores has. Only where labels are public."""
    if isinstance(frame, DatabaseTable):
        return len(scored(frame, measure, Fraction(1), None).items)
    with discreetly():
        table = opened(frame, measure, None)
        items = _rows(table, measure, None, None).group_by("item").agg(nw.len().alias("score"))
        return int(items.select(nw.len().alias("items")).collect()["items"][0])


def opened(frame: Any, measure: Measure, catalogue: Catalogue | None, *also: str) -> Lazy:
    """Return any engine's table with the columns that were named, after a look at its schema.

    A catalogue that no item of the column can be in is refused, by the schema alone. Columns of
    text that are there `also` stay as they are.
    """
    table = _table(frame)
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
    read_as = {name: nw.Float64() if name == measure.column else nw.String() for name in chosen}
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


def _table(frame: Any) -> texts.Table:
    """Return a table of an engine whose ways with labels are known."""
    try:
        table = nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise ParameterError(
            "frame must have columns of different names; rename those that are there twice"
        ) from None
    if isinstance(table, nw.DataFrame | nw.LazyFrame) and texts.is_known(table):
        return table
    raise ParameterError(
        "frame must be a table of pandas, Polars, PyArrow, DuckDB or PySpark, or a DatabaseTable, "
        f"got {type(frame).__name__}"
    )


def check_steps(measure: Measure, grid: Fraction) -> None:
    """Refuse a range so wide on its grid that sums could leave a 64-bit word: public numbers."""
    if measure.kind == "sum" and measure.sensitivity / grid > MOST_STEPS:
        raise ParameterError(
            f"{named('value_range')} must be at most {MOST_STEPS:,} grid steps wide; give a "
            f"coarser {named('grid')}"
        )


def _amounts(table: Lazy, measure: Measure, grid: Fraction) -> Amounts | None:
    """Return how a column is summed; None where none is. By the schema alone."""
    if measure.kind != "sum":
        return None
    assert measure.column is not None
    assert measure.value_range is not None
    kind = number_kind(table, measure.column)
    columns.refuse_what_is_no_number("value", measure.column, kind)
    return Amounts(measure.column, kind, measure.value_range, grid)


def _rows(
    table: Lazy, measure: Measure, amounts: Amounts | None, catalogue: Catalogue | None
) -> Lazy:
    """Return the rows that count, under the names item, person and value."""
    named = measure.labels
    labels = list(named)
    chosen = {role: columns.label(name, number_kind(table, name)) for role, name in named.items()}
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
    rows = columns.whole_labels(rows.filter(*(~nw.col(name).is_null() for name in labels)), labels)
    if len(measure.items) > 1:
        rows = joined(rows, labels[: len(measure.items)])
    if catalogue is not None and texts.is_spark(rows):
        return only_listed(rows, catalogue)
    if rows.implementation.is_pyarrow():
        return to_group(rows.collect().to_native(), catalogue).lazy()
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


def _steps(scores: nw.Series[Any], measure: Measure, grid: Fraction) -> Steps:
    if measure.kind == "score":
        ruler = Ruler.of(grid, measure.value_range)
        if scores.dtype.is_decimal():
            return ruler.many([s if isinstance(s, Decimal) else 0 for s in scores.to_list()])
        return ruler.many(array_of(scores))
    totals = array_of(scores).astype(np.int64, copy=False)
    return totals if measure.kind == "sum" else Ruler.of(grid).many(totals)
