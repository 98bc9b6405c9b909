"""Refuse a catalogue that is the table's own column.

What is compared is whose memory it is, or which relation it comes from, never what is in it: no row
decides whether this raises. A copy, such as a list of distinct values, cannot be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np

from overbar.errors import ParameterError

Span = tuple[int, int]


def refuse_own_column(frame: Any, catalogue: Any) -> None:
    """Refuse a catalogue that is the table, one of its columns, or a part of one."""
    if catalogue is None:
        return
    given, table = (nw.to_native(one, pass_through=True) for one in (catalogue, frame))
    if given is table or _same_relation(given, table) or _shared(given, table):
        raise ParameterError(
            "catalogue must be a public list, but this one is part of the table itself, and what "
            "is taken from the data is not public; give a list made without looking at the data, "
            "or leave catalogue out"
        )


def _same_relation(given: Any, table: Any) -> bool:
    """Tell whether a DuckDB relation was made from another: then both have its alias."""
    if type(given) is not type(table) or not hasattr(given, "sql_query"):
        return False
    return bool(given.alias == table.alias)


def _shared(given: Any, table: Any) -> bool:
    listed = list(_spans(given))
    return bool(listed) and any(
        start < other_end and other < end
        for start, end in _spans(table)
        for other, other_end in listed
    )


def _spans(native: Any) -> Iterator[Span]:
    """Yield where in memory a table, a column or an array is, as far as it tells."""
    if isinstance(native, np.ndarray):
        yield from _array(native)
        return
    if hasattr(native, "buffers"):  # an array of Arrow
        yield from _arrow(native)
        return
    known = nw.from_native(native, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame):
        for column in known.iter_columns():
            yield from _column(column)
    elif isinstance(known, nw.Series):
        yield from _column(known)


def _column(column: nw.Series[Any]) -> Iterator[Span]:
    native = column.to_native()
    kind = column.implementation
    if kind.is_pyarrow():
        chunks = native.chunks
    elif kind.is_polars():
        chunks = _polars_chunks(native)
    elif kind.is_pandas():
        inside = native.array
        if not hasattr(inside, "_pa_array"):
            # Nullable columns keep their values in _data, categories as codes.
            values = getattr(inside, "_data", getattr(inside, "codes", None))
            yield from _array(values if isinstance(values, np.ndarray) else native.to_numpy())
            return
        chunks = inside._pa_array.chunks
    else:
        return
    for chunk in chunks:
        yield from _arrow(chunk)


def _polars_chunks(series: Any) -> list[Any]:
    """Return the chunks as Arrow sees them, which takes no copy of numbers and text."""
    import polars

    newest = polars.CompatLevel.newest()
    try:
        return [chunk.to_arrow(compat_level=newest) for chunk in series.get_chunks()]
    except ImportError:  # without PyArrow it cannot be told
        return []


def _arrow(array: Any) -> Iterator[Span]:
    for buffer in array.buffers():
        if buffer is not None and buffer.size:
            yield buffer.address, buffer.address + buffer.size


def _array(values: np.ndarray[Any, Any]) -> Iterator[Span]:
    if values.size:
        yield np.lib.array_utils.byte_bounds(values)
