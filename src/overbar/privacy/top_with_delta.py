"""The top c by Gumbel noise: picks whose log-odds move within a range κ, width by scale.

(ε, δ) is by profiles (:mod:`overbar.privacy.profile_operator`), each pick as the best bit for
what is still to come. The Rényi divergence of a pick is at most that of the best bit,

    (a - 1)·R_a = ln max over r in [1, e^κ] of r^(a-1)·((e^κ - v) - r·(1 - v))/(e^κ - 1)

with v = e^((1-a)κ), which is largest at r = (1 - 1/a)·(e^κ - v)/(1 - v); and at most a·κ²/8, as
s ↦ ln E[e^(s·loss)] is zero at -1 and 0 and its second derivative is at most κ²/4. (Dong, Durfee
& Rogers 2020, arXiv:1909.13830.)

Theory: :doc:`/theory/top_with_delta`.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from overbar.errors import NoGuaranteeError
from overbar.noise import Gumbel
from overbar.plans import RankedPlan
from overbar.privacy.hazard import hazard_step
from overbar.privacy.histogram import rough_shift
from overbar.privacy.profile_operator import ProfileBound, ProfileStep, nothing_to_come, picks
from overbar.privacy.theorem import (
    RunBound,
    Theorem,
    checked_log_delta,
    epsilon_from_renyi,
    log_delta_from_renyi,
)

#: Beyond so many picks, so wide or narrow a range or so small a δ (in logs), Rényi bounds serve.
MOST_PICKS, WIDEST, NARROWEST, DEEPEST = 2000, 15.0, 1e-12, 600.0
#: Cells to the range, up to so many picks: then the noise is within 0.1 % of the least up to 64
#: picks, 0.3 % up to 512, and 1 % beyond.
CELLS = {2: 256, 8: 128, 64: 32, 512: 16, MOST_PICKS: 8}
#: Profiles are followed down to here at least, and this far below the δ in question (in logs).
DEPTH, MARGIN = 40.0, 15.0


@dataclass(frozen=True)
class Picks(RunBound):
    """So many picks, of a range each; profiles have at most so many cells to the range."""

    count: int
    range_: float
    most_cells: int = max(CELLS.values())

    @property
    def pure_epsilon(self) -> float:
        """The largest privacy loss."""
        return self.count * self.range_ * (1 + 1e-15)

    def renyi(self, order: float) -> float:
        """Return as many times the divergence of one pick."""
        return self.spent(self.count, order)

    def spent(self, positives: int, order: float) -> float:
        """Return the cost of so many picks: each is paid for by itself."""
        return min(positives, self.count) * pick_renyi(self.range_, order) * (1 + 1e-15)

    def log_delta(self, epsilon: float) -> float:
        """Log of the smallest δ found at ε >= 0."""
        if epsilon >= self.pure_epsilon:
            return -math.inf
        value = log_delta_from_renyi(self.renyi, epsilon)
        profile = self._profile(value)
        if profile is None:
            return value
        by_profile = math.log(profile.at(epsilon))
        return min(value, by_profile + 1e-15 * (1 + abs(by_profile)))

    def epsilon(self, log_delta: float) -> float:
        """Return the smallest ε found at δ."""
        if log_delta == -math.inf:
            return self.pure_epsilon
        value = min(self.pure_epsilon, epsilon_from_renyi(self.renyi, log_delta)[0])
        profile = self._profile(log_delta)
        return value if profile is None else min(value, profile.level(log_delta))

    @property
    def is_followed(self) -> bool:
        """Whether there are profiles of so many picks and so wide a range."""
        return self.count <= MOST_PICKS and NARROWEST <= self.range_ <= WIDEST

    @staticmethod
    def depth(depth: float) -> float:
        """Return a depth well beyond this one: one of few, so that profiles are known."""
        doublings = math.ceil(math.log2((depth + MARGIN) / DEPTH))
        return DEPTH * 2.0 ** max(0, doublings)

    def last(self, depth: float) -> float:
        """Return a level from which on there is next to nothing: less than e^-depth."""
        return min(self.pure_epsilon, epsilon_from_renyi(self.renyi, -depth)[0])

    @cached_property
    def step(self) -> ProfileStep:
        """One pick."""
        cells = next(cells for most, cells in CELLS.items() if self.count <= most)
        return picks(self.range_, min(cells, self.most_cells))

    def _profile(self, log_delta: float) -> ProfileBound | None:
        """Return the profile well beyond this δ."""
        followed = self.is_followed and log_delta > -DEEPEST
        return _followed(self, self.depth(-log_delta)) if followed else None


@lru_cache(maxsize=64)
def _followed(run: Picks, depth: float) -> ProfileBound:
    later = nothing_to_come(run.step.interval, run.last(depth))
    return run.step.before(later, run.count)


def pick_renyi(range_: float, order: float) -> float:
    """Return the largest Rényi divergence of one pick, rounded up."""
    if math.isinf(order):
        return range_
    whole, less, one = (math.log(-math.expm1(-s * range_)) for s in (order, order - 1, 1))
    each = math.log1p(-1 / order) + range_ + whole - less
    moment = (order - 1) * each - math.log(order) + whole - one
    off = 4e-15 * order * (2 + abs(less) + abs(one) + range_)
    small = order * range_**2 / 8 * (1 + 1e-15) + sys.float_info.min  # it may be too small for one
    return min(range_, small, max(0.0, moment + off) / (order - 1))


def rough_range(epsilon: Fraction, delta: Fraction, count: int) -> float:
    """Return about the range for which so many picks are (ε, δ)-DP, for δ > 0.

    Many lose what Gaussian noise does, shifted by κ/2 for each; and the pure theorem is safe.
    """
    level = float(epsilon)
    shift = rough_shift(level, checked_log_delta(delta))
    return max(level / count, 2 * shift / math.sqrt(count))


def picks_cover(plan: RankedPlan) -> bool:
    """Tell whether a plan is the top by Gumbel noise, without a bar or values."""
    return plan.bar is None and plan.shared is None and type(plan.query_noise) is Gumbel


def picks_of(plan: RankedPlan) -> Picks:
    """Read off a plan the range of a pick: all scores may be moved alike, so width by scale."""
    if not picks_cover(plan):
        raise NoGuaranteeError("this bound is for the top by gumbel noise, without a bar")
    return Picks(plan.cutoff, hazard_step(plan.query_noise, plan.reach.width))


#: (ε, δ) for the top by Gumbel noise.
PICKS = Theorem((RankedPlan,), picks_cover, picks_of, is_filter=True, is_quick=True)
