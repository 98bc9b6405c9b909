"""The steps that mechanisms are made of, and what each does to a profile.

A mechanism is a list of steps in the order of time. Each says what an adversary may do in it, who
knows all that has come out: **pairs** and **bits** (:mod:`overbar.privacy.pairs`), and

- **race**: questions until so many positives; for each the adversary chooses how far its log-hazard
  moves, between a fall and a rise.
- **worst**: the adversary chooses one of several sequences.
- **curve**: only Rényi divergences are known, and what stands beside it is added up by these.

A step that is put in front of all that is still to come takes its profile
(:mod:`overbar.privacy.loss_profile`) to the one of both. :mod:`overbar.privacy.reading` reads
(ε, δ) and divergences off a sequence; a theorem says which steps a plan has
(:mod:`overbar.privacy.proofs`).

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from overbar.privacy.hazard import base_renyi, log_excess_faster, log_excess_slower
from overbar.privacy.loss_profile import HAIR, Array, LossProfile
from overbar.privacy.orders import LARGEST_ORDER
from overbar.privacy.pairs import Step
from overbar.privacy.race import raced

#: Cells to rise and fall of a race together: more if it has few arrivals, or one end is short.
RACE_CELLS, FEW_CELLS, EVEN_CELLS, MOST_CELLS = 44, 2400, 20, 960

#: Steps in the order of time.
Steps = tuple[Step, ...]


@dataclass(frozen=True)
class Race(Step):
    """Questions until a positive; log-hazards fall and rise by so much at most."""

    rise: float
    fall: float

    def renyi(self, order: float) -> float:
        ends = (self.rise, -self.fall)
        return self.times * max([base_renyi(end, order) for end in ends if end] or [0.0])

    @property
    def pure(self) -> float:
        return math.inf if self.fall else self.times * self.rise * (1 + HAIR)

    @property
    def spread(self) -> float:
        return max(self.rise, self.fall)

    @property
    def grain(self) -> float:
        both, less = self.rise + self.fall, min(self.rise, self.fall)
        if not less:
            return math.inf
        return both / math.ceil(
            max(RACE_CELLS, min(MOST_CELLS, FEW_CELLS / self.times), EVEN_CELLS * both / less)
        )

    @property
    def largest_order(self) -> float:
        return min(LARGEST_ORDER, -1 / math.expm1(-self.fall)) if self.fall else LARGEST_ORDER

    def before(self, later: LossProfile) -> LossProfile:
        """Put all in front; in closed form where hazards move one way and nothing follows."""
        if (self.rise and self.fall) or not later.is_nothing:
            return raced(later, self.rise, self.fall, self.times)
        return later.followed_by(self.alone(later.levels))

    def alone(self, levels: Array) -> Array:
        """Return what is lost at levels where hazards move one way and nothing follows."""
        curve = log_excess_faster if self.rise else log_excess_slower
        low = levels - HAIR * np.abs(levels)
        return np.asarray(np.exp(curve(self.times, self.rise or self.fall, low)))


@dataclass(frozen=True)
class Worst(Step):
    """One of several sequences, as the adversary likes."""

    of: tuple[Steps, ...]

    def renyi(self, order: float) -> float:
        return self.times * max(renyi_of(way, order) for way in self.of)

    def rough(self, order: float) -> float:
        return self.times * max(sum(step.rough(order) for step in way) for way in self.of)

    @property
    def pure(self) -> Fraction | float:
        return self.times * max(pure_of(way) for way in self.of)

    @property
    def spread(self) -> float:
        return float(np.max([spread_of(way) for way in self.of]))  # of a curve it is no number

    @property
    def grain(self) -> float:
        return min(step.grain for way in self.of for step in way)

    @property
    def cells(self) -> float:
        return max(step.cells for way in self.of for step in way)

    @property
    def largest_order(self) -> float:
        return min(largest_order(way) for way in self.of)

    @property
    def work(self) -> int:
        return self.times * sum(step.work for way in self.of for step in way)

    def before(self, later: LossProfile) -> LossProfile:
        for _ in range(self.times):
            each = [follow(way, later) for way in self.of]
            values = np.max([one.values for one in each], axis=0)
            turns = all(one.is_mirrored for one in each)
            later = later.followed_by(values, is_mirrored=turns)
        return later


@dataclass(frozen=True)
class Curve(Step):
    """A part of which divergences are known up to an order, and nothing else."""

    curve: Callable[[float], float]
    highest: float = LARGEST_ORDER

    def renyi(self, order: float) -> float:
        return self.times * self.curve(order) if order <= self.highest else math.inf

    @property
    def spread(self) -> float:
        return math.nan

    @property
    def largest_order(self) -> float:
        return self.highest


# Sequences ----------------------------------------------------------------------------------------


def follow(way: Steps, later: LossProfile) -> LossProfile:
    """Put a sequence in front of what is still to come."""
    for step in reversed(way):
        later = step.before(later)
    return later


def pure_of(way: Steps) -> Fraction | float:
    """Return the largest loss of a sequence; infinite if there is none."""
    return sum((step.pure for step in way), Fraction(0))


def renyi_of(way: Steps, order: float) -> float:
    """Return the divergence of a sequence: they add up, whatever later steps are told."""
    return sum(step.renyi(order) for step in way) * (1 + 1e-12 * (len(way) > 1))


def spread_of(way: Steps) -> float:
    """Return about by how much the loss of a sequence is off its mean."""
    return math.sqrt(sum(step.times * step.spread**2 for step in way))


def largest_order(way: Steps) -> float:
    """Return the order beyond which divergences are infinite."""
    return min((step.largest_order for step in way), default=LARGEST_ORDER)
