"""The DuckDB that reads: in memory, bounded, alone.

It writes nothing to disk unless a folder is named for it: what does not fit into memory would be
private rows in a temporary file. It loads no extension that is not built in.
"""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from overbar.errors import ParameterError

__all__ = ["DEFAULT_MEMORY", "check_engine", "start_engine"]

DEFAULT_MEMORY = "2GB"
_SIZE = re.compile(r"\d{1,6}(\.\d+)?\s*[KMGT]i?B", re.IGNORECASE)


def check_engine(memory: str, threads: int | None, temp_folder: Path | None) -> None:
    """Refuse bad limits before anything is read."""
    if not _SIZE.fullmatch(memory.strip()):
        raise ParameterError(f"--memory must be a size such as 2GB or 800MB, got {memory!r}")
    if threads is not None and threads < 1:
        raise ParameterError(f"--threads must be at least 1, got {threads}")
    if temp_folder is not None and not temp_folder.is_dir():
        raise ParameterError(f"--temp-folder must be an existing folder, got {str(temp_folder)!r}")


def start_engine(
    memory: str = DEFAULT_MEMORY, threads: int | None = None, temp_folder: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory that keeps to these limits."""
    check_engine(memory, threads, temp_folder)
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory.strip(),
        "temp_directory": "" if temp_folder is None else str(temp_folder),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        # Rows have no order that counts, and keeping one costs memory.
        "preserve_insertion_order": "false",
    }
    if threads is not None:
        settings["threads"] = str(threads)
    try:
        engine = duckdb.connect(":memory:", config=settings)
        # So that the engine can be asked how far it is; it prints nothing itself.
        engine.execute("set enable_progress_bar = true")
        engine.execute("set enable_progress_bar_print = false")
    except duckdb.Error:
        raise ParameterError(
            f"DuckDB does not accept these limits: --memory {memory}, --threads {threads}"
        ) from None
    return engine
