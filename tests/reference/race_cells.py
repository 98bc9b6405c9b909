"""What an arrival of a race makes of a profile, as curves over cells: a certificate to be checked.

The curves are those of :mod:`overbar.privacy.race`. Each solves one of the two conditions on
its whole cell, and keeps the other where it lies above a stop. So whoever has them can check that
they bound the race, cell by cell, without a sweep and without this program.

See docs/theory/steps.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from overbar._numbers import calm
from overbar.privacy.loss_profile import Array, LossProfile
from overbar.privacy.race import Arrival, Peaks

#: Curves are larger by this factor, more than their sums are off by.
HELD = 1 + 2.0**-36
#: A stop so close to an end of its cell, in cells, is not told from it.
CLOSE = 1e-6


@dataclass(frozen=True, eq=False)
class Cells:
    """Two curves on each cell, from level (first + places[i])·interval to the next.

    D = l + c·z^(-1/β), where the line l is falls[i] and falls[i + 1] if read `fall` further up than
    the ends of the cell, and c such that D is down[i] at the lower end. S = m + d·z^(1/α), where
    the line m is rises[i] and rises[i + 1] if read `rise` further down, and d such that S is
    up[i + 1] at the upper end. The profile is the larger of both. Where hazards only rise there is
    no D, where they only fall no S.
    """

    interval: float
    first: int
    places: Array
    rises: Array
    falls: Array
    down: Array
    up: Array


@calm
def cells(later: LossProfile, rise: float, fall: float) -> Cells:
    """Return the profile with one arrival in front, as curves that are held over whole cells."""
    arrival = Arrival(rise, fall, later.interval, later.values.size)
    peaks = arrival.stop(later)
    arrival.drift_down()
    down = arrival.values.copy()
    arrival.drift_up()
    places = np.arange(float(later.values.size))
    known = np.array([places, arrival.rises, arrival.falls, down, arrival.values])
    known = _with_stops(known, arrival, peaks)
    return Cells(later.interval, later.first, known[0], *(known[1:] * HELD))


def _with_stops(known: Array, arrival: Arrival, peaks: Peaks) -> Array:
    """Divide cells where a stop inside is best."""
    share = peaks.left / (peaks.left + peaks.right)
    apart = (share > CLOSE) & (share < 1 - CLOSE)
    lower = peaks.cells[apart]
    places = lower + np.log1p(share[apart] * arrival.growth) / arrival.interval
    inside = [
        (place, *_inside(known[1:, low : low + 2], arrival, place - low))
        for low, place in zip(lower.tolist(), places.tolist(), strict=True)
    ]
    return np.insert(known, lower + 1, np.array(inside).reshape(-1, 5).T, axis=1)


def _inside(ends: Array, arrival: Arrival, part: float) -> tuple[float, float, float, float]:
    """Return payoffs and values so far inside of a cell, by what they are at its ends."""
    rises, falls, down, up = ends.tolist()
    share = math.expm1(part * arrival.interval) / arrival.growth
    rise, fall = (one * (1 - share) + two * share for one, two in (rises, falls))
    near, far, stay = arrival.falling.weights(part * arrival.interval)
    stop = arrival.of_rises * rise + arrival.of_falls * fall
    lower = max(stop, near * fall + far * falls[0] + stay * down[0])
    near, far, stay = arrival.rising.weights((1 - part) * arrival.interval)
    return rise, fall, lower, max(lower, near * rise + far * rises[1] + stay * up[1])
