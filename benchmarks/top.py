"""How much of the top 50 is found with pure epsilon: real releases, and peeling beside them.

Run with ``python -m benchmarks top``; ``OVERBAR_DATA`` names the folder of the datasets. Peeling is
c times the exponential mechanism, which is the same with Gumbel noise.
"""

from __future__ import annotations

from fractions import Fraction

import overbar
from benchmarks.accuracy.real import scores_of
from overbar.noise import Gumbel
from overbar_lab.metrics import measures
from overbar_lab.paper.methods import OneShot
from overbar_lab.simulation import simulate

CUTOFF = 50
#: Dataset, epsilon, and the NCR that is owed.
CASES = (
    ("zipf", "1", 0.89), ("t40i10d100k", "0.02", 0.80), ("t40i10d100k", "0.05", 0.97),
    ("bms-pos-100k", "0.05", 0.90), ("kosarak-100k", "0.1", 0.57),
)  # fmt: skip

Row = dict[str, object]


def row(name: str, epsilon: str, owed: float, runs: int) -> Row:
    scores = scores_of(name)
    plan = overbar.plan(top=True, epsilon=epsilon, cutoff=CUTOFF, monotonic=True)
    found = [overbar.top(scores, plan=plan).indices or () for _ in range(runs)]
    peeling = OneShot(Gumbel(CUTOFF / Fraction(epsilon)), CUTOFF)
    peeled = list(simulate(peeling, scores, threshold=0, runs=runs, seed=1))
    by_top, by_peeling = (measures(one, scores, cutoff=CUTOFF) for one in (found, peeled))
    ours, theirs = by_top["ncr"], by_peeling["ncr"]
    return {
        "name": f"{name}, ε = {epsilon}",
        "NCR of `top`": round(ours.mean, 3),
        "NCR of peeling": round(theirs.mean, 3),
        "recall of `top`": round(by_top["recall"].mean, 3),
        "recall of peeling": round(by_peeling["recall"].mean, 3),
        "± of NCR": round(ours.mean - ours.interval[0], 4),
        "owed": f"NCR {owed}",
    }


def rows(check: bool = False) -> list[Row]:
    return [row(*case, 3 if check else 400) for case in (CASES[:1] if check else CASES)]
