"""Refuse a catalogue that is the table's own column.

What is compared is whose memory it is, never what is in it. A copy, such as a list of distinct
values, cannot be seen. A query holds no memory to look at, so none is taken for a list, whatever it
asks. Of a column of Polars only the words count that are there for each row: what they point to,
text and categories, may have come into the table by a join with the list itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np

from overbar.errors import ParameterError

Span = tuple[int, int]


def refuse_own_column(frame: Any, catalogue: Any, name: str = "catalogue") -> None:
    """Refuse a catalogue that is the table, one of its columns, or a part of one."""
    if catalogue is None or type(catalogue) in (list, tuple, range):  # they hold copies
        return
    given, table = (nw.to_native(one, pass_through=True) for one in (catalogue, frame))
    if given is table or _shared(given, table):
        raise ParameterError(
            f"{name} must be a public list, but this one is part of the table itself, and what "
            "is taken from the data is not public; give a list made without looking at the data, "
            f"or leave {name} out"
        )


def _shared(given: Any, table: Any) -> bool:
    listed = list(_spans(given))
    return bool(listed) and any(
        start < other_end and other < end
        for start, end in _spans(table)
        for other, other_end in listed
    )


def _spans(native: Any) -> Iterator[Span]:
    """Yield where in memory a table, a column or an array is, as far as it tells."""
    if isinstance(native, memoryview):
        native = np.asarray(native)
    if isinstance(native, np.ndarray):
        yield from _array(native)
    elif hasattr(native, "buffers"):  # an array of Arrow
        yield from _arrow(native)
    elif _is_pandas_array(native):
        yield from _pandas_array(native)
    elif _is_pandas_array(getattr(native, "array", None)):  # a Series, or an Index, which is none
        yield from _pandas_array(native.array)
    else:
        yield from _columns(native)


def _columns(native: Any) -> Iterator[Span]:
    try:
        known = nw.from_native(native, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:  # refused in its place, by the names alone
        return
    columns = known.iter_columns() if isinstance(known, nw.DataFrame) else [known]
    for column in columns:
        if not isinstance(column, nw.Series):
            return
        if column.implementation.is_polars():
            yield from _polars(column.to_native())
        elif column.implementation.is_pyarrow():
            for chunk in column.to_native().chunks:
                yield from _arrow(chunk)
        else:
            yield from _pandas_array(column.to_native().array)


def _is_pandas_array(native: Any) -> bool:
    return hasattr(native, "dtype") and hasattr(native, "_from_sequence")


def _pandas_array(inside: Any) -> Iterator[Span]:
    """Yield what is behind an array of pandas: Arrow, codes and categories, or plain values."""
    if hasattr(inside, "_pa_array"):
        for chunk in inside._pa_array.chunks:
            yield from _arrow(chunk)
    elif hasattr(inside, "codes"):
        yield from _array(inside.codes)
        yield from _pandas_array(inside.categories.array)
    else:
        for name in ("_ndarray", "_data", "sp_values"):  # plain, nullable, sparse
            if isinstance(values := getattr(inside, name, None), np.ndarray):
                yield from _array(values)


def _polars(series: Any) -> Iterator[Span]:
    """Yield where the numbers, or the views of text, are: Arrow sees them without a copy."""
    import polars

    newest = polars.CompatLevel.newest()
    for chunk in series.to_physical().get_chunks():
        try:
            values = chunk.to_arrow(compat_level=newest).buffers()[1]
        except ImportError:  # without PyArrow it cannot be told
            return
        if values is not None and values.size:
            yield values.address, values.address + values.size


def _arrow(array: Any) -> Iterator[Span]:
    if hasattr(array, "dictionary"):
        yield from _arrow(array.dictionary)
    for buffer in array.buffers():
        if buffer is not None and buffer.size:
            yield buffer.address, buffer.address + buffer.size


def _array(values: np.ndarray[Any, Any]) -> Iterator[Span]:
    if values.size:
        yield np.lib.array_utils.byte_bounds(values)
