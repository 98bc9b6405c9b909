"""The chance of each answer, for every value of the threshold noise at once, in logs.

Arrays have one column for each point of the threshold noise and two more: all that lies to the
left of the points, and all that lies to the right. In these two a chance is replaced by an upper
bound: S falls and F rises with the threshold, so S is at most one on the left and S(last point)
on the right, and F the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from overbar.audit.exact.law import Law
from overbar.audit.exact.threshold_points import (
    DEEP,
    Array,
    Points,
    grid_points,
    log_mass,
    panel_points,
)


class Comparisons:
    """What one run's comparisons do, with the level its data give it."""

    def __init__(self, law: Law, level: int, points: Points) -> None:
        self.law, self.level, self.points = law, level, points
        self._cache: dict[tuple[int, type, int | bool], Array] = {}

    def answer(self, score: int, outcome: int | bool) -> Array:
        """Return the log-chance of an answer, or of a released value in steps, in every column."""
        key = (score, type(outcome), outcome)  # True and 1 are equal, and mean different things
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._answer(score, outcome)
        return found

    def _answer(self, score: int, outcome: int | bool) -> Array:
        gaps = self.level + self.points.steps - score
        if outcome is True:
            chances = log_positive(self.law, gaps)
            return np.concatenate([chances, [0.0, chances[-1]]])
        if outcome is False:
            chances = log_negative(self.law, gaps)
            return np.concatenate([chances, [chances[0], 0.0]])
        # What was compared lies in the cell of this value, and at or above the bar.
        bar = np.maximum(self.level + self.points.steps, outcome)
        chances = log_between(self.law, bar - score, float(outcome + 1 - score))
        left = log_between(
            self.law, np.array([outcome - score], dtype=np.float64), float(outcome + 1 - score)
        )
        return np.concatenate([chances, left, chances[-1:]])

    def start(self) -> Array:
        """Return log-weights before anything was said: a lower row and an upper row."""
        points = self.points
        upper = np.concatenate([points.log_masses, [points.log_below, points.log_above]])
        lower = np.concatenate([points.log_masses, [-math.inf, -math.inf]])
        return np.stack([lower, upper])

    def redrawn(self, weights: Array) -> Array:
        """Sum up and start over with fresh threshold noise."""
        return self.start() + log_total(weights)[:, None]


def comparisons(law: Law, scores: Sequence[int], depth: float = DEEP) -> Comparisons:
    """Return the comparisons of a run that will ask these scores and no others."""
    level = law.level_for(tuple(scores))
    grid = float(law.grid)
    if law.threshold is not None and not law.certified:
        kinks = np.array(sorted(set(scores)), dtype=np.float64) - level
        if law.releases_value:  # a cell of values ends at every step
            reach = depth * float(law.threshold.noise.scale) / grid
            kinks = np.arange(-math.ceil(reach), math.ceil(reach) + 1, dtype=np.float64)
        return Comparisons(law, level, panel_points(law.threshold, grid, depth, kinks))
    return Comparisons(law, level, grid_points(law.threshold, grid, depth))


def log_positive(law: Law, gaps: Array) -> Array:
    """Log of S at gaps in steps; without query noise a positive is certain up to a gap of zero."""
    if law.query is None:
        return np.where(gaps <= 0, 0.0, -math.inf)
    return law.query.logsf(gaps * float(law.grid))


def log_negative(law: Law, gaps: Array) -> Array:
    """Log of F at gaps in steps."""
    if law.query is None:
        return np.where(gaps > 0, 0.0, -math.inf)
    return law.query.logcdf(gaps * float(law.grid))


def log_between(law: Law, low: Array, high: float) -> Array:
    """Log-chance that query noise is at least `low` and below `high`, in steps."""
    if law.query is None:
        return np.where((low <= 0) & (high > 0), 0.0, -math.inf)
    inside = low < high
    edge = np.where(inside, low, high - 1.0) * float(law.grid)
    found = log_mass(law.query, edge, np.array(high) * float(law.grid))
    return np.where(inside & ~np.isnan(found), found, -math.inf)


def log_cell(law: Law, step: int) -> float:
    """Log-chance that query noise, floored to the grid, is this many steps."""
    return float(log_between(law, np.array([float(step)]), float(step + 1))[0])


def log_total(weights: Array) -> Array:
    """Log of the sum of e^weights over the last axis; minus infinity for an empty sum."""
    largest = np.max(weights, axis=-1)
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(finite + np.log(np.sum(np.exp(weights - finite[..., None]), axis=-1)))
