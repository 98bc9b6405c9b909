"""How reading fails: in our own words, never in the engine's.

An engine's message may quote a row, a value or a count (a conversion error prints the line it
stopped at). So none of it is passed on: what is said names the file and what to try.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import duckdb

from overbar.errors import OverbarError

__all__ = ["OUT_OF_MEMORY", "ReadingError", "refuse", "shielded"]

OUT_OF_MEMORY = (
    "the table needs more memory than --memory allows, and nothing was drawn; give more, such as "
    "--memory 8GB, or name a folder with --temp-folder for what does not fit (it then holds "
    "private data while this runs)"
)


class ReadingError(OverbarError):
    """A table cannot be read; the message holds nothing of its rows."""


def refuse(message: str) -> NoReturn:
    """Say what is wrong with a source."""
    raise ReadingError(message) from None


@contextmanager
def shielded(name: str) -> Iterator[None]:
    """Replace what an engine or the system says about a source, which may quote its rows."""
    try:
        yield
    except duckdb.OutOfMemoryException:
        message = f"{name}: {OUT_OF_MEMORY}"
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except PermissionError:
        message = f"{name} may not be read: permission denied"
    except (duckdb.Error, OSError, EOFError, UnicodeError):
        message = (
            f"{name} cannot be read; is it whole, and of the kind its name says? Say otherwise "
            "with --input-format (what the engine says is not shown: it may quote rows)"
        )
    else:
        return
    raise ReadingError(message) from None
