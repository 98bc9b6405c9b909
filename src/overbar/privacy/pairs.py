"""Steps that are a pair of laws, or a bit about one; and what every step says of itself.

- **pair**: one pair of laws, whatever came out. A pure part, the noise of a threshold moved by a
  shift, noisy values.
- **bits**: the adversary chooses a bit about a pair. A pick of the top, a key, one of a set.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
import scipy

from overbar._numbers import rounded_up
from overbar.privacy import choices
from overbar.privacy.choices import Choice, chords
from overbar.privacy.histogram import Moved
from overbar.privacy.loss_profile import HAIR, Array, LossProfile
from overbar.privacy.orders import LARGEST_ORDER, pure_renyi
from overbar.privacy.threshold_loss import LaplaceShift, Shift, shift_losses, shift_renyi

#: Cells to the spread of all steps; values are looked at so often, and so much further than what
#: stands beside them (in logs of δ).
CELLS, LOOKS, FURTHER = 48.0, 384, 25.0
#: Cells to the range of a pick, up to so many picks: then the noise is within 0.1 % of the least up
#: to 64 picks, 0.3 % up to 512, and 1 % beyond.
PICK_CELLS = {2: 256, 8: 128, 24: 64, 64: 36, 512: 16}
FEWEST_CELLS = 8
#: Cells in which a bit is looked at, up to so many bits: single ones matter far out. For more, cuts
#: near the middle do, and few cells are enough that grow outwards.
BIT_CELLS = {2: 320, 4: 80, 24: 40}
MANY_CELLS, GROWTH, LEAST_LEVELS, FINE = 15, 1.2, 64, 12.0
#: Steps that are narrower cannot be told from none, and wider ones are of no use.
NARROWEST, WIDEST = 1e-9, 15.0
#: More than the rounding of a few floats, and than the part by which lines are lifted.
SLACK, LIFTED = 1e-13, 1e-11


@dataclass(frozen=True)
class Step(ABC):
    """One step, so many times in a row."""

    times: int = field(default=1, kw_only=True)

    @abstractmethod
    def renyi(self, order: float) -> float:
        """Return the Rényi divergence of an order above 1, rounded up, of all of them together."""

    def rough(self, order: float) -> float:
        """Return about that divergence, where it is found sooner: to choose by."""
        return self.renyi(order)

    @property
    @abstractmethod
    def spread(self) -> float:
        """About by how much a loss is off its mean, of one; no number where none is followed."""

    def before(self, later: LossProfile) -> LossProfile:
        """Return the profile with all of them in front of what is still to come."""
        return self.choice(later).before(later, self.times)

    def choice(self, later: LossProfile) -> Choice:
        """Return the pairs that the adversary chooses from, on the grid of a profile."""
        return choices.outcomes(*self.outcomes(later.depth), later.interval)

    def outcomes(self, depth: float) -> tuple[Array, Array]:
        """Return the chances on the first side and the losses of one pair, rounded up."""
        raise NotImplementedError

    @property
    def pure(self) -> Fraction | float:
        """The largest loss of all of them together; infinite if there is none."""
        return math.inf

    @property
    def grain(self) -> float:
        """The coarsest grid on which it is followed well."""
        return math.inf

    @property
    def cells(self) -> float:
        """How many cells of a grid the spread of all steps should have for it."""
        return CELLS

    @property
    def largest_order(self) -> float:
        """Divergences of larger orders are infinite."""
        return LARGEST_ORDER

    @property
    def work(self) -> int:
        """How often a profile is gone through for all of them."""
        return self.times


@dataclass(frozen=True)
class Pure(Step):
    """A part that is pure ε: a post-processing of randomised response."""

    epsilon: Fraction

    def renyi(self, order: float) -> float:
        return self.times * pure_renyi(rounded_up(self.epsilon), order)

    @property
    def pure(self) -> Fraction:
        return self.times * self.epsilon

    @property
    def spread(self) -> float:
        return rounded_up(self.epsilon)

    def outcomes(self, depth: float) -> tuple[Array, Array]:  # noqa: ARG002  # all of them
        return response(rounded_up(self.epsilon))


def response(epsilon: float) -> tuple[Array, Array]:
    """Return randomised response, rounded up: no pure mechanism says more."""
    chance = 1 / (1 + math.exp(-epsilon))
    masses = np.array([chance, math.exp(-epsilon) * chance])
    losses = np.array([epsilon, -epsilon])
    return masses * (1 + HAIR), losses + HAIR * epsilon


@dataclass(frozen=True)
class Shifted(Step):
    """The noise of a threshold, moved."""

    shift: Shift

    def renyi(self, order: float) -> float:
        return self.times * shift_renyi(self.shift, order)

    def rough(self, order: float) -> float:
        return self.times * min(order * self.shift.size**2 / 2, float(self.pure) / self.times)

    @property
    def pure(self) -> float:
        is_laplace = isinstance(self.shift, LaplaceShift)
        return self.times * self.shift.size * (1 + HAIR) if is_laplace else math.inf

    @property
    def spread(self) -> float:
        return self.shift.size

    def outcomes(self, depth: float) -> tuple[Array, Array]:
        pair = shift_losses(self.shift, depth + FURTHER)
        masses = np.append(pair.masses, math.exp(pair.log_beyond))
        return masses, np.append(pair.losses + HAIR * np.abs(pair.losses), math.inf)


@dataclass(frozen=True)
class Values(Step):
    """Noisy values of a histogram that one person moves."""

    moved: Moved

    def renyi(self, order: float) -> float:
        return self.times * self.moved.renyi(order)

    @property
    def spread(self) -> float:
        return math.sqrt(self.moved.distance)

    @property
    def grain(self) -> float:
        return self.spread / 16

    def before(self, later: LossProfile) -> LossProfile:
        """Put them in front; where nothing follows, chords between looks are all there is."""
        if not later.is_nothing or self.times > 1:
            return super().before(later)
        return later.mirrored(
            chords(*_looks(self.moved, later.depth), later.levels[-later.first :])
        )

    def choice(self, later: LossProfile) -> Choice:
        return choices.pair_of(*_looks(self.moved, later.depth), later.interval)


@lru_cache(maxsize=64)
def _looks(moved: Moved, depth: float) -> tuple[Array, Array]:
    """Return levels, and what is lost there: between, chords lie above it."""
    levels = np.linspace(0.0, moved.epsilon(-depth - FURTHER), LOOKS + 1)
    heights = np.exp([moved.log_delta(float(level)) for level in levels])
    return levels, heights * (1 + 100 * HAIR)


@dataclass(frozen=True)
class Pick(Step):
    """The next of the top by Gumbel noise: log-odds move within a range."""

    range_: float

    def renyi(self, order: float) -> float:
        return self.times * pick_renyi(self.range_, order) * (1 + HAIR)

    @property
    def pure(self) -> float:
        return self.times * self.range_ * (1 + HAIR)

    @property
    def spread(self) -> float:
        return self.range_ / 2

    @property
    def grain(self) -> float:
        return self.range_ / next(
            (cells for most, cells in PICK_CELLS.items() if self.times <= most), FEWEST_CELLS
        )

    def choice(self, later: LossProfile) -> Choice:
        cells = max(1, round(self.range_ / later.interval))
        return choices.picks(self.range_, cells, later.interval, few=later.is_mirrored)


def pick_renyi(range_: float, order: float) -> float:
    """Return the largest Rényi divergence of one pick, rounded up."""
    if math.isinf(order):
        return range_
    whole, less, one = (math.log(-math.expm1(-s * range_)) for s in (order, order - 1, 1))
    each = math.log1p(-1 / order) + range_ + whole - less
    moment = (order - 1) * each - math.log(order) + whole - one
    off = 4e-15 * order * (2 + abs(less) + abs(one) + range_)
    small = order * range_**2 / 8 * (1 + 1e-15) + TINIEST  # it may be too small for a float
    return min(range_, small, max(0.0, moment + off) / (order - 1))


TINIEST = 2.0**-1022


@dataclass(frozen=True)
class Bit(Step):
    """Whether a value under Gaussian noise reaches a bar; one person moves it, in deviations."""

    shift: float

    def renyi(self, order: float) -> float:
        return self.times * bit_renyi(self.shift, order)

    def rough(self, order: float) -> float:
        return self.times * order * self.shift**2 / 2

    @property
    def spread(self) -> float:
        return self.shift

    @property
    def cells(self) -> float:
        return max(float(LEAST_LEVELS), FINE * math.sqrt(self.times))

    def choice(self, later: LossProfile) -> Choice:
        some = [cells for most, cells in BIT_CELLS.items() if self.times <= most]
        cells, growth = (some[0], 1.0) if some else (MANY_CELLS, GROWTH)
        few = later.is_mirrored
        return choices.gaussian_bits(self.shift, later.interval, cells, growth, few=few)


@lru_cache(maxsize=1 << 14)
def bit_renyi(shift: float, order: float) -> float:
    """Return the largest Rényi divergence of a bit about noise that is shifted, rounded up.

    Corners bound it, but for cuts beyond the last level, which have bounds of their own in both
    directions. No bit about Gaussian noise says more than all of it: a·d²/2.
    """
    whole, more = order * shift**2 / 2, order - 1
    if not NARROWEST < shift <= WIDEST:
        return whole * (1 + SLACK)
    masses, losses = _corners(shift)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = np.where(masses > 0, masses * np.exp(more * losses), 0.0)
    corners = float(np.max(np.sum(moments, axis=0)))
    last = choices.DEVIATIONS + shift / 2
    beyond = more * whole + float(scipy.special.log_ndtr(order * shift - last)) + order * LIFTED
    alone = 2 * float(scipy.special.ndtr(shift - last))
    turned = alone - more * math.log1p(-alone)
    sums = [math.log(corners), float(np.logaddexp(0, beyond)), turned]
    return min(whole, (max(sums) + SLACK) / more) * (1 + SLACK)


@lru_cache(maxsize=1 << 10)
def _corners(shift: float) -> tuple[Array, Array]:
    """Return masses and losses of all corners but the one of which one side is never there."""
    step = choices.gaussian_bits(shift, shift, BIT_CELLS[2], few=False)
    finite = np.all(np.isfinite(step.losses), axis=0)
    return step.masses[:, finite], step.losses[:, finite]
