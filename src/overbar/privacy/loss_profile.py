"""What can still be lost, at every level: a profile, kept as upper bounds on a grid.

A *profile* is x ↦ W(x), the largest E[(1 - e^(x - loss))₊] that an adversary can still reach, for
every real level x. With nothing to come it is (1 - e^x)₊. It falls, and it is convex in z = e^x. So
three lines bound it everywhere by what it is at some levels: between two levels the chord in z,
beyond the last level what it is there, and below the first the chord to W = 1 at z = 0.

A profile has **two sides**. Levels below zero say what the other direction of neighbours can lose:
with both sides exchanged it is W'(x) = 1 - e^x + e^x·W(-x). Where all that is to come can be turned
around, W' = W, and one side says all. Behind a race it cannot.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: More than a few operations on floats are off by.
HAIR = 1e-14


@dataclass(frozen=True, eq=False)
class LossProfile:
    """Upper bounds at the levels (first + i)·interval, on both sides of zero.

    They are close down to about e^-depth. `is_mirrored` where all that is to come can be turned
    around.
    """

    interval: float
    first: int
    values: Array
    is_mirrored: bool = True
    depth: float = 64.0

    @property
    def last(self) -> int:
        """The place of the last level."""
        return self.first + self.values.size - 1

    @property
    def levels(self) -> Array:
        """All levels."""
        return self.interval * np.arange(self.first, self.last + 1.0)

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is to come."""
        return not self.values[-self.first :].any()

    def followed_by(self, values: Array, *, is_mirrored: bool = False) -> LossProfile:
        """Return the profile with these values at the same levels."""
        return replace(self, values=np.fmin(values, 1.0), is_mirrored=is_mirrored)

    def mirrored(self, values: Array) -> LossProfile:
        """Return one that can be turned around, with these values at the levels from zero on."""
        under = turned(self.interval, values, -self.first)
        return self.followed_by(np.concatenate((under, values)), is_mirrored=True)

    def widened(self, below: int, above: int) -> Array:
        """Return the values with so many more levels on each side."""
        there = self.interval * np.arange(-below, 0.0)
        under = np.exp(there) * self.values[0] - np.expm1(there)
        return np.concatenate((under, self.values, np.full(above, self.values[-1])))

    def at(self, levels: Array) -> Array:
        """Return upper bounds at any real levels."""
        places = levels / self.interval - self.first
        places = places - 10 * HAIR * (1 + np.abs(places) + abs(self.first))
        left = np.clip(np.floor(places), 0, self.values.size - 2).astype(np.int64)
        past = np.clip(places - left, 0.0, 1.0) * self.interval
        share = np.expm1(past) / math.expm1(self.interval)
        inside = self.values[left] * (1 - share) + self.values[left + 1] * share
        before = np.exp(np.minimum(0.0, places) * self.interval)  # e^x by what it is at the first
        return np.fmin(1.0, (1 - before) + before * inside * (1 + 10 * HAIR))

    def delta(self, level: float) -> float:
        """Return an upper bound at a level."""
        return float(self.at(np.array([level]))[0])

    def level(self, log_delta: float) -> float:
        """Return a level from zero on where the bound is at most δ; infinite if none is."""
        allowed = math.exp(log_delta) * (1 - 4 * HAIR)
        above = np.flatnonzero(~(self.values * (1 + 20 * HAIR) <= allowed))  # what is no number too
        if above.size == 0:
            return 0.0
        left = int(above[-1])
        if left == self.values.size - 1:
            return math.inf
        low, high = float(self.values[left]), float(self.values[left + 1])
        share = max(0.0, (low - allowed) / (low - high))
        start = (self.first + left) * self.interval
        level = max(0.0, start + math.log1p(share * math.expm1(self.interval)))
        step = HAIR * (level + self.interval)
        while self.delta(level) > allowed:
            level, step = level + step, 2 * step
        return level


def nothing(interval: float, first: int, last: int, depth: float = 64.0) -> LossProfile:
    """Return the profile where nothing is to come."""
    values = -np.expm1(interval * np.minimum(0.0, np.arange(first, last + 1.0)))
    return LossProfile(interval, first, values * (1 + HAIR), depth=depth)


def turned(interval: float, values: Array, levels: int) -> Array:
    """Return what so many levels below zero have, where the values from zero on are these."""
    there = np.arange(levels, 0, -1)
    below = values[np.minimum(there, values.size - 1)]
    under = np.exp(-interval * there) * below - np.expm1(-interval * there)
    return np.asarray(under * (1 + HAIR))
