"""The candidates of a race that can still win, with bounds on their rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overbar.sampling.bounds import Floats

#: The rank of a round, and a position.
Line = tuple[float, float]

#: Nobody is certain to be beaten yet.
NO_LINE: Line = (math.inf, math.inf)


@dataclass(frozen=True, repr=False, eq=False)
class Shortlist:
    """Candidates by their places, the bits of V drawn for them, and bounds on the rank of G.

    Precondition: the rank of G is in [low, high] for certain; `limits` are the ranks of the last
    rounds that the candidates may use.
    """

    places: NDArray[np.intp]
    words: NDArray[np.unsignedinteger]
    low: Floats
    high: Floats
    positions: NDArray[np.int64]
    limits: Floats

    @property
    def certain(self) -> NDArray[np.bool_]:
        """Who comes within its limit for certain."""
        return self.high <= self.limits

    def finish_line(self, count: int) -> Line:
        """Return (round, position) such that `count` of these come no later, for certain.

        It is the count-th smallest of the pairs (high, position), over those certain to come
        within their own limits.
        """
        within = self.certain & np.isfinite(self.high)
        high, positions = self.high[within], self.positions[within]
        if len(high) < count:
            return NO_LINE
        last = float(np.partition(high, count - 1)[count - 1])
        tied = positions[high == last]
        place = count - 1 - int(np.count_nonzero(high < last))
        return last, int(np.partition(tied, place)[place])

    def ahead_of(self, line: Line) -> Shortlist:
        """Keep those that may come no later than the line and within their limits.

        Whoever is dropped has G beyond its limit, or beyond the line's round, or that round and a
        later position: then every candidate that made the line comes before it.
        """
        last, position = line
        tied = (self.low == last) & (self.positions <= position)
        kept = ((self.low < last) | tied) & (self.low <= self.limits)
        return Shortlist(*(column[kept] for column in vars(self).values()))


def joined(parts: Sequence[Shortlist]) -> Shortlist:
    """Put shortlists of different candidates together. Precondition: there is at least one."""
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    return Shortlist(*map(np.concatenate, columns))
