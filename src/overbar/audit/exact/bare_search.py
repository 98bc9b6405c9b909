"""The best adversary against a threshold without noise, by dynamic programming over losses.

Without threshold noise all that matters of the past is the loss so far and the number of positives.
Let x = ε - loss and V(k, x) be the largest E[(1 - e^(x - later loss))₊] with k positives left. The
programme finds, for each x on a grid, which query to ask next; it interpolates and may be off.
Then the adversary it suggests is written down node by node, with losses that are close together
merged, and that one is computed with bounds.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar.audit.exact.law import Law
from overbar.audit.exact.noise_points import BARE
from overbar.audit.exact.profile import Array
from overbar.audit.exact.search_grid import Queries, directions
from overbar.audit.exact.strategies import Node, Strategy

#: Losses further than this from ε are as good as there.
SPAN = 8.0
#: Nodes of an adversary, at most.
MOST_NODES = 30_000


def search_bare(law: Law, epsilon: float, thorough: bool) -> tuple[list[Strategy], int]:
    """Return one adversary for each direction of the moves, and how many choices were weighed."""
    best: list[Strategy] = []
    looked_at = 0
    assert law.query is not None
    assert law.cutoff is not None
    hazards = np.geomspace(0.01 if thorough else 0.03, 4.0, 24 if thorough else 12)
    longest = (600 if thorough else 250) if law.cutoff == 1 else (300 if thorough else 120)
    length = longest if law.max_queries is None else min(longest, law.max_queries)
    grid = np.linspace(-SPAN, SPAN, 1601 if thorough else 801)
    for together in directions(law):
        # Queries whose chance of a positive is about 1 - e^-hazard.
        gaps = law.query.isf(-np.expm1(-hazards)) / float(law.grid)
        positions = sorted({(law.level - Fraction(round(g))) * law.grid for g in gaps.tolist()})
        actions = Queries.of(law, positions, [move for move in together if move], BARE)
        policy = _policy(actions, law.cutoff, length, grid)
        looked_at += policy.size * len(actions.scores)
        best.append(_written_down(actions, law.cutoff, length, grid, policy, epsilon))
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
                goes_on = left > answer and time + 1 < length and count < MOST_NODES
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
