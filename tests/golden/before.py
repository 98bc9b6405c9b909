"""Random plans of the house as it is, beside those of the house as it was.

    python -m tests.golden.before [--plans 1000] [--seed 7]

`OVERBAR_BEFORE` names the worktree that ``python -m tools.before`` makes, or it lies where that
command makes it. Each house is asked in a process of its own for plans that are not golden.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.before import VARIABLE
from tests.golden import drawn
from tests.golden import seam as house
from tests.golden.compare import as_golden, at_same_noise, failing, read_better
from tests.golden.entries import read
from tools.before import FOLDER, ROOT

#: What runs with the other house: requests come in, a line each, and numbers go out.
ASK = """
import json, sys
import overbar
from tests.golden.seam_before import numbers
print(json.dumps(overbar.__file__))
for line in sys.stdin:
    print(json.dumps(numbers(json.loads(line))))
"""


def folder():
    """Return where the house as it was is; None if it is nowhere."""
    found = Path(os.environ.get(VARIABLE) or ROOT / FOLDER)
    return found if (found / "src" / "overbar").is_dir() else None


def requests(count, seed):
    """Return so many requests that are not golden, of each kind in turn."""
    rng = random.Random(seed)
    golden = [entry["ask"] for entry in read("plans")]
    found, kinds = [], list(drawn.KINDS)
    while len(found) < count:
        asked = drawn.request(kinds[len(found) % len(kinds)], rng)
        if asked not in golden:
            found.append(asked)
    return found


def before(place, asked):
    """Return what the house as it was says of all requests."""
    with tempfile.TemporaryFile("w+") as lines:
        lines.write("".join(json.dumps(one) + "\n" for one in asked))
        lines.seek(0)
        paths = os.pathsep.join([str(place / "src"), str(ROOT)])
        done = subprocess.run(
            [sys.executable, "-c", ASK],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, stdin=lines,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"the house as it was did not answer: {done.stderr[-2000:]}")
    used, *numbers = map(json.loads, done.stdout.splitlines())
    assert Path(used).is_relative_to(place / "src"), used
    return numbers


def compared(place, count, seed, ask=house.numbers):
    """Return (request, what fails) of each plan that is not as it was."""
    asked, lines, found = requests(count, seed), read_better(), []
    for one, was in zip(asked, before(place, asked), strict=True):
        entry = {"name": one["verb"], "ask": one, "tags": drawn.tags_of(one), "is": as_golden(was)}
        if fails := failing(entry, at_same_noise(entry, ask), lines):
            found.append((one, fails))
    return found


def main():
    """Compare, and say what is not as it was."""
    parser = argparse.ArgumentParser(description="Plans of this house beside the one before")
    parser.add_argument("--plans", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    place = folder()
    if place is None:
        raise SystemExit(f"{VARIABLE} must name a worktree: python -m tools.before makes one")
    found = compared(place, chosen.plans, chosen.seed)
    for asked, fails in found:
        print(json.dumps(asked), fails)
    said = Counter(verdict for _, fails in found for verdict in fails.values())
    counted = ", ".join(f"{count} {verdict}" for verdict, count in sorted(said.items()))
    print(f"{chosen.plans} plans, {len(found)} of them not as before: {counted or 'nothing'}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
