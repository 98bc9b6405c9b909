"""How many are sought, and among how many: c and n varied, of which the paper has one each.

Scores are those of a dataset, highest first: cut after n of them, or followed by zeros, as labels
have that nobody uses. The threshold is halfway between ranks c and c + 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from overbar_lab.datasets import Dataset
from overbar_lab.paper.methods import METHODS
from overbar_lab.paper.study import Conditions, Table
from overbar_lab.paper.sweep import BETWEEN, Point, measured


def resized(dataset: Dataset, cutoff: int, candidates: int | Literal["all"]) -> Dataset:
    """Return a dataset of which so many are sought, among so many or all that it has."""
    size = len(dataset) if candidates == "all" else candidates
    highest = np.sort(dataset.scores)[::-1][:size]
    scores: Any = np.pad(highest, (0, size - len(highest)))
    name = f"{dataset.name}, {cutoff} of {size}"
    return replace(dataset, name=name, scores=scores, items=np.arange(size), cutoff=cutoff)


@dataclass(frozen=True)
class Sizes:
    """Methods on datasets with other numbers of candidates, one budget for each dataset.

    Each number of candidates has its share of the runs: differences are smaller among few, and runs
    slower among many.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    budgets: tuple[str, ...]
    cutoffs: tuple[int, ...] = (50,)
    candidates: tuple[int | Literal["all"], ...] = ("all",)
    shares: tuple[float, ...] = (1.0,)

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        points = [
            (
                resized(dataset, cutoff, size),
                Point(METHODS[method], budget, threshold=BETWEEN),
                conditions.times(share),
            )
            for name, budget in zip(self.datasets, self.budgets, strict=True)
            for dataset in conditions.data.load((name,))
            for cutoff in self.cutoffs
            for size, share in zip(self.candidates, self.shares, strict=True)
            for method in self.methods
        ]
        return conditions.each(lambda one: measured(*one), points)
