"""What arrives, or must be changed before the engine reads it: passed on through a pipe of our own.

An engine opens what it is given by its name, anew. A file that is standard input would then begin
again with its header, and a named pipe whose writer has left would never open. And the engine reads
lines of UTF-8 alone: files in another encoding, and JSON arrays, are turned into these on the way.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from overbar.cli.tables.engine import refuse, shielded
from overbar.cli.tables.files import STREAMS
from overbar.errors import OverbarError

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


@contextmanager
def passed_on(name: str, blocks: Iterable[bytes]) -> Iterator[int]:
    """Yield a descriptor that gives all the blocks, which another thread writes."""
    with shielded(name):
        reading, writing = os.pipe()
    failed: list[Exception] = []
    threading.Thread(target=_pass_on, args=(blocks, writing, failed), daemon=True).start()
    try:
        yield reading
    finally:
        os.close(reading)
    with shielded(name):
        if failed:
            raise failed[0]


def _pass_on(blocks: Iterable[bytes], writing: int, failed: list[Exception]) -> None:
    try:
        with open(writing, "wb") as sink:
            for block in blocks:
                sink.write(block)
    except BrokenPipeError:
        pass  # the engine has stopped reading, and says why
    except (OverbarError, OSError) as error:
        failed.append(error)
    except Exception:  # what a packed file is broken by has many types
        failed.append(OSError())
