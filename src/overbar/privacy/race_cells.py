"""What an arrival of a race makes of a profile, as curves over cells: a certificate to be checked.

The curves are those of :mod:`overbar.privacy.race_step`. Each solves one of the two conditions on
its whole cell, and keeps the other where it lies above a stop. So whoever has them can check that
they bound the race, cell by cell, without a sweep and without this program.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overbar._numbers import calm
from overbar.privacy.profile import Profile
from overbar.privacy.race_step import Arrival, Peaks, Way

Array = NDArray[np.float64]

#: Curves are larger by this factor, more than their sums are off by.
HELD = 1 + 2.0**-33
#: A line is off by less than so much of what it is made of.
OFF = 2.0**-49
#: A stop so close to an end of its cell, in cells, is not told from it.
CLOSE = 1e-6


@dataclass(frozen=True, eq=False)
class Cells:
    """Curves on cells from (first + places[i])·interval to (first + places[i + 1])·interval.

    A row has what a line in z is at both ends of its cell, and what is added to it: of `falling` at
    the lower end, from where it is multiplied by (z/z_lower)^(-1/β), of `rising` at the upper end,
    from where it is multiplied by (z/z_upper)^(1/α). The profile is the larger of both.
    """

    interval: float
    first: int
    places: Array
    falling: Array
    rising: Array


@dataclass(frozen=True, eq=False)
class _Nodes:
    """What is known at the ends of cells."""

    places: Array
    rises: Array
    falls: Array
    down: Array
    up: Array


@calm
def cells(later: Profile, rise: float, fall: float) -> Cells:
    """Return the profile with one arrival in front, as curves that are held over whole cells."""
    arrival = Arrival(rise, fall, later.interval, later.values.size)
    peaks = arrival.stop(later)
    arrival.drift_down()
    down = arrival.values.copy()
    arrival.drift_up()
    places = np.arange(float(later.values.size))
    nodes = _Nodes(places, arrival.rises, arrival.falls, down, arrival.values)
    if not arrival.is_one_way:
        nodes = _with_stops(nodes, arrival, peaks)
    lengths = later.interval * np.diff(nodes.places)
    falling = _curves(arrival.falling, lengths, nodes.falls, nodes.down[:-1], end=0)
    rising = _curves(arrival.rising, lengths, nodes.rises, nodes.up[1:], end=1)
    return Cells(later.interval, later.first, nodes.places, falling, rising)


def _curves(way: Way, lengths: Array, payoffs: Array, values: Array, end: int) -> Array:
    """Return lines that are paid `move` further up, and what they lack at one end, of each cell."""
    if not way.move:
        return np.zeros((lengths.size, 3))
    low, high = payoffs[:-1] * HELD, payoffs[1:] * HELD
    slope = (high - low) / np.expm1(lengths)
    ends = low + slope * np.expm1([-way.move + 0 * lengths, lengths - way.move])
    off = OFF * (np.abs(ends[0]) + np.abs(ends[1]) + low)
    ends += off * (1 + way.speed / np.expm1(lengths))
    return np.column_stack((*ends, values * HELD - ends[end]))


def _with_stops(nodes: _Nodes, arrival: Arrival, peaks: Peaks) -> _Nodes:
    """Divide cells where a stop inside is best."""
    share = peaks.left / (peaks.left + peaks.right)
    some = (CLOSE < share) & (share < 1 - CLOSE)
    lows = peaks.cells[some]
    parts = np.log1p(share[some] * arrival.growth) / arrival.interval
    inside = [_inside(nodes, arrival, int(low), low + part) for low, part in zip(lows, parts)]
    rows = np.array([nodes.places, nodes.rises, nodes.falls, nodes.down, nodes.up])
    return _Nodes(*np.insert(rows, lows + 1, np.array(inside).reshape(-1, 5).T, axis=1))


def _inside(nodes: _Nodes, arrival: Arrival, low: int, place: float) -> tuple[float, ...]:
    """Return what is known at a place inside of a cell."""
    before, after = (place - low) * arrival.interval, (low + 1 - place) * arrival.interval
    share = math.expm1(before) / arrival.growth
    rise, fall = (
        float(payoff[low] * (1 - share) + payoff[low + 1] * share)
        for payoff in (nodes.rises, nodes.falls)
    )
    stop = arrival.of_rises * rise + arrival.of_falls * fall
    near, far, stay = arrival.falling.weights(before)
    down = max(stop, near * fall + far * nodes.falls[low] + stay * nodes.down[low])
    near, far, stay = arrival.rising.weights(after)
    up = max(down, near * rise + far * nodes.rises[low + 1] + stay * nodes.up[low + 1])
    return place, rise, fall, down, up
