"""Tables of what is compared: datasets and their scores, methods, splits of the budget."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from overbar.calibration.allocation import budget_ratio, minimise_variance
from overbar.datasets import entry
from overbar.noise import NOISES
from overbar.paper.methods import METHODS, OneShot, Setting
from overbar.paper.study import Conditions, Table
from overbar.plan import Plan


@dataclass(frozen=True)
class DatasetTable:
    """What the files hold beside what the paper prints; absent ones as the registry has them."""

    datasets: tuple[str, ...]

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        here = {one.name: one for one in conditions.data.load(self.datasets)}
        rows: Table = []
        for name in (*self.datasets, *(name for name in here if name not in self.datasets)):
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


@dataclass(frozen=True)
class ScoreProfile:
    """Scores in descending order, at ranks evenly spread on a logarithmic scale."""

    datasets: tuple[str, ...]
    places: int = 120

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        rows: Table = []
        for dataset in conditions.data.load(self.datasets):
            falling = np.sort(dataset.scores)[::-1]
            ranks = np.unique(np.geomspace(1, len(falling), self.places).round().astype(int))
            rows += [
                {
                    "dataset": dataset.title,
                    "rank": int(rank),
                    "score": float(falling[rank - 1]),
                    "threshold": dataset.threshold,
                }
                for rank in ranks
            ]
        return rows


@dataclass(frozen=True)
class Baselines:
    """The noises and corrections of the compared methods, read off what is simulated."""

    methods: tuple[str, ...]
    epsilon: str = "1"
    cutoff: int = 50
    candidates: int = 10_000

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        del conditions
        setting = Setting(
            epsilon=self.epsilon,
            cutoff=self.cutoff,
            candidates=self.candidates,
            threshold=0,
            people=self.candidates,
            upper_bound=self.candidates,
        )
        rows: Table = []
        for name in self.methods:
            built = METHODS[name](setting)
            query = built.query_noise if isinstance(built, Plan) else None
            if isinstance(built, OneShot):
                query = built.noise
            threshold = built.threshold_noise if isinstance(built, Plan) else None
            rows.append(
                {
                    "method": name,
                    "query_noise": query.name if query else None,
                    "query_scale": float(query.scale) if query else None,
                    "threshold_noise": threshold.name if threshold else None,
                    "threshold_scale": float(threshold.scale) if threshold else None,
                    "correction": float(built.correction) if isinstance(built, Plan) else None,
                    "privacy": METHODS[name].privacy,
                }
            )
        return rows


@dataclass(frozen=True)
class Allocation:
    """ε₂/ε₁ of least variance: the printed formula, and a search that knows no formula."""

    monotonic: bool
    cutoffs: tuple[int, ...] = (1, 5, 50)

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        del conditions
        formulas = {
            "SVT-Exp": ("exponential", "laplace", "(√2·c)^(2/3)", "(c/√2)^(2/3)"),
            "SVT-Gum": ("gumbel", "laplace", "(π·c/√3)^(2/3)", "(π·c/(2√3))^(2/3)"),
            "SVT-Lap": ("laplace", "laplace", "(2c)^(2/3)", "c^(2/3)"),
            "SVT-Gau": ("gaussian", "gaussian", "(2c)^(2/3)", "c^(2/3)"),
        }
        rows: Table = []
        for method, (query, threshold, general, monotonic) in formulas.items():
            noises = NOISES[query](Fraction(1)), NOISES[threshold](Fraction(1))
            for cutoff in self.cutoffs:
                by_formula, by_search = (
                    route(*noises, cutoff=cutoff, monotonic=self.monotonic, resample=False)
                    for route in (budget_ratio, minimise_variance)
                )
                rows.append(
                    {
                        "method": method,
                        "formula": monotonic if self.monotonic else general,
                        "cutoff": cutoff,
                        "ratio": by_formula,
                        "ratio_by_search": by_search,
                    }
                )
        return rows
