"""What decides whether a result can be used again: the whole study and the code behind it."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from overbar.paper.study import Conditions, Study, text_of

#: Rooms that no table depends on. (Claims and pages are written anew each time.)
NOT_FOR_TABLES = (
    "cli",
    "mechanism",
    "sampling",
    "integrations",
    "ledger",
    "audit",
    "paper/figures",
    "paper/report",
    "paper/claims",
    "paper/studies.py",
)
PACKAGE = Path(__file__).parents[2]


@cache
def code_version(only: str = "") -> str:
    """Return a hash of the source files that matter, or of those in one room.

    The versions of the packages that draw numbers and figures are part of it.
    """
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(only) if only else not name.startswith(NOT_FOR_TABLES):
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    for name in ("matplotlib",) if only else ("numpy", "scipy"):
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            digest.update(f"{name} missing".encode())
    return digest.hexdigest()


def table_key(study: Study, conditions: Conditions) -> str:
    """Return the name of a study's table in the cache.

    Two figures over one computation share a table. Runs and seed count where there is chance.
    """
    compute = getattr(study.compute, "func", study.compute)
    named = compute if hasattr(compute, "__qualname__") else type(compute)
    parts = [
        f"{named.__module__}.{named.__qualname__}",
        *(f"{name}={text_of(value)}" for name, value in study.parameters.items()),
        *conditions.data.checksums(study.datasets),
        code_version(),
        study.source,
    ]
    if study.simulated:
        parts += [f"runs={conditions.runs}", f"seed={conditions.seed}"]
    return _hash(parts)


def figure_key(study: Study, table: str) -> str:
    """Return what a study's figure depends on: its table and how it is drawn."""
    draw = str(getattr(study.draw, "__qualname__", repr(study.draw)))
    return _hash([table, draw, code_version("paper/figures"), study.source])


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
