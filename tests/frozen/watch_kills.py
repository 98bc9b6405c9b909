"""Kill processes that go through the days of a table, and let others go on.

    python -m tests.frozen.watch_kills --kills 200

Every question passes, also those about nobody. So at the end each item must have one alarm on each
day, no more, and each person as many hits as alarms that counted them: nothing is lost by a kill,
and nobody is charged twice.
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
from datetime import date, timedelta
from pathlib import Path

import pyarrow

from overbar import frames
from tests.frozen import seam

FIRST, HITS, ITEMS = date(2024, 1, 1), 10_000, ["north", "south", "west"]


def table(days: int) -> pyarrow.Table:
    draw = random.Random(1)
    rows = [
        (FIRST + timedelta(days=draw.randrange(days)), draw.choice(ITEMS[:2]), draw.randrange(50))
        for _ in range(20 * days)
    ]
    return pyarrow.table(dict(zip(("day", "region", "user"), zip(*rows, strict=True), strict=True)))


def watch(rows: pyarrow.Table, days: int, store: Path) -> tuple[tuple[date, str], ...]:
    found = frames.watch(
        rows, item="region", person="user", time="day", catalogue=ITEMS, threshold=-10_000,
        days=(FIRST, FIRST + timedelta(days=days - 1)), epsilon=100, delta="1e-3",
        hits_per_person=HITS, store=store,
    )  # fmt: skip
    return found.labels


def struck(rows: pyarrow.Table, days: int, store: Path, longest: float, turn: int) -> bool:
    """Let a process watch and kill it, every other time not before an alarm is in the store.

    Tells whether it was not done before.
    """
    before, end = seam.written(store), time.monotonic() + 60
    child = os.fork()
    if child == 0:
        try:
            watch(rows, days, store)
        finally:
            os._exit(0)
    while turn % 2 and seam.written(store) == before and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(random.SystemRandom().uniform(0, longest))
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--longest", type=float, default=0.2, help="seconds until a kill")
    asked = parser.parse_args()
    days = 400
    rows = table(days)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "watch.db")
        killed = sum(struck(rows, days, store, asked.longest, turn) for turn in range(asked.kills))
        last = len(seam.counted(store)[2]) if store.exists() else 0
        shorter = min(days, last // len(ITEMS) + 3)
        labels = watch(rows, shorter, store)
        used = seam.counted(store)[1]
    dates = [FIRST + timedelta(days=many) for many in range(shorter)]
    wanted = tuple((day, item) for day in dates for item in ITEMS)
    told = {(row["day"], row["region"], row["user"]) for row in rows.to_pylist()}
    hits = Counter(str(user) for day, _, user in told if day in dates)
    good = labels == wanted and used == hits
    print(
        f"{killed} kills, {len(labels)} alarms on {shorter} days, {'as' if good else 'NOT as'} due"
    )
    return 0 if good and killed and last else 1


if __name__ == "__main__":
    sys.exit(main())
