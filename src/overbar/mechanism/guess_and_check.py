"""Guess and check: on each side the narrowest bound that few persons lie outside of.

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overbar.calibration.bounds_kind import most_allowed
from overbar.mechanism.hidden_bar import raise_bar
from overbar.plans import SparseVectorPlan
from overbar.sampling.entropy import Source


def found_bounds(
    plan: SparseVectorPlan, within: Sequence[NDArray[np.int64]], source: Source
) -> list[int]:
    """Return for each side the place of its bound on a rising ladder.

    `within` says for each side how many persons lie within each rung; within the last all do. Both
    sides are asked against one noisy threshold, and each until it has passed.
    """
    bar, level, unit = raise_bar(plan, source), plan.level(0), int(1 / plan.grid)
    places = []
    for below in within:
        scores = (below[-1] - below) * unit - allowed_outside(plan, int(below[-1]))
        place = len(below) - 1
        while place and not bar.passes(int(scores[place - 1]), level):
            place -= 1
        places.append(place)
    return places


def allowed_outside(plan: SparseVectorPlan, persons: int) -> int:
    """Return how many of so many persons may lie outside, in grid steps: a share, or a limit.

    One more person adds at most the share to it, and never takes from it.
    """
    share, most = int(-plan.reach.low / plan.grid) * persons, most_allowed(plan)
    return share if most is None else min(share, int(most / plan.grid))
