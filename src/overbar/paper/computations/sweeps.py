"""Simulated selections: by privacy budget, by traverses, by tolerance, by threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from overbar.paper.computations.simulated import Point, measured
from overbar.paper.methods import ComparedMethod
from overbar.paper.study import Conditions, Table


@dataclass(frozen=True)
class ByBudget:
    """Every method on every dataset at every budget, queries asked as often as it takes.

    ``times_the_runs`` multiplies the runs a point where small differences are to be seen. A
    method may be given as it is instead of by its name:

    >>> from overbar.paper.data import Data
    >>> from overbar.paper.methods import OneShot
    >>> from overbar.noise import Gumbel
    >>> bold = ComparedMethod("bold", lambda setting: OneShot(Gumbel(setting.pure_scale / 2),
    ...               setting.cutoff), privacy="twice the budget", guaranteed=False)
    >>> beside = ByBudget(("zipf",), ("peeling", bold), ("1",))
    >>> [(row["method"], round(row["ncr"], 1)) for row in beside(Conditions(20, 1, Data()))]
    [('peeling', 0.9), ('bold', 1.0)]
    """

    datasets: tuple[str, ...]
    methods: tuple[str | ComparedMethod, ...]
    budgets: tuple[str, ...]
    times_the_runs: int = 1

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        conditions = replace(conditions, runs=conditions.runs * self.times_the_runs)
        return [
            measured(dataset, Point(method, epsilon), conditions)
            for dataset in conditions.data.load(self.datasets)
            for method in self.methods
            for epsilon in self.budgets
        ]


@dataclass(frozen=True)
class ByTraverses:
    """Every method on every dataset, each query asked up to so many times.

    The paper does not print the budgets of these figures. ``budgets`` has one for each dataset, in
    the same order; a stand-in takes that of the dataset it stands in for.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    budgets: tuple[str, ...]
    traverses: tuple[int, ...]

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        rows: Table = []
        for name, epsilon in zip(self.datasets, self.budgets, strict=True):
            rows += [
                measured(dataset, Point(method, epsilon, rounds), conditions)
                for dataset in conditions.data.load((name,))
                for method in self.methods
                for rounds in self.traverses
            ]
        return rows


@dataclass(frozen=True)
class ByTolerance:
    """One method with corrections for several tolerances."""

    datasets: tuple[str, ...]
    method: str
    tolerances: tuple[int, ...]
    budgets: tuple[str, ...]

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        return [
            measured(dataset, Point(self.method, epsilon, tolerance=tolerance), conditions)
            for dataset in conditions.data.load(self.datasets)
            for tolerance in self.tolerances
            for epsilon in self.budgets
        ]


@dataclass(frozen=True)
class ByThreshold:
    """Every method at two thresholds: the paper's, and halfway between ranks c and c + 1."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    budgets: tuple[str, ...]

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        rows: Table = []
        for dataset in conditions.data.load(self.datasets):
            last, next_one = (dataset.at_rank(dataset.cutoff + more) for more in (0, 1))
            for threshold in (dataset.threshold, round((last + next_one) / 2)):
                passing = sum(int(score >= threshold) for score in dataset.scores.tolist())
                rows += [
                    measured(dataset, Point(method, epsilon, threshold=threshold), conditions)
                    | {"passing": passing}
                    for method in self.methods
                    for epsilon in self.budgets
                ]
        return rows


@dataclass(frozen=True)
class ByResampling:
    """One method with its threshold noise drawn once, and drawn anew, at the same total budget."""

    datasets: tuple[str, ...]
    method: str
    budgets: tuple[str, ...]

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        return [
            measured(dataset, Point(self.method, epsilon, resample=resample), conditions)
            for dataset in conditions.data.load(self.datasets)
            for resample in (False, True)
            for epsilon in self.budgets
        ]
