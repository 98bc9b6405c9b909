"""Kill processes that release answers, at random moments, and compare what got out with the ledger.

    python -m tests.ledger.crash --kills 1000

A worker is a real process with a real file. It writes down every answer it was given, forced to the
disk, as soon as it has it. A kill can strike anywhere: while a reservation, a draw or a settlement
is under way. Afterwards, for every answer that got out, the ledger must hold at least its cost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

import overbar
from overbar.accounting import spent
from tests.queue_plans import queue_plan

HIGH = 10**9
PLAN = queue_plan(epsilon="0.1", cutoff=3, monotonic=True, candidates=100)
#: Some above, some far below: enough to draw for that a kill strikes in the middle of it too.
SCORES = np.zeros(200_000, dtype=np.int64)
SCORES[[17, 4711]] = HIGH
BUDGET = 10_000

Worker = Callable[[overbar.Ledger, "Log", str], None]


@dataclass
class Log:
    """Where a worker writes down what it was told."""

    path: Path

    def write(self, name: str, what: str, positives: int, answer: object) -> None:
        line = json.dumps([name, what, positives, answer]) + "\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, line.encode())
        os.fsync(handle)
        os.close(handle)

    def lines(self) -> list[list[object]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


def careful(ledger: overbar.Ledger, log: Log, name: str) -> None:
    """A batch under a request id, then an online run: as anyone would write it."""
    found = overbar.select(
        SCORES, threshold=500, plan=PLAN, booking=ledger.booking("crash", request_id=name)
    )
    log.write(name, "batch", len(found), sorted(found.labels))
    online = f"{name} online {os.getpid()}"  # after a restart it is a new run, paid for anew
    with overbar.SparseVector(
        PLAN, threshold=500, booking=ledger.booking("crash", purpose=online)
    ) as run:
        for score in (0, HIGH, 0, HIGH):
            answer = run.ask(score)
            log.write(online, "online", run.positives, answer)


def releases_first(ledger: overbar.Ledger, log: Log, name: str) -> None:
    """A broken twin: the answer is out before anything is reserved."""
    name = f"{name} {os.getpid()}"
    found = overbar.select(SCORES, threshold=500, plan=PLAN)
    log.write(name, "batch", len(found), sorted(found.labels))
    overbar.select(
        SCORES, threshold=500, plan=PLAN, booking=ledger.booking("crash", request_id=name)
    )


@dataclass
class Findings:
    """What was found after all kills."""

    kills: int = 0
    answers: int = 0
    open: int = 0
    retried: int = 0
    wrong: list[str] = field(default_factory=list)


def crash(folder: Path, kills: int, seed: int, worker: Worker = careful) -> Findings:
    """Start a worker and kill it, again and again; then look."""
    ledger = overbar.Ledger(folder / "ledger.db")
    ledger.open("crash", epsilon=BUDGET)
    log = Log(folder / "answers.jsonl")
    log.path.touch()
    chance = random.Random(seed)
    begun = 0
    for number in range(kills):
        # Each worker first repeats what the one before it may not have finished.
        child = os.fork()
        if child == 0:
            _work(ledger, log, worker, begun, log.path.with_suffix(".begun"))
        time.sleep(chance.uniform(0.0, 0.25))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"worker {number} ended by itself, with {status}"
        note = log.path.with_suffix(".begun")
        begun = int(note.read_text() or begun) if note.exists() else begun
        if number % 50 == 49:
            ledger.verify()
    return _compare(ledger, log, kills)


def _work(ledger: overbar.Ledger, log: Log, worker: Worker, begun: int, note: Path) -> None:
    """Work until killed; never return into the parent's code."""
    try:
        while True:
            new = note.with_suffix(".new")
            new.write_text(str(begun))
            new.replace(note)
            worker(ledger, log, f"request {begun}")
            begun += 1
    except BaseException as error:
        print(f"a worker failed: {error!r}", file=sys.stderr, flush=True)
    finally:
        os._exit(1)


def _compare(ledger: overbar.Ledger, log: Log, kills: int) -> Findings:
    """Check that the ledger is intact and holds at least what got out."""
    found = Findings(kills=kills)
    ledger.verify(ledger.head)
    account = ledger.show("crash")
    recorded: dict[str, Fraction] = {}
    for entry in account.entries:
        name = entry.request_id or entry.purpose
        cost = entry.reserved if entry.cost is None else entry.cost
        found.open += entry.open
        found.retried += name in recorded
        recorded[name] = recorded.get(name, Fraction(0)) + cost.pure
    released: dict[str, Fraction] = {}
    given: dict[str, object] = {}
    for name, what, positives, answer in log.lines():
        found.answers += 1
        released[name] = spent(PLAN, positives)
        if what == "batch" and given.setdefault(name, answer) != answer:
            found.wrong.append(f"{name} was answered in two ways")
    for name, cost in released.items():
        if recorded.get(name, Fraction(0)) < cost:
            found.wrong.append(f"{name} released {cost}, recorded {recorded.get(name, 0)}")
    total = account.balance.total.pure
    if total != sum(recorded.values()):
        found.wrong.append(f"rows add up to {sum(recorded.values())}, the balance says {total}")
    if total > BUDGET:
        found.wrong.append("the budget is overspent")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broken", action="store_true", help="the twin that releases first")
    asked = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        worker = releases_first if asked.broken else careful
        found = crash(Path(folder), asked.kills, asked.seed, worker)
    print(
        f"{found.kills} kills in {time.perf_counter() - start:.0f} s: {found.answers} answers got "
        f"out, {found.open} reservations were left open, {found.retried} requests were tried again"
    )
    for line in found.wrong:
        print(line)
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()
