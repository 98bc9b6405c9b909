"""The way of `overbar select` to the random word, as it is walked: ``python -m tools.walk``.

A small table is made up and asked about, with a profiler that sees each call. The frames of this
package that are open when the system is asked for random bytes are printed, the deepest way first,
and how many functions of the package were called before.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import overbar
from overbar.cli import main as command_line

PACKAGE = str(Path(overbar.__file__).parent)
COMMAND = (
    "overbar select sales.csv --item product --person customer --catalogue products.txt "
    "--threshold 500 --cutoff 3 --epsilon 1"
)


@dataclass
class Walk:
    """What was seen of one command: ways to the random word, functions called up to the last."""

    ways: list[tuple[str, ...]] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    entered: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    calls: int = 0
    calls_so_far: int = 0
    files_so_far: set[str] = field(default_factory=set)

    def see(self, frame: FrameType, event: str, subject: Any) -> None:
        """Note a call of the package, and the open frames when random bytes are drawn."""
        if event == "call" and _own(frame):
            self.entered.add(_name(frame))
            self.files_so_far.add(frame.f_code.co_filename)
            self.calls_so_far += 1
        elif event == "c_call" and subject is os.urandom and _own(frame):
            self.ways.append(tuple(_open(frame)))
            self.functions |= self.entered
            self.files |= self.files_so_far
            self.calls = self.calls_so_far

    @property
    def deepest(self) -> tuple[str, ...]:
        """The way with the most frames, from the command line down."""
        return max(self.ways, key=len)


def _own(frame: FrameType) -> bool:
    """Whether a function of the package is called: the body of a class, read on import, is none."""
    code = frame.f_code
    named = code.co_name[0] != "<" and code.co_flags & inspect.CO_OPTIMIZED
    return bool(code.co_filename.startswith(PACKAGE) and named)


def _name(frame: FrameType) -> str:
    path = Path(frame.f_code.co_filename).relative_to(PACKAGE).with_suffix("")
    return f"{'.'.join(path.parts)}.{frame.f_code.co_qualname}"


def _open(frame: FrameType | None) -> Iterator[str]:
    """Yield the open functions of the package, the outermost first."""
    names = []
    while frame is not None:
        if _own(frame):
            names.append(_name(frame))
        frame = frame.f_back
    yield from reversed(names)


def walk(command: str = COMMAND) -> Walk:
    """Run a command in a folder with a table of purchases, and see how it gets to its noise."""
    seen = Walk()
    before, arguments = Path.cwd(), sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows = [f"customer {n},{name}" for name, many in SOLD.items() for n in range(many)]
        Path("sales.csv").write_text("\n".join(["customer,product", *rows]) + "\n")
        Path("products.txt").write_text("\n".join(SOLD) + "\n")
        overbar.Ledger("x.db").open("sales", epsilon=2)
        sys.argv = command.split()
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                sys.setprofile(seen.see)
                with contextlib.suppress(SystemExit):
                    command_line()
        finally:
            sys.setprofile(None)
            sys.argv = arguments
            os.chdir(before)
    return seen


SOLD = {"tea": 2400, "rum": 1800, "ale": 1500, "gin": 120, "mead": 45}

if __name__ == "__main__":
    found = walk()
    for way in sorted(set(found.ways), key=len, reverse=True):
        print(len(way), *way, sep="\n  ")
    print(f"functions called up to the last random word: {len(found.functions)}")
