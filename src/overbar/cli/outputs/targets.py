"""Where answers go, checked before the data are touched and the budget is spent."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from overbar.errors import ParameterError

__all__ = ["KINDS", "Target", "checked_targets"]

#: What the ending of a file says.
KINDS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".html": "html"}


@dataclass(frozen=True)
class Target:
    """A file that an answer will be written to."""

    path: Path
    kind: str


def checked_targets(out: list[Path], report: Path | None, *, force: bool) -> tuple[Target, ...]:
    """Return what to write, after making sure that it can be: a failure later would cost budget."""
    targets = [Target(path, _kind(path)) for path in out]
    if report is not None:
        if _kind(report) != "html":
            raise ParameterError(f"--report must end in .html, got {report}")
        targets.append(Target(report, "html"))
    seen: set[Path] = set()
    for target in targets:
        place = target.path.absolute()
        if place in seen:
            raise ParameterError(f"{target.path} must be named once")
        seen.add(place)
        _check_place(target.path, force)
    return tuple(targets)


def _kind(path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ParameterError(f"--out must end in one of {', '.join(KINDS)}, got {path}")
    return kind


def _check_place(path: Path, force: bool) -> None:
    if path.is_dir():
        raise ParameterError(f"{path} is a folder; name a file")
    if os.path.lexists(path) and not force:
        raise ParameterError(f"{path} exists already; write --force to replace it")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ParameterError(f"there is no folder {path.parent} to write {path.name} into")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ParameterError(f"{path.parent} may not be written to: permission denied")
