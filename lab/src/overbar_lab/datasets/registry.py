"""Which datasets are known, from registry.toml, and which of their files are here.

Records and items are those of the files; where the paper prints another number, ``note`` says so.
Checksums are of the decompressed content, so a copy counts whichever way it was compressed.

**A dataset** as a study uses it: scores, and the public numbers that go with them. What can fail::

    OverbarError
    └── DatasetError            a file is not what it should be; carries ``path`` and ``line``
        ├── ChecksumError       a file is whole, but not the registered one
        └── AbsentDatasetError  a dataset is not here; one line says where to get and put it

Datasets are public, so that a message may quote a line of one.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from overbar.errors import OverbarError, ParameterError
from overbar_lab import checks

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
        rank = checks.whole("rank", rank)
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


@dataclass(frozen=True)
class SourceFile:
    """One file: the names it goes by (the first is its own), its checksum and its address."""

    names: tuple[str, ...]
    checksum: str
    url: str | None = None


@dataclass(frozen=True)
class DatasetEntry:
    """What is known about one dataset.

    Attributes
    ----------
    name, title
        What to load it by, and what a figure calls it.
    kind
        ``"synthetic"``, ``"real"``, or ``"prefix"`` for the first records of a real one.
    records, items, threshold, cutoff
        What its files hold, and the public numbers to use; ``records`` is None for assigned scores.
    paper_records
        The records the paper prints.
    form
        How its files are written, see
        :func:`overbar_lab.datasets.supports.count_supports`; None for scores made here.
    home, licence, citation, note
        For people. ``note`` says where the paper and the files disagree.
    obtain
        What to do where there is no address to download from.
    """

    name: str
    title: str
    kind: str
    items: int
    threshold: int
    citation: str
    cutoff: int = 50
    home: str = ""
    licence: str = "none needed"
    records: int | None = None
    paper_records: int | None = None
    form: str | None = None
    sources: tuple[SourceFile, ...] = ()
    obtain: str = ""
    note: str = ""


def _entries() -> Iterator[DatasetEntry]:
    text = files("overbar_lab.datasets").joinpath("registry.toml").read_text("utf-8")
    for row in tomllib.loads(text)["dataset"]:
        sources = row.pop("sources", ())
        read = (SourceFile(**file | {"names": tuple(file["names"])}) for file in sources)
        yield DatasetEntry(**row, sources=tuple(read))


ENTRIES = tuple(_entries())


def known() -> tuple[DatasetEntry, ...]:
    """Return every dataset of the registry, the paper's six first.

    Returns
    -------
    tuple of DatasetEntry
        All of them.
    """
    return ENTRIES


def entry(name: str) -> DatasetEntry:
    """Look a dataset up by its name; capital letters do not matter."""
    by_name = {one.name: one for one in ENTRIES}
    folded = name.casefold() if isinstance(name, str) else name
    return by_name[checks.choice("name", folded, by_name)]


#: The environment variable that names a folder of datasets.
VARIABLE = "OVERBAR_DATA"


@dataclass(frozen=True)
class Places:
    """A folder of the user's own files, if one was named, and the folder for downloads."""

    own: Path | None
    cache: Path

    @classmethod
    def of(cls, data_dir: Path | str | None, cache_dir: Path | str | None) -> Places:
        """Read the arguments, then the environment; a named folder must exist."""
        folder = data_dir if data_dir is not None else os.environ.get(VARIABLE) or None
        own = None if folder is None else Path(folder).expanduser()
        if own is not None and not own.is_dir():
            label = "data_dir" if data_dir is not None else VARIABLE
            raise ParameterError(f"{label} must be an existing folder, got {str(own)!r}")
        if cache_dir is not None:
            return cls(own, Path(cache_dir).expanduser())
        home = os.environ.get("XDG_CACHE_HOME")
        return cls(own, (Path(home) if home else Path.home() / ".cache") / "overbar")

    @property
    def preferred(self) -> Path:
        """The folder a person should put a file in."""
        return self.cache if self.own is None else self.own

    def find(self, source: SourceFile) -> Path | None:
        """Return the file under any of its names, plain or compressed."""
        folders = (self.cache,) if self.own is None else (self.own, self.cache)
        for folder in folders:
            for name in source.names:
                for path in (folder / name, folder / f"{name}.gz"):
                    if path.is_file():
                        return path
        return None


@dataclass(frozen=True)
class Status:
    """Whether a dataset can be loaded now, and from where or how to get it."""

    entry: DatasetEntry
    here: bool
    line: str


def status(
    data_dir: Path | str | None = None, *, cache_dir: Path | str | None = None
) -> tuple[Status, ...]:
    """Say of every known dataset whether it is here and, if not, how to get it.

    Files are looked for by name; what they hold is checked when they are loaded.
    """
    places = Places.of(data_dir, cache_dir)
    return tuple(_status(one, places) for one in known())


def _status(one: DatasetEntry, places: Places) -> Status:
    if not one.sources:
        return Status(one, True, f"{one.name} is made on the spot")
    paths = [places.find(source) for source in one.sources]
    if paths[0] is not None and all(paths):
        return Status(one, True, f"{one.name} is in {paths[0].parent}")
    return Status(one, False, f"{one.name} is not here: {how_to_get(one, places)}")


def how_to_get(one: DatasetEntry, places: Places) -> str:
    """Say in one line where the missing files are and which folder to put them in."""
    names = " and ".join(source.names[0] for source in one.sources if places.find(source) is None)
    put = f"put {names} (or .gz) in {places.preferred}"
    if one.obtain:
        return f"from {one.home} {one.obtain}, and {put}"
    write = f"overbar_lab.datasets.load({one.name!r}, download=True)"
    return f"write {write}, or get it from {one.home} and {put}"
