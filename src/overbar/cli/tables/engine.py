"""The DuckDB that reads: in memory, bounded, alone; and how it fails: in our own words.

It writes nothing to disk unless a folder is named for it: what does not fit into memory would be
private rows in a temporary file. It loads no extension that is not built in.

An engine's message may quote a row, a value or a count (a conversion error prints the line it
stopped at). So none of it is passed on: what is said names the file and what to try.
"""

from __future__ import annotations

import lzma
import os
import re
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import duckdb

from overbar.errors import OverbarError, ParameterError, ScoreError

DEFAULT_MEMORY = "2GB"
#: What is raised where a packed file is damaged, beside errors of the system.
UNPACKING = (zlib.error, lzma.LZMAError)
_SIZE = re.compile(r"\d{1,6}(\.\d+)?\s*[KMGT]i?B", re.IGNORECASE)
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
    except (duckdb.Error, OSError, EOFError, UnicodeError, *UNPACKING):
        message = (
            f"{name} cannot be read; is it complete, and of the kind that its name says? If not, "
            "name the kind with --input-format (the engine's message is not shown: it may quote "
            "rows)"
        )
    else:
        return
    raise ReadingError(message) from None


@contextmanager
def within_memory() -> Iterator[None]:
    """Say what to do where an engine ran out of memory while a question was put to it."""
    try:
        yield
    except ScoreError as error:
        if issubclass(error.raised or ScoreError, duckdb.OutOfMemoryException | MemoryError):
            refuse(OUT_OF_MEMORY)
        raise


def check_engine(memory: str, temp_folder: Path | None) -> None:
    """Refuse bad limits before anything is read."""
    if not _SIZE.fullmatch(memory.strip()):
        raise ParameterError(f"--memory must be a size such as 2GB or 800MB, got {memory!r}")
    if temp_folder is not None and not temp_folder.is_dir():
        raise ParameterError(f"--temp-folder must be an existing folder, got {str(temp_folder)!r}")


def start_engine(
    memory: str = DEFAULT_MEMORY, temp_folder: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory that keeps to these limits, which were checked."""
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory.strip(),
        "temp_directory": "" if temp_folder is None else _folder_within(temp_folder),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        # Rows have no order that counts, and keeping one costs memory.
        "preserve_insertion_order": "false",
        # A view in a database names tables; a Python variable of that name is none.
        "python_enable_replacements": "false",
    }
    try:
        engine = duckdb.connect(":memory:", config=settings)
        # So that the engine can be asked how far it is; it prints nothing itself.
        engine.execute("set enable_progress_bar = true")
        engine.execute("set enable_progress_bar_print = false")
    except duckdb.Error:
        raise ParameterError(f"DuckDB does not accept this limit: --memory {memory}") from None
    return engine


def _folder_within(temp_folder: Path) -> str:
    """Return a folder that the engine makes and takes away: the one folder it may always read.

    Named itself, `temp_folder` would be open to the views of a database, with all that is in it.
    """
    return os.path.join(str(temp_folder), f"overbar-{secrets.token_hex(8)}")
