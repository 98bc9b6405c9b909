"""Turn what runs release into small whole numbers, by rules learned from the first runs.

Whatever is done to an outcome before it is looked at can only hide something, never make up a
difference: an outcome's code is a post-processing of it. So a reader may be as clever as it likes,
as long as it is fixed before the runs that decide are drawn. Floats are cut into bins; rows with a
few distinct forms count as they are; of rows with more forms than runs a score is taken, the sum
over columns of how much more often the first input gave that entry (as naive Bayes does).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.audit.interfaces import Outcomes
from overbar.errors import ParameterError

Codes = NDArray[np.int64]
#: Turns outcomes into codes; code 0 stands for all that was never seen while learning.
Reader = Callable[[Outcomes], Codes]

#: Columns with more distinct entries than this are cut into bins, this many and atoms.
MOST_ENTRIES = 64
BINS = 48
#: A row's form must be seen so often among all runs to say anything about chances.
OFTEN = 8
UNSEEN = 0


class _Entries:
    """One column: the entries seen, or bins where there are too many."""

    def __init__(self, column: NDArray[Any]) -> None:
        self.edges = np.unique(column)
        self.binned = column.dtype.kind in "fiu" and len(self.edges) > MOST_ENTRIES
        if self.binned:
            values = column.astype(np.float64)
            marks = np.quantile(values, np.linspace(0, 1, BINS + 1), method="lower")
            # An edge before and an edge behind each mark: an atom gets a bin of its own.
            self.edges = np.unique(np.concatenate([marks, np.nextafter(marks, np.inf)]))
        self.size = len(self.edges) + 1

    def __call__(self, column: NDArray[Any]) -> Codes:
        places = np.searchsorted(self.edges, column, side="right")
        if self.binned:
            return places
        last = np.maximum(places - 1, 0)
        return np.where(self.edges[last] == column, last + 1, UNSEEN)


class _Forms:
    """Rows as they are: one code for each form seen."""

    def __init__(self, table: Codes, sizes: list[int]) -> None:
        self.sizes = sizes
        self.steps: list[Codes] = []
        codes = np.zeros(len(table), dtype=np.int64)
        for column, size in zip(table.T, sizes, strict=True):
            known = np.unique(codes * size + column)
            self.steps.append(known)
            codes = np.searchsorted(known, codes * size + column)

    def __call__(self, table: Codes) -> Codes:
        codes = np.zeros(len(table), dtype=np.int64)
        lost = np.zeros(len(table), dtype=np.bool_)
        for column, size, known in zip(table.T, self.sizes, self.steps, strict=True):
            wanted = codes * size + column
            codes = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            lost |= known[codes] != wanted
        return np.where(lost, UNSEEN, codes + 1)


class _Score:
    """Rows by how much their entries speak for the first input, in bins."""

    def __init__(self, first: Codes, second: Codes, sizes: list[int]) -> None:
        self.weights = [
            _log_odds(one, other, size)
            for one, other, size in zip(first.T, second.T, sizes, strict=True)
        ]
        self.bins = _Entries(self._scores(np.concatenate([first, second])))

    def _scores(self, table: Codes) -> NDArray[np.float64]:
        total = np.zeros(len(table))
        for column, weights in zip(table.T, self.weights, strict=True):
            total += weights[column]
        return total

    def __call__(self, table: Codes) -> Codes:
        return self.bins(self._scores(table)) + 1


class _Table:
    """Outcomes that are rows of numbers or text."""

    def __init__(self, first: NDArray[Any], second: NDArray[Any]) -> None:
        if first.shape[1:] != second.shape[1:]:
            raise ParameterError(
                "sample must return rows of one width for both inputs, padded where a run halts "
                f"early, got {first.shape[1]} and {second.shape[1]} columns"
            )
        both = np.concatenate([first, second])
        self.entries = [_Entries(column) for column in both.T]
        sizes = [entries.size for entries in self.entries]
        coded = self._coded(both)
        forms = _Forms(coded, sizes)
        counts = np.bincount(forms(coded))
        tellable = counts[counts >= OFTEN].sum() >= len(both) / 2
        self.read: _Forms | _Score = forms
        if not tellable and len(sizes) > 1:
            self.read = _Score(coded[: len(first)], coded[len(first) :], sizes)

    def _coded(self, columns: NDArray[Any]) -> Codes:
        return np.stack(
            [read(column) for read, column in zip(self.entries, columns.T, strict=True)], axis=1
        )

    def __call__(self, columns: NDArray[Any]) -> Codes:
        return self.read(self._coded(columns))


def learn(first: Outcomes, second: Outcomes) -> Reader:
    """Learn how to read outcomes from runs on both inputs."""
    if _are_numbers(first) and _are_numbers(second):
        table = _Table(_as_table(first), _as_table(second))
        return lambda outcomes: table(_as_table(outcomes))
    codes: dict[Hashable, int] = {}
    for outcome in (*_as_list(first), *_as_list(second)):
        codes.setdefault(outcome, len(codes) + 1)
    return lambda outcomes: np.array([codes.get(one, UNSEEN) for one in _as_list(outcomes)])


def _are_numbers(outcomes: Outcomes) -> bool:
    """Tell whether outcomes go into a table; None may stand among numbers for no answer."""
    if isinstance(outcomes, np.ndarray):
        return outcomes.dtype.kind in "biufSU"
    return all(one is None or isinstance(one, int | float | np.number) for one in outcomes)


def _as_table(outcomes: Outcomes) -> NDArray[Any]:
    if not isinstance(outcomes, np.ndarray):
        exact = all(isinstance(one, int | np.integer) for one in outcomes)
        numbers = outcomes if exact else [np.nan if one is None else one for one in outcomes]
        outcomes = np.asarray(numbers)
        if outcomes.dtype.kind == "O":  # whole numbers beyond a word
            outcomes = outcomes.astype(np.float64)
    if outcomes.dtype.kind == "f":
        outcomes = np.where(np.isnan(outcomes), -np.inf, outcomes)
    return outcomes.reshape(len(outcomes), -1)


def _as_list(outcomes: Outcomes) -> Sequence[Hashable]:
    """Return outcomes that a dictionary can hold; rows become tuples."""
    plain = outcomes.tolist() if isinstance(outcomes, np.ndarray) else outcomes
    return [_hashable(one) for one in plain]


def _hashable(outcome: Any) -> Hashable:
    if isinstance(outcome, list | np.ndarray):
        return tuple(map(_hashable, outcome))
    try:
        hash(outcome)
    except TypeError:
        raise ParameterError(
            "outcomes must be hashable, such as numbers, text or tuples of them, got a "
            f"{type(outcome).__name__}"
        ) from None
    return outcome  # type: ignore[no-any-return]  # it has just been hashed


def _log_odds(first: Codes, second: Codes, size: int) -> NDArray[np.float64]:
    """Return ln of how much more often each entry came with the first input."""
    one = np.bincount(first, minlength=size) + 0.5
    other = np.bincount(second, minlength=size) + 0.5
    odds: NDArray[np.float64] = np.log(one / len(first)) - np.log(other / len(second))
    return odds
