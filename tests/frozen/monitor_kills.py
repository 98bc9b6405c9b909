"""Kill processes that watch, at random moments, and compare what got out with the store.

    python -m tests.frozen.monitor_kills --kills 500

A worker is a real process with a real file. It writes down every alarm that it was given, forced to
the disk, as soon as it has it. A kill can strike anywhere. Afterwards everybody must have been
charged for all the alarms that got out and counted them, until they were left out.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

import overbar
from tests.frozen import seam

HITS = 30
PLAN = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=HITS, candidates=100)
PERSONS, SIZE = 2_000, 200


def members(number: int) -> list[int]:
    """Who is asked about, by the number of a question."""
    return random.Random(number).sample(range(PERSONS), SIZE)


def watch(store: Path, log: Path, turn: int, ready: int) -> None:
    """Ask without end, against a threshold that every question passes; say when one is out."""
    own = overbar.Monitor(PLAN, threshold=-1_000, store=store)
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    number = turn * 10**6
    while True:
        if own.ask(members(number)):
            os.write(handle, f"{number}\n".encode())
            os.fsync(handle)
            os.write(ready, b".")
        number += 1


def struck(store: Path, log: Path, turn: int, longest: float, *, broken: bool) -> None:
    """Let a process watch, and kill it; every other time not before an alarm is out."""
    heard, ready = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if broken:
                seam.broken(pytest.MonkeyPatch(), "hits come late")
            watch(store, log, turn, ready)
        finally:
            os._exit(1)
    if turn % 2:
        os.read(heard, 1)
    time.sleep(random.SystemRandom().uniform(0, longest))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(heard)
    os.close(ready)
    assert os.WIFSIGNALED(status), "a worker ended by itself"


def missing(store: Path, log: Path) -> tuple[int, int]:
    """Return how many alarms got out, and how many hits of these are not in the store."""
    given = [int(line) for line in log.read_text().splitlines()] if log.exists() else []
    hits = Counter(str(person) for number in given for person in members(number))
    alarms, used, _ = seam.counted(store)
    lost = sum(max(0, min(HITS, many) - used.get(who, 0)) for who, many in hits.items())
    return len(given), lost + max(0, len(given) - alarms)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--longest", type=float, default=0.3, help="seconds until a kill")
    parser.add_argument("--broken", action="store_true")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        store, log = Path(folder, "watch.db"), Path(folder, "given.txt")
        overbar.Monitor(PLAN, store=store).close()
        for turn in range(asked.kills):
            struck(store, log, turn, asked.longest, broken=asked.broken)
        given, lost = missing(store, log)
    print(f"{asked.kills} kills, {given} alarms got out, {lost} hits of them are lost")
    return 1 if lost or not given else 0


if __name__ == "__main__":
    sys.exit(main())
