"""Studies of our own: what race accounting gains."""

from __future__ import annotations

import itertools

from overbar.paper.methods import METHODS, Setting
from overbar.paper.study import Conditions, Row, Table
from overbar.plan import Plan


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
