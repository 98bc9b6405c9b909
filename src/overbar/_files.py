"""Files are written whole or not at all: first beside their place, then renamed into it."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file; a reader sees the old content or the new, never a part.

    It waits beside its place until it is whole. Whatever is not a plain file, such as a pipe, is
    written to directly.
    """
    data = content.encode() if isinstance(content, str) else content
    mode = _mode(path)
    if mode is None:
        path.write_bytes(data)
        return
    # A link is followed, so that the file it points to is the one replaced.
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = str(path)  # which file it is about, not what it was called meanwhile
        raise


def _mode(path: Path) -> int | None:
    """Return the permissions a file has, or would get if it were new; None if it is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None
