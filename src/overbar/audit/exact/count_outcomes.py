"""Counts beside labels: what fresh noise on the score of each label tells, with bounds.

A count tells two sides apart only by how likely it is on each. On the grid, noise of scale s has
chances proportional to e^(-c(n)/w): c(n) = |n| and w = s for Laplace, c(n) = n² and w = 2s² for
Gaussian noise. If the score moves by d steps, the log-ratio is (c(n - d) - c(n))/w, a whole number
over w, and for several counts these numbers add up. So values with the same sum are one outcome,
and nothing is lost. Where there are very many sums, neighbours are put together: that loses a
little, and what is found stays a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from overbar.audit.exact.noise_points import grid_points
from overbar.audit.exact.profile import Array, Outcomes
from overbar.audit.exact.ranked_outcomes import DEPTH
from overbar.noise import Laplace, Noise

#: More sums than this are put together.
MOST_SUMS = 200

#: Lower and upper log-chances.
Bounds = list[tuple[float, float]]


def with_counts(
    noise: Noise, grid: Fraction, one: Outcomes, other: Outcomes, moved: Mapping[Hashable, int]
) -> tuple[Outcomes, Outcomes]:
    """Return two distributions of labels with what their counts tell besides.

    That is the logarithm of how much likelier the counts are on the first side.
    """
    sides = Outcomes({}, one.left_out), Outcomes({}, other.left_out)
    for labels in dict.fromkeys([*one.chances, *other.chances]):
        sums, *counts = _sums(noise, grid, _distances(labels, moved))
        for alone, both, logs in zip((one, other), sides, counts, strict=True):
            if labels in alone.chances:
                low, high = alone.chances[labels]
                for ratio, (least, most) in zip(sums, logs, strict=True):
                    both.chances[labels, ratio] = (low + least, high + most)
    return sides


def _distances(labels: Any, moved: Mapping[Hashable, int]) -> tuple[int, ...]:
    """Return how far the scores of labels move; up or down is the same to symmetric noise.

    Where values come out too, each stands beside its label.
    """
    places = (label[0] if isinstance(label, tuple) else label for label in labels)
    return tuple(sorted(abs(moved[place]) for place in places if moved[place]))


@lru_cache(maxsize=256)
def _sums(
    noise: Noise, grid: Fraction, distances: tuple[int, ...]
) -> tuple[list[float], Bounds, Bounds]:
    """Return all sums, and lower and upper log-chances of each on either side."""
    points = grid_points(noise, float(grid), DEPTH)
    last, centre = int(points.steps[-1]), points.log_masses.max()
    scale = float(noise.scale / grid)
    beyond = len(distances) * (math.exp(points.log_below) + math.exp(points.log_above))
    sums, first, second = np.zeros(1), np.ones(1), np.ones(1)
    for distance in distances:
        steps = np.arange(-last, last + distance + 1, dtype=np.float64)
        if type(noise) is Laplace:
            own, moved = np.abs(steps) / scale, np.abs(steps - distance) / scale
        else:
            own, moved = ((at / scale) ** 2 / 2 for at in (steps, steps - distance))
        sums, first, second = _merged(
            np.add.outer(sums, moved - own),
            np.multiply.outer(first, np.exp(centre - own)),
            np.multiply.outer(second, np.exp(centre - moved)),
        )
    with np.errstate(divide="ignore"):
        logs = ((np.log(side), np.log(side + beyond)) for side in (first, second))
    one, other = (list(zip(low.tolist(), high.tolist(), strict=True)) for low, high in logs)
    return sums.tolist(), one, other


def _merged(sums: Array, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """Add up the chances of equal sums, or of sums that are close where there are too many."""
    distinct, kinds = np.unique(np.round(sums.ravel(), 9), return_inverse=True)
    if distinct.size > MOST_SUMS:
        kinds = np.minimum(kinds * MOST_SUMS // distinct.size, MOST_SUMS - 1)
        distinct = np.bincount(kinds, weights=sums.ravel()) / np.bincount(kinds)
    one, other = (
        np.bincount(kinds, weights=side.ravel()).astype(np.float64) for side in (first, second)
    )
    return distinct, one, other
