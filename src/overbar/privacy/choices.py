"""A choice of pairs: a step in which the adversary picks one of several pairs of few outcomes.

Knowing all that has come out, the adversary picks the pair, which takes a profile W to

    (T W)(x) = sup over the pairs of the step of E[W(x - loss)].

A bit is 1 with chance p on one side and q on the other, and *about* a pair with profile D if
p <= D(x) + e^x·q for every x. What bits give is largest at corners of a few such lines.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from overbar._numbers import calm
from overbar.privacy.loss_profile import HAIR, Array, LossProfile, turned

#: More than the factor by which a step as computed may be too small.
GROWN = 1 + 2.0**-47
#: More than what is lost below the smallest float.
TINY = 1e-290
#: How much masses that are made from heights are raised.
MARGIN = 1e-9
#: So many pairs are looked at together.
AT_A_TIME = 32
#: A Gaussian pair is followed so many deviations far; beyond, all is lost.
DEVIATIONS = 10.0


@dataclass(frozen=True, eq=False)
class Choice:
    """Pairs to choose from: outcomes of the same column belong together, one column a pair.

    `masses` are their chances on the first side and `losses` what they lose, both rounded up.
    Turned around it is the same choice, but for rounding.
    """

    masses: Array
    losses: Array
    interval: float

    @cached_property
    def cells(self) -> int:
        """How many cells the largest loss is wide, that is not infinite."""
        finite = self.losses[np.isfinite(self.losses)]
        largest = float(np.max(np.abs(finite), initial=0.0))
        return math.ceil(largest / self.interval * (1 + HAIR)) + 1

    @cached_property
    def weights(self) -> list[tuple[Array, list[tuple[NDArray[np.int64], Array]]]]:
        """The sure loss of pairs, and which values around a level count for each by how much.

        A loss between two cells is shared by both; one beyond the last cell by it and a sure loss.
        Few pairs at a time: so their arrays stay small.
        """
        beyond = np.minimum(0.0, self.cells * self.interval - self.losses)
        sure = np.sum(-self.masses * np.expm1(beyond), axis=0)
        place = np.clip(-self.losses / self.interval, -self.cells, self.cells)
        left = np.minimum(np.floor(place), self.cells - 1).astype(np.int64)
        share = np.expm1((place - left) * self.interval) / math.expm1(self.interval)
        share, part = np.clip(share, 0.0, 1.0), self.masses * np.exp(beyond)
        places = np.concatenate((left, left + 1)) + self.cells
        parts = np.concatenate((part * (1 - share), part * share))
        return [
            (sure[few, None], list(zip(places[:, few], parts[:, few, None], strict=True)))
            for few in (slice(at, at + AT_A_TIME) for at in range(0, sure.size, AT_A_TIME))
        ]

    @calm
    def before(self, later: LossProfile, times: int = 1) -> LossProfile:
        """Return the profile with so many steps like this one in front of what is to come."""
        assert later.interval == self.interval
        start = -later.first if later.is_mirrored else 0  # the side from zero on says all
        values = later.values[start:]
        for _ in range(times):
            values = np.fmin(self._best(later, values) * GROWN + TINY, 1.0)  # no number is one
        return later.mirrored(values) if later.is_mirrored else later.followed_by(values)

    def _best(self, later: LossProfile, values: Array) -> Array:
        """Return the most that some pair makes of these values, at each of their levels."""
        if later.is_mirrored:
            below = turned(self.interval, values, self.cells)
            every = np.concatenate((below, values, np.full(self.cells, values[-1])))
        else:
            every = later.followed_by(values).widened(self.cells, self.cells)
        near, best = (
            np.lib.stride_tricks.sliding_window_view(every, values.size),
            np.zeros(values.size),
        )
        for pairs, columns in self.weights:
            for place, weight in columns:
                term = near[place]
                term *= weight
                term += pairs
                pairs = term  # noqa: PLW2901  # no new arrays: they would take longer
            np.maximum(best, np.max(pairs, axis=0), out=best)
        return best


def bits_about(levels: Array, heights: Array, interval: float, *, few: bool = True) -> Choice:
    """Return all bits about a pair with this profile, which can be turned around.

    It is known at levels from zero upwards: heights are upper bounds, convex in e^level; the last
    may be zero. With `few`, few lines are taken below level zero: where profiles are followed from
    zero on nothing is lost by it.
    """
    q, p = _corners(levels, heights)
    some = np.arange(levels.size)
    if few:
        some = some[(some & (some - 1) == 0) | (some == levels.size - 1)]
    less, more = _corners(levels[some], heights[some])
    masses = np.array([np.append(p, 1 - less), np.append(1 - p, less)])
    with np.errstate(divide="ignore"):
        one, zero = np.log(p / q), np.log((1 - p) / (1 - q))
        other, none = np.log(more / less), np.log((1 - more) / (1 - less))
    losses = np.array([np.append(one, -none), np.append(zero, -other)])
    losses = np.where(masses > 0, losses, 0.0)  # what never comes out loses nothing
    return Choice(masses, losses + HAIR * (1 + np.abs(losses)), interval)


def _corners(levels: Array, heights: Array) -> tuple[Array, Array]:
    """Return q and p where the lines of neighbouring levels meet, moved outwards."""
    rise = np.exp(levels[:-1]) * np.expm1(np.diff(levels))
    slope, off = (heights[:-1] - heights[1:]) / rise, HAIR * heights[:-1] / rise
    q = np.append(np.maximum(0.0, slope - off), 0.0)
    p = np.append(heights[:-1] + np.exp(levels[:-1]) * (slope + off), heights[-1])
    p = np.minimum(1.0, p * (1 + HAIR))
    if levels[0] != 0 or not np.all(q[:-2] >= (slope + off)[1:]):  # lines would meet elsewhere
        raise ValueError("levels must begin at zero and be well apart, and heights convex")
    return q[p > 0], p[p > 0]


def picks(range_: float, cells: int, interval: float, *, few: bool = True) -> Choice:
    """Return one pick by Gumbel noise, whose log-odds move within a range (Theorem 6).

    It is a bit about a logistic law that is shifted by the range κ, of which the profile is
    (1 - e^((x-κ)/2))²/(1 - e^-κ). It is enclosed at so many cells of the range.
    """
    levels = range_ * (np.arange(cells + 1) / cells)
    heights = np.expm1((levels - range_) / 2) ** 2 / -math.expm1(-range_) * (1 + HAIR)
    return bits_about(levels, heights, interval, few=few)


def gaussian_bits(
    shift: float, interval: float, cells: int, growth: float = 1.0, *, few: bool = True
) -> Choice:
    """Return one bit about Gaussian noise of deviation one, shifted by so much.

    Its profile is Φ(-u) - e^x·Φ(-u - d) with u = x/d - d/2, which is φ(u)·(R(u) - R(u + d)) with
    Mills' ratio R. It is looked at in so many cells, of which each is wider by a factor than the
    one before.
    """
    ends = np.append(0.0, np.cumsum(growth ** np.arange(cells)))
    places = DEVIATIONS * (ends / ends[-1])
    levels = shift * places
    u = levels / shift - shift / 2
    near, far = (scipy.special.erfcx(v / math.sqrt(2)) for v in (u, u + shift))
    density = np.exp(-u * u / 2) / 2 * (1 + 100 * HAIR)
    return bits_about(levels, density * (near - far + HAIR * near), interval, few=few)


def pair_of(levels: Array, heights: Array, interval: float) -> Choice:
    """Return the one pair whose profile is these chords, in both directions, or more.

    Levels are from zero upwards. What lies beyond the last is lost for sure. Masses are made from
    heights that are 10⁻⁹ larger, far more than they are off by, and there is 10⁻⁹ too much of them.
    """
    raised, moved = heights * (1 + MARGIN), levels[1:]
    slopes = (raised[:-1] - raised[1:]) / (np.exp(levels[:-1]) * np.expm1(np.diff(levels)))
    q = np.maximum(0.0, slopes - np.append(slopes[1:], 0.0))
    p, lost = np.exp(moved) * q, float(raised[-1])
    rest = max(0.0, 1 - lost - float(np.sum(p) + np.sum(q))) + MARGIN
    masses = np.concatenate((p, q, [lost, rest]))
    return outcomes(masses, np.concatenate((moved, -moved, [math.inf, 0.0])), interval)


def outcomes(masses: Array, losses: Array, interval: float) -> Choice:
    """Return the one pair with these outcomes; losses are raised by more than they are off by."""
    some = masses > 0
    column = losses[some, None]
    return Choice(masses[some, None], column + HAIR * (1 + np.abs(column)), interval)


def chords(levels: Array, heights: Array, places: Array) -> Array:
    """Return the chords in e^x of heights at levels, read at places from zero on, rounded up."""
    low = places * (1 - HAIR)
    left = np.clip(np.searchsorted(levels, low, side="right") - 1, 0, levels.size - 2)
    past = np.clip(low - levels[left], 0.0, np.diff(levels)[left])
    share = np.expm1(past) / np.expm1(np.diff(levels)[left])
    return np.asarray((heights[left] * (1 - share) + heights[left + 1] * share) * (1 + 4 * HAIR))
