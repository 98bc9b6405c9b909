"""Thresholds that are off, and one that is found first from a private quantile.

The paper takes the threshold as given, between ranks c and c + 1. Here it is too low or too high by
some per cent; what counts as right stays the top c. Beside it, a tenth of ε finds a threshold: the
level between these ranks, on a public ladder, by noisy distances. One person moves the level by at
most one, so every distance too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from overbar.mechanisms import SparseVectorPlan
from overbar.noise import Gumbel
from overbar_lab.paper.methods import METHODS, ComparedMethod
from overbar_lab.paper.setting import Setting
from overbar_lab.paper.study import Conditions, Table, number
from overbar_lab.paper.sweep import BETWEEN, MISPLACED, Sweep
from overbar_lab.simulation.candidates import Candidates, Indices
from overbar_lab.simulation.seeded import UNITS, Seeded
from overbar_lab.simulation.seeded_runs import level_at, plan_run

#: The share of ε that finds the threshold.
FINDING = Fraction(1, 10)
#: Public rungs: steps of two per cent up to a million.
LADDER = np.unique(np.rint(1.02 ** np.arange(698)))
FOUND = "T found first"
FREE = "top"


@dataclass(frozen=True)
class FoundFirst:
    """A run whose threshold is a rung of the ladder, drawn by its noisy distance to the right."""

    plan: SparseVectorPlan
    finding: Gumbel

    @property
    def cutoff(self) -> int:
        """How many a run selects at most."""
        return self.plan.cutoff

    def run(self, candidates: Candidates, generator: np.random.Generator) -> Indices:
        """Find a threshold, and run."""
        right = candidates.falling[self.cutoff - 1 : self.cutoff + 1].mean()
        following = np.append(LADDER[1:], np.inf)
        away = np.maximum(np.maximum(LADDER - right, right - following), 0)
        values = Seeded(generator).draws(self.finding, UNITS, len(LADDER)) - away
        level = level_at(LADDER[np.argmax(values)], self.plan)
        return plan_run(self.plan, candidates, generator, level=level).selected


def found_first(setting: Setting) -> FoundFirst:
    """Return SVT-Exp with the optimal correction, after a tenth of ε has found its threshold."""
    finding = FINDING * setting.budget
    plan = METHODS["SVT-Exp (optimal)"](replace(setting, epsilon=setting.budget - finding))
    assert isinstance(plan, SparseVectorPlan)
    return FoundFirst(plan, Gumbel(2 * setting.threshold_shift / finding))


@dataclass(frozen=True)
class Misplaced:
    """Methods at thresholds that are off by so many per cent, one budget for each dataset.

    The threshold that is found first, and top, which has none, stand beside them at every place.
    """

    datasets: tuple[str, ...]
    budgets: tuple[str, ...]
    rounds: int | None
    methods: tuple[str, ...] = ("SVT-Exp (optimal)", "SVT-Exp (halfway)", "SVT-Lap")
    off: tuple[int, ...] = (-50, -20, -10, 0, 10, 20, 50)
    share: float = 0.5

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        places = [BETWEEN if not off else MISPLACED.format(off) for off in self.off]
        sweep = Sweep(
            self.datasets,
            self.methods,
            self.budgets,
            (self.rounds,),
            thresholds=tuple(places),
            one_budget_each=True,
            share=self.share,
        )
        found = ComparedMethod(FOUND, found_first, "pure ε, a tenth for the threshold")
        same = replace(sweep, methods=(found, FREE), thresholds=(BETWEEN,))
        known = same(conditions)
        right = {row["dataset"]: number(row, "threshold") for row in known}
        table = [
            row | {"off": round(100 * (number(row, "threshold") / right[row["dataset"]] - 1))}
            for row in sweep(conditions)
        ]
        return table + [row | {"off": off} for row in known for off in self.off]
