"""What is compared: datasets and their scores, methods, and what race accounting gains."""

from __future__ import annotations

import itertools

import numpy as np

from overbar.datasets.registry import entry
from overbar.paper.methods import METHODS, OneShot, Setting
from overbar.paper.study import Conditions, Row, Table, rows_of
from overbar.plans import Plan


def dataset_table(conditions: Conditions, *, datasets: tuple[str, ...]) -> Table:
    """What the files hold beside what the paper prints; absent ones as the registry has them."""
    here = {one.name: one for one in conditions.data.load(datasets)}
    rows: Table = []
    for name in (*datasets, *(name for name in here if name not in datasets)):
        known, read = entry(name), here.get(name)
        rows.append(
            {
                "dataset": known.title,
                "read": read is not None,
                "kind": known.kind,
                "printed_records": known.paper_records,
                "records": read.records if read else known.records,
                "items": len(read) if read else known.items,
                "threshold": known.threshold,
                "cutoff": known.cutoff,
                "passing": read.passing if read else None,
                "at_rank_c": float(read.at_rank(read.cutoff)) if read else None,
                "at_rank_c_plus_1": float(read.at_rank(read.cutoff + 1)) if read else None,
                "note": known.note,
            }
        )
    return rows


def score_profile(conditions: Conditions, *, datasets: tuple[str, ...], places: int = 120) -> Table:
    """Scores in descending order, at ranks evenly spread on a logarithmic scale."""
    rows: Table = []
    for dataset in conditions.data.load(datasets):
        falling = np.sort(dataset.scores)[::-1]
        ranks = np.unique(np.geomspace(1, len(falling), places).round().astype(int))
        rows += rows_of(
            {
                "dataset": dataset.title,
                "rank": ranks,
                "score": falling[ranks - 1].astype(np.float64),
                "threshold": dataset.threshold,
            }
        )
    return rows


def baselines(
    conditions: Conditions,
    *,
    methods: tuple[str, ...],
    epsilon: str = "1",
    cutoff: int = 50,
    candidates: int = 10_000,
) -> Table:
    """The noises and corrections of the compared methods, read off what is simulated."""
    del conditions
    setting = Setting(
        epsilon=epsilon,
        cutoff=cutoff,
        candidates=candidates,
        threshold=0,
        people=candidates,
        upper_bound=candidates,
    )
    rows: Table = []
    for name in methods:
        built = METHODS[name](setting)
        plan = built if isinstance(built, Plan) else None
        query = plan.query_noise if plan else built.noise if isinstance(built, OneShot) else None
        threshold = plan.threshold_noise if plan else None
        rows.append(
            {
                "method": name,
                "query_noise": query.name if query else None,
                "query_scale": float(query.scale) if query else None,
                "threshold_noise": threshold.name if threshold else None,
                "threshold_scale": float(threshold.scale) if threshold else None,
                "correction": float(plan.correction) if plan else None,
                "privacy": METHODS[name].privacy,
            }
        )
    return rows


def noise_at_equal_privacy(
    conditions: Conditions,
    *,
    cutoffs: tuple[int, ...] = (5, 50, 500),
    budgets: tuple[str, ...] = ("0.1", "0.3", "1", "3"),
    delta: str = "1e-6",
    monotonic: bool = True,
) -> Table:
    """Query noise at equal (ε, δ): by the pure theorem, and by the companion theorem of the race.

    Once appending makes a run a race, the scale of the query noise decides its accuracy.
    """
    names = ("SVT-Exp (mean)", "race-accounted", "race-accounted, bare threshold")

    def at(place: tuple[int, str]) -> Row:
        cutoff, epsilon = place
        setting = Setting(
            epsilon=epsilon,
            cutoff=cutoff,
            candidates=10_000,
            threshold=0,
            monotonic=monotonic,
            delta=delta,
            upper_bound=0,
        )
        plans = [METHODS[name](setting) for name in names]
        pure, race, bare = (
            float(plan.query_noise.scale) for plan in plans if isinstance(plan, Plan)
        )
        return {
            "cutoff": cutoff,
            "epsilon": float(epsilon),
            "delta": float(delta),
            "pure_scale": pure,
            "race_scale": race,
            "bare_scale": bare,
            "gain": pure / race,
            "gain_bare": pure / bare,
        }

    return conditions.each(at, list(itertools.product(cutoffs, budgets)))
