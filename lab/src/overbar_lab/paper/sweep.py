"""Simulated selections over a grid of methods, budgets, traverses and more."""

from __future__ import annotations

import hashlib
import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
from scipy.stats import binom

from overbar.errors import ParameterError
from overbar_lab.datasets import Dataset
from overbar_lab.metrics import Truth, measures_by, truth_of
from overbar_lab.paper.methods import METHODS, ComparedMethod, Setting
from overbar_lab.paper.study import Conditions, Row, Table, number
from overbar_lab.simulation import simulate
from overbar_lab.simulation.candidates import Array

#: A public bound on the assigned scores of Binary and Zipf; those of records have their number.
ASSIGNED_BOUND = 10_000
#: Passes over all candidates that are as good as no end.
MOST_PASSES = 1e12
#: The dataset's own threshold, one halfway between ranks c and c + 1, and that one misplaced.
OWN, BETWEEN, MISPLACED = "own", "between ranks", "between ranks, {:+d} %"


@dataclass(frozen=True)
class Point:
    """What is simulated besides the dataset; no more than `most` of what a run finds counts."""

    method: ComparedMethod
    epsilon: str
    rounds: int | None = None
    tolerance: int = 0
    threshold: str = OWN
    resample: bool = False
    most: int | None = None

    @property
    def place(self) -> tuple[object, ...]:
        """All but the method."""
        return tuple(vars(self).values())[1:]

    @property
    def off(self) -> Fraction:
        """By which share the threshold is misplaced."""
        percent = self.threshold.removeprefix(BETWEEN).strip(", %")
        return Fraction(percent or 0) / 100 if self.threshold != OWN else Fraction(0)


@dataclass(frozen=True)
class Sweep:
    """Every method on every dataset, at every combination of what else is given.

    Attributes
    ----------
    datasets, methods
        Names, or a dataset or method of your own as it is.
    budgets, traverses, tolerances, thresholds, resample
        What is combined. Traverses None: queries are asked as often as it takes.
    one_budget_each
        Whether the first budget goes with the first dataset, the second with the second, ...
    equal_cost
        Whether, at each point, every method is stopped after as many positives as the method that
        finds fewest has on average: then all of them have spent the same.
    share
        Multiplies the runs a point: less where runs are slow, more where differences are small.
    monotonic
        Whether one person moves all scores in one direction, as counts are moved.

    Examples
    --------
    >>> from overbar_lab.paper import Data
    >>> from overbar_lab.paper.methods import OneShot
    >>> from overbar.noise import Gumbel
    >>> bold = ComparedMethod("bold", lambda setting: OneShot(Gumbel(setting.pure_scale / 2),
    ...               setting.cutoff), privacy="twice the budget", guaranteed=False)
    >>> beside = Sweep(("zipf",), ("peeling", bold), ("1",))
    >>> [(row["method"], round(row["ncr"], 1)) for row in beside(Conditions(20, 1, Data()))]
    [('peeling', 0.9), ('bold', 1.0)]
    """

    datasets: tuple[str | Dataset, ...]
    methods: tuple[str | ComparedMethod, ...]
    budgets: tuple[str, ...]
    traverses: tuple[int | None, ...] = (None,)
    tolerances: tuple[int, ...] = (0,)
    thresholds: tuple[str, ...] = (OWN,)
    resample: tuple[bool, ...] = (False,)
    one_budget_each: bool = False
    equal_cost: bool = False
    share: float = 1.0
    monotonic: bool = True

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        conditions = conditions.times(self.share)
        points = list(self._points(conditions))
        table = conditions.each(lambda one: self._measured(*one, conditions), points)
        if not self.equal_cost:
            return table
        fewest: dict[tuple[object, ...], int] = {}
        for (dataset, point), row in zip(points, table, strict=True):
            key = dataset.name, *point.place
            positives = max(1, int(number(row, "selected")))
            fewest[key] = min(positives, fewest.get(key, positives))
        points = [
            (dataset, replace(point, most=fewest[dataset.name, *point.place]))
            for dataset, point in points
        ]
        return conditions.each(lambda one: self._measured(*one, conditions), points)

    def _measured(self, dataset: Dataset, point: Point, conditions: Conditions) -> Row:
        return measured(dataset, point, conditions, monotonic=self.monotonic)

    def _points(self, conditions: Conditions) -> itertools.chain[tuple[Dataset, Point]]:
        methods = [_method(one) if isinstance(one, str) else one for one in self.methods]
        budgets = [(one,) for one in self.budgets] if self.one_budget_each else [self.budgets]
        each = zip(self.datasets, itertools.cycle(budgets), strict=False)
        return itertools.chain.from_iterable(
            (
                (dataset, Point(method, epsilon, rounds, tolerance, threshold, resample))
                for threshold, method, resample, tolerance, epsilon, rounds in itertools.product(
                    self.thresholds, methods, self.resample, self.tolerances, some, self.traverses
                )
            )
            for name, some in each
            for dataset in conditions.data.load((name,))
        )


#: The probability that an interval misses what it is for.
MISSED = 0.05


def _passes(passes: Array | None) -> Row:
    """Return the median of comparisons by candidates over runs, with a 95 % interval.

    A median, because a bar that nobody reaches makes some runs all but endless. Empty where a
    method does not compare in turn, or was stopped.
    """
    names = ("passes", "passes_low", "passes_high")
    if passes is None or np.isnan(passes).any():
        return dict.fromkeys(names)
    least = _least_rank(len(passes))
    ranks = (len(passes) // 2, max(0, least - 1), min(len(passes) - 1, len(passes) - least))
    rising = np.sort(np.minimum(passes, MOST_PASSES))
    return {name: float(rising[rank]) for name, rank in zip(names, ranks, strict=True)}


@cache
def _least_rank(runs: int) -> int:
    """Return how many runs are below the median at least, in all but one case of forty."""
    return int(binom.ppf(MISSED / 2, runs, 0.5))


@lru_cache(maxsize=32)
def _truth(dataset: Dataset, level: int) -> Truth:
    """Return what there is to find: the same for every method and budget."""
    return truth_of(dataset.scores, dataset.cutoff, level, "top")


def _method(name: str) -> ComparedMethod:
    if name not in METHODS:
        raise ParameterError(
            f"there is no method {name!r}; sorted(overbar_lab.paper.methods.METHODS) lists them"
        )
    return METHODS[name]


def seed_of(seed: int, *parts: object) -> int:
    """Return a seed for one point, so that points are independent and none depends on another."""
    text = "|".join(str(part) for part in (seed, *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def between_ranks(dataset: Dataset) -> int:
    """Return the level halfway between ranks c and c + 1."""
    last, following = (dataset.at_rank(dataset.cutoff + more) for more in (0, 1))
    return round((last + following) / 2)


def measured(
    dataset: Dataset, point: Point, conditions: Conditions, *, monotonic: bool = True
) -> Row:
    """Simulate one point; NCR, F1, precision and recall with 95 % intervals over runs.

    δ, where a method needs one, is one in the number of records. Binary and Zipf have none, so
    the number of their items takes its place.
    """
    level = dataset.threshold if point.threshold == OWN else between_ranks(dataset)
    threshold = round(level * (1 + point.off)) if point.off else level
    highest = max(ASSIGNED_BOUND, math.ceil(float(dataset.scores.max())))
    plan = point.method(
        Setting(
            epsilon=point.epsilon,
            cutoff=dataset.cutoff,
            candidates=len(dataset),
            threshold=threshold,
            monotonic=monotonic,
            people=dataset.records or len(dataset),
            rounds=point.rounds,
            upper_bound=dataset.records or highest,
            tolerance=point.tolerance,
            resample=point.resample,
        )
    )
    seed = seed_of(conditions.seed, dataset.name, point.method.name, *point.place)
    runs = simulate(
        plan, dataset.scores, threshold=threshold, runs=conditions.runs, seed=seed, workers=1
    )
    selected = [positives[: point.most] for positives in runs]
    row: Row = {
        "dataset": dataset.title,
        "method": point.method.name,
        "guaranteed": point.method.guaranteed,
        "epsilon": float(point.epsilon),
        "rounds": point.rounds,
        "queries": "monotonic" if monotonic else "general",
        "tolerance": point.tolerance,
        "threshold_drawn": "anew after each positive" if point.resample else "once",
        "threshold": threshold,
        "passing": int((dataset.scores >= threshold).sum()),
        "cutoff": dataset.cutoff,
        "candidates": len(dataset),
        "most": point.most,
        "runs": conditions.runs,
        "selected": sum(map(len, selected)) / conditions.runs,
    }
    row |= _passes(runs.comparisons / len(dataset) if point.most is None else None)
    for name, measure in measures_by(_truth(dataset, level), selected, dataset.cutoff).items():
        low, high = measure.interval
        row |= {name: measure.mean, f"{name}_low": low, f"{name}_high": high}
    return row
