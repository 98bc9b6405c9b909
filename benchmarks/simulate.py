"""Simulated runs by the race against the plain loop over rounds, on the paper's Zipf scores.

Run with ``python -m benchmarks simulate``. The loop compares all queries of a round at once in
NumPy, which is as fast as a loop over rounds gets. Ratios are taken in one process, side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import overbar
from lab.tests.reference.simulate import plain_loop
from overbar.mechanisms import Plan
from overbar_lab.paper.methods import OURS, PAPER, REFERENCES, Setting
from overbar_lab.simulation import simulate
from tests.reference.plans import other_plan

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
    plan = overbar.plan(
        epsilon=1, cutoff=50, monotonic=True, candidates=10_000, mechanism="sparse-vector"
    )
    return other_plan(plan, correction=11_000)


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
    limited = other_plan(plan, rounds=1000)
    for _ in range(repeats):
        for rounds in ROUNDS:
            races[rounds] = min(
                races[rounds], of_race(other_plan(plan, rounds=rounds), 20, least=0)
            )
        start = time.perf_counter()
        plain_loop(limited, SCORES, THRESHOLD, generator)
        loops.append(time.perf_counter() - start)
    return races, loops


def rows(check: bool = False) -> list[dict[str, object]]:
    """Time the race and the loop."""
    found: list[dict[str, object]] = []

    def add(name: str, value: float, note: str = "") -> None:
        found.append({"name": name, "seconds": value, "note": note})

    repeats, queries, runs, few, least = (
        (1, 1_000, 4, 1, 0.0) if check else (12, 1_000_000, 4_000, 20, 0.5)
    )
    plan = long_plan()
    races, loops = side_by_side(plan, repeats)
    loop = min(loops)
    add("plain loop, 1,000 rounds of 10,000 queries", loop)
    for rounds, value in races.items():
        note = f"{loop / value:,.0f} times as fast" if rounds == 1000 else ""
        add(f"race, rounds={rounds if rounds is None else format(rounds, ',')}", value, note)
    large = 10_000 / np.arange(1, queries + 1)
    unlimited = other_plan(plan, rounds=None)
    add(f"race, {queries:,} queries, unlimited", of_race(unlimited, 2, large, least=least))
    one = of_race(unlimited, runs, least=least)
    two = of_race(unlimited, runs, workers=2, least=least)
    add(f"race, {runs:,} runs, one worker", one)
    add(f"race, {runs:,} runs, two workers", two, f"{one / two:.2f} times as fast")
    setting = Setting(
        epsilon=1, cutoff=50, candidates=10_000, threshold=THRESHOLD, delta="1e-4", rounds=100,
        upper_bound=10_000,
    )  # fmt: skip
    for method in (*PAPER, *OURS, *REFERENCES):
        add(f"{method.name}, 100 rounds", of_race(method(setting), few, least=least))
    add(
        "SVT-Exp, resampled",
        of_race(other_plan(unlimited, resample=True), min(few, 3), least=least),
    )
    return found
