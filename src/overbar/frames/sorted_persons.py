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

from overbar.frames.arrow_words import BATCH_ROWS, in_words

#: Rows of a part, about; and bytes, if its labels are long.
ROWS_AT_ONCE = 1_000_000
BYTES_AT_ONCE = 2**30

Lazy = nw.LazyFrame[Any]


def bounded_duckdb(rows: Lazy, most: int | None, key: str, groups: int | None) -> Iterator[Lazy]:
    """Do what :func:`overbar.frames.contributions.bounded` says."""
    import duckdb

    # A part has only whole persons because SQL keeps to the order that a query ends with.
    batch = min(BATCH_ROWS, ROWS_AT_ONCE)
    there = rows.to_native()
    if groups is not None:
        there = there.project("*, split_part(item, '/', 1) as \"group\"")
    ordered = there.order("person, item").to_arrow_reader(batch)
    # The engine of the lots writes nothing to disk. Whatever happens, the table is let go of.
    with ordered, duckdb.connect(config={"temp_directory": ""}) as engine:
        engine.execute("set enable_progress_bar = false")
        for pairs in _whole_persons(ordered):
            yield in_words(_kept(pairs, most, key, engine, groups)).lazy()


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
    rows = size = 0
    while rows < ROWS_AT_ONCE and size < BYTES_AT_ONCE:
        if (batch := next(ordered, None)) is None:
            return
        rows, size = rows + len(batch), size + batch.nbytes
        if len(batch):
            yield batch


def _starts(column: Any) -> NDArray[np.bool_]:
    """Tell of each value whether it differs from the one before."""
    import pyarrow.compute

    before = column.slice(0, max(0, len(column) - 1))
    changes = pyarrow.compute.not_equal(column.slice(1), before)
    starts = np.zeros(len(column), dtype=bool)
    starts[:1] = True
    starts[np.from_dlpack(pyarrow.compute.indices_nonzero(changes)) + 1] = True
    return starts


def _kept(pairs: Any, most: int | None, key: str, engine: Any, groups: int | None) -> Any:
    """Return the pairs within each person's limits, with how many the person kept.

    By their bytes, the items of a group stand together as well: they begin alike.
    """
    import pyarrow

    starts = _starts(pairs["person"])
    if groups is not None:
        starts |= _starts(pairs["group"])
        there = pyarrow.table({"person": pairs["person"], "item": pairs["group"]})
        there = there.filter(pyarrow.array(starts))
        chosen, _ = _chosen(there, _starts(there["person"]), groups, key, engine)
        keep = chosen[np.cumsum(starts) - 1]
        pairs, starts = pairs.filter(pyarrow.array(keep)), starts[keep]
    if most is not None:
        keep, held = _chosen(pairs, starts, most, key, engine)
        kept = pyarrow.array(np.minimum(held, most))
        pairs = pairs.append_column("kept", kept).filter(pyarrow.array(keep))
    return pairs.drop_columns(["person"] if groups is None else ["person", "group"])


def _chosen(
    pairs: Any, starts: NDArray[np.bool_], most: int, key: str, engine: Any
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Tell of each pair whether it is kept, and how many there are where it stands."""
    import pyarrow

    first = np.flatnonzero(starts)
    held = np.diff(np.append(first, len(pairs)))
    place = np.arange(len(pairs)) - np.repeat(first, held)
    person = np.repeat(np.arange(len(first)), held)
    held = np.repeat(held, held)
    keep = held <= most
    if not keep.all():
        over = np.flatnonzero(~keep)
        crowded = pairs.select(["person", "item"]).filter(pyarrow.array(~keep))
        crowded = crowded.append_column("place", pyarrow.array(person[over]))
        # Only numbers of rows come back: text has types of Arrow by the settings of an engine.
        drawn = engine.from_arrow(crowded.append_column("number", pyarrow.array(over))).query(
            "crowded",
            "select number from crowded "
            f"order by place, md5_number(concat('{key}', '|', person, '|', item)), number",
        )
        # Sorted by person again, each has as many rows in the same places, in the order of lots.
        keep[drawn.fetchnumpy()["number"][place[over] < most]] = True
    return keep, held
