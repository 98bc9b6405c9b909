"""Turn records into numbers; a value affects only its own entry.

A record is private, so no value of it may raise an error, bring a warning, or change how another
record is read. Each value is read by itself: a number, or a text that is one, counts as it is,
and whatever else it may be counts as NaN, which is the middle of the declared range. What is
refused is refused by shape and by type, which are public.

Theory: :doc:`/theory/feature_scores`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from overbar.errors import ScoreError
from overbar.integrations.feature_scores import whole_entries

#: Values that a number may be read from. Complex numbers and dates are none of them.
READABLE = (int, float, str, bytes, Decimal, Fraction, np.integer, np.floating, np.bool_)
#: Kinds of NumPy types: those that hold real numbers, and those whose values may be any.
REAL_KINDS, ANY_KINDS = "biuf", "OSUT"
TABLE = "X must be a two-dimensional table of numbers: a row for each record"

Floats = NDArray[np.float64]
R = TypeVar("R")


def _silently(read: Callable[[], R]) -> R:
    """Read without a word: what Python and NumPy warn of would depend on the data."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read()


def number(value: object) -> float:
    """Return a value as a number; NaN if it is none.

    >>> number("2.5"), number(-(10**400)), number({"a": 1}), number(None)
    (2.5, -inf, nan, nan)
    """
    try:
        if not isinstance(value, READABLE):
            return math.nan
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf  # type: ignore[operator]  # a number
    except Exception:  # whatever a value does when it is looked at
        return math.nan


def numbers(name: str, values: NDArray[Any]) -> Floats:
    """Return an array as floats, each value read by itself; refuse types that hold no numbers."""
    kind = values.dtype.kind
    if kind in REAL_KINDS:
        return _silently(lambda: values.astype(np.float64))
    if kind not in ANY_KINDS:
        begin = "Complex data not supported: " if kind == "c" else ""  # scikit-learn's own words
        raise ScoreError(f"{begin}{name} must hold real numbers, got values of type {values.dtype}")
    flat = values.ravel().tolist()
    read = _silently(lambda: np.fromiter(map(number, flat), np.float64, len(flat)))
    return read.reshape(values.shape)


def feature_table(X: Any) -> Any:
    """Return the features as floats: an array, or a sparse matrix, which stays sparse."""
    if sparse.issparse(X):
        matrix: Any = X
        if matrix.ndim != 2 or matrix.dtype.kind not in REAL_KINDS:
            raise ScoreError(f"{TABLE}; got a sparse array of another shape or type")
        return _silently(lambda: whole_entries(matrix).astype(np.float64))
    table = _from_rows(X) if isinstance(X, list | tuple) else numbers("X", _array("X", X))
    if table.ndim != 2:
        raise ScoreError(TABLE)
    return table


def _from_rows(rows: Any) -> Floats:
    """Return a list of rows as floats.

    A list does not say how many columns there are, so its first row counts as a header does: as
    public, in its length. A longer row is cut, and what a shorter one lacks is missing.
    """
    if not rows or _entries(rows[0]) is None:
        raise ScoreError(f"{TABLE}; of a list the first row says how many columns there are")
    width = len(_entries(rows[0]) or ())

    def entries() -> Any:
        for row in rows:
            cells = (_entries(row) or [])[:width]
            yield from map(number, cells)
            yield from [math.nan] * (width - len(cells))

    read = _silently(lambda: np.fromiter(entries(), np.float64, len(rows) * width))
    return read.reshape(len(rows), width)


def _entries(row: object) -> list[Any] | None:
    if isinstance(row, np.ndarray):
        return row.tolist() if row.ndim == 1 else None
    return list(row) if isinstance(row, list | tuple) else None


def target_values(y: Any) -> NDArray[Any]:
    """Return the target as a column, each value as it is.

    A list has no type of its own, and NumPy would give it one by what is in it: a single record
    with text for a label would make everyone's label a text.
    """
    if isinstance(y, list | tuple):
        values = np.empty(len(y), dtype=np.object_)
        for place, value in enumerate(y):
            values[place] = value
        return values
    column = _array("y", y)
    if column.ndim == 2 and column.shape[1] == 1:
        return column[:, 0]
    if column.ndim != 1:
        raise ScoreError("y must be one-dimensional: one value for each record")
    return column


def _array(name: str, given: Any) -> NDArray[Any]:
    if isinstance(given, np.ma.MaskedArray):
        raise ScoreError(f"{name} must not be a masked array; fill it first")
    try:
        values: NDArray[Any] = _silently(lambda: np.asarray(given))
        if isinstance(given, np.ndarray) or values.dtype.kind in REAL_KINDS:
            return values
        # A data frame may owe its types to what is in it: only an array is refused by its own.
        return _silently(lambda: np.asarray(given, dtype=np.object_))
    except Exception:  # its message may quote the data
        raise ScoreError(f"{name} must be an array, a list or a data frame") from None
