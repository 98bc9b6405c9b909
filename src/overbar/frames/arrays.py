"""Columns of numbers as NumPy has them, without pandas: Arrow's own way imports it for a second."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray


def array_of(column: nw.Series[Any]) -> NDArray[Any]:
    """Return a column of numbers as an array; what is missing in it is NaN.

    >>> import pyarrow
    >>> array_of(nw.from_native(pyarrow.chunked_array([[1, 2], [3]]), series_only=True)).tolist()
    [1, 2, 3]
    """
    native = column.to_native()
    if not column.implementation.is_pyarrow() or native.null_count or not native.num_chunks:
        return column.to_numpy()
    if not column.dtype.is_integer() and not column.dtype.is_float():
        return column.to_numpy()
    return np.concatenate([np.from_dlpack(chunk) for chunk in native.chunks])
