"""Files are written whole or not at all: first under another name, then renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

__all__ = ["UNFINISHED", "clear_unfinished", "write"]

#: Where files wait until they are whole. A killed run leaves its rest here and nowhere else.
UNFINISHED = ".unfinished"


def write(folder: Path, name: str, content: bytes | str) -> Path:
    """Write a file below a folder; a reader sees the old content or the new, never a part."""
    target = folder / name
    waiting = folder / UNFINISHED
    for place in (waiting, target.parent):
        place.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(dir=waiting)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    return target


def clear_unfinished(folder: Path) -> None:
    """Remove what a killed run may have left."""
    waiting = folder / UNFINISHED
    if waiting.is_dir():
        for path in waiting.iterdir():
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            waiting.rmdir()
