"""Where answers go, checked before the data are touched and the budget is spent."""

from __future__ import annotations

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


def checked_targets(out: list[Path], report: Path | None) -> tuple[Target, ...]:
    """Return what to write; that it can be, `keep_apart` makes sure."""
    targets = [Target(path, _kind(path)) for path in out]
    if report is not None:
        if _kind(report) != "html":
            raise ParameterError(f"--report must end in .html, got {report}")
        targets.append(Target(report, "html"))
    return tuple(targets)


def _kind(path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ParameterError(f"--out must end in one of {', '.join(KINDS)}, got {path}")
    return kind
