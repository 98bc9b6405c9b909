"""What counts beside labels cost, and how exact they are: the noisy values, or new noise.

Run with ``python -m benchmarks counts``. The top of 10,000 scores of 10,000/rank. With a share,
selected scores get new noise from it; by default it is what :func:`overbar.plan` takes.
Labels are simulated with a seed.
"""

from __future__ import annotations

import numpy as np

import overbar
from overbar.runs.counting import usual_ends
from overbar_lab.metrics import measures
from overbar_lab.simulation import simulate

SCORES = 10_000 / np.arange(1, 10_001)
#: Cutoff, δ, and shares of ε for new noise.
CASES = (
    (50, "0", ("0.1", "0.3", "0.5")),
    (50, "1e-6", ("0.1", "0.3", "0.5", "0.7")),
    (20, "1e-6", ("0.5",)),
    (5, "1e-6", ("0.5",)),
)

Row = dict[str, object]


def row(cutoff: int, delta: str, counts: bool | str, runs: int) -> Row:
    plan = overbar.plan(
        top=True, epsilon=1, delta=delta, cutoff=cutoff, monotonic=True, counts=counts
    )
    found = list(simulate(plan, SCORES, threshold=0, runs=runs, seed=1))
    how = {True: "by default", False: "no counts"}.get(counts, f"a share of {counts}")
    width = None
    if plan.gives_counts:
        low, high = usual_ends(plan)
        width = round(float((high - (low or 0)) * plan.grid / 2), 1)
    return {
        "name": f"top {cutoff}, δ = {delta}, {how}",
        "noise on scores": f"{plan.query_noise.name} {float(plan.query_noise.scale):.4g}",
        "NCR": round(measures(found, SCORES, cutoff=cutoff)["ncr"].mean, 4),
        "half of the interval": width,
        "counts are": "" if width is None else "values" if plan.gives_values else "new noise",
    }


def rows(check: bool = False) -> list[Row]:
    cases = CASES[-1:] if check else CASES
    return [
        row(cutoff, delta, counts, 3 if check else 1000)
        for cutoff, delta, shares in cases
        for counts in (False, *shares, True)
    ]
