"""What decides whether a result can be used again: the whole study and the code behind it."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from overbar.paper.study import Conditions, Study

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
    computation = type(study.compute)
    parts = [
        f"{computation.__module__}.{computation.__qualname__}",
        *(f"{name}={value}" for name, value in study.parameters),
        *conditions.data.checksums(study.datasets),
        code_version(),
    ]
    if study.simulated:
        parts += [f"runs={conditions.runs}", f"seed={conditions.seed}"]
    return _hash(parts)


def figure_key(study: Study, table: str) -> str:
    """Return what a study's figure depends on: its table and how it is drawn."""
    return _hash([table, study.draw_name, code_version("paper/figures")])


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
