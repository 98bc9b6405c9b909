"""Where the search puts its queries: positions around the bar, and the ways one person moves them.

The search works on a coarse copy of the threshold noise and is free to be wrong. Whatever it finds
is computed again with bounds before it is reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from overbar.audit.exact.law import Law
from overbar.audit.exact.profile import Array
from overbar.audit.exact.run import SHALLOW, Points, grid_points, log_negative, log_positive

#: The search looks at no more points of the threshold noise than this.
MOST_POINTS = 700


def coarse_points(law: Law, most: int = MOST_POINTS) -> Points:
    """Return the threshold noise on the grid, thinned out to a number of points.

    Continuous noise is floored: that is good enough to climb by.
    """
    points = grid_points(law.threshold, float(law.grid), SHALLOW, floored=law.continuous)
    points = points.mirrored() if law.mirrored else points
    stride = math.ceil(points.steps.size / most)
    return Points(points.steps[::stride], points.log_masses[::stride] + math.log(stride))


def scales(law: Law) -> tuple[float, float]:
    """Return the scales of query and threshold noise in steps, at least a step and zero."""
    query = 0.0 if law.query is None else float(law.query.scale / law.grid)
    threshold = 0.0 if law.threshold is None else float(law.threshold.scale / law.grid)
    return max(query, 1.0), threshold


def path_gaps(law: Law, count: int) -> list[Fraction]:
    """Return gaps in steps: close together around zero, in halves of a step, and far apart beyond.

    Halves of a step show what a mechanism's rounding does.
    """
    near = [Fraction(i, 2) for i in range(-4, 5)]
    query, threshold = scales(law)
    far = 12 * (query + threshold)
    growing = np.geomspace(2.0, max(far, 8.0), max(2, (count - len(near)) // 2))
    beyond = {Fraction(round(g)) for g in growing.tolist()}
    return sorted({*near, *beyond, *(-g for g in beyond)})


def tree_gaps(law: Law, count: int) -> list[Fraction]:
    """Return gaps in steps where an answer is neither certain nor hopeless."""
    _, threshold = scales(law)
    if law.query is None:
        low, high = -1.0, 1.0
    else:
        low, high = (float(law.query.isf(p)) / float(law.grid) for p in (0.999, 1e-4))
    gaps = np.linspace(low - 4 * threshold, high + 4 * threshold, count)
    around = np.linspace(low, high, max(2, count // 2))
    return sorted({Fraction(round(g)) for g in [*gaps.tolist(), *around.tolist()]})


def moves(law: Law, thorough: bool = False) -> list[Fraction]:
    """Return how far one person may move a score: all the way or not at all, or also half."""
    amounts = {law.sensitivity, (law.reach // 2) * law.grid} if thorough else {law.sensitivity}
    return sorted({Fraction(0), *amounts, *(-amount for amount in amounts)})


def directions(law: Law, thorough: bool = False) -> list[list[Fraction]]:
    """Return the sets of moves that may go together: of one sign where queries are monotonic."""
    everything = moves(law, thorough)
    if not law.monotonic:
        return [everything]
    return [[m for m in everything if m >= 0], [m for m in everything if m <= 0]]


def log_tables(law: Law, scores: list[Fraction], points: Points) -> tuple[Array, Array]:
    """Return ln F and ln S of each score (rows) at each point of the threshold noise."""
    steps = np.array([law.steps(score) for score in scores], dtype=np.float64)
    gaps = law.level + points.steps[None, :] - steps[:, None]
    return log_negative(law, gaps), log_positive(law, gaps)


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries that may be asked: their scores on both data sets, and the logs of their chances.

    ``logs[side, answer]`` has a row for each query and a column for each point of the noise.
    """

    scores: list[tuple[Fraction, Fraction]]
    logs: Array

    @classmethod
    def of(
        cls, law: Law, positions: list[Fraction], moved: list[Fraction], points: Points
    ) -> Queries:
        """Tabulate queries at these positions, moved in each of these ways."""
        scores = [(score, score + move) for score in positions for move in moved]
        sides = [log_tables(law, list(side), points) for side in zip(*scores, strict=True)]
        return cls(scores, np.array(sides))
