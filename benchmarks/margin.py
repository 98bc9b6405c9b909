"""How far from the threshold a candidate must be to be found: F1 of 0.9, with the best bar.

Run with ``python -m benchmarks margin``. Counts, epsilon = 1, 10,000 candidates: some lie a margin
above the threshold, all others the same margin below it. Float runs find the margin; then real
releases are made there, with the same bar.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

import overbar
from benchmarks.accuracy.drawn import Crowd, in_turn, ranked
from overbar_lab.metrics import measures
from tests.reference.plans import other_plan

CANDIDATES, WANTED = 10_000, 0.9
#: Cutoff, how many are above, and what is owed for ranked selection.
CASES = ((1, 1, 6), (5, 5, 26), (50, 50, 195), (5, 3, None), (50, 25, None))
THRESHOLD = 100_000

Row = dict[str, object]
#: From a margin to the best correction and its F1.
Best = Callable[[int], tuple[float, float]]


def least_margin(best: Best, last: int = 4096) -> tuple[int, float]:
    """Return the least margin at which F1 is high enough, and the correction there."""
    first = 0
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if best(middle)[1] >= WANTED else (middle, last)
    return last, best(last)[0]


def plans(cutoff: int) -> tuple[overbar.Plan, overbar.Plan]:
    """Return the default plan, and that of the paper."""
    told = {"epsilon": 1, "cutoff": cutoff, "monotonic": True, "candidates": CANDIDATES}
    paper = {"mechanism": "sparse-vector", "threshold_noise": "laplace", "correction": "optimal"}
    return overbar.plan(**told), overbar.plan(**told, **paper)


def released(plan: overbar.Plan, above: int, margin: int, correction: float, runs: int) -> float:
    """Return F1 of real releases."""
    steps = Fraction(round(correction / float(plan.grid))) * plan.grid
    moved = other_plan(plan, correction=steps)
    scores = np.full(CANDIDATES, THRESHOLD - margin)
    scores[:above] = THRESHOLD + margin
    found = [overbar.select(scores, threshold=THRESHOLD, plan=moved).indices for _ in range(runs)]
    return measures(found, scores, cutoff=plan.cutoff, threshold=THRESHOLD)["f1"].mean


def row(cutoff: int, above: int, owed: int | None, runs: int, releases: int) -> Row:
    plan, paper = plans(cutoff)
    grid = float(plan.grid)
    steps = np.arange(0, 8 * float(plan.query_noise.scale), max(grid, cutoff / 25))
    steps = np.round(steps / grid) * grid

    def crowd(margin: int) -> Crowd:
        return Crowd.two_points(above=above, candidates=CANDIDATES, margin=margin, cutoff=cutoff)

    def by_rank(margin: int) -> tuple[float, float]:
        correction, quality = ranked(plan, crowd(margin), runs, np.random.default_rng(1)).best(
            steps
        )
        return correction, quality.f1

    def by_turn(margin: int, corrections: np.ndarray) -> tuple[float, float]:
        tried = [
            (float(r), in_turn(paper, crowd(margin), float(r), runs, np.random.default_rng(1)).f1)
            for r in corrections
        ]
        return max(tried, key=lambda one: one[1])

    margin, correction = least_margin(by_rank)
    optimal = np.array([float(paper.correction)])
    return {
        "name": f"cutoff {cutoff}, {above} above",
        "the paper's optimal correction": least_margin(lambda m: by_turn(m, optimal))[0],
        "SVT-Exp, its best correction": least_margin(lambda m: by_turn(m, steps))[0],
        "ranked, its best correction": margin,
        "ranked, by default": least_margin(
            lambda m: (
                0.0,
                ranked(plan, crowd(m), runs, np.random.default_rng(1))
                .at(float(plan.correction))
                .f1,
            )
        )[0],
        "F1 of releases there": released(plan, above, margin, correction, releases),
        "owed": "" if owed is None else f"at most {owed}",
    }


def rows(check: bool = False) -> list[Row]:
    runs, releases = (50, 2) if check else (2_000, 200)
    return [row(*case, runs, releases) for case in (CASES[:1] if check else CASES)]
