"""Bound the persons of a DuckDB table: one reading, sorted by person, a part at a time.

In a sorted table the items of a person stand together, so one pass tells how many there are. Who is
within the limit keeps them all. Only the others need lots, which a DuckDB of our own draws, part by
part, on all cores. Rows that say the same stand side by side too, and count once.

What takes memory is a part, the items of one person (nobody is cut in two), and the sort, for which
the engine that holds the table has a limit and a folder of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

#: Rows that are read at a time.
ROWS_AT_ONCE = 1_000_000

Lazy = nw.LazyFrame[Any]


def bounded_duckdb(rows: Lazy, most: int, key: str) -> Iterator[Lazy]:
    """Do what :func:`overbar.frames.contributions.bounded` says."""
    import duckdb

    # A part has only whole persons because SQL keeps to the order that a query ends with.
    ordered = rows.to_native().order("person, item").to_arrow_reader(ROWS_AT_ONCE)
    # The engine of the lots writes nothing to disk.
    with duckdb.connect(config={"temp_directory": ""}) as engine:
        engine.execute("set enable_progress_bar = false")
        for pairs in _whole_persons(ordered):
            part: Lazy = nw.from_native(_kept(pairs, most, key, engine)).lazy()
            yield part


def _whole_persons(ordered: Any) -> Iterator[Any]:
    """Yield each pair once, in Arrow tables that have all pairs of a person or none."""
    import pyarrow

    left = ordered.schema.empty_table()
    while batches := list(_some(ordered)):
        rows = pyarrow.concat_tables([left, pyarrow.Table.from_batches(batches)])
        persons = _starts(rows["person"])
        rows = rows.filter(pyarrow.array(persons | _starts(rows["item"])))
        last = int(np.flatnonzero(_starts(rows["person"]))[-1])
        yield rows.slice(0, last)
        left = rows.slice(last)
    yield left


def _some(ordered: Any) -> Iterator[Any]:
    """Yield the next batches, of about a part together: an engine has its own size for them."""
    rows = 0
    while rows < ROWS_AT_ONCE and (batch := next(ordered, None)) is not None:
        rows += len(batch)
        if len(batch):
            yield batch


def _starts(column: Any) -> NDArray[np.bool_]:
    """Tell of each value whether it differs from the one before."""
    import pyarrow.compute

    before = column.slice(0, max(0, len(column) - 1))
    changes = pyarrow.compute.not_equal(column.slice(1), before).to_numpy()
    return np.append([True] * (len(column) > 0), changes).astype(bool)


def _kept(pairs: Any, most: int, key: str, engine: Any) -> Any:
    """Return the pairs within each person's limit, with how many the person kept."""
    import pyarrow

    first = np.flatnonzero(_starts(pairs["person"]))
    held = np.diff(np.append(first, len(pairs)))
    place = np.arange(len(pairs)) - np.repeat(first, held)
    person = np.repeat(np.arange(len(first)), held)
    held = np.repeat(held, held)
    over = held > most
    named = [name for name in pairs.column_names if name != "person"]
    within = pairs.select(named).append_column("kept", pyarrow.array(held))
    within = within.filter(pyarrow.array(~over))
    if not over.any():
        return within
    crowded = pairs.append_column("place", pyarrow.array(person)).filter(pyarrow.array(over))
    # Sorted by person again, each has as many rows in the same places, in the order of the lots.
    drawn = engine.from_arrow(crowded).query(
        "crowded",
        f"select {', '.join(named)}, {most}::bigint as kept from crowded "
        f"order by place, md5_number(concat('{key}', '|', person, '|', item))",
    )
    drawn = drawn.to_arrow_table().filter(pyarrow.array(place[over] < most))
    return pyarrow.concat_tables([within, drawn])
