"""Scores of features that one record moves by less than one; a value affects its own entry only.

A record is private, so no value of it may raise an error, bring a warning, or change how another
record is read. Each value is read by itself: a number, or a text that is one, counts as it is,
and whatever else it may be counts as NaN, which is the middle of the declared range. What is
refused is refused by shape and by type, which are public.

The score of a feature is half the sum, over the classes, of the absolute co-moment
|Σᵢ (xᵢ − x̄)(vᵢ − v̄)| of the feature, scaled to [0, 1], and membership in the class; for a numeric
target, scaled to [0, 1] too, it is the absolute co-moment itself. Adding or removing one record
moves it by less than 1.

The proof is about real numbers, so no float sum may depend on its order. Each entry is rounded by
itself to a whole number of steps; sums of whole numbers below 2^53 are exact in any order, also
in floats; what is left is done with Python's integers.

Theory: :doc:`/theory/feature_scores`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, nan
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from overbar.errors import ScoreError

#: Values that a number may be read from. Complex numbers and dates are none of them.
READABLE = (int, float, str, bytes, Decimal, Fraction, np.integer, np.floating, np.bool_)
#: Kinds of NumPy types: those that hold real numbers, and those whose values may be any.
REAL_KINDS, ANY_KINDS = "biuf", "OSUT"
TABLE = "X must be a two-dimensional table of numbers: a row for each record"

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


#: Steps into which a declared range is divided.
STEPS = 2**16
#: Rows and entries summed in floats at once: a sum of this many products of two numbers of steps
#: stays below 2^48.
BLOCK_ROWS = 2**16
BLOCK_ENTRIES = 2**22

Floats = NDArray[np.float64]


@np.errstate(all="ignore")  # what NumPy was told to raise must not depend on the data
def scaled(values: Floats, low: Floats, high: Floats) -> Floats:
    """Return whole numbers of steps from 0, at `low`, to `STEPS`, at `high`, as floats.

    Each entry is rounded by itself. What is outside counts as the nearer end, infinities
    too; NaN counts as the middle.

    >>> scaled(np.array([-9, 0.25, np.nan, np.inf]), np.float64(0), np.float64(1)).tolist()
    [0.0, 16384.0, 32768.0, 65536.0]
    """
    share = (np.clip(values, low, high) - low) / (high - low)
    share = np.where(np.isnan(share), 0.5, share)
    return np.floor(share * STEPS + 0.5)


def class_columns(target: NDArray[Any], classes: Sequence[Hashable]) -> Floats:
    """Return one column of zeros and ones per declared class.

    A record of no declared class, or of a missing one, has a row of zeros: a label that nobody
    declared is private, and must not raise an error.

    >>> class_columns(np.array(["no", "yes", "what"]), ["no", "yes"]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    positions = {label: position for position, label in enumerate(classes)}
    codes = np.array([_position(label, positions) for label in target.tolist()], dtype=np.int64)
    return np.equal(codes[:, None], np.arange(len(classes))).astype(np.float64)


def _position(label: Any, positions: dict[Hashable, int]) -> int:
    try:
        return positions.get(label, -1)
    except Exception:  # cannot be hashed or compared, so it is no declared label
        return -1


def feature_scores(
    features: Any, low: Floats, high: Floats, target: Floats, target_steps: int
) -> list[Fraction]:
    """Return the exact score of every feature, a column of an array or of a sparse matrix.

    The target has a column per class with zeros and ones (``target_steps=1``), at most a single one
    in a row; or one column of whole numbers from 0 to `target_steps`.
    """
    records, columns = target.shape
    weights = np.column_stack([np.ones(records), target])
    sums = np.zeros((features.shape[1], 1 + columns), dtype=np.object_)
    for start, block in _blocks(features, low, high):
        part = block.T @ weights[start : start + block.shape[0]]
        sums += np.asarray(part).astype(np.int64)  # Python's integers from here on: no overflow
    totals = [int(total) for total in target.sum(axis=0).tolist()]
    # records · Σ (x − x̄)(v − v̄) = records · Σ xv − Σ x · Σ v, in whole numbers.
    moments = records * sums[:, 1:] - sums[:, :1] * np.array(totals, dtype=np.object_)
    halves = 1 if columns == 1 else 2
    unit = halves * records * STEPS * target_steps
    return [Fraction(int(total), unit) for total in np.abs(moments).sum(axis=1)]


def _blocks(features: Any, low: Floats, high: Floats) -> Iterator[tuple[int, Any]]:
    """Yield the features in steps, some rows at a time, each with the number of its first row."""
    records, width = features.shape
    if sparse.issparse(features):
        matrix = _sparse_steps(features, low, high)
        for start in range(0, records, BLOCK_ROWS):
            yield start, matrix[start : start + BLOCK_ROWS]
        return
    rows = min(BLOCK_ROWS, max(1, BLOCK_ENTRIES // max(1, width)))
    for start in range(0, records, rows):
        part = np.asarray(features[start : start + rows], dtype=np.float64)
        yield start, scaled(part, low, high)


def _sparse_steps(features: Any, low: Floats, high: Floats) -> Any:
    """Return a sparse matrix of steps, counted from the steps of zero so that it stays sparse.

    A co-moment does not change when a constant is taken from a feature.
    """
    matrix = whole_entries(features).copy()  # in pieces one entry could count several times
    column = matrix.indices
    zero = scaled(np.zeros(features.shape[1]), low, high)
    steps = scaled(matrix.data.astype(np.float64), low[column], high[column])
    matrix.data = steps - zero[column]
    return matrix


def whole_entries(matrix: Any) -> Any:
    """Return a sparse matrix by rows in which each entry stands once.

    SciPy adds the pieces of an entry as floats, in an order that depends on whether the rows of
    others are sorted. Here they are added exactly. What holds no numbers is left as it is.

    >>> pieces = sparse.coo_array(([2.0**53, 1.0, -(2.0**53)], ([0, 0, 0], [0, 0, 0])))
    >>> whole_entries(pieces).toarray().tolist()
    [[1.0]]
    """
    if matrix.dtype.kind not in "biuf":
        return matrix
    if matrix.format in ("csr", "csc") and matrix.has_canonical_format:
        return matrix.tocsr()
    pieces = matrix.tocoo()
    order = np.lexsort((pieces.col, pieces.row))
    row, column, data = pieces.row[order], pieces.col[order], pieces.data[order]
    first = np.append(True, (row[1:] != row[:-1]) | (column[1:] != column[:-1]))[: len(row)]
    ends = np.append(np.flatnonzero(first), len(row))
    data, entries = data.astype(np.float64), data[first].astype(np.float64)
    for entry in np.flatnonzero(np.diff(ends) > 1).tolist():
        entries[entry] = _exact_sum(data[ends[entry] : ends[entry + 1]].tolist())
    pointers = np.append(0, np.cumsum(np.bincount(row[first], minlength=matrix.shape[0])))
    return sparse.csr_array((entries, column[first], pointers), shape=matrix.shape)


def _exact_sum(values: list[float]) -> float:
    """Return the float nearest to a sum; what is not finite is left to floats."""
    extremes = {value for value in values if not isfinite(value)}
    if extremes:
        return extremes.pop() if len(extremes) == 1 else nan
    total = sum(map(Fraction, values), Fraction(0))
    try:
        return float(total)
    except OverflowError:
        return inf if total > 0 else -inf
