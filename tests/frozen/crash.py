"""Kill processes that release answers, at random moments, and compare what got out with the ledger.

    python -m tests.frozen.crash --kills 1000
    python -m tests.frozen.crash --kills 1000 --database
    python -m tests.frozen.crash --stops 50

A worker is a real process with a real file, or with a real database. It writes down every answer it
was given, forced to the disk, as soon as it has it. A kill can strike anywhere: while a
reservation, a draw or a settlement is under way. With `--stops` it is the server of the database
that is stopped in the middle, without waiting for anyone. Afterwards,
for every answer that got out, the ledger must hold at least its cost, and the run that paid for a
whole answer must be settled, once.

What a strike hits is chance. A worker that is broken is struck until it is caught at what is
`--wanted`, and with `--least-open` a sound one until strikes have hit so much: up to PATIENCE times
as often as asked for, and later and later. So a busy machine takes longer, and none has bad luck.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import overbar
from tests.frozen import seam
from tests.ledger.server import Server
from tests.queue_plans import queue_plan

HIGH = 10**9
PLAN = queue_plan(epsilon="0.1", cutoff=3, monotonic=True, candidates=100)
#: Some above, some far below: enough to draw for that a kill strikes in the middle of it too.
SCORES = np.zeros(200_000, dtype=np.int64)
SCORES[[17, 4711]] = HIGH
BUDGET = 10_000
PATIENCE = 200

Worker = Callable[[overbar.Ledger, "Log", str], None]


@dataclass
class Log:
    """Where a worker writes down what it was told."""

    path: Path

    def write(
        self, name: str, what: str, cost: Fraction, answer: object, paid: int | None = None
    ) -> None:
        line = json.dumps([name, what, str(cost), answer, paid]) + "\n"
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
    log.write(name, "batch", found.spent, sorted(found.labels), found.receipt.number)
    # After a restart it is a new run, paid for anew.
    online = f"{name} online {os.getpid()} {time.monotonic_ns()}"
    with overbar.SparseVector(
        PLAN, threshold=500, booking=ledger.booking("crash", purpose=online)
    ) as run:
        for score in (-HIGH, HIGH, -HIGH, HIGH):
            answer = run.ask(score)
            log.write(online, "online", run.spent, answer)


def releases_first(ledger: overbar.Ledger, log: Log, name: str) -> None:
    """A broken twin: the answer is out before anything is reserved."""
    name = f"{name} {os.getpid()}"
    found = overbar.select(SCORES, threshold=500, plan=PLAN)
    log.write(name, "batch", found.spent, sorted(found.labels))
    overbar.select(
        SCORES, threshold=500, plan=PLAN, booking=ledger.booking("crash", request_id=name)
    )


def settles_late(ledger: overbar.Ledger, log: Log, name: str) -> None:
    """A broken twin: the answer is out before the run is settled."""
    name = f"{name} {os.getpid()} {time.monotonic_ns()}"
    held = seam.reserve(ledger, "crash", PLAN, purpose=name)
    found = overbar.select(SCORES, threshold=500, plan=PLAN)
    log.write(name, "batch", found.spent, sorted(found.labels), held.number)
    seam.settle(held, len(found))


def trusts_memory(ledger: overbar.Ledger, log: Log, name: str) -> None:
    """A broken twin: the server is not made to write its log before the answer is out."""
    with pytest.MonkeyPatch.context() as patch:
        seam.broken(patch, "commits are not forced")
        careful(ledger, log, name)


WORKERS = {
    "careful": careful,
    "releases-first": releases_first,
    "settles-late": settles_late,
    "trusts-memory": trusts_memory,
}


@dataclass
class Findings:
    """What was found after all kills."""

    strikes: int = 0
    answers: int = 0
    open: int = 0
    retried: int = 0
    wrong: list[str] = field(default_factory=list)

    def is_telling(self, worker: Worker, wanted: str, least_open: int) -> bool:
        """Whether what is wanted is wrong, or so much was hit that nothing is."""
        enough = least_open < 0 or (self.answers > 10 and self.open > least_open)
        return any(wanted in line for line in self.wrong) or (worker is careful and enough)


def crash(
    ledger: overbar.Ledger, log: Log, kills: int, chance: random.Random, worker: Worker, late: float
) -> None:
    """Start a worker and kill it, again and again."""
    note = log.path.with_suffix(".begun")
    for number in range(kills):
        # Each worker first repeats what the one before it may not have finished.
        begun = int(note.read_text() or 0) if note.exists() else 0
        child = _started(ledger, log, worker, "request", begun, note)
        time.sleep(chance.uniform(0.0, 0.25 * late))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"worker {number} ended by itself, with {status}"
        if number % 50 == 49:
            ledger.verify()


def stop_again_and_again(
    ledger: overbar.Ledger,
    log: Log,
    server: Server,
    stops: int,
    chance: random.Random,
    worker: Worker,
    late: float,
) -> None:
    """Stop the server while two workers work, again and again."""
    children = [
        _started(ledger, log, worker, f"{name} request", 0, log.path.with_suffix(f".{name}"))
        for name in (f"first {late:g}", f"second {late:g}")
    ]
    for _ in range(stops):
        time.sleep(chance.uniform(0.2, 0.8) * late)
        server.stop_at_once()
        server.start()
        ledger.verify()
    for child in children:
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"a worker ended by itself, with {status}"


def _started(
    ledger: overbar.Ledger, log: Log, worker: Worker, name: str, begun: int, note: Path
) -> int:
    """Fork a worker that works until killed, and never returns into the parent's code."""
    child = os.fork()
    if child:
        return child
    try:
        while True:
            new = note.with_suffix(note.suffix + ".new")
            new.write_text(str(begun))
            new.replace(note)
            try:
                worker(ledger, log, f"{name} {begun}")
            except overbar.LedgerError as error:
                if "postgresql" not in str(error):
                    raise
                time.sleep(0.02)  # the server is gone: the same again when it is back
            else:
                begun += 1
    except BaseException as error:
        print(f"a worker failed: {error!r}", file=sys.stderr, flush=True)
    finally:
        os._exit(1)


def _compare(ledger: overbar.Ledger, log: Log, strikes: int) -> Findings:
    """Check that the ledger is intact and holds at least what got out."""
    found = Findings(strikes=strikes)
    ledger.verify(ledger.head)
    account = ledger.show("crash")
    recorded: dict[str, Fraction] = {}
    answered = Counter(
        entry.request_id for entry in account.entries
        if entry.request_id and not entry.open and not entry.superseded
    )  # fmt: skip
    found.wrong += [f"{name} is recorded twice" for name in answered if answered[name] > 1]
    settled = {entry.number for entry in account.entries if not entry.open}
    for entry in account.entries:
        name = entry.request_id or entry.purpose
        cost = entry.reserved if entry.cost is None else entry.cost
        found.open += entry.open
        found.retried += name in recorded
        recorded[name] = recorded.get(name, Fraction(0)) + cost.pure
    released: dict[str, Fraction] = {}
    given: dict[str, object] = {}
    for name, what, cost, answer, paid in log.lines():
        found.answers += 1
        if paid is not None and paid not in settled:
            found.wrong.append(f"{name} was released, and row {paid} was never settled")
        released[name] = Fraction(str(cost))
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
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--stops", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least-open", type=int, default=-1)
    parser.add_argument("--wanted", default="")
    parser.add_argument("--database", action="store_true")
    parser.add_argument("--worker", choices=WORKERS, default="careful")
    asked = parser.parse_args()
    start, worker = time.perf_counter(), WORKERS[asked.worker]
    chance, each = random.Random(asked.seed), asked.stops or asked.kills
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        log = Log(Path(folder) / "answers.jsonl")
        log.path.touch()
        where = str(Path(folder) / "ledger.db")
        if asked.database or asked.stops:
            server = Server()
            stack.callback(server.close)
            where = server.address()
        ledger = overbar.Ledger(where)
        ledger.open("crash", epsilon=BUDGET)
        for turn in range(PATIENCE):
            late = min(1 + turn / 4, 16)
            if asked.stops:
                stop_again_and_again(ledger, log, server, each, chance, worker, late)
            else:
                crash(ledger, log, each, chance, worker, late)
            found = _compare(ledger, log, (turn + 1) * each)
            if found.is_telling(worker, asked.wanted, asked.least_open):
                break
    what, seconds = "stops" if asked.stops else "kills", time.perf_counter() - start
    print(
        f"{found.strikes} {what} in {seconds:.0f} s: {found.answers} answers got out, "
        f"{found.open} reservations were left open, {found.retried} requests were tried again"
    )
    for line in found.wrong:
        print(line)
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()
