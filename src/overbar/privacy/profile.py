"""Upper bounds on what can still be lost, at levels on both sides of zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Profile:
    """Upper bounds on W(x) = sup E[(1 - e^(x - loss))₊] at the levels (first + i)·interval.

    Between levels the chord in e^x lies above; beyond the last W is no larger than there; below
    the first the line from W = 1 at e^x = 0 to the first level lies above.
    """

    interval: float
    first: int
    values: Array
    is_mirrored: bool

    def widened(self, below: int, above: int) -> Array:
        """Return the values with so many more levels on each side."""
        levels = self.interval * np.arange(-below, 0.0)
        before = np.exp(levels) * self.values[0] - np.expm1(levels)
        return np.concatenate((before, self.values, np.full(above, self.values[-1])))


def nothing(interval: float, first: int, last: int) -> Profile:
    """Return the profile where nothing is to come."""
    values = -np.expm1(interval * np.minimum(0.0, np.arange(first, last + 1.0)))
    return Profile(interval, first, values * (1 + 1e-15), is_mirrored=True)
