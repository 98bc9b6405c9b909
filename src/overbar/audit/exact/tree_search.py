"""The search for a tree of adaptive queries that reaches a large δ at a given ε.

All nodes of a tree share one draw of the threshold noise, so no tree is the sum of its parts and
there is no dynamic programme over losses. The search climbs instead: one node after the other gets
the best of many queries, all tried at once, while the rest of the tree stays as it is. It starts
at a smaller ε, where every tree has something to show, and follows the tree up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from overbar.audit.exact.law import Law
from overbar.audit.exact.profile import Array
from overbar.audit.exact.search_grid import Queries, coarse_points, directions, tree_gaps
from overbar.audit.exact.strategies import Node, Path, Strategy

History = tuple[bool, ...]

#: Trees have about this many nodes, at most.
MOST_NODES = 40
#: Shares of ε at which the climb stops on its way up.
ON_THE_WAY = (0.3, 0.7, 1.0)


def query_table(
    law: Law, together: list[Fraction], count: int, most: int, more: list[Fraction]
) -> tuple[Queries, Array]:
    """Tabulate queries around the bar and at `more` scores; return the masses of noise as well."""
    points = coarse_points(law, most)
    around = [(law.level - gap) * law.grid for gap in tree_gaps(law, count)]
    queries = Queries.of(law, sorted({*around, *more}), together, points)
    return queries, np.exp(points.log_masses)


@dataclass
class TreeSearch:
    """A tree of all histories up to a depth, each with a row of the table."""

    law: Law
    table: Queries
    masses: Array
    depth: int
    choice: dict[History, int] = field(default_factory=dict)
    looked_at: int = 0

    def __post_init__(self) -> None:
        self._chances = np.exp(self.table.logs)

    def shape(self) -> list[History]:
        """Return all histories at which a query is asked, parents first."""
        cutoff = math.inf if self.law.cutoff is None else self.law.cutoff
        histories: list[History] = []
        level: list[History] = [()]
        for _ in range(self.depth):
            histories += level
            level = [
                after
                for history in level
                for after in ((*history, False), (*history, True))
                if sum(after) < cutoff
            ]
        return histories

    def climb(self, epsilon: float, rng: np.random.Generator, sweeps: int, width: int) -> float:
        """Improve the tree node by node; return the δ it reaches on the coarse points."""
        growth, rows = math.exp(epsilon), len(self.table.scores)
        value = -math.inf
        for _ in range(sweeps):
            for history in self.shape():
                start = self._arriving(history)
                tried = np.unique([self.choice[history], *rng.integers(rows, size=width)])
                reached = self._from(history, *start, growth, tried)
                self.looked_at += tried.size
                self.choice[history] = int(tried[int(np.argmax(reached))])
            before, value = value, float(self._from((), *self._arriving(()), growth, None)[0])
            if value <= before * (1 + 1e-6):
                break
        return value

    def _arriving(self, history: History) -> tuple[Array, Array]:
        """Return the weights with which a history is reached, on both sides."""
        p = q = self.masses[None, :]
        for place in range(len(history)):
            row = self.choice[history[:place]]
            p, q = self._after(p, q, slice(row, row + 1), history[place])
        return p, q

    def _after(self, p: Array, q: Array, rows: Array | slice, answer: bool) -> tuple[Array, Array]:
        p, q = p * self._chances[0, int(answer)][rows], q * self._chances[1, int(answer)][rows]
        if answer and self.law.resample:
            p, q = (np.outer(weights.sum(axis=1), self.masses) for weights in (p, q))
        return p, q

    def _from(
        self, history: History, p: Array, q: Array, growth: float, rows: Array | None
    ) -> Array:
        """Return the δ gathered below a history, for each of the rows that it might ask."""
        if history not in self.choice:
            return np.asarray(np.maximum(p.sum(axis=1) - growth * q.sum(axis=1), 0.0))
        row = self.choice[history]
        chosen = slice(row, row + 1) if rows is None else rows
        no = self._from((*history, False), *self._after(p, q, chosen, False), growth, None)
        yes = self._from((*history, True), *self._after(p, q, chosen, True), growth, None)
        return np.asarray(no + yes)

    def strategy(self) -> Strategy:
        """Return the tree with its scores."""
        places = {history: place for place, history in enumerate(self.shape())}
        return Strategy(
            tuple(
                Node(
                    *self.table.scores[self.choice[history]],
                    places.get((*history, False)),
                    places.get((*history, True)),
                )
                for history in places
            )
        )


def search_trees(
    law: Law, epsilon: float, thorough: bool, start: Path | None
) -> tuple[list[Strategy], int]:
    """Return the best trees found, one for each direction of the moves, and the count looked at.

    The first climb starts from a tree that asks what a good path asks.
    """
    best: list[Strategy] = []
    looked_at, rng = 0, np.random.default_rng(0)
    hints = _unrolled(start, _depth(law)) if start is not None else []
    more = [score for score, _ in hints]
    for together in directions(law, thorough):
        count, masses = (60, 500) if thorough else (32, 200)
        table, weights = query_table(law, together, count, masses, more)
        rows = {pair: row for row, pair in enumerate(table.scores)}
        climbs = []
        for attempt in range(6 if thorough else 3):
            search = TreeSearch(law, table, weights, _depth(law))
            hinted = attempt == 0 and bool(hints)
            same = int(rng.integers(len(rows)))
            for history in search.shape():
                row = same if attempt % 2 else int(rng.integers(len(rows)))
                if hinted:
                    row = rows.get(hints[min(len(history), len(hints) - 1)], row)
                search.choice[history] = row
            for share in (1.0,) if hinted else ON_THE_WAY:
                sweeps, width = (8, 96) if thorough else (3, 32)
                value = search.climb(share * epsilon, rng, sweeps, width)
            climbs.append((value, search))
            looked_at += search.looked_at
        best.append(max(climbs, key=lambda climb: climb[0])[1].strategy())
    return best, looked_at


def _unrolled(path: Path, depth: int) -> list[tuple[Fraction, Fraction]]:
    """Return the queries of a path one by one, so many that a tree of this depth holds them all."""
    positives = [s for step in path.steps if step.positive for s in [step] * step.times]
    negatives = [s for step in path.steps if not step.positive for s in [step] * step.times]
    queries = negatives[: max(0, depth - len(positives))] + positives
    return [(step.score, step.neighbour) for step in queries]


def _depth(law: Law) -> int:
    """Return the largest depth whose tree has few enough nodes."""
    cutoff = 64 if law.cutoff is None else law.cutoff
    most = 14 if law.max_queries is None else law.max_queries
    nodes = depth = 0
    while depth < most:
        nodes += sum(math.comb(depth, k) for k in range(min(cutoff, depth + 1)))
        if nodes > MOST_NODES:
            break
        depth += 1
    return max(depth, 1)
