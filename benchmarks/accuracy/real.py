"""The datasets of the benchmarks of accuracy."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import AbsentError
from overbar_lab.datasets import load
from overbar_lab.datasets.registry import AbsentDatasetError, Dataset

NAMES = ("zipf", "t40i10d100k", "bms-pos-100k", "kosarak-100k")
Scores = NDArray[np.int64]


def _loaded(name: str) -> Dataset:
    try:
        return load(name)
    except AbsentDatasetError as error:
        raise AbsentError(f"{error}; OVERBAR_DATA names a folder of files") from None


def scores_of(name: str) -> Scores:
    """Return the scores of a dataset, rounded to whole numbers as a release does."""
    return np.floor(_loaded(name).scores + 0.5).astype(np.int64)


def all_scores(check: bool) -> dict[str, Scores]:
    """Return them all; for a check the one that needs no file."""
    return {name: scores_of(name) for name in (NAMES[:1] if check else NAMES)}


class Baskets:
    """Who has which item, for datasets that are made of persons."""

    def __init__(self, name: str) -> None:
        found = _loaded(name)
        path = Path(found.origin[0])
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
            rows = [sorted({int(one) for one in line.replace(",", " ").split()}) for line in lines]
        self.person = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        item = np.array([one for row in rows for one in row])
        self.item = np.searchsorted(found.items, item)
        self.size = len(found.items)

    def bounded(self, most: int, generator: np.random.Generator) -> Scores:
        """Return the scores if each person keeps so many items, by lot."""
        order = np.lexsort((generator.random(len(self.item)), self.person))
        person = self.person[order]
        start = np.searchsorted(person, person)
        kept = np.arange(len(person)) - start < most
        return np.bincount(self.item[order][kept], minlength=self.size)
