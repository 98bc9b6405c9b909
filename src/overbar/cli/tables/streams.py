"""What arrives: standard input and pipes, read once, from where they stand.

An engine opens what it is given by its name, anew. A file that is standard input would then begin
again with its header, and a named pipe whose writer has left would never open. So all that arrives
is passed on through a pipe of our own.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from overbar.cli.tables.engine import refuse, shielded
from overbar.cli.tables.files import STREAMS


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


@contextmanager
def passed_on(place: str | None = None) -> Iterator[int]:
    """Yield a descriptor that gives all there is of a pipe, or of standard input."""
    name = place or "standard input"
    with shielded(name):
        source = 0 if place is None else os.open(place, os.O_RDONLY)
        reading, writing = os.pipe()
    failed: list[OSError] = []
    threading.Thread(target=_pass_on, args=(source, writing, failed), daemon=True).start()
    try:
        yield reading
    finally:
        os.close(reading)
    with shielded(name):
        if failed:
            raise failed[0]


def _pass_on(source: int, writing: int, failed: list[OSError]) -> None:
    try:
        with open(source, "rb", closefd=source != 0) as arriving, open(writing, "wb") as sink:
            shutil.copyfileobj(arriving, sink)
    except BrokenPipeError:
        pass  # the engine has stopped reading, and says why
    except OSError as error:
        failed.append(error)
