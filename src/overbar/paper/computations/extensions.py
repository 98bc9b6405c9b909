"""Studies of our own: what race accounting gains, and what a run costs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial

import numpy as np

from overbar.paper.computations.corrections import fastest
from overbar.paper.computations.sweep import seed_of
from overbar.paper.methods import METHODS, Setting
from overbar.paper.study import Conditions, Row, Table
from overbar.plan import Plan
from overbar.simulation import simulate
from overbar.simulation.draws import draw_noise, draw_threshold_noise


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


def cost_by_rounds(
    conditions: Conditions,
    *,
    traverses: tuple[int, ...] = (1, 10, 100, 1000, 10**6, 10**9, 10**12),
    candidates: int = 10_000,
    cutoff: int = 50,
    loop_up_to: int = 1000,
    repeats: int = 9,
) -> Table:
    """Processor time of one run against traverses: a loop over rounds, and the race.

    Nothing is above the bar, so that neither can stop early: the gap is thirty noise scales.
    """
    setting = Setting(epsilon=1, cutoff=cutoff, candidates=candidates, threshold=0, upper_bound=0)
    plan = METHODS["SVT-Exp (optimal)"](setting)
    assert isinstance(plan, Plan)
    scores = np.full(candidates, -30 * float(plan.query_noise.scale))
    rows: Table = []
    for rounds in traverses:
        limited = replace(plan, rounds=rounds)
        seed = seed_of(conditions.seed, "cost", rounds)
        loop = partial(_loop, limited, scores, np.random.default_rng(seed))
        race = partial(simulate, limited, scores, threshold=0, runs=1, seed=seed, workers=1)
        rows.append(
            {
                "rounds": rounds,
                "draws_of_loop": rounds * candidates,
                "draws_of_race": candidates,
                "loop_seconds": fastest(loop, 1) if rounds <= loop_up_to else None,
                "race_seconds": fastest(race, repeats),
            }
        )
    return rows


def _loop(plan: Plan, scores: np.ndarray, generator: np.random.Generator) -> int:
    """Run the plan as the paper writes it, a round at a time; return how many were positive.

    This is what the race is measured against, and nothing else uses it.
    """
    bar = float(plan.correction) + draw_threshold_noise(plan.threshold_noise, generator)
    left, found = scores, 0
    for _ in range(plan.rounds or 1):
        positive = left + draw_noise(plan.query_noise, len(left), generator) >= bar
        found += int(positive.sum())
        if found >= plan.cutoff:
            break
        left = left[~positive]
    return found
