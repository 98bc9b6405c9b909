"""Scores in any one-dimensional form, with their labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from overbar.errors import ParameterError, ScoreError

SHAPE = (
    "scores must be one-dimensional: a list, an array, a Series or a mapping. A table with one row "
    "for each purchase goes into overbar.frames.select or top"
)

Values = NDArray[np.generic] | Sequence[object]
#: Scores, and their labels if they have any.
Piece = tuple[Values, Sequence[Hashable] | None]


def read_scores(scores: Any, labels: Any = None) -> Piece:
    """Return the scores as an array or a sequence, and their labels if they have any.

    A mapping and a pandas Series bring their own labels; `labels` overrides them.
    """
    values, own = _split(scores)
    if labels is None:
        return values, own
    given = _label_list(labels)
    if len(given) != len(values):
        raise ParameterError(
            f"labels must be as many as the scores, got {len(given)} for {len(values)}"
        )
    return values, given


def _split(scores: Any) -> Piece:
    if isinstance(scores, Mapping):
        return list(scores.values()), list(scores)
    if isinstance(scores, np.ma.MaskedArray):
        raise ScoreError("scores must not be a masked array; fill it first")
    if isinstance(scores, np.ndarray):
        if scores.ndim != 1:
            raise ScoreError(SHAPE)
        return scores, None
    if isinstance(scores, str | bytes):
        raise ScoreError(SHAPE)
    if isinstance(scores, Sequence):
        return scores, None
    return _from_series(scores)


def _from_series(scores: Any) -> Piece:
    if type(scores).__module__.startswith("pyarrow") and hasattr(scores, "null_count"):
        plain = scores.null_count == 0 and str(scores.type).startswith(
            ("int", "uint", "float", "double")
        )
        return (scores.to_numpy(zero_copy_only=False) if plain else scores.to_pylist()), None
    series = nw.from_native(scores, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        raise ScoreError(SHAPE)
    kind = series.dtype
    words = kind.is_integer() and kind not in (nw.Int128, nw.UInt128)  # NumPy has no such integers
    plain = series.null_count() == 0 and (words or kind.is_float())
    values: Values = series.to_numpy() if plain else series.to_list()
    index = nw.maybe_get_index(series)
    return values, None if index is None else list(index)


def _label_list(labels: Any) -> Sequence[Hashable]:
    if isinstance(labels, str | bytes) or not hasattr(labels, "__iter__"):
        raise ParameterError("labels must be a sequence with one label per score")
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)
