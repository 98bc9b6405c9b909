"""Four walks through the package, as they are walked: ``python -m tools.walk``.

A small table or an array is made up and asked about, with a profiler that sees each call. Each walk
has a process of its own, in which the package is imported and nothing is kept from another walk.
For each are printed how many functions of the package were called, in how many files, how often,
how many were open at once, and how many functions of each room; and the longest way to the random
word: the functions that were open when the system was asked for random bytes.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import overbar
from overbar.cli import main as command_line

COLUMNS = "sales.csv --item product --person customer --catalogue products.txt"
#: What is walked: a line of the command line, or of Python.
WALKS = {
    "`overbar select … --ledger`": (
        f"overbar select {COLUMNS} --threshold 500 --cutoff 3 --epsilon 1 "
        "--ledger x.db --dataset sales"
    ),
    "`overbar.select`, pure": (
        "overbar.select(SCORES, threshold=500, cutoff=3, epsilon=1, monotonic=True)"
    ),
    "`overbar.plan` and `select`, with δ": (
        "overbar.select(SCORES, threshold=200, plan=overbar.plan("
        "cutoff=50, epsilon=1, delta='1e-6', candidates=1000, monotonic=True))"
    ),
    "`overbar check`": f"overbar check {COLUMNS}",
}
SOLD = {"tea": 2400, "rum": 1800, "ale": 1500, "gin": 120, "mead": 45}
SCORES = (10_000 / np.arange(1, 1001)).astype(np.int64)
PACKAGE = Path(overbar.__file__).parent


@dataclass
class Walk:
    """What was seen of one walk, by the names of functions as ``module.function``."""

    functions: dict[str, str] = field(default_factory=dict)  # with the file of each
    calls: int = 0
    depth: int = 0
    way: list[str] = field(default_factory=list)
    _open: int = 0

    @property
    def files(self) -> set[str]:
        """The files whose functions were called."""
        return set(self.functions.values())

    @property
    def rooms(self) -> Counter[str]:
        """How many functions of each room were called."""
        return Counter(Path(file).parts[0] for file in self.functions.values())

    def see(self, frame: FrameType, event: str, subject: Any) -> None:
        """Note a call of the package, and the open functions when random bytes are drawn."""
        if not _own(frame):
            return
        if event == "call":
            self.functions[_name(frame)] = _file(frame).as_posix()
            self.calls += 1
            self._open += 1
            self.depth = max(self.depth, self._open)
        elif event == "return":
            self._open -= 1
        elif subject is os.urandom:
            self.way = max(self.way, list(_way(frame))[::-1], key=len)

    def __str__(self) -> str:
        counts = (len(self.functions), len(self.files), self.calls, self.depth)
        return " / ".join(f"{count:,}" for count in counts)


def _own(frame: FrameType) -> bool:
    """Whether a function of the package is called: the body of a class, read on import, is none."""
    code = frame.f_code
    named = code.co_name[0] != "<" and code.co_flags & inspect.CO_OPTIMIZED
    return bool(named and code.co_filename.startswith(f"{PACKAGE}{os.sep}"))


def _file(frame: FrameType) -> Path:
    return Path(frame.f_code.co_filename).relative_to(PACKAGE)


def _name(frame: FrameType) -> str:
    return f"{'.'.join(_file(frame).with_suffix('').parts)}.{frame.f_code.co_qualname}"


def _way(frame: FrameType | None) -> Iterator[str]:
    """Yield the open functions of the package, the innermost first."""
    while frame is not None:
        if _own(frame):
            yield _name(frame)
        frame = frame.f_back


def walk(line: str) -> Walk:
    """Run a line of the table in a folder with a table of purchases; it must not fail."""
    seen, said = Walk(), io.StringIO()
    before, arguments = Path.cwd(), sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows = [f"customer {n},{name}" for name, many in SOLD.items() for n in range(many)]
        Path("sales.csv").write_text("\n".join(["customer,product", *rows]) + "\n")
        Path("products.txt").write_text("\n".join(SOLD) + "\n")
        overbar.Ledger("x.db").open("sales", epsilon=2)
        sys.argv = shlex.split(line)
        typed = sys.argv[0] == "overbar"
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                sys.setprofile(seen.see)
                command_line() if typed else eval(line)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{line} ended with {end.code}: {said.getvalue()}") from None
        finally:
            sys.setprofile(None)
            sys.argv = arguments
            os.chdir(before)
    return seen


def walks() -> dict[str, Walk]:
    """Return all walks by what they are called, each from a process of its own."""
    context = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as processes:
        return dict(zip(WALKS, processes.map(walk, WALKS.values()), strict=True))


def main() -> None:
    """Print all walks."""
    for name, seen in walks().items():
        print(f"{name}: functions / files / calls / depth {seen}")
        print("  " + ", ".join(f"{room} {count}" for room, count in seen.rooms.most_common()))
        print(*(f"    {function}" for function in seen.way), sep="\n")


if __name__ == "__main__":
    main()
