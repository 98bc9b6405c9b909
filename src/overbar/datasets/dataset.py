"""A dataset as a study uses it: scores, the public numbers that go with them, and what can fail.

    OverbarError
    └── DatasetError            a file is not what it should be; carries ``path`` and ``line``
        ├── ChecksumError       a file is whole, but not the registered one
        └── AbsentDatasetError  a dataset is not here; one line says where to get and put it

Datasets are public, so that a message may quote a line of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar.errors import OverbarError

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
        How many transactions were read, one a person as the paper has it (δ = 1/records); None
        where scores are assigned.
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

    @classmethod
    @_check.known_keywords
    def of(
        cls, name: str, scores: Any, *, threshold: int, cutoff: int, records: int | None = None
    ) -> Self:
        """Make a dataset of one's own from its scores.

        Parameters
        ----------
        name : str
            What to call it.
        scores : sequence of numbers
            One for each item.
        threshold : int
            The bar.
        cutoff : int
            How many positives to look for.
        records : int, optional
            How many transactions were counted.

        Returns
        -------
        Dataset
            The dataset.

        Examples
        --------
        >>> Dataset.of("mine", [900, 700, 5, 3], threshold=100, cutoff=2)
        Dataset('mine', 4 items, threshold 100, cutoff 2)
        """
        values = np.array(scores)
        items = np.arange(len(values))
        return cls(name, name, values, items, records, threshold, cutoff, ("given",))

    @property
    def passing(self) -> int:
        """How many items reach the threshold, equality included as in the paper."""
        return int(np.count_nonzero(self.scores >= self.threshold))

    def at_rank(self, rank: int) -> int | float:
        """Return the score at a rank, counted from 1 for the largest.

        Parameters
        ----------
        rank : int
            The rank.

        Returns
        -------
        int or float
            The score.
        """
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


class DatasetError(OverbarError):
    """A file cannot be used: damaged, malformed, or not the one that is registered."""

    def __init__(self, message: str, *, path: Path | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line

    @classmethod
    def of(cls, path: Path, what: str, line: int | None = None) -> Self:
        """Name the file, and the line if it is known, before what is wrong with it."""
        place = f"{path}" if line is None else f"{path}, line {line}"
        return cls(f"{place}: {what}", path=path, line=line)

    def followed_by(self, hint: str) -> Self:
        """Return the same error with a hint after its message."""
        return type(self)(f"{self}; {hint}", path=self.path, line=self.line)


class ChecksumError(DatasetError):
    """A file does not have the checksum of the registered one."""


class AbsentDatasetError(DatasetError):
    """A dataset is neither here nor to be had now; a study can go on with the others."""
