"""Work through the changes of a room, several processes at a time."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from mutation import report, trial
from mutation.operators import Mutant
from mutation.rooms import ROOMS
from mutation.survey import Survey, Surveyor

#: Against a process that waits without using the processor.
WALL_SECONDS = 300.0

T = TypeVar("T")

#: A change, the file it is in and the tests to run on it.
Task = tuple[Mutant, Path, list[str]]


def tests_of(room: str) -> list[str]:
    """Return the places of a room's tests and doctests."""
    return [place for place in (*ROOMS[room], f"src/overbar/{room}") if Path(place).exists()]


def survey_room(room: str, scratch: Path) -> Survey:
    """Run the unchanged tests in a process of their own and return what they execute."""

    def survey() -> tuple[Survey, list[str]]:
        surveyor = Surveyor(str(Path("src/overbar", room).resolve()))
        pytest.main([*trial.QUIET, *tests_of(room)], plugins=[surveyor])
        return surveyor.finish(), surveyor.failed

    found, failed = _apart(survey, scratch)
    if failed:
        sys.exit(f"without any change this fails: {', '.join(failed)}")
    return found


def try_all(
    room: str,
    todo: list[Mutant],
    survey: Survey,
    *,
    seconds: float,
    processes: int,
    scratch: Path,
    results: Path,
) -> None:
    """Try changes and write down their outcomes. A change that no test executes survives."""
    at_import: list[Task] = []
    inside: list[Task] = []
    for mutant in todo:
        path = Path("src/overbar", room, f"{mutant.module}.py")
        lines = str(path), mutant.line, mutant.last_line
        tests = survey.tests_for(*lines, seconds)
        if not tests:
            report.append(results, mutant, "survived")
        elif survey.runs_at_import(*lines):
            at_import.append((mutant, path.resolve(), tests))
        else:
            inside.append((mutant, path.resolve(), tests))

    def cold(task: Task) -> str:
        mutant, path, tests = task
        module = f"overbar.{room}.{mutant.module}".removesuffix(".__init__")
        return trial.cold(path, module, mutant.number, tests, survey.seconds)

    class Warm:
        """A pytest plugin that tries changes instead of running all tests once."""

        unsettled: list[Task]

        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            loaded = trial.Loaded.now(session, Path("src/overbar", room).resolve())

            def warm(task: Task) -> str:
                mutant, path, tests = task
                return trial.warm(loaded, path, mutant.number, tests, survey.seconds)

            gc.collect()
            gc.freeze()
            self.unsettled = _several(inside, warm, processes, scratch, results)
            return True

    def all_warm() -> list[Task]:
        plugin = Warm()
        pytest.main([*trial.QUIET, *tests_of(room)], plugins=[plugin])
        return plugin.unsettled

    # Some code cannot be exchanged: a closure that would need other variables.
    unsettled = _apart(all_warm, scratch)
    for mutant, *_ in _several([*at_import, *unsettled], cold, processes, scratch, results):
        report.append(results, mutant, "survived")


def _apart(work: Callable[[], T], scratch: Path) -> T:
    """Do something in a process of its own and return its result."""
    target = scratch / f"result-{os.getpid()}"
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            target.write_bytes(pickle.dumps(work()))
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(process, 0)
    result: T = pickle.loads(target.read_bytes())
    target.unlink()
    return result


def _several(
    tasks: list[Task],
    attempt: Callable[[Task], str],
    processes: int,
    scratch: Path,
    results: Path,
) -> list[Task]:
    """Attempt tasks, each in a process of its own, some at a time; return those without verdict."""
    done = 0
    unsettled: list[Task] = []
    running: dict[int, tuple[Task, Path, float]] = {}
    begun = time.monotonic()
    for number, task in enumerate([*tasks, *[None] * processes]):
        while running and (task is None or len(running) >= processes):
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                for one, (_, _, started) in running.items():
                    if time.monotonic() - started > WALL_SECONDS:
                        os.kill(one, signal.SIGKILL)
                time.sleep(0.005)
                continue
            ended, verdict, _ = running.pop(process)
            outcome, done, mutant = _outcome(status, verdict), done + 1, ended[0]
            if not outcome:
                unsettled.append(ended)
                continue
            report.append(results, mutant, outcome)
            if outcome == "survived" or done % 50 == 0:
                print(
                    f"{time.monotonic() - begun:6.0f} s {done:5d} {mutant.module}:"
                    f"{mutant.line} {outcome}: {mutant.before}  =>  {mutant.after}",
                    flush=True,
                )
        if task is not None:
            verdict = scratch / f"verdict-{number}"
            running[_start(task, attempt, verdict)] = task, verdict, time.monotonic()
    return unsettled


def _start(task: Task, attempt: Callable[[Task], str], verdict: Path) -> int:
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            trial.restrain()
            verdict.write_text(attempt(task))
        finally:
            os._exit(0)
    return process


def _outcome(status: int, verdict: Path) -> str:
    """Return "survived" or what noticed the change; nothing where a process left no verdict."""
    if os.WIFSIGNALED(status):
        slow = os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGKILL)
        return "timeout" if slow else f"signal {os.WTERMSIG(status)}"
    text = verdict.read_text() if verdict.exists() else ""
    verdict.unlink(missing_ok=True)
    return text
