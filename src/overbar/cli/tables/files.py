"""From what was typed to files that are there."""

from __future__ import annotations

import difflib
import glob
import os
from collections.abc import Sequence
from pathlib import Path

from overbar.cli.apart import STANDARD_INPUT, identity
from overbar.cli.tables.failures import refuse

__all__ = ["engine_name", "existing_files", "matching_files", "short_list"]

#: How many files are named before the others are counted.
NAMED = 3


def existing_files(places: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that names and patterns stand for, each once, sorted within a pattern.

    A file that is read twice, under another name or by a link, has every line of a ``.dat`` file
    as two persons.
    """
    found: list[str] = []
    for place in places:
        if os.path.isfile(place):  # a name that merely looks like a pattern
            found.append(place)
        elif os.path.isdir(place):
            refuse(f"{place} is a folder; name its files, such as '{place.rstrip('/')}/*.parquet'")
        elif glob.has_magic(place):
            matches = [name for name in matching_files(place) if os.path.isfile(name)]
            if not matches:
                refuse(f"no file matches {place}")
            found += matches
        else:
            refuse(f"there is no file {place}{_nearest(place)}")
    once: dict[object, str] = {}
    for name in found:
        if not os.access(name, os.R_OK):
            refuse(f"{name} may not be read: permission denied")
        once.setdefault(identity(name), name)
    return tuple(once.values())


def matching_files(place: str) -> list[str]:
    """Return what a name or a pattern stands for, without opening or refusing anything."""
    if os.path.lexists(place) or not glob.has_magic(place):
        return [place]
    names = sorted(glob.glob(place, recursive=True))
    # A file of this name that a pattern finds is not what is piped in.
    return [os.path.join(os.curdir, name) if name == STANDARD_INPUT else name for name in names]


def short_list(names: Sequence[str]) -> str:
    """Name the first few, and count the rest.

    >>> short_list(["a", "b", "c", "d", "e"])
    'a b c and 2 more'
    """
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return " ".join(names[:NAMED]) + more


def engine_name(name: str) -> str:
    """Write a file's name so that the engine does not take it for a pattern."""
    return glob.escape(name)


def _nearest(place: str) -> str:
    folder = Path(place).parent
    if not folder.is_dir():
        return f": the folder {folder} does not exist"
    close = difflib.get_close_matches(Path(place).name, os.listdir(folder), n=1)
    return (
        f"; did you mean {folder / close[0] if str(folder) != '.' else close[0]}?" if close else ""
    )
