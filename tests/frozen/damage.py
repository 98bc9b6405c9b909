"""Damage copies of a good ledger in many ways, and use each: an error that is ours, or no harm.

    python -m tests.frozen.damage --copies 15000

A copy gets wrong bytes, is cut short, has pages swapped, emptied, doubled or put back from an
earlier day. Then every verb is tried on it. Nothing but an error of ours may come out, nothing may
take for ever, and nobody may get more of a budget than was left of it when the copy was good.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path

import overbar
from tests.frozen import seam
from tests.queue_plans import queue_plan

#: In memory where there is such a place: what is tried here is reading, not disks.
FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None
#: Seconds for one copy; a process that takes longer is ended by the system.
PATIENCE = 60
PLAN = queue_plan(epsilon="1/4", cutoff=2, monotonic=True, candidates=100)
GUMBEL = queue_plan(
    epsilon="0.2", delta="1e-7", cutoff=2, noise="gumbel", monotonic=True, candidates=100
)
DATASETS = ("full", "half", "both", "spare")


def ask(
    ledger: overbar.Ledger, dataset: str, request: str | None = None, plan: overbar.Plan = PLAN
) -> seam.Held:
    return seam.reserve(ledger, dataset, plan, request=request, purpose=f"for {request}")


@dataclass(frozen=True)
class Good:
    """A ledger, what it was the day before, and what is left in it."""

    early: bytes
    whole: bytes
    page: int
    left: dict[str, Fraction]


def good(folder: Path) -> Good:
    """Make a ledger with several pages of rows, and nothing left of the first dataset."""
    path = folder / "good.db"
    ledger = overbar.Ledger(path)
    for name in DATASETS[:2]:
        ledger.open(name, epsilon=1)
    ledger.open("both", epsilon=1, delta="1e-6")
    ledger.open("spare", epsilon=1000)
    early = b""
    for number in range(24):
        request = f"request {number}"
        seam.settle(ask(ledger, "spare", request), 2, ["a", "b"])
        if number % 8 == 0:
            seam.settle(ask(ledger, "both", plan=GUMBEL), 1)
        if number == 12:
            ask(ledger, "half")
            early = path.read_bytes()
        if number >= 20:
            ask(ledger, "full")
    left = {name: ledger.remaining(name) for name in DATASETS}
    assert left["full"] == 0
    whole = path.read_bytes()
    return Good(early, whole, int.from_bytes(whole[16:18], "big"), left)


def damaged(chance: random.Random, made: Good) -> bytes:
    """Return a copy with damage of one kind."""
    content, page = bytearray(made.whole), made.page
    pages = len(content) // page
    kind = chance.choice(["bytes", "stretch", "cut", "swap", "empty", "double", "early", "header"])
    place = chance.randrange(len(content))
    one, other = (chance.randrange(pages) * page for _ in range(2))
    if kind == "bytes":
        for _ in range(chance.choice([1, 1, 2, 8])):
            content[chance.randrange(len(content))] = chance.randrange(256)
    elif kind == "header":  # of the file or of a page: where a byte steers most
        content[one + chance.randrange(100 if one == 0 else 12)] = chance.randrange(256)
    elif kind == "stretch":
        content[place : place + 16] = chance.randbytes(16)
    elif kind == "cut":
        del content[place:]
    elif kind == "swap":
        content[one : one + page], content[other : other + page] = (
            content[other : other + page],
            content[one : one + page],
        )
    elif kind == "empty":
        content[one : one + page] = bytes(page)
    elif kind == "double":
        content[one : one + page] = content[other : other + page]
    else:
        before = made.early[one : one + page]
        content[one : one + len(before)] = before
    return bytes(content)


@dataclass
class Findings:
    """What came out."""

    copies: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)


def tried(path: Path, content: bytes, made: Good) -> Iterator[str]:
    """Use a damaged copy in every way; yield "refused" or "done" for each, or what is wrong."""
    for ending in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    path.write_bytes(content)
    opened: list[overbar.Ledger] = []
    yield told(lambda: opened.append(overbar.Ledger(path)))
    for ledger in opened:
        for verb in verbs(ledger, made):
            yield told(verb)


def told(verb: Callable[[], object]) -> str:
    try:
        verb()
    except overbar.LedgerError:
        return "refused"
    except Exception as error:  # anything else is what is looked for
        return f"{type(error).__name__}: {error}"
    return "done"


def verbs(ledger: overbar.Ledger, made: Good) -> list[Callable[[], object]]:
    """Return what is done with a copy, in this order."""

    def reserve(name: str) -> None:
        held = ask(ledger, name)
        if made.left[name] < PLAN_COST:
            raise AssertionError(f"{name} was overspent")
        seam.settle(held, 1)

    def remaining(name: str) -> None:
        if ledger.remaining(name) > made.left[name]:
            raise AssertionError(f"there is more left of {name} than there was")

    def open_again(name: str) -> None:
        ledger.open(name, epsilon=9)
        raise AssertionError(f"{name} was opened a second time")

    def retry() -> None:
        if ask(ledger, "spare", "request 3").labels not in (None, ("a", "b")):
            raise AssertionError("another answer came back")

    return [
        lambda: [ledger.show(name) for name in ledger.datasets()[:2]],
        *[partial(remaining, name) for name in DATASETS],
        *[partial(open_again, name) for name in ("full", "half")],
        retry,
        *[partial(reserve, name) for name in ("full", "half", "spare", "full")],
        partial(ledger.close, "both"),
        ledger.verify,
        partial(reserve, "full"),
    ]


PLAN_COST = overbar.guarantee(PLAN).epsilon


def _child(folder: Path, made: Good, seeds: range, out: int) -> None:
    path = folder / f"copy {os.getpid()}.db"
    for seed in seeds:
        signal.alarm(PATIENCE)
        os.write(out, f"{seed}\tbegun\n".encode())
        content = damaged(random.Random(seed), made)
        for what in set(tried(path, content, made)):
            os.write(out, f"{seed}\t{what}\n".encode())
    os._exit(0)


def damage(folder: Path, first: int, copies: int, setup: Callable[[], object] = dict) -> Findings:
    """Damage so many copies and use them, each batch in a process of its own after `setup`."""
    made, found = good(folder), Findings()
    seed, last = first, first + copies
    while seed < last:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                os.close(reader)
                setup()
                _child(folder, made, range(seed, min(seed + 500, last)), writer)
            os._exit(1)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            lines = [line.rstrip("\n").partition("\t") for line in pipe]
        _, status = os.waitpid(child, 0)
        _count(found, [(int(number), what) for number, _, what in lines if number.isdigit()])
        seed = max(int(number) for number, _, _ in lines if number.isdigit()) + 1
        if status:
            found.wrong.append(f"copy {seed - 1}: the process ended with {status}")
    return found


def _count(found: Findings, lines: list[tuple[int, str]]) -> None:
    refused = {number for number, what in lines if what == "refused"}
    for number, what in lines:
        if what == "begun":
            found.copies += 1
            found.refused += number in refused
        elif what not in ("refused", "done"):
            found.wrong.append(f"copy {number}: {what}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=15_000)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        found = damage(Path(folder), asked.first, asked.copies)
    print(
        f"{found.copies} damaged copies in {time.perf_counter() - start:.0f} s, {found.refused} of "
        f"them refused by some verb: {len(found.wrong)} things wrong"
    )
    for line in found.wrong[:50]:
        print(line)
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()
