"""Times of `select` and `top` beside those of another checkout, in turns within one run.

Run with ``OVERBAR_BEFORE=FOLDER python -m benchmarks before``, where the folder is a checkout of an
earlier commit; ``python -m tools.before`` makes one. Both are started in processes of their own,
one after the other, a few times; the shortest time of each counts.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import AbsentError

VARIABLE = "OVERBAR_BEFORE"
HERE = Path(__file__).parent.parent
Row = dict[str, object]
#: What is owed of the ratio to before, or of the time.
OWED = {"select, plan at hand": "at most 2 ×", "select": "at most 2 ×", "top": "at most 10 ms"}


def measure(count: int, repeats: int) -> None:
    """Print the shortest times of the package that is imported here, as JSON."""
    import numpy as np

    import overbar

    scores = (10_000 / np.arange(1, count + 1)).astype(np.int64)
    told = {"epsilon": 1, "cutoff": 50, "monotonic": True}
    make = getattr(overbar, "calibrate", None) or overbar.plan  # as before, if so
    plan, with_delta = (make(**told, delta=delta, candidates=count) for delta in (0, "1e-6"))
    calls = {
        "select, plan at hand": lambda: overbar.select(scores, threshold=200, plan=plan),
        "select": lambda: overbar.select(scores, threshold=200, **told),
        "select, δ = 10⁻⁶, plan at hand": lambda: overbar.select(
            scores, threshold=200, plan=with_delta
        ),
        "top": lambda: overbar.top(scores, **told),
    }
    found: dict[str, float] = {}
    for name, call in calls.items():
        for _ in range(repeats):
            start = time.perf_counter()
            call()
            found[name] = min(found.get(name, 1e9), time.perf_counter() - start)
    print(json.dumps(found))


def measure_batches(total: int) -> None:
    """Select from many candidates in batches and print seconds and MiB."""
    import overbar
    from benchmarks.mechanism import batches

    start = time.perf_counter()
    plan = overbar.plan(cutoff=50, epsilon=1, monotonic=True, candidates=total)
    overbar.select(batches(total, 10**6), threshold=10**6, plan=plan)
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def started(folder: Path, code: str) -> object:
    """Run some code of this file in a process that imports the package of a checkout."""
    paths = os.pathsep.join([str(folder / "src"), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-c", f"from benchmarks.before import *; {code}"],
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def rows(check: bool = False) -> list[Row]:
    folder = HERE if check else Path(os.environ.get(VARIABLE) or os.devnull)
    if not (folder / "src" / "overbar").is_dir():
        raise AbsentError(f"{VARIABLE} must name a checkout of an earlier commit")
    count, repeats, times = (1_000, 1, 1) if check else (10**6, 15, 4)
    before: dict[str, float] = {}
    now: dict[str, float] = {}
    for _ in range(times):
        for best, place in ((before, folder), (now, HERE)):
            found = started(place, f"measure({count}, {repeats})")
            assert isinstance(found, dict)
            for name, seconds in found.items():
                best[name] = min(best.get(name, 1e9), seconds)
    made: list[Row] = [
        {"name": f"{name}, {count:,} scores", "ms before": round(1e3 * before[name], 2),
         "ms now": round(1e3 * now[name], 2), "ratio": round(now[name] / before[name], 2),
         "owed": OWED.get(name, "")}
        for name in now
    ]  # fmt: skip
    total = 10_000 if check else 10**8
    found = started(HERE, f"measure_batches({total})")
    assert isinstance(found, list)
    made.append({"name": f"select from {total:,} in batches", "ms now": round(1e3 * found[0]),
                 "MiB": round(found[1]), "owed": "under 512 MiB"})  # fmt: skip
    return made
