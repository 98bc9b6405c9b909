"""Features chosen in private, and how good a model of them is: end to end on Adult.

Each column's score is its co-moment with the class, |Σ (x − x̄)(v − v̄)|. Beside n records with
values in [0, 1], one more, (a, b), moves the sum by n/(n + 1) · (a − x̄)(b − v̄) (the update of
Welford, Technometrics 4(3), 1962): by less than one, in either direction. Methods choose c of 123
columns of a9a. A line is fitted to the chosen ones by least squares, without privacy, and judged on
the records of a9a.t.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overbar_lab.datasets.supports import blocks, holdings
from overbar_lab.paper.methods import METHODS
from overbar_lab.paper.setting import Setting
from overbar_lab.paper.study import Conditions, Row, Table, averaged
from overbar_lab.paper.sweep import seed_of
from overbar_lab.simulation import simulate

Floats = NDArray[np.float64]
#: What is chosen where nothing is hidden.
PLAIN = "without noise"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Records with a constant and a row for each feature, and their class as 0 or 1."""

    rows: Floats
    label: Floats

    @classmethod
    def read(cls, path: str, width: int) -> Labelled:
        """Read a LIBSVM file whose values are all 1."""
        records, items = holdings(path, "libsvm")
        lines = [line for _, block in blocks(Path(path)) for line in block.splitlines()]
        label = np.array([line.startswith(b"+") for line in lines], dtype=np.float64)
        rows = np.zeros((width + 1, len(label)))
        rows[0] = 1.0
        rows[items, records] = 1.0
        return cls(rows, label)

    @property
    def scores(self) -> Floats:
        """How much more often each feature and the class come together than by chance."""
        rows = self.rows[1:]
        return np.asarray(np.abs(rows @ self.label - rows.sum(axis=1) * self.label.mean()))


def accuracy(learn: tuple[Floats, Floats], test: Labelled, chosen: NDArray[np.int64]) -> float:
    """Return how many of the other records a line through the chosen features gets right."""
    gram, moments = learn
    own = np.append(0, chosen + 1)
    line = np.linalg.lstsq(gram[np.ix_(own, own)], moments[own], rcond=None)[0]
    return float(np.mean((line @ test.rows[own] > 1 / 2) == (test.label > 0)))


@dataclass(frozen=True)
class Features:
    """Methods at every ε and several numbers of features."""

    methods: tuple[str, ...]
    budgets: tuple[str, ...]
    cutoffs: tuple[int, ...] = (5, 20)
    datasets: tuple[str, ...] = ("adult",)
    share: float = 1.0

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        for dataset in conditions.data.load(self.datasets):
            learn, test = (Labelled.read(path, len(dataset)) for path in dataset.origin)
            return self._table(learn, test, conditions)
        return []

    def _table(self, learn: Labelled, test: Labelled, conditions: Conditions) -> Table:
        runs = conditions.times(self.share).runs
        scores = learn.scores
        order = np.argsort(-scores, kind="stable")
        sums = learn.rows @ learn.rows.T, learn.rows @ learn.label

        def measured(point: tuple[int, str, str]) -> Row:
            cutoff, name, epsilon = point
            threshold = float(scores[order[cutoff - 1 : cutoff + 1]].mean())
            chosen = [order[:cutoff]] * runs
            if name != PLAIN:
                setting = Setting(epsilon, cutoff, len(scores), threshold, monotonic=False)
                seed = seed_of(conditions.seed, *point)
                simulated = simulate(
                    METHODS[name](setting),
                    scores,
                    threshold=threshold,
                    runs=runs,
                    seed=seed,
                    workers=1,
                )
                chosen = list(simulated)
            sets = [tuple(np.sort(one).tolist()) for one in chosen]  # many runs choose the same
            known = {one: accuracy(sums, test, np.array(one, dtype=np.int64)) for one in set(sets)}
            return {
                "dataset": f"{cutoff} features of Adult",
                "method": name,
                "epsilon": float(epsilon),
                "rounds": None,
                "cutoff": cutoff,
                "runs": runs,
                "features": sum(map(len, chosen)) / runs,
                **averaged("accuracy", np.array([known[one] for one in sets])),
            }

        points = [
            (cutoff, name, epsilon)
            for cutoff in self.cutoffs
            for name in (*self.methods, PLAIN)
            for epsilon in self.budgets
        ]
        return conditions.each(measured, points)
