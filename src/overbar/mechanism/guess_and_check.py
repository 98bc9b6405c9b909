"""Guess and check: on each side the narrowest bound that few persons lie outside of.

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overbar.mechanism.hidden_bar import raise_bar
from overbar.plans.bounds_plan import BoundsPlan
from overbar.sampling.entropy import Source


def found_bounds(
    plan: BoundsPlan, within: Sequence[NDArray[np.int64]], source: Source
) -> list[int]:
    """Return for each side the place of its bound on a rising ladder.

    `within` says for each side how many persons lie within each rung; within the last all do. Each
    side is asked against a noisy threshold of its own, until it has passed.
    """
    bar, level, unit = raise_bar(plan, source), plan.level(0), int(1 / plan.grid)
    places = []
    for turn, below in enumerate(within):
        persons, place = int(below[-1]), len(below) - 1
        inside = persons * unit - plan.taken_off(persons)  # whole numbers of any size: none wraps
        while place and not bar.passes(inside - int(below[place - 1]) * unit, level, turn):
            place -= 1
        places.append(place)
    return places
