"""Bytes that come block by block: of files, and of pipes, which give them once."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import IO

from overbar.cli.tables.engine import refuse
from overbar.cli.tables.files import STREAMS

BLOCK = 1 << 18


def pipe_among(places: tuple[str, ...], form: str) -> str | None:
    """Return the pipe or device that a source is, if it is one; it must then be the only source."""
    for place in places:
        try:
            mode = os.stat(place).st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            continue
        if len(places) > 1:
            refuse(f"{place} is a pipe and must be the only source; put all rows into one pipe")
        if form not in STREAMS:
            refuse(f"{place} is a pipe, and {form} is read in place: write it to a file first")
        return place
    return None


def blocks_of(stream: IO[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Yield all that a stream has."""
    while block := stream.read(size):
        yield block


def arriving(place: str | None) -> Iterator[bytes]:
    """Yield all there is of a pipe, or of standard input, from where it stands."""
    source = 0 if place is None else os.open(place, os.O_RDONLY)
    with open(source, "rb", closefd=source != 0) as stream:
        yield from blocks_of(stream)
