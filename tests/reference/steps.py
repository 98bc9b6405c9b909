"""What steps cost in a row, slow and obvious: in floats, on a grid of levels, by trying everything.

The profile W of what is still to come says at a level x how large E_P[(1 - e^(x - loss))₊] can be.
A step that is put in front takes W to the largest mean of W(x - loss) over all that an adversary
may choose in it. Nothing is to come: W(x) = (1 - e^x)₊.

Levels lie from -most·spacing to most·spacing. Between them a profile is a line in e^x, which lies
above it; over the last level it is 0, and under the first 1 - e^x, which lie below. What an
adversary may choose is tried at some dozens of places, and a race is asked in questions so small
that a negative moves the loss by one spacing. All of this is wrong by the square of the spacing,
so `step_deltas` takes a second grid as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr

Profile = np.ndarray


@dataclass(frozen=True)
class Levels:
    """Levels on both sides of zero: the spacing, how many on each, and how closely to choose."""

    spacing: float
    most: int
    closely: int = 1

    @property
    def halved(self) -> Levels:
        return Levels(self.spacing / 2, self.most * 2, self.closely * 2)

    @property
    def places(self) -> np.ndarray:
        return self.spacing * np.arange(-self.most, self.most + 1)

    @property
    def nothing(self) -> Profile:
        """The profile where nothing is to come."""
        return np.maximum(-np.expm1(self.places), 0.0)

    def taken(self, profile: Profile, by: int) -> Profile:
        """Return the profile that many levels further up, at every level."""
        if by >= 0:
            above = np.zeros(min(by, len(profile)))
            return np.concatenate([profile[by:], above])
        under = -np.expm1(self.places[: min(-by, len(profile))] + by * self.spacing)
        return np.concatenate([under, profile[:by]])

    def moved(self, profile: Profile, loss: float) -> Profile:
        """Return W(x - loss) at every level."""
        if loss == math.inf:
            return np.ones_like(profile)
        whole, upper = self.split(np.array([loss]))
        by = int(whole[0])
        return (1 - upper[0]) * self.taken(profile, by) + upper[0] * self.taken(profile, by + 1)

    def split(self, losses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how many whole levels up a loss moves, and the share of one more: lines in e^x."""
        steps = -losses / self.spacing
        whole = np.floor(steps + 1e-9)
        part = np.maximum(steps - whole, 0.0)
        return whole.astype(int), np.expm1(part * self.spacing) / math.expm1(self.spacing)

    def read(self, profile: Profile, level: float) -> float:
        """Return the profile at one level."""
        return float(self.moved(profile, -level)[self.most])

    def unsure(self, profile: Profile, level: float) -> float:
        """Return how far the profile can lie under its line there, where the lines beside it go."""
        place = level / self.spacing
        left = math.floor(place + 1e-9)
        if place - left < 1e-6:
            return 0.0
        z = np.exp(self.spacing * (np.arange(-1, 3) + left))
        one, two, three, four = (
            float(self.taken(profile, left + k)[self.most]) for k in range(-1, 3)
        )
        here = math.exp(level)
        from_left = two + (two - one) / (z[1] - z[0]) * (here - z[1])
        from_right = three - (four - three) / (z[3] - z[2]) * (z[2] - here)
        return max(0.0, self.read(profile, level) - max(from_left, from_right))


class Step(Protocol):
    """What an adversary may do once or some times; `finest` and `widest` say what grid it needs."""

    @property
    def finest(self) -> float:
        """The least loss that matters in it."""

    @property
    def widest(self) -> float:
        """How far the loss goes in it, but for a chance that does not matter."""

    @property
    def turned(self) -> Step:
        """The same with both sides exchanged."""

    def before(self, levels: Levels, profile: Profile) -> Profile:
        """Put it in front of what is to come."""


@dataclass(frozen=True)
class Pair:
    """Two laws on the same outcomes: nothing to choose."""

    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def _losses(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Chances and losses on the first side, and what the second cannot give."""
        p, q = np.array(self.first), np.array(self.second)
        both = (p > 0) & (q > 0)
        return p[both], np.log(p[both]) - np.log(q[both]), float(p[(p > 0) & (q == 0)].sum())

    @property
    def _deviation(self) -> float:
        chances, losses, _ = self._losses
        return math.sqrt(float(chances @ losses**2))

    @property
    def finest(self) -> float:
        return self._deviation

    @property
    def widest(self) -> float:
        chances, losses, _ = self._losses
        return float(np.abs(losses[chances > 1e-16]).max(initial=0.0))

    @property
    def turned(self) -> Pair:
        return Pair(self.second, self.first)

    def before(self, levels: Levels, profile: Profile) -> Profile:
        chances, losses, infinite = self._losses
        whole, upper = levels.split(losses)
        found = np.full_like(profile, infinite)
        least = int(whole.min())
        weights = np.zeros(int(whole.max()) - least + 2)
        np.add.at(weights, whole - least, chances * (1 - upper))
        np.add.at(weights, whole - least + 1, chances * upper)
        for by in np.flatnonzero(weights):
            found += weights[by] * levels.taken(profile, least + int(by))
        return found


@dataclass(frozen=True)
class Bits:
    """So many bits in a row: of each the adversary chooses its chances on both sides.

    Where `along` they lie along a curve, of which the coarser grid tries every other bit.
    """

    first: tuple[float, ...]
    second: tuple[float, ...]
    times: int = 1
    along: bool = False

    @property
    def finest(self) -> float:
        p, q = np.array(self.first), np.array(self.second)
        return float(max(Pair((a, 1 - a), (b, 1 - b)).finest for a, b in zip(p, q, strict=True)))

    @property
    def widest(self) -> float:
        return 9 * math.sqrt(self.times) * self.finest

    @property
    def turned(self) -> Bits:
        return replace(self, first=self.second, second=self.first)

    def before(self, levels: Levels, profile: Profile) -> Profile:
        for _ in range(self.times):
            bits = self._bits(levels.closely)
            profile = np.max([self._one(levels, profile, *bit) for bit in bits], axis=0)
        return profile

    def _bits(self, closely: int) -> Iterable[tuple[float, float]]:
        leap = 2 if self.along and closely == 1 else 1
        return zip(self.first[::leap], self.second[::leap], strict=True)

    def _one(self, levels: Levels, profile: Profile, p: float, q: float) -> Profile:
        found = np.zeros_like(profile)
        for one, other in ((p, q), (1 - p, 1 - q)):
            if one > 0:
                loss = math.log(one / other) if other > 0 else math.inf
                found += one * levels.moved(profile, loss)
        return found


@dataclass(frozen=True)
class Picks:
    """So many picks by the exponential mechanism, of which the losses lie t and t - κ apart."""

    times: int
    kappa: float
    tried: int = 32

    @property
    def finest(self) -> float:
        return self.kappa / 2

    @property
    def widest(self) -> float:
        return min(self.times, 1 + 5 * math.sqrt(self.times)) * self.kappa

    @property
    def turned(self) -> Picks:
        """Itself: who wins t on one side loses it on the other."""
        return self

    def before(self, levels: Levels, profile: Profile) -> Profile:
        for _ in range(self.times):
            most = profile
            for rise in np.linspace(0, self.kappa, self.tried * levels.closely + 1):
                most = np.maximum(most, self._one(levels, profile, float(rise)))
            profile = most
        return profile

    def _one(self, levels: Levels, profile: Profile, rise: float) -> Profile:
        p = math.expm1(rise - self.kappa) / math.expm1(-self.kappa)
        lost = levels.moved(profile, rise - self.kappa)
        return p * levels.moved(profile, rise) + (1 - p) * lost


@dataclass(frozen=True)
class Race:
    """Questions without end, until so many positives: hazards are e^y apart, -fall ≤ y ≤ rise."""

    times: int
    rise: float
    fall: float
    tried: int = 2

    @property
    def finest(self) -> float:
        return (self.rise + self.fall) / 2

    @property
    def widest(self) -> float:
        """Both ends: losses of arrivals, and of none for long, which has an exponential tail."""
        steps = min(self.times, 1 + 5 * math.sqrt(self.times))
        drift = math.expm1(self.fall) * (7 + 4 * math.sqrt(self.times))
        return max(steps * max(self.rise, self.fall), drift)

    @property
    def turned(self) -> Race:
        return replace(self, rise=self.fall, fall=self.rise)

    def before(self, levels: Levels, profile: Profile) -> Profile:
        for _ in range(self.times):
            profile = self._arrival(levels, profile)
        return profile

    def _arrival(self, levels: Levels, after: Profile) -> Profile:
        """Return the best with one arrival more: both drifts again and again until nothing moves.

        Where both are asked in turn, faster than the loss drifts, the arrival is one pair. Where
        hazards are equal, nothing is lost by it.
        """
        up = [self._question(levels, after, self.rise * k / self.tried) for k in self._parts]
        down = [self._question(levels, after, -self.fall * k / self.tried) for k in self._parts]
        best, before = np.maximum(after, self._in_turn(levels, after)), None
        while before is None or not np.allclose(best, before, rtol=1e-9, atol=0):
            before = best
            best = swept(best, [one for one in up if one], 0.0)
            under = -math.expm1(-(levels.most + 1) * levels.spacing)
            best = swept(best[::-1], [one.reverse for one in down if one], under)[::-1]
        return best

    def _in_turn(self, levels: Levels, after: Profile) -> Profile:
        if not self.rise + self.fall:
            return after
        p = math.expm1(self.fall) / (math.expm1(self.fall) - math.expm1(-self.rise))
        down = levels.moved(after, -self.fall)
        return p * levels.moved(after, self.rise) + (1 - p) * down

    @property
    def _parts(self) -> range:
        return range(1, self.tried + 1)

    def _question(self, levels: Levels, after: Profile, move: float) -> Question | None:
        """Return a question so small that a negative moves the loss by a spacing."""
        if move == 0:
            return None
        slower = levels.spacing / abs(math.expm1(move))
        p, q = -math.expm1(-math.exp(move) * slower), -math.expm1(-slower)
        if q == 1:
            return None
        return Question(
            p * levels.moved(after, math.log(p / q)), math.exp(-math.exp(move) * slower)
        )


class Question(NamedTuple):
    """What a positive adds at every level, and the chance of a negative."""

    positive: Profile
    negative: float

    @property
    def reverse(self) -> Question:
        return Question(self.positive[::-1], self.negative)


def swept(start: Profile, questions: Sequence[Question], beyond: float) -> Profile:
    """Ask from the last level to the first, as long as it pays: a negative is one level further."""
    if not questions:
        return start
    best, value = start.tolist(), beyond
    added = [question.positive.tolist() for question in questions]
    chances = [question.negative for question in questions]
    for place in range(len(best) - 1, -1, -1):
        asked = [one[place] + chance * value for one, chance in zip(added, chances, strict=True)]
        value = best[place] = max(best[place], *asked)
    return np.array(best)


@dataclass(frozen=True)
class Worst:
    """One of several sequences, as the adversary likes."""

    sequences: tuple[tuple[Step, ...], ...]

    @property
    def finest(self) -> float:
        return min(one.finest for sequence in self.sequences for one in sequence)

    @property
    def widest(self) -> float:
        return max(width(sequence) for sequence in self.sequences)

    @property
    def turned(self) -> Worst:
        return Worst(tuple(map(turned, self.sequences)))

    def before(self, levels: Levels, profile: Profile) -> Profile:
        return np.max([put_in_front(one, levels, profile) for one in self.sequences], axis=0)


@dataclass(frozen=True)
class Lost:
    """With this chance all is lost."""

    delta: float
    finest, widest = math.inf, 0.0

    @property
    def turned(self) -> Lost:
        return self

    def before(self, levels: Levels, profile: Profile) -> Profile:
        return np.minimum(profile + self.delta, 1.0)


def turned(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps with both sides exchanged."""
    return tuple(step.turned for step in steps)


def width(steps: Sequence[Step]) -> float:
    """Return how far the loss goes: by deviations where many steps add up."""
    widths = [step.widest for step in steps]
    return min(sum(widths), max(widths, default=0.0) + math.sqrt(sum(one**2 for one in widths)))


def put_in_front(steps: Sequence[Step], levels: Levels, profile: Profile) -> Profile:
    """Put steps in front of what is to come; they are in the order of time."""
    for step in reversed(steps):
        profile = step.before(levels, profile)
    return profile


def response(epsilon: float) -> Pair:
    """Return randomised response: no pure mechanism says more."""
    yes = 1 / (1 + math.exp(-epsilon))
    return Pair((yes, 1 - yes), (1 - yes, yes))


def gaussian(shift: float, nodes: int = 400) -> Pair:
    """Return the normal law and itself, so many deviations further, at nodes."""
    places = np.arange(-(10 + shift) * nodes, 10 * nodes + 1) / nodes
    masses = [np.exp(-((places + by) ** 2) / 2) for by in (0.0, shift)]
    return Pair(*(tuple(mass / mass.sum()) for mass in masses))


def normal_bits(shift: float, times: int = 1, tried: int = 480) -> Bits:
    """Return bits about a bar under normal noise, so many deviations nearer on one side."""
    places = np.linspace(-7, 7 + shift, tried + 1)
    return Bits(tuple(ndtr(shift - places)), tuple(ndtr(-places)), times, along=True)
