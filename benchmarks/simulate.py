"""Simulated runs by the race against the plain loop over rounds, on the paper's Zipf scores.

Run with ``python -m benchmarks.simulate``. The loop compares all queries of a round at once in
NumPy, which is as fast as a loop over rounds gets. Ratios are taken in one process, side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from overbar.calibration import calibrate
from overbar.paper.methods import OURS, PAPER, REFERENCES, Setting
from overbar.plan import Plan
from overbar.simulation import simulate
from tests.reference.simulate import plain_loop

SCORES = 10_000 / np.arange(1, 10_001)
THRESHOLD = 200
ROUNDS = (1, 10, 1000, 10**6, 10**12, None)


def seconds(function: Callable[[], object], at_least: float = 0.5) -> float:
    """Return the shortest time of a few calls."""
    times: list[float] = []
    while len(times) < 3 or sum(times) < at_least:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def long_plan() -> Plan:
    """Return a plan whose runs do use a thousand rounds: the bar lies far above the scores."""
    plan = calibrate(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    return replace(plan, correction=11_000)


def of_race(
    plan: Plan,
    runs: int = 50,
    scores: np.ndarray = SCORES,
    workers: int = 1,
    least: float = 0.5,
) -> float:
    """Return the time of one run."""

    def study() -> object:
        return simulate(plan, scores, threshold=THRESHOLD, runs=runs, seed=1, workers=workers)

    return seconds(study, least) / runs


def side_by_side(plan: Plan, repeats: int = 12) -> tuple[dict[int | None, float], list[float]]:
    """Take turns, so that a busy machine slows all of them alike."""
    races: dict[int | None, float] = dict.fromkeys(ROUNDS, float("inf"))
    loops = []
    generator = np.random.default_rng(1)
    limited = replace(plan, rounds=1000)
    for _ in range(repeats):
        for rounds in ROUNDS:
            races[rounds] = min(races[rounds], of_race(replace(plan, rounds=rounds), 20, least=0))
        start = time.perf_counter()
        plain_loop(limited, SCORES, THRESHOLD, generator)
        loops.append(time.perf_counter() - start)
    return races, loops


def rows() -> list[dict[str, object]]:
    """Time the race and the loop."""
    found: list[dict[str, object]] = []

    def add(name: str, value: float, note: str = "") -> None:
        found.append({"name": name, "seconds": value, "note": note})

    plan = long_plan()
    races, loops = side_by_side(plan)
    loop = min(loops)
    add("plain loop, 1,000 rounds of 10,000 queries", loop)
    for rounds, value in races.items():
        note = f"{loop / value:,.0f} times as fast" if rounds == 1000 else ""
        add(f"race, rounds={rounds if rounds is None else format(rounds, ',')}", value, note)
    large = 10_000 / np.arange(1, 1_000_001)
    add("race, a million queries, unlimited", of_race(replace(plan, rounds=None), 2, large))
    one = of_race(replace(plan, rounds=None), 4000)
    two = of_race(replace(plan, rounds=None), 4000, workers=2)
    add("race, 4,000 runs, one worker", one)
    add("race, 4,000 runs, two workers", two, f"{one / two:.2f} times as fast")
    setting = Setting(
        epsilon=1, cutoff=50, candidates=10_000, threshold=THRESHOLD, delta="1e-4", rounds=100,
        upper_bound=10_000,
    )  # fmt: skip
    for method in (*PAPER, *OURS, *REFERENCES):
        add(f"{method.name}, 100 rounds", of_race(method(setting), 20))
    add("SVT-Exp, resampled", of_race(replace(plan, rounds=None, resample=True), 3))
    return found


def main() -> None:
    """Print the table."""
    for row in rows():
        print(f"{row['name']:46} {1e6 * float(row['seconds']):12,.0f} µs  {row['note']}")


if __name__ == "__main__":
    main()
