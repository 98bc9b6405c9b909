"""One point of a figure: a method on a dataset, simulated and measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from overbar import metrics
from overbar.datasets import Dataset
from overbar.paper.methods import METHODS, ComparedMethod, Setting
from overbar.paper.study import Conditions, Row
from overbar.simulation import simulate

#: A public bound on the assigned scores of Binary and Zipf; those of records have their number.
ASSIGNED_BOUND = 10_000


@dataclass(frozen=True)
class Point:
    """What is simulated besides the dataset.

    A method is one of :mod:`overbar.paper.methods` by its name, or a new one as it is.
    ``threshold`` None is the dataset's own.
    """

    method: str | ComparedMethod
    epsilon: str
    rounds: int | None = None
    tolerance: int = 0
    threshold: int | None = None
    resample: bool = False


def seed_of(seed: int, *parts: object) -> int:
    """Return a seed for one point, so that points are independent and none depends on another."""
    text = "|".join(str(part) for part in (seed, *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def measured(dataset: Dataset, point: Point, conditions: Conditions) -> Row:
    """Simulate one point; NCR, F1, precision and recall with 95 % intervals over runs.

    δ, where a method needs one, is one in the number of records. Binary and Zipf have none, so
    the number of their items takes its place.
    """
    method = METHODS[point.method] if isinstance(point.method, str) else point.method
    threshold = dataset.threshold if point.threshold is None else point.threshold
    plan = method(
        Setting(
            epsilon=point.epsilon,
            cutoff=dataset.cutoff,
            candidates=len(dataset),
            threshold=threshold,
            people=dataset.people or len(dataset),
            rounds=point.rounds,
            upper_bound=dataset.records or ASSIGNED_BOUND,
            tolerance=point.tolerance,
            resample=point.resample,
        )
    )
    named = replace(point, method=method.name)
    seed = seed_of(conditions.seed, dataset.name, *vars(named).values())
    runs = simulate(plan, dataset.scores, threshold=threshold, runs=conditions.runs, seed=seed)
    row: Row = {
        "dataset": dataset.title,
        "method": method.name,
        "guaranteed": method.guaranteed,
        "epsilon": float(point.epsilon),
        "rounds": point.rounds,
        "tolerance": point.tolerance,
        "threshold_drawn": "anew after each positive" if point.resample else "once",
        "threshold": threshold,
        "cutoff": dataset.cutoff,
        "runs": conditions.runs,
        "selected": sum(map(len, runs.selected)) / conditions.runs,
    }
    for name, measure in (
        ("ncr", metrics.ncr),
        ("f1", metrics.f1),
        ("precision", metrics.precision),
        ("recall", metrics.recall),
    ):
        found = measure(runs.selected, dataset.scores, cutoff=dataset.cutoff, threshold=threshold)
        row |= {name: found.mean, f"{name}_low": found.interval[0]}
        row |= {f"{name}_high": found.interval[1]}
    return row
