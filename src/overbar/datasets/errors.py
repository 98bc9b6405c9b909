"""What the datasets raise on purpose, besides the errors of the whole library.

    OverbarError
    └── DatasetError            a file is not what it should be; carries ``path`` and ``line``
        ├── ChecksumError       a file is whole, but not the registered one
        └── AbsentDatasetError  a dataset is not here; one line says where to get and put it

Datasets are public, so that a message may quote a line of one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from overbar.errors import OverbarError

__all__ = ["AbsentDatasetError", "ChecksumError", "DatasetError"]


class DatasetError(OverbarError):
    """A file cannot be used: damaged, malformed, or not the one that is registered."""

    def __init__(self, message: str, *, path: Path | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line

    @classmethod
    def of(cls, path: Path, what: str, line: int | None = None) -> Self:
        """Name the file, and the line if it is known, before what is wrong with it."""
        place = f"{path}" if line is None else f"{path}, line {line}"
        return cls(f"{place}: {what}", path=path, line=line)

    def followed_by(self, hint: str) -> Self:
        """Return the same error with a hint after its message."""
        return type(self)(f"{self}; {hint}", path=self.path, line=self.line)


class ChecksumError(DatasetError):
    """A file does not have the checksum of the registered one."""


class AbsentDatasetError(DatasetError):
    """A dataset is neither here nor to be had now; a study can go on with the others."""
