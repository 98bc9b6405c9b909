"""Scores before noise of random nasty tables: of this house, and of the house as it was.

``OVERBAR_BEFORE=FOLDER python -m tests.before.tables 2000`` compares so many tables of each kind;
``python -m tools.before`` makes the folder. Each house is asked in a process of its own: this one
through `tests/frozen/seam.py`, the other through `old_seam.py`. Tables are drawn by their numbers,
so both are asked the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import tests.frozen

HERE = Path(__file__).parents[2]
#: Kinds of tables, and what of a thousand are of each: files take longest.
COUNTS = {
    "pandas": 200, "pyarrow": 200, "polars": 150, "polars, lazy": 60, "duckdb": 30,
    "duckdb over Arrow": 30, "jsonl": 10, "sqlite": 10, "csv": 5, "parquet": 5, "json": 5,
    "xlsx": 5,
}  # fmt: skip
SUMS = {"pyarrow": 60, "pandas": 40, "polars": 40, "duckdb": 20, "csv": 5, "parquet": 5, "xlsx": 5}
KEYS = {"pyarrow": 60, "pandas": 40, "duckdb": 15}


def before() -> Path | None:
    """Return where the house as it was stands, if it does."""
    folder = Path(os.environ.get("OVERBAR_BEFORE") or HERE / ".before")
    return folder.resolve() if (folder / "src" / "overbar").is_dir() else None


def told(house: str, numbers: list[int], leak: str | None) -> None:
    """Print what the house answers that is imported here: a line for each drawn table."""
    import overbar

    assert Path(overbar.__file__).parents[2] == Path(house), "another house was imported"
    if Path(house) != HERE:
        _ask_as_before()
    if leak is not None:
        import pytest

        from tests.frozen import seam

        seam.broken(pytest.MonkeyPatch(), leak)
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            for what, found in _answers(number, Path(folder)):
                print(json.dumps([f"{what} {number}", [_plain(one) for one in found]]))


def _ask_as_before() -> None:
    """Have all drawn tables asked by the seam of that day."""
    from tests.before import old_seam

    sys.modules["tests.frozen.seam"] = old_seam
    tests.frozen.seam = old_seam  # type: ignore[attr-defined]


def _answers(number: int, folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield what is said of two neighbours, of each kind of table that this number is for."""
    from tests.frozen import drawn_sums, test_neighbouring_keys, test_neighbouring_tables

    for engine in _of(COUNTS, number):
        yield f"counts, {engine}", test_neighbouring_tables.pair(engine, number, folder)[0]
    for engine in _of(KEYS, number):
        found = test_neighbouring_keys.pair(engine, number, folder)[0]
        yield f"keys, {engine}", [one if isinstance(one, str) else one[0] for one in found]
    for engine in _of(SUMS, number):
        (pair,) = drawn_sums.pairs(f"{engine} {number}", 1, far=engine not in ("csv", "xlsx"))
        opened = partial(drawn_sums.in_memory, engine)
        if engine in drawn_sums.FILES:
            opened = partial(drawn_sums.in_a_file, engine, folder=folder)
        yield f"sums, {engine}", drawn_sums.answers(pair, opened)


def _of(shares: dict[str, int], number: int) -> list[str]:
    """Return the kinds that a number is for: each has its share of all numbers."""
    most = max(shares.values())
    return [
        kind
        for kind, share in shares.items()
        if number * share // most != (number + 1) * share // most
    ]


def _plain(found: Any) -> Any:
    """Return scores as they are compared; of an error that there is one, however it is worded."""
    return "refused" if isinstance(found, str) else sorted([repr(k), n] for k, n in found.items())


def asked(house: Path, numbers: list[int], leak: str | None = None) -> dict[str, Any]:
    """Return what a house answers, asked in a process of its own."""
    told = f"told({str(house)!r}, {numbers}, {leak!r})"
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.before.tables import told; {told}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(house / "src"), str(HERE)])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{house} did not answer: {done.stderr.strip()[-2000:]}")
    return dict(map(json.loads, done.stdout.splitlines()))


def differences(old: Path, numbers: list[int], leak: str | None = None) -> tuple[int, list[str]]:
    """Return how many tables were compared, and of which the two houses say different things."""
    theirs, ours = asked(old, numbers), asked(HERE, numbers, leak)
    assert theirs.keys() == ours.keys()
    return len(ours), [what for what in ours if ours[what] != theirs[what]]


def main() -> int:
    """Compare, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=int, help="how many numbers are drawn from")
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    old, compared, found = before(), 0, list[str]()
    if old is None:
        print("there is no house as it was: python -m tools.before makes it")
        return 0
    for first in range(chosen.first, chosen.first + chosen.tables, 500):
        last = min(first + 500, chosen.first + chosen.tables)
        some, other = differences(old, list(range(first, last)))
        compared, found = compared + some, found + other
    for what in found[:20]:
        print(f"differs: {what}")
    print(f"{compared:,} pairs of tables, of {len(found):,} the two houses say different things")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
