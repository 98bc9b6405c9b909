"""A dataset as a study uses it: scores, and the public numbers that go with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overbar import _check

__all__ = ["Dataset", "Scores"]

#: Supports are whole numbers; only the Zipf scores are not.
Scores = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Scores of items, with the threshold and the cutoff to use with them.

    Attributes
    ----------
    name, title
        What the registry and what a figure calls it.
    scores
        One for each item: how many records hold it, or what was assigned. Read-only.
    items
        The item ids in ascending order, as the file has them.
    records
        How many transactions were read; None where scores are assigned.
    threshold, cutoff
        The bar, and how many positives to look for. In the paper T and c.
    origin
        The files it was read from, or how it was made.
    """

    name: str
    title: str
    scores: Scores
    items: NDArray[np.int64]
    records: int | None
    threshold: int
    cutoff: int
    origin: tuple[str, ...]

    def __post_init__(self) -> None:
        self.scores.flags.writeable = False
        self.items.flags.writeable = False

    @property
    def people(self) -> int | None:
        """How many people the scores count: one a record, as the paper has it (δ = 1/people)."""
        return self.records

    @property
    def passing(self) -> int:
        """How many items reach the threshold, equality included as in the paper."""
        return int(np.count_nonzero(self.scores >= self.threshold))

    def at_rank(self, rank: int) -> int | float:
        """Return the score at a rank, counted from 1 for the largest."""
        rank = _check.whole("rank", rank)
        result: int | float = np.sort(self.scores)[len(self.scores) - rank].item()
        return result

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        records = "" if self.records is None else f"{self.records:,} records, "
        return (
            f"Dataset({self.title!r}, {records}{len(self):,} items, "
            f"threshold {self.threshold:,}, cutoff {self.cutoff})"
        )
