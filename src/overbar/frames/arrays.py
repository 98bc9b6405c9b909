"""Columns of numbers as NumPy has them, without pandas: Arrow's own way imports it for a second."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pyarrow_chunked_array
from numpy.typing import NDArray


def array_of(column: Any) -> NDArray[Any]:
    """Return a column of numbers, of whichever engine, as an array; what is missing is NaN.

    >>> import pyarrow
    >>> array_of(nw.from_native(pyarrow.chunked_array([[1, 2], [3]]), series_only=True)).tolist()
    [1, 2, 3]
    """
    native = nw.to_native(column, pass_through=True)
    if is_pyarrow_chunked_array(native) and native.num_chunks and not native.null_count:
        from pyarrow import types

        if types.is_integer(native.type) or types.is_floating(native.type):
            return np.concatenate([np.from_dlpack(chunk) for chunk in native.chunks])
    found: NDArray[Any] = column.to_numpy()
    return found


def mask_of(kept: NDArray[np.bool_]) -> Any:
    """Return truth values as Arrow filters by them."""
    import pyarrow

    bits = pyarrow.py_buffer(np.packbits(kept, bitorder="little"))
    return pyarrow.BooleanArray.from_buffers(pyarrow.bool_(), len(kept), [None, bits])
