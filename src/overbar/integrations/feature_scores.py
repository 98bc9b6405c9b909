"""How much each feature goes with the target: exact scores that one record moves by at most 1.

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

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from math import inf, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
