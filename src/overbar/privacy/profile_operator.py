"""One operator on profiles: what is still to come, with one more step in front.

A *profile* is x ↦ W(x), the largest E[(1 - e^(x - loss))₊] that can still be reached, for every
real level x; with nothing to come it is (1 - e^x)₊. It falls, and it is convex in e^x. A step whose
pair the adversary chooses, knowing all that has come out, takes it to

    (T W)(x) = sup over the pairs of the step of E[W(x - loss)].

Here every pair of a step is a **bit** about another pair: it is 1 with chance p on one side and q
on the other, where (q, p) lies under the curve of the best tests. If D is the profile of the other
pair, all such points have p <= D(x) + e^x·q for every x. A bit with (q, p) gives

    p·W(x - ln p/q) + (1 - p)·W(x - ln (1-p)/(1-q)).

**A finite number of bits is enough.** That is convex in (q, p), as a sum of perspectives of a
convex function. So over a polygon it is largest at a corner. Take a few levels x_0 < x_1 < …: the
lines p = D(x_j) + e^(x_j)·q enclose all points, and neighbours meet at the corners

    q = (D(x_j) - D(x_(j+1)))/(e^(x_(j+1)) - e^(x_j)),    p = D(x_j) + e^(x_j)·q,

after the last level at (0, D). Corners (0, 0) and (1, 1) say nothing, which is never best. So the
maximum over these corners is never below the supremum, and above it by the square of the distance
between levels.

**Chords.** Bounds are kept at the levels i·interval >= 0. Between them the chord in e^x lies above
W; beyond the last level W is at most what it is there. All pairs of a step can be turned around, so
below zero W(-x) = 1 - e^-x + e^-x·W(x), which takes chords to chords.

**Rounding.** A corner is moved outwards (p up, q down) and every loss is raised, each by more than
it can be off by. A share of a chord as computed is that of some loss near by, so raised losses
cover it. What is left is a sum of five products of numbers >= 0, each within 20 units in the last
place, so it is off by a factor of less than GROWN = 1 + 2^-47, by which each step multiplies.
Numbers too small for floats are less than TINY, which each step adds.

Theory: :doc:`/theory/top_with_delta`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from overbar._numbers import calm

Array = NDArray[np.float64]

#: More than a few operations on floats are off by.
HAIR = 1e-14
#: More than the factor by which a step as computed may be too small.
GROWN = 1 + 2.0**-47
#: More than what is lost below the smallest float.
TINY = 1e-290
#: How much masses that are made from heights are raised.
MARGIN = 1e-9
#: So many bits are looked at together.
AT_A_TIME = 32
#: A Gaussian pair is followed so many deviations far; beyond, all is lost.
DEVIATIONS = 10.0


@dataclass(frozen=True, eq=False)
class ProfileBound:
    """Upper bounds on a profile, and on the one turned around, at the levels i·interval."""

    interval: float
    values: Array

    def at(self, level: float) -> float:
        """Return an upper bound at any real level."""
        if level < 0:
            turned = -math.expm1(level) + math.exp(level) * self.at(-level)
            return min(1.0, turned * (1 + HAIR))
        left = math.floor(level / self.interval * (1 - HAIR))
        if left >= self.values.size - 1:
            return min(1.0, float(self.values[-1]))
        past = max(0.0, level * (1 - HAIR) - left * self.interval)
        share = min(1.0, math.expm1(past) / math.expm1(self.interval))
        low, high = float(self.values[left]), float(self.values[left + 1])
        return min(1.0, (low * (1 - share) + high * share) * (1 + HAIR))

    def level(self, log_delta: float) -> float:
        """Return a level from zero on where the bound is at most δ; infinite if none is."""
        allowed = math.exp(log_delta) * (1 - 4 * HAIR)
        above = np.flatnonzero(~(self.values * (1 + 2 * HAIR) <= allowed))  # what is no number too
        if above.size == 0:
            return 0.0
        left = int(above[-1])
        if left == self.values.size - 1:
            return math.inf
        low, high = float(self.values[left]), float(self.values[left + 1])
        share = max(0.0, (low - allowed) / (low - high))
        level = left * self.interval + math.log1p(share * math.expm1(self.interval))
        step = HAIR * (level + self.interval)
        while self.at(level) > allowed:
            level, step = level + step, 2 * step
        return level


def chords(levels: Array, heights: Array, interval: float, last: float) -> ProfileBound:
    """Return the profile of what keeps these δ's at these levels from zero on, in both directions.

    Between the levels chords lie above it; beyond the last it is at most what it is there.
    """
    places = interval * np.arange(math.ceil(last / interval) + 1) * (1 - HAIR)
    left = np.clip(np.searchsorted(levels, places, side="right") - 1, 0, levels.size - 2)
    past = np.clip(places - levels[left], 0.0, np.diff(levels)[left])
    share = np.expm1(past) / np.expm1(np.diff(levels)[left])
    values = heights[left] * (1 - share) + heights[left + 1] * share
    return ProfileBound(interval, np.fmin(1.0, values * (1 + 4 * HAIR)))


def nothing_to_come(interval: float, last: float) -> ProfileBound:
    """Return the profile of what says nothing: no δ is needed from level zero on."""
    return ProfileBound(interval, np.zeros(math.ceil(last / interval) + 1))


@dataclass(frozen=True, eq=False)
class ProfileStep:
    """Bits to choose from: outcomes of the same column belong together, one column a bit.

    `masses` are their chances on the first side and `losses` what they lose, both rounded up.
    """

    masses: Array
    losses: Array
    interval: float
    cells: int

    @cached_property
    def weights(self) -> list[tuple[Array, list[tuple[NDArray[np.int64], Array]]]]:
        """The sure loss of bits, and which values around a level count for each by how much.

        A loss between two cells is shared by both; one beyond the last cell by it and a sure loss.
        Few bits at a time: so their arrays stay small.
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
    def before(self, later: ProfileBound, times: int = 1) -> ProfileBound:
        """Return the profile with so many steps like this one in front of what is to come."""
        assert later.interval == self.interval
        values, last = later.values, later.values.size - 1
        below = np.arange(self.cells, 0, -1)
        odds, turned = np.exp(-below * self.interval), -np.expm1(-below * self.interval)
        for _ in range(times):
            beyond = np.full(self.cells, values[-1])
            mirrored = turned + odds * values[np.minimum(below, last)]
            every, best = np.concatenate((mirrored, values, beyond)), np.zeros(last + 1)
            near = np.lib.stride_tricks.sliding_window_view(every, last + 1)
            for bits, columns in self.weights:
                for place, weight in columns:
                    term = near[place]
                    term *= weight
                    term += bits
                    bits = term  # noqa: PLW2901  # no new arrays: they would take longer
                np.maximum(best, np.max(bits, axis=0), out=best)
            values = best * GROWN + TINY
        return ProfileBound(self.interval, np.fmin(values, 1.0))  # what is no number is one


def bits_about(levels: Array, heights: Array, interval: float, *, few: bool = True) -> ProfileStep:
    """Return the step of all bits about a pair with this profile, which can be turned around.

    Parameters
    ----------
    levels : Array
        Levels from zero upwards at which the profile is known.
    heights : Array
        Upper bounds on it there, convex in e^level; the last may be zero.
    interval : float
        Distance of levels of the profiles to which the step is applied.
    few : bool, default True
        Whether few lines are taken below level zero, which enclose as well. Profiles are followed
        from zero on, where bits that say more of the first side are best: then nothing is lost.
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
    losses += HAIR * (1 + np.abs(losses))
    cells = math.ceil(float(levels[-1]) / interval * (1 + HAIR)) + 1
    return ProfileStep(masses, losses, interval, cells)


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


def picks(range_: float, cells: int) -> ProfileStep:
    """Return the step of one pick by Gumbel noise, whose log-odds move within a range.

    Its likelihood ratios lie in [e^(t - κ), e^t] for some t in [0, κ]. Among all laws with these
    ends and mean one the law on the ends is the largest in convex order: a bit with
    p = (1 - e^(t-κ))/(1 - e^-κ) and q = e^-t·p. These are the points (q, p) where the odds of p are
    e^κ times those of q: the best tests of a logistic law against itself shifted by κ, whose
    profile is (1 - e^((x-κ)/2))²/(1 - e^-κ).

    The range has so many cells, for profiles and for the levels at which bits are enclosed.
    """
    levels = range_ * (np.arange(cells + 1) / cells)
    heights = np.expm1((levels - range_) / 2) ** 2 / -math.expm1(-range_) * (1 + HAIR)
    return bits_about(levels, heights, range_ / cells)


def gaussian_bits(
    shift: float, interval: float, cells: int, growth: float = 1.0, *, few: bool = True
) -> ProfileStep:
    """Return the step of one bit about Gaussian noise of deviation one, shifted by so much.

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


def pair_of(levels: Array, heights: Array, interval: float) -> ProfileStep:
    """Return the step of a pair whose profile is these chords, in both directions, or more.

    Levels are from zero upwards. What lies beyond the last is lost for sure. Masses are made from
    heights that are 10⁻⁹ larger, far more than they are off by, and there is 10⁻⁹ too much of them.
    """
    raised, moved = heights * (1 + MARGIN), levels[1:]
    slopes = (raised[:-1] - raised[1:]) / (np.exp(levels[:-1]) * np.expm1(np.diff(levels)))
    q = np.maximum(0.0, slopes - np.append(slopes[1:], 0.0))
    p, lost = np.exp(moved) * q, float(raised[-1])
    rest = max(0.0, 1 - lost - float(np.sum(p) + np.sum(q))) + MARGIN
    masses = np.concatenate((p, q, [lost, rest]))[:, None]
    losses = np.concatenate((moved, -moved, [math.inf, 0.0]))[:, None]
    losses = losses + HAIR * (1 + np.abs(losses))
    cells = math.ceil(float(levels[-1]) / interval * (1 + HAIR)) + 1
    return ProfileStep(masses, losses, interval, cells)
