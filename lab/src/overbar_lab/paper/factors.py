"""What each choice is worth: the noise, the correction, and asking again, at every ε.

Every noise with every correction, each query asked once and as often as it takes. A choice is worth
what changing it alone adds, on average over datasets and over all the other choices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from overbar.mechanisms import Repeats, ScorePlan, SparseVectorPlan
from overbar_lab.paper.claim import MethodPair, Pairs
from overbar_lab.paper.methods import SEQUENTIAL, Build, ComparedMethod, sparse_vector
from overbar_lab.paper.setting import Setting
from overbar_lab.paper.study import Conditions, Row, Table, values
from overbar_lab.paper.sweep import Sweep

NOISES: tuple[str, ...] = ("exponential", "gumbel", "laplace")
CORRECTIONS: tuple[str, ...] = ("none", "mean", "optimal")
KEYS = ("dataset", "epsilon", "noise", "correction", "rounds")
#: What is changed, from what to what, by its name in figures.
CHOICES = {
    "correction: optimal in place of none": ("correction", "none", "optimal"),
    "correction: optimal in place of mean": ("correction", "mean", "optimal"),
    "queries: asked again in place of once": ("rounds", 1, None),
    "noise: exponential in place of Laplace": ("noise", "laplace", "exponential"),
    "noise: exponential in place of Gumbel": ("noise", "gumbel", "exponential"),
}


@dataclass(frozen=True)
class Factors:
    """All combinations as a table; the mean of Laplace noise is zero, so it stands once."""

    datasets: tuple[str, ...]
    budgets: tuple[str, ...]
    share: float = 0.2

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        methods = tuple(
            ComparedMethod(f"{noise}, {correction}", _once(noise, correction), SEQUENTIAL)
            for noise, correction in product(NOISES, CORRECTIONS)
            if (noise, correction) != ("laplace", "mean")
        )
        sweep = Sweep(self.datasets, methods, self.budgets, (1, None), share=self.share)
        return [
            row | dict(zip(("noise", "correction"), str(row["method"]).split(", "), strict=True))
            for row in sweep(conditions)
        ]


def _once(noise: str, correction: str) -> Build:
    """Find a correction once: it does not depend on how often queries are asked."""
    known = lru_cache(sparse_vector(noise, correction))

    def build(setting: Setting) -> ScorePlan:
        plan = known(replace(setting, rounds=None))
        assert isinstance(plan, SparseVectorPlan)
        return replace(plan, repeats=Repeats(setting.rounds))

    return build


def worth(table: Table, choice: str, measure: str, epsilon: object = None) -> Pairs:
    """Return what a choice adds wherever all else is the same, at one ε or at all."""
    column, old, new = CHOICES[choice]
    keys = [key for key in KEYS if key != column]
    table = table if epsilon is None else [row for row in table if row["epsilon"] == epsilon]
    before = {tuple(row[key] for key in keys): row for row in table if row[column] == old}
    return Pairs(
        MethodPair(row, before[place], measure)
        for row in table
        if row[column] == new and (place := tuple(row[key] for key in keys)) in before
    )


def worths(table: Table) -> Table:
    """Return what every choice adds at every ε, by NCR and by F1, with intervals."""
    rows: list[Row] = []
    for name, measure in (("NCR", "ncr"), ("F1", "f1")):
        for choice, epsilon in product(CHOICES, values(table, "epsilon")):
            of = worth(table, choice, measure, epsilon)
            rows.append(
                {
                    "dataset": name,
                    "method": choice,
                    "epsilon": epsilon,
                    "rounds": None,
                    "cutoff": table[0]["cutoff"],
                    "runs": table[0]["runs"],
                    "worth": of.mean,
                    "worth_low": of.mean - of.reach,
                    "worth_high": of.mean + of.reach,
                }
            )
    return rows
