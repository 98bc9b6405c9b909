"""δ of steps at ε by the slow reference, and how far off it may be.

Everything in it is wrong by the square of the spacing of levels, so there is a second grid of half
the spacing, and twice the choices: the value is without that part, and the difference between both
grids is its error. At a kink between two levels the lines beside it say how far off it may be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tests.reference.steps import Levels, Step, put_in_front, width


class Known(NamedTuple):
    """A number, and by how much of itself it may be wrong."""

    value: float
    error: float


#: What quadrature of a pair, and floats, may add.
LEAST_ERROR = 1e-5
#: So many levels on each side are followed; what needs more is refused.
MOST_LEVELS = 60_000


def levels_for(steps: Sequence[Step], epsilons: Sequence[float], fine: int) -> Levels:
    """Return a grid on which the finest step has so many levels."""
    spacing = min([step.finest for step in steps] + [1.0]) / fine
    most = math.ceil((width(steps) + max(map(abs, epsilons))) / spacing)
    if most > MOST_LEVELS:
        raise ValueError(f"{most:,} levels are too many to follow")
    return Levels(spacing, most)


def deltas(steps: Sequence[Step], epsilons: Sequence[float], fine: int = 16) -> list[Known]:
    """Return δ at every ε, of one direction."""
    coarse = levels_for(steps, epsilons, fine)
    profiles = [(one, put_in_front(steps, one, one.nothing)) for one in (coarse, coarse.halved)]
    found = []
    for epsilon in epsilons:
        rough, better = (levels.read(profile, epsilon) for levels, profile in profiles)
        value = better + (better - rough) / 3
        gap = max(abs(better - rough), profiles[1][0].unsure(profiles[1][1], epsilon))
        found.append(Known(value, gap / value + LEAST_ERROR if value > 0 else math.inf))
    return found


def rough(steps: Sequence[Step], epsilons: Sequence[float]) -> list[float]:
    """Return δ at every ε on one coarse grid, to compare ways."""
    levels = levels_for(steps, epsilons, 4)
    profile = put_in_front(steps, levels, levels.nothing)
    return [levels.read(profile, epsilon) for epsilon in epsilons]
