"""Where answers go, checked before the data are touched and the budget is spent."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from overbar.cli.apart import Identity, identity, refuse_replacing
from overbar.errors import ParameterError

__all__ = ["KINDS", "Target", "check_place", "checked_targets"]

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
    seen: set[Identity] = set()
    for target in targets:
        place = identity(target.path)
        if place in seen:
            raise ParameterError(f"{target.path} must be named once")
        seen.add(place)
        check_place(target.path, force=force)
    return tuple(targets)


def _kind(path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ParameterError(f"--out must end in one of {', '.join(KINDS)}, got {path}")
    return kind


def check_place(path: Path, *, force: bool) -> None:
    """Refuse a file that cannot be written, or must not be."""
    refuse_replacing(path, force=force)
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ParameterError(f"there is no folder {path.parent} to write {path.name} into")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ParameterError(f"{path.parent} may not be written to: permission denied")
