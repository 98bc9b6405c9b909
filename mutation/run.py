"""Work through the changes of a room, several at a time."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from pathlib import Path

import pytest

from mutation import trial
from mutation.operators import Mutant
from mutation.rooms import ROOMS
from mutation.survey import Survey, Surveyor


def survey_room(room: str, scratch: Path) -> Survey:
    """Run the unchanged tests in a process of their own and return what they execute."""
    target = scratch / "survey"
    tests = [place for place in (*ROOMS[room], f"src/overbar/{room}") if Path(place).exists()]
    process = os.fork()
    if process == 0:
        surveyor = Surveyor(str(Path("src/overbar", room).resolve()))
        pytest.main([*trial.QUIET, *tests], plugins=[surveyor])
        target.write_bytes(pickle.dumps((surveyor.finish(), surveyor.failed)))
        os._exit(0)
    os.waitpid(process, 0)
    survey, failed = pickle.loads(target.read_bytes())
    if failed:
        sys.exit(f"without any change this fails: {', '.join(failed)}")
    assert isinstance(survey, Survey)
    return survey


def try_all(
    room: str, todo: list[Mutant], survey: Survey, processes: int, scratch: Path
) -> dict[Mutant, str]:
    """Try changes and return each with its outcome. A change that no test executes survives."""
    outcomes: dict[Mutant, str] = {}
    running: dict[int, tuple[Mutant, trial.Trial]] = {}
    waiting = todo[::-1]
    begun = time.monotonic()
    while waiting or running:
        while waiting and len(running) < processes:
            mutant = waiting.pop()
            path = Path("src/overbar", room, f"{mutant.module}.py")
            tests = survey.tests_for(str(path), mutant.line, mutant.last_line)
            if not tests:
                outcomes[mutant] = "survived"
                continue
            verdict = scratch / f"verdict-{len(outcomes) + len(running)}-{len(waiting)}"
            one = trial.start(path.resolve(), room, mutant, tests, survey.seconds, verdict)
            running[one.process] = mutant, one
        process, status = os.waitpid(-1, os.WNOHANG) if running else (0, 0)
        if process == 0:
            _end_overdue([one for _, one in running.values()])
            time.sleep(0.02)
            continue
        mutant, one = running.pop(process)
        outcomes[mutant] = one.outcome(status)
        if outcomes[mutant] == "survived" or len(outcomes) % 50 == 0:
            print(
                f"{time.monotonic() - begun:6.0f} s {len(outcomes):5d} {mutant.module}:"
                f"{mutant.line} {outcomes[mutant]}: {mutant.before}  =>  {mutant.after}",
                flush=True,
            )
    return outcomes


def _end_overdue(trials: list[trial.Trial]) -> None:
    for one in trials:
        if one.overdue:
            os.kill(one.process, signal.SIGKILL)
