"""One arrival of a race, in front of any profile: two sweeps that find the best adversary.

W is what can still be lost after the arrival, at the level x, with z = e^x, α = 1 - e^-rise,
β = e^fall - 1, A(x) = W(x - rise) and B(x) = W(x + fall). A continuous V bounds what can be lost
with the arrival in front if

    V >= A + α·z·V'  and  V >= B - β·z·V',  so that  V >= C = (β·A + α·B)/(α + β).

Between two levels A and B are taken as lines in z, a and b. V is the larger of two curves, which
solve one condition each: a drift down to a stop, swept upwards, and a drift up to it, downwards. At
a *stop* C is paid. Where one inside a cell is best, both ends are raised by what it is worth.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from overbar._numbers import calm
from overbar.noise.grid_tails import ball
from overbar.privacy.loss_profile import Array, LossProfile

PRECISION = 256
#: More than the factor by which an arrival as computed may be too small, on so many levels.
GROWN = 1 + 2.0**-31
MOST_LEVELS = 2**16
#: More than what is lost below the smallest float.
TINY = 1e-290
#: Powers of what stays are formed over blocks of cells, down to e^-DEEP.
DEEP = 500.0
#: Of what a drift begins with it leaves at least e^-FADED after a cell: less than floats show.
FADED = 40.0


@calm
def raced(later: LossProfile, rise: float, fall: float, times: int) -> LossProfile:
    """Return bounds with so many arrivals in front, of hazards e^y apart, -fall <= y <= rise."""
    if later.values.size > MOST_LEVELS:
        raise ValueError(f"a race is followed on at most {MOST_LEVELS:,} levels")
    arrival = Arrival(rise, fall, later.interval, later.values.size)
    for _ in range(times if rise or fall else 0):
        later = replace(later, values=arrival.before(later), is_mirrored=False)
    return replace(later, is_mirrored=False)


class Peaks(NamedTuple):
    """Cells inside of which a stop is best, and how its value rises and falls at their ends."""

    cells: NDArray[np.int64]
    left: Array
    right: Array


NO_PEAKS = Peaks(np.empty(0, np.int64), np.empty(0), np.empty(0))


class Arrival:
    """One arrival on a grid of so many levels; its arrays are made once and filled again."""

    def __init__(self, rise: float, fall: float, interval: float, size: int) -> None:
        self.rising, self.falling = Drift(-rise, interval, size), Drift(fall, interval, size)
        self.interval = interval
        self.margins = max(0, -self.rising.left), max(0, self.falling.left + 1)
        with ctx.workprec(PRECISION):
            up, down = -arb(-rise).expm1(), arb(fall).expm1()
            share = down / (up + down) if rise or fall else arb(1)
            self.of_rises, self.of_falls = _above(share), _above(1 - share)
            self.line = _above(arb(-fall).exp()), _above(-arb(-fall).expm1())
            self.both = float(up + down)
        self.is_one_way = not (rise and fall)
        self.growth = math.expm1(interval)
        self.near, self.far = self.growth * math.exp(interval / 2) / 2, interval / 2
        self.rises, self.falls, self.values, self.spare = np.empty((4, size))

    def before(self, later: LossProfile) -> Array:
        """Return bounds with this arrival in front."""
        self.stop(later)
        self.drift_down()
        self.drift_up()
        grown = self.values * GROWN
        grown += TINY
        return np.minimum(grown, 1.0, out=grown)

    def stop(self, later: LossProfile) -> Peaks:
        """Begin with what a stop is worth at every level; return where it is best inside a cell."""
        self._read(later)
        peaks = NO_PEAKS if self.is_one_way else self._peaks()
        self._raise(peaks)
        first = self.line[1] + self.line[0] * self.falls[0]
        self.values[0] = max(self.values[0], first)
        self.values[-1] = max(self.values[-1], self.rises[-1])
        return peaks

    def drift_down(self) -> None:
        """Raise values to what a drift down to a stop is worth."""
        self.falling.sweep(self.values, self.falls)

    def drift_up(self) -> None:
        """Raise values to what a drift up to them is worth."""
        self.rising.sweep(self.values[::-1], self.rises[::-1])

    def _read(self, later: LossProfile) -> None:
        every = later.widened(*self.margins)
        self.rising.read(every, self.margins[0], self.rises, self.spare)
        self.falling.read(every, self.margins[0], self.falls, self.spare)
        np.multiply(self.rises, self.of_rises, out=self.values)
        np.multiply(self.falls, self.of_falls, out=self.spare)
        self.values += self.spare

    def _peaks(self) -> Peaks:
        gap = np.subtract(self.rises, self.falls, out=self.spare)
        slope = self.values[1:] - self.values[:-1]
        slope *= self.both / self.growth
        left = gap[:-1] + slope
        slope *= 1 + self.growth
        right = np.add(gap[1:], slope, out=slope)
        cells = np.flatnonzero((left > 0) & (right < 0))
        return Peaks(cells, left[cells] / self.both, -right[cells] / self.both)

    def _raise(self, peaks: Peaks) -> None:
        """Raise both ends of cells by what the stop inside is worth there."""
        cells, left, right = peaks
        both = left + right
        self.values[cells] += left * np.minimum(left * self.near / both, self.rising.speed)
        self.values[cells + 1] += right * np.minimum(right * self.far / both, self.falling.speed)


class Drift:
    """A drift towards what is paid `move` further up: upwards if that is below."""

    def __init__(self, move: float, interval: float, size: int) -> None:
        self.move, self.interval = move, interval
        place = Fraction(move) / Fraction(interval)
        self.left = math.floor(place)
        with ctx.workprec(PRECISION):
            share = (ball(place - self.left) * arb(interval)).expm1() / arb(interval).expm1()
            self.share, self.rest = _above(share), _above(1 - share)
            self.speed = _above(abs(arb(move).expm1()))
        if move:
            self._weigh(size)

    def _weigh(self, size: int) -> None:
        near, far, stay = self.weights(self.interval)
        stay = max(stay, math.exp(-FADED))
        cells = max(1, min(int(DEEP / max(-math.log(stay), DEEP / size)), size - 1))
        self.powers = stay ** np.arange(cells + 1)
        self.inverse = 1 / self.powers
        self.near, self.far = near * self.inverse[1:], far * self.inverse[1:]
        self.drift, self.best = np.zeros((2, cells + 1))

    def weights(self, length: float) -> tuple[float, float, float]:
        """Return how much a drift takes of a payoff here, of that so far back, and what stays.

        They are integrals of e^(-t/speed) with a line in e^t, rounded up.
        """
        with ctx.workprec(PRECISION):
            h = arb(length)
            rate, tilted = 1 / abs(arb(self.move).expm1()), 1 / abs(arb(-self.move).expm1())
            stay, back = (-h * rate).exp(), (-h if self.move > 0 else h).expm1()
            far = ((1 - (-h * tilted).exp()) * rate / tilted - (1 - stay)) / back
            return _above(1 - stay - far), _above(far), _above(stay)

    def read(self, every: Array, margin: int, payoff: Array, spare: Array) -> None:
        """Fill in what is paid at every level."""
        at = margin + self.left
        np.multiply(every[at : at + payoff.size], self.rest, out=payoff)
        np.multiply(every[at + 1 : at + 1 + payoff.size], self.share, out=spare)
        payoff += spare

    def sweep(self, values: Array, payoff: Array) -> None:
        """Raise values, from the first on, to what a drift back to one before is worth."""
        if not self.move:
            return
        block = self.powers.size - 1
        for start in range(0, values.size - 1, block):
            cells = min(block, values.size - 1 - start)
            here, drift, best = slice(start, start + cells + 1), self.drift, self.best
            drift, best = drift[: cells + 1], best[: cells + 1]
            np.multiply(payoff[here][1:], self.near[:cells], out=drift[1:])
            np.multiply(payoff[here][:-1], self.far[:cells], out=best[1:])
            drift[1:] += best[1:]
            np.add.accumulate(drift[1:], out=drift[1:])
            np.multiply(values[here], self.inverse[: cells + 1], out=best)
            best -= drift
            np.maximum.accumulate(best, out=best)
            best += drift
            np.multiply(best[1:], self.powers[1 : cells + 1], out=values[here][1:])


def _above(value: arb) -> float:
    return math.nextafter(float(value.upper()), math.inf)
