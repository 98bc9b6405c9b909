"""The datasets of the benchmarks of accuracy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks import AbsentError
from overbar.datasets import load
from overbar.datasets.dataset import AbsentDatasetError

NAMES = ("zipf", "t40i10d100k", "bms-pos-100k", "kosarak-100k")


def scores_of(name: str) -> NDArray[np.int64]:
    """Return the scores of a dataset, rounded to whole numbers as a release does."""
    try:
        found = load(name)
    except AbsentDatasetError as error:
        raise AbsentError(f"{error}; OVERBAR_DATA names a folder of files") from None
    return np.floor(found.scores + 0.5).astype(np.int64)


def all_scores(check: bool) -> dict[str, NDArray[np.int64]]:
    """Return them all; for a check the one that needs no file."""
    return {name: scores_of(name) for name in (NAMES[:1] if check else NAMES)}
