"""The same small runs in this house and in the house as it was, compared by a two-sample χ².

    OVERBAR_BEFORE=FOLDER python -m tests.frozen.before_laws --runs 20000

The folder is what ``python -m tools.before`` makes. Each house draws in a process of its own, from
the system. The control is a plan of the old house with two thirds of the ε: it must be told apart.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import overbar
from benchmarks.before import VARIABLE
from tests.frozen.chi_square import FALSE_ALARM, two_samples
from tests.frozen.draws import draws
from tests.frozen.test_laws import ASKED as ALONE
from tests.frozen.test_laws import BATCHES, ONLINE, SCORES, THRESHOLD, TURNS, VALUES

ROOT = Path(__file__).parents[2]
Case = tuple[dict[str, object], str, tuple[int, ...], int]
CASES: dict[str, Case] = {
    **{name: (asked, "at once", SCORES, THRESHOLD) for name, asked in BATCHES.items()},
    **{
        f"online, {name}": (ALONE | TURNS | {"correction": 0} | asked, "one by one", SCORES, 1)
        for name, asked in ONLINE.items()
    },
    **{
        f"values, {name}": (ALONE | asked | {"top": True, "counts": True}, "at once", (5, 4), 0)
        for name, asked in VALUES.items()
    },
}


def folder() -> Path | None:
    """Return where the house as it was stands; None if it is nowhere."""
    found = Path(os.environ.get(VARIABLE) or ROOT / ".before")
    return found if (found / "src" / "overbar").is_dir() else None


def as_it_was(cases: dict[str, Case], runs: int) -> dict[str, Counter[str]]:
    """Return what so many runs of each case give there."""
    paths = os.pathsep.join([str(Path(str(folder())) / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "tests.frozen.as_it_was", str(runs)], input=json.dumps(cases),
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {name: Counter(found) for name, found in map(json.loads, done.stdout.splitlines())}


def as_it_is(case: Case, runs: int) -> Counter[str]:
    """Return what so many runs of a case give here."""
    asked, how, scores, threshold = case
    plan = overbar.plan(**asked)
    return Counter(map(str, draws(plan, scores, threshold, runs, how)))


def compare(names: list[str], runs: int) -> list[str]:
    """Return the cases in which the houses differ, or in which the control is not noticed."""
    cases = {name: CASES[name] for name in names}
    weaker = {
        f"{name} (control)": (asked | {"epsilon": asked["epsilon"] * 2 / 3}, *rest)  # type: ignore[operator]
        for name, (asked, *rest) in cases.items()
    }
    before, wrong = as_it_was(cases | weaker, runs), []
    for name, case in cases.items():
        now = as_it_is(case, runs)
        same, other = (two_samples(before[one], now) for one in (name, f"{name} (control)"))
        print(f"{name}: p = {same:.3g}, of the control {other:.3g}")
        if same <= FALSE_ALARM:
            wrong.append(name)
        if other >= FALSE_ALARM:
            wrong.append(f"{name} (control)")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=CASES)
    asked = parser.parse_args()
    if folder() is None:
        raise SystemExit(f"{VARIABLE} must name what python -m tools.before makes")
    wrong = compare(asked.cases, asked.runs)
    print(f"{len(asked.cases)} laws, not as before or not told apart: {wrong or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
