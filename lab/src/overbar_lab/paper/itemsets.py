"""Frequent sets of items, level by level: single items, then pairs and triples of what was found.

Each level has a third of ε and seeks its c most frequent sets. Candidates are all sets whose parts
were found on the level before, so a search that errs early has little left to find. What counts as
right is what the same search finds without noise, and the threshold of a level lies between ranks c
and c + 1 there, as in the paper. One person moves every support by at most one, in one direction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from overbar.mechanisms import ScorePlan
from overbar_lab.datasets.registry import entry
from overbar_lab.datasets.supports import holdings
from overbar_lab.paper.methods import METHODS, ComparedMethod
from overbar_lab.paper.setting import Setting
from overbar_lab.paper.study import Conditions, Row, Table, averaged
from overbar_lab.paper.sweep import seed_of
from overbar_lab.simulation import Mechanism, simulate

Itemset = tuple[int, ...]
LEVELS = 3


@dataclass(frozen=True, eq=False)
class Baskets:
    """Records as bits, a row for each item; the support of a set is counted once."""

    bits: NDArray[np.uint8]
    known: dict[Itemset, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, records: NDArray[np.int64], items: NDArray[np.int64]) -> Baskets:
        """Make them of pairs of record and item."""
        held = np.zeros((int(items.max()) + 1, 8 * (int(records.max()) // 8 + 1)), dtype=np.bool_)
        held[items, records] = True
        return cls(np.packbits(held[held.any(axis=1)], axis=1))

    def supports(self, sets: Iterable[Itemset]) -> NDArray[np.float64]:
        """Return in how many records all items of each set are."""
        sets = list(sets)
        for one in sets:
            if one not in self.known:
                shared = np.bitwise_and.reduce(self.bits[list(one)])
                self.known[one] = int(np.bitwise_count(shared).sum())
        return np.array([self.known[one] for one in sets], dtype=np.float64)


def candidates_after(found: Iterable[Itemset]) -> list[Itemset]:
    """Return all sets of one item more whose parts were all found.

    >>> candidates_after([(1, 2), (1, 3), (2, 3), (2, 4)])
    [(1, 2, 3)]
    """
    parts = {tuple(sorted(one)) for one in found}
    size = len(next(iter(parts), ())) + 1
    larger = {tuple(sorted({*a, *b})) for a, b in combinations(sorted(parts), 2)}
    return sorted(
        one
        for one in larger
        if len(one) == size and all(part in parts for part in combinations(one, size - 1))
    )


@dataclass(frozen=True)
class Itemsets:
    """Methods on every dataset at every ε: F1 of what was found on all levels together."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    budgets: tuple[str, ...]
    cutoff: int = 20
    share: float = 0.3

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        table: Table = []
        for dataset in conditions.data.load(self.datasets):
            baskets = Baskets.of(*holdings(dataset.origin[0], str(entry(dataset.name).form)))
            search = Search.of(baskets, self.cutoff)
            table += self._rows(dataset.title, search, conditions)
        return table

    def _rows(self, title: str, search: Search, conditions: Conditions) -> Table:
        runs = conditions.times(self.share).runs

        def measured(point: tuple[str, str]) -> Row:
            name, epsilon = point
            return {
                "dataset": title,
                "method": name,
                "epsilon": float(epsilon),
                "rounds": None,
                "cutoff": self.cutoff,
                "runs": runs,
                **averaged("f1", search.scores(METHODS[name], epsilon, runs, conditions.seed)),
            }

        return conditions.each(measured, list(product(self.methods, self.budgets)))


@dataclass(frozen=True, eq=False)
class Search:
    """A search by levels: how many sets each seeks, its threshold, and what is right."""

    baskets: Baskets
    places: tuple[int, ...]
    thresholds: tuple[float, ...]
    truth: frozenset[Itemset]

    @classmethod
    def of(cls, baskets: Baskets, cutoff: int) -> Search:
        """Search without noise; where candidates are few, half of them are sought."""
        sets: list[Itemset] = [(item,) for item in range(len(baskets.bits))]
        places, thresholds, truth = [], [], list[Itemset]()
        for _ in range(LEVELS):
            supports = baskets.supports(sets)
            order = np.argsort(-supports, kind="stable")
            places.append(min(cutoff, (len(sets) + 1) // 2))
            thresholds.append(float(supports[order[places[-1] - 1 : places[-1] + 1]].mean()))
            found = [sets[place] for place in order[: places[-1]]]
            truth += found
            sets = candidates_after(found)
            if not sets:
                break
        return cls(baskets, tuple(places), tuple(thresholds), frozenset(truth))

    def scores(
        self, method: ComparedMethod, epsilon: str, runs: int, seed: int
    ) -> NDArray[np.float64]:
        """Return F1 of each run."""
        part = Fraction(epsilon) / LEVELS

        @lru_cache(maxsize=256)
        def planned(level: int, many: int) -> ScorePlan | Mechanism:
            threshold = self.thresholds[level]
            return method(Setting(part, self.places[level], many, threshold))

        def f1(run: int) -> float:
            sets: list[Itemset] = [(item,) for item in range(len(self.baskets.bits))]
            found: list[Itemset] = []
            for level, threshold in enumerate(self.thresholds):
                supports = self.baskets.supports(sets)
                (chosen,) = simulate(
                    planned(level, len(sets)), supports, threshold=threshold, runs=1,
                    seed=seed_of(seed, method.name, epsilon, level), first_run=run, workers=1,
                )  # fmt: skip
                some = [sets[place] for place in chosen]
                found += some
                sets = candidates_after(some)
                if not sets:
                    break
            right = len(self.truth.intersection(found))
            return 2 * right / (len(self.truth) + len(found))

        return np.array([f1(run) for run in range(runs)])
