"""Run the changes of some rooms and report which of them no test noticed.

``python -m mutation`` runs all rooms, ``python -m mutation sampling --sample 300`` a random sample
of one, ``python -m mutation sampling --survivors`` again those that survived the last time.
Outcomes are written to build/mutation/.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from mutation import report, run, trial
from mutation.operators import Mutant, mutants
from mutation.rooms import ROOMS

HERE = Path.cwd()
RESULTS = HERE / "build" / "mutation"
LEFT_OUT = (".git", ".venv", ".*_cache", "__pycache__", ".hypothesis", "build", "docs")


def main() -> None:
    """Read the command line, and work on a copy of the source, which somebody may be editing."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="room", help=f"of {', '.join(ROOMS)}")
    parser.add_argument("--sample", type=int, help="changes tried per room; default all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests for each change")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--survivors", action="store_true", help="of the last run, not justified")
    parser.add_argument("--tables", action="store_true", help="of the last runs, in Markdown")
    asked = parser.parse_args()
    unknown = sorted(set(asked.rooms) - set(ROOMS))
    if unknown:
        parser.error(f"no such room: {', '.join(unknown)}; there are {', '.join(ROOMS)}")
    if asked.tables:
        for room in asked.rooms or ROOMS:
            print(report.tables(room, report.read(RESULTS / f"{room}.jsonl")))
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="overbar-mutation-") as scratch:
        copy = Path(scratch) / "overbar"
        shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        os.chdir(copy)
        sys.dont_write_bytecode = False  # the copy is ours, and compiled once for all processes
        sys.path.insert(0, str(copy / "src"))
        trial.load_everything_else()
        for room in asked.rooms or ROOMS:
            run_room(room, asked, Path(scratch))
        os.chdir(HERE)


def run_room(room: str, asked: argparse.Namespace, scratch: Path) -> None:
    """Survey a room, try its changes, write every outcome down and print the score."""
    sources = sorted(Path("src/overbar", room).glob("*.py"))
    every = [one for path in sources for one in mutants(path.read_text(), path.stem)]
    results = RESULTS / f"{room}.jsonl"
    before: dict[Mutant, str] = report.read(results) if asked.survivors else {}
    before = report.still_there(before, every)
    todo = every
    if asked.survivors:
        known = report.justified(room)
        survived = [one for one, how in before.items() if how == "survived"]
        todo = [one for one in survived if report.key(one) not in known]
    elif asked.sample is not None and asked.sample < len(every):
        todo = random.Random(asked.seed).sample(every, asked.sample)
    survey = run.survey_room(room, scratch)
    print(f"{room}: {len(todo)} of {len(every)} changes, {len(survey.seconds)} tests", flush=True)
    report.write(results, before)
    run.try_all(
        room,
        todo,
        survey,
        seconds=asked.seconds,
        processes=asked.processes,
        scratch=scratch,
        results=results,
    )
    print(report.summary(room, report.read(results)), flush=True)


if __name__ == "__main__":
    main()
