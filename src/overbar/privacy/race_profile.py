"""The best adversary against a race: hazards that may rise by so much and fall by so much.

Let x = ε - (loss so far), n the positives left, and W_n(x) the largest E[(1 - e^(x - later loss))₊]
that can be reached by choosing the change y of the log-hazard anew for every query, anywhere in
[-fall, rise] and knowing all answers. W_0(x) = (1 - e^x)₊. A positive lowers x by y; while none
comes, x drifts by 1 - e^-y per unit of hazard. With α = 1 - e^-rise, β = e^fall - 1 and

    A(x) = W_{n-1}(x - rise),   B(x) = W_{n-1}(x + fall),   C = (β·A + α·B)/(α + β),

the adversary stops at some x and takes both ends in turn, which is worth C, or drifts there: down
by y = -fall, or up by y = rise,

    D(x) = sup over w <= x of ∫_w^x e^(-(x-u)/β)·B(u) du/β + e^(-(x-w)/β)·C(w),
    S(x) = sup over w >= x of ∫_x^w e^(-(u-x)/α)·A(u) du/α + e^(-(w-x)/α)·C(w).

**Theorem.** W_n = max(D, S). For bounds on W_{n-1} in place of it, both are bounds on W_n.

**Numbers.** Bounds are kept at i·interval; between, the chord in e^x lies above W, which is convex
in e^x. So A, B and C are taken as lines in e^x on each cell, and the drift over a cell has positive
weights. How fast the value of a stop changes with its place has the sign of K, the line of C read
at x + fall, less B. On a cell K is a line too: the best stop lies at an end, unless K falls through
zero. Then it is worth at most the length of the cell times |K|/β at the end more than a stop at
that end. Beyond the ends of the grid, orders bound W: at the last level (beyond it W is no larger)
and, both sides exchanged, at the first (below it the chord to W = 1 at e^x = 0 lies above).

Everything but K is a sum of products of numbers >= 0. A is at most (1 + α/β)·W_n and B at most W_n,
so each step as computed is too small by less than the factor GROWN, by which it is multiplied.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from overbar._numbers import least
from overbar.privacy.hazard import base_renyi
from overbar.privacy.theorem import epsilon_at, log_delta_at

Array = NDArray[np.float64]

#: Beyond this many cells, or steps over cells, orders serve: the recursion would take too long.
MOST_CELLS = 40_000
MOST_STEPS = 15_000_000
#: Far beyond any useful plan.
WIDEST = 8.0
#: The recursion adds up plain floats, so it stops well above the smallest.
DEEPEST = 600.0
#: Losses are followed to where so much less is lost (in logs).
BEYOND = 6.0
#: More than a few operations on floats are off by.
HAIR = 1e-13
#: More than what is lost below the smallest float.
TINY = 1e-300
#: More than the factor by which a step as computed may be too small, α/β at most MOST_UNEVEN.
GROWN = 1 + 1e-10
MOST_UNEVEN = 100.0

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True, eq=False)
class RaceProfile:
    """Upper bounds on what a race can still lose, at the levels (first + i)·interval."""

    interval: float
    first: int
    values: Array

    def at(self, levels: Array) -> Array:
        """Return upper bounds at any real levels."""
        places = levels / self.interval - self.first
        places = places - HAIR * (1 + np.abs(places) + abs(self.first))
        left = np.clip(np.floor(places), 0, self.values.size - 2).astype(np.int64)
        past = np.clip(places - left, 0.0, 1.0) * self.interval
        share = np.expm1(past) / math.expm1(self.interval)
        inside = self.values[left] * (1 - share) + self.values[left + 1] * share
        before = np.exp(np.minimum(0.0, places) * self.interval)  # e^x by what it is at the first
        return np.fmin(1.0, (1 - before) + before * inside * (1 + HAIR))


@lru_cache(maxsize=64)
def race_profile(cutoff: int, rise: float, fall: float, depth: float) -> RaceProfile | None:
    """Bound δ for every ε, closely where it is about e^-depth; None where it would take too long.

    `rise` and `fall` are how far the log-hazard of a query moves.
    """
    if depth > DEEPEST or rise + fall > WIDEST or not 0 < rise < fall * MOST_UNEVEN:
        return None
    interval = (rise + fall) / cells_per_width(cutoff, min(rise, fall) / (rise + fall))

    def lost(cost: float, order: float) -> float:
        return epsilon_at(cutoff * cost, order, -depth)

    order, cost = _best_order(rise, fall, lost)
    # Levels where about e^-depth is lost, and so much less that it does not count.
    middle, end = lost(cost, order), epsilon_at(cutoff * cost, order, -depth - BEYOND)
    if not 2 * end - middle < interval * min(MOST_CELLS, MOST_STEPS / cutoff):
        return None
    first, last = math.floor((middle - end) / interval) - 1, math.ceil(end / interval) + 1
    low, high = first * interval * (1 - HAIR), last * interval * (1 - HAIR)
    # With both sides exchanged.
    other, turned = _best_order(fall, rise, lambda cost, a: log_delta_at(cutoff * cost, a, -low))
    values = -np.expm1(interval * np.minimum(0.0, np.arange(first, last + 1.0)))
    game = _Arrival(rise, fall, interval, values.size)
    for positives in range(1, cutoff + 1):
        at_high = _chance(log_delta_at(positives * cost, order, high))
        at_low = _chance(log_delta_at(positives * turned, other, -low))
        values = game.before(values, -math.expm1(low) + math.exp(low) * at_low, at_high)
    return RaceProfile(interval, first, np.fmin(values, 1.0))


def _best_order(
    rise: float, fall: float, value: Callable[[float, float], float]
) -> tuple[float, float]:
    """Return about the order at which a value of one positive's divergence is least, and that."""

    def cost(order: float) -> float:
        return max(base_renyi(rise, order), base_renyi(-fall, order))

    last = math.log(1 / math.expm1(fall))  # of what is above one, beyond which it is infinite
    place, _ = least(
        lambda log: value(cost(1 + math.exp(log)), 1 + math.exp(log)), last - 12, last, 1e-2
    )
    order = 1 + math.exp(place)
    return order, cost(order)


def cells_per_width(cutoff: int, evenness: float) -> int:
    """Return how many cells rise and fall have together: more if they are few, or uneven."""
    return math.ceil(max(40, 960 / cutoff, 16 / evenness) - 1e-6)


def _chance(log_delta: float) -> float:
    return math.exp(min(0.0, log_delta + 1e-12 * (1 + abs(log_delta))))


class _Arrival:
    """One positive in front of what is still to come, on one grid of so many levels.

    Arrays are made once, and filled again and again: a step has few thousand numbers, and to make
    a new array for each of its operations would take longer than these.
    """

    def __init__(self, rise: float, fall: float, interval: float, size: int) -> None:
        self.up, self.down = -math.expm1(-rise), math.expm1(fall)
        self.growth, self.cell = math.expm1(interval), interval / self.down
        # Payoffs are read between two levels, a hair too low.
        self.risen = _between(-rise, interval)
        self.fallen = _between(fall, interval)
        margin = -self.risen[0]
        self.below = np.exp(-interval * np.arange(margin, 0, -1))
        self.every = np.empty(margin + size + self.fallen[0] + 1)
        self.rising = _Drift(interval, self.up, size, forwards=True)
        self.falling = _Drift(interval, self.down, size, forwards=False)
        self.rises, self.falls, self.stop, self.spare = np.empty((4, size))

    def _read(self, offset: tuple[int, float], payoff: Array) -> None:
        size, left, share = payoff.size, offset[0] + self.below.size, offset[1]
        np.multiply(self.every[left : left + size], 1 - share, out=payoff)
        np.multiply(self.every[left + 1 : left + 1 + size], share, out=self.spare)
        np.add(payoff, self.spare, out=payoff)

    def before(self, later: Array, at_low: float, at_high: float) -> Array:
        """Return bounds with this positive in front, given bounds at both ends of the grid."""
        margin, rises, falls, stop = self.below.size, self.rises, self.falls, self.stop
        self.every[:margin] = (1 - self.below) + self.below * later[0]
        self.every[margin : margin + later.size] = later
        self.every[margin + later.size :] = later[-1]
        self._read(self.risen, rises)
        self._read(self.fallen, falls)
        both = self.up + self.down
        np.multiply(rises, self.down / both, out=stop)
        np.multiply(falls, self.up / both, out=self.spare)
        np.add(stop, self.spare, out=stop)
        # K at both ends of each cell.
        slope = (stop[1:] - stop[:-1]) * (self.down / self.growth)
        apart = np.subtract(stop, falls, out=self.spare)
        left = apart[:-1] + slope
        slope *= 1 + self.growth
        slope += apart[1:]
        inside = np.flatnonzero((left > 0) & (slope < 0))
        down, up = stop.copy(), stop.copy()
        down[inside + 1] -= self.cell * slope[inside]
        up[inside] += self.cell * left[inside]
        down[0], up[-1] = at_low, at_high
        values = np.maximum(
            self.falling.swept(down, falls), self.rising.swept(up[::-1], rises[::-1])[::-1]
        )
        values[0], values[-1] = min(values[0], at_low), min(values[-1], at_high)
        values *= GROWN
        values += TINY
        return values


def _between(move: float, interval: float) -> tuple[int, float]:
    """Return how many cells below a move lies, and its share of the next, in e^x."""
    place = move / interval - HAIR * (1 + abs(move / interval))
    left = math.floor(place)
    return left, math.expm1((place - left) * interval) / math.expm1(interval)


class _Drift:
    """A drift across cells until a positive comes, at so much per unit of hazard."""

    def __init__(self, interval: float, speed: float, size: int, *, forwards: bool) -> None:
        way = (1 + _NODES) * interval / 2
        chance = np.exp(-way / speed) * _WEIGHTS * interval / 2 / speed
        sign = 1 if forwards else -1
        share = np.expm1(sign * way) / math.expm1(sign * interval)
        near, far = float(np.sum(chance * (1 - share))), float(np.sum(chance * share))
        # Powers of what stays are formed over so many cells at once.
        self.block = max(1, int(500 * speed / interval))
        cells = min(self.block, size - 1)
        self.powers = math.exp(-interval / speed) ** np.arange(cells + 1)
        self.inverse = 1 / self.powers
        self.near, self.far = near * self.inverse[1:], far * self.inverse[1:]
        self.drift, self.best = np.zeros((2, cells + 1))

    def swept(self, stops: Array, payoff: Array) -> Array:
        """Return values from the first place on: of a stop there, or of a drift back to one."""
        values = stops
        for start in range(0, stops.size - 1, self.block):
            cells = min(self.block, stops.size - 1 - start)
            here, drift, best = slice(start, start + cells + 1), self.drift, self.best
            drift, best = drift[: cells + 1], best[: cells + 1]
            np.multiply(payoff[here][1:], self.near[:cells], out=drift[1:])
            np.multiply(payoff[here][:-1], self.far[:cells], out=best[1:])
            drift[1:] += best[1:]
            np.cumsum(drift[1:], out=drift[1:])
            np.multiply(values[here], self.inverse[: cells + 1], out=best)
            best -= drift
            np.maximum.accumulate(best, out=best)
            best += drift
            np.multiply(best[1:], self.powers[1 : cells + 1], out=values[here][1:])
        return values
