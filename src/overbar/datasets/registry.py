"""Which datasets are known, from registry.toml: where they live, what they hold, how written.

Records and items are those of the files; where the paper prints another number, ``note`` says so.
Checksums are of the decompressed content, so a copy counts whichever way it was compressed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from overbar import _check


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
    """Look a dataset up by its name; capital letters do not matter.

    Parameters
    ----------
    name : str
        Its name.

    Returns
    -------
    DatasetEntry
        What is known about it.
    """
    by_name = {one.name: one for one in ENTRIES}
    folded = name.casefold() if isinstance(name, str) else name
    return by_name[_check.choice("name", folded, by_name)]
