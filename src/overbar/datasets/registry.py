"""Which datasets are known, from registry.toml, and which of their files are here.

Records and items are those of the files; where the paper prints another number, ``note`` says so.
Checksums are of the decompressed content, so a copy counts whichever way it was compressed.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from overbar import _check
from overbar.errors import ParameterError, named


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
        :func:`overbar.datasets.supports.count_supports`; None for scores made here.
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
    text = files("overbar.datasets").joinpath("registry.toml").read_text("utf-8")
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
    return by_name[_check.choice("name", folded, by_name)]


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
            label = named("data_dir") if data_dir is not None else VARIABLE
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
    write = f"overbar.datasets.load({one.name!r}, download=True)"
    return f"write {write}, or get it from {one.home} and {put}"
