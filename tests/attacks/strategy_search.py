"""The search for adaptive queries that reach a large δ at a given ε.

All nodes of a tree share one draw of the threshold noise, so no tree is the sum of its parts and
there is no dynamic programme over losses. The search climbs instead: one node after the other gets
the best of many queries, all tried at once, while the rest of the tree stays as it is. It starts
at a smaller ε, where every tree has something to show, and follows the tree up.

Without threshold noise all that matters of the past is the loss so far and the number of positives.
Let x = ε - loss and V(k, x) be the largest E[(1 - e^(x - later loss))₊] with k positives left. The
programme finds, for each x on a grid, which query to ask next; it interpolates and may be off.
Then the adversary it suggests is written down node by node, with losses that are close together
merged, and that one is computed with bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar.audit.points import BARE
from overbar.audit.profile import Array
from overbar.mechanisms import Plan
from tests.attacks.online import (
    Node,
    Path,
    Queries,
    Strategy,
    coarse_points,
    directions,
    scores_around,
)

History = tuple[bool, ...]

#: Trees have about this many nodes, at most.
MOST_NODES = 40
#: Shares of ε at which the climb stops on its way up.
ON_THE_WAY = (0.3, 0.7, 1.0)


def query_table(
    plan: Plan, level: int, together: list[Fraction], more: list[Fraction], most: int = 200
) -> tuple[Queries, Array]:
    """Tabulate queries around the bar and at `more` scores; return the masses of noise as well."""
    points = coarse_points(plan, most)
    around = sorted({*scores_around(plan, level, 32), *more})
    return Queries.of(plan, level, around, together, points), np.exp(points.log_masses)


@dataclass
class TreeSearch:
    """A tree of all histories up to a depth, each with a row of the table."""

    plan: Plan
    table: Queries
    masses: Array
    depth: int
    choice: dict[History, int] = field(default_factory=dict)
    looked_at: int = 0

    def __post_init__(self) -> None:
        self._chances = np.exp(self.table.logs)

    def shape(self) -> list[History]:
        """Return all histories at which a query is asked, parents first."""
        histories: list[History] = []
        level: list[History] = [()]
        for _ in range(self.depth):
            histories += level
            level = [
                after
                for history in level
                for after in ((*history, False), (*history, True))
                if sum(after) < self.plan.cutoff
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
        if answer and self.plan.repeats.resample:
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
    plan: Plan, level: int, epsilon: float, start: Path | None
) -> tuple[list[Strategy], int]:
    """Return the best trees found, one for each direction of the moves, and the count looked at.

    The first climb starts from a tree that asks what a good path asks.
    """
    best: list[Strategy] = []
    looked_at, rng, depth = 0, np.random.default_rng(0), _depth(plan)
    hints = _unrolled(start, depth) if start is not None else []
    for together in directions(plan):
        table, weights = query_table(plan, level, together, [score for score, _ in hints])
        rows = {pair: row for row, pair in enumerate(table.scores)}
        climbs = []
        for attempt in range(3):
            search = TreeSearch(plan, table, weights, depth)
            hinted = attempt == 0 and bool(hints)
            same = int(rng.integers(len(rows)))
            for history in search.shape():
                row = same if attempt % 2 else int(rng.integers(len(rows)))
                if hinted:
                    row = rows.get(hints[min(len(history), len(hints) - 1)], row)
                search.choice[history] = row
            for share in (1.0,) if hinted else ON_THE_WAY:
                value = search.climb(share * epsilon, rng, sweeps=3, width=32)
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


def _depth(plan: Plan) -> int:
    """Return the largest depth whose tree has few enough nodes."""
    most = plan.repeats.max_queries or 14
    nodes = depth = 0
    while depth < most:
        nodes += sum(math.comb(depth, k) for k in range(min(plan.cutoff, depth + 1)))
        if nodes > MOST_NODES:
            break
        depth += 1
    return max(depth, 1)


#: Losses further than this from ε are as good as there.
SPAN = 8.0
#: Nodes of an adversary, at most.
MOST_BARE_NODES = 30_000


def search_bare(plan: Plan, level: int, epsilon: float) -> tuple[list[Strategy], int]:
    """Return one adversary for each direction of the moves, and how many choices were weighed."""
    best: list[Strategy] = []
    looked_at, noise, cutoff = 0, plan.query_noise, plan.cutoff
    length = min(250 if cutoff == 1 else 120, plan.repeats.max_queries or 250)
    grid = np.linspace(-SPAN, SPAN, 801)
    for together in directions(plan):
        # Queries whose chance of a positive is about 1 - e^-hazard.
        gaps = noise.isf(-np.expm1(-np.geomspace(0.03, 4.0, 12))) / float(plan.grid)
        around = sorted({(level - round(gap)) * plan.grid for gap in gaps.tolist()})
        moved = [move for move in together if move]
        actions = Queries.of(plan, level, around, moved, BARE)
        policy = _policy(actions, cutoff, length, grid)
        looked_at += policy.size * len(actions.scores)
        best.append(_written_down(actions, cutoff, length, grid, policy, epsilon))
    return best, looked_at


def _policy(actions: Queries, cutoff: int, length: int, grid: Array) -> NDArray[np.int16]:
    """Return the best action by queries left, positives left and place on the grid of x."""
    ended = np.maximum(0.0, -np.expm1(grid))
    values = np.tile(ended, (cutoff + 1, 1))
    policy = np.zeros((length, cutoff, grid.size), dtype=np.int16)
    with np.errstate(invalid="ignore"):
        x_no, x_yes = np.nan_to_num(grid - (actions.logs[0] - actions.logs[1]), nan=0.0)
    no, yes = np.exp(actions.logs[0])
    for left in range(length):
        after = values.copy()
        for k in range(cutoff):  # k + 1 positives are left
            reached = no * _read(values[k + 1], grid, x_no) + yes * _read(values[k], grid, x_yes)
            policy[left, k] = np.argmax(reached, axis=0)
            after[k + 1] = np.maximum(np.max(reached, axis=0), ended)
        values = after
    return policy


def _read(values: Array, grid: Array, x: Array) -> Array:
    """Interpolate; to the left of the grid the value is known, to the right nothing is left."""
    return np.where(x < grid[0], 1 - np.exp(np.minimum(x, 0.0)), np.interp(x, grid, values))


def _written_down(
    actions: Queries,
    cutoff: int,
    length: int,
    grid: Array,
    policy: NDArray[np.int16],
    epsilon: float,
) -> Strategy:
    """Follow the policy forward; runs whose losses fall into one cell of the grid are merged."""
    nodes: list[Node] = []
    # (positives left, cell) -> place of the node, probabilities on both sides; all of one time.
    now: dict[tuple[int, int], tuple[int, float, float]] = {(cutoff, -1): (0, 1.0, 1.0)}
    count = 1
    coarse = (grid[-1] - grid[0]) / (240 if cutoff > 1 else grid.size)
    for time in range(length):
        later: dict[tuple[int, int], tuple[int, float, float]] = {}
        for (left, _), (_, p, q) in now.items():
            x = epsilon - math.log(p / q)
            row = int(policy[length - 1 - time, left - 1, int(np.argmin(np.abs(grid - x)))])
            links: list[int | None] = [None, None]
            for answer in (0, 1):
                own, other = actions.logs[:, answer, row, 0].tolist()
                one, two = p * math.exp(own), q * math.exp(other)
                goes_on = left > answer and time + 1 < length and count < MOST_BARE_NODES
                if not goes_on or min(one, two) < 1e-30:
                    continue
                cell = round((epsilon - math.log(one / two)) / coarse)
                if abs(cell * coarse) > SPAN:
                    continue  # decided: nothing asked later changes the sum much
                place, *sums = later.get((left - answer, cell), (count, 0.0, 0.0))
                count += place == count
                later[left - answer, cell] = (place, sums[0] + one, sums[1] + two)
                links[answer] = place
            nodes.append(Node(*actions.scores[row], links[0], links[1]))
        now = later
    return Strategy(tuple(nodes))
