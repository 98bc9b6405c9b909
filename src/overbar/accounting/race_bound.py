"""The companion theorem as a function of numbers: what a race between hazards gives away.

Let H = -ln F be the cumulative hazard of a positive answer. With threshold noise, let ``step`` be
the most that ln H changes over a move of the gap by the query shift (2Δ in general, Δ when
monotonic). A run with at most c positives, unlimited and adaptive queries and one draw of the
threshold noise is then dominated, for every f-divergence, by

    the threshold noise shifted by Δ,  times  c copies of Exp(rate e^step) against Exp(rate 1).

Without threshold noise ``step`` is the most that ln H changes over Δ, in either direction: for
monotonic queries one of two closed forms, in general
:mod:`overbar.accounting.bare`. All results are rounded towards privacy.

Theory: :doc:`/theory/race`, :doc:`/theory/bare`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from overbar._numbers import safe_end
from overbar.accounting.bare import LARGEST_STEP, MOST_POSITIVES, BareProfile, bare_profile
from overbar.accounting.conversion import (
    LARGEST_ORDER,
    epsilon_from_renyi,
    log_delta_from_renyi,
)
from overbar.accounting.race_integrals import base_renyi, log_excess_faster, log_excess_slower
from overbar.accounting.threshold_loss import (
    GaussianShift,
    LaplaceShift,
    shift_losses,
    shift_renyi,
)

#: Threshold losses are looked at down to this far below the δ that comes out (in logs), but no
#: further than to e^-DEEPEST, which is below the smallest float.
MARGIN = 25.0
DEEPEST = 790.0
#: The recursion for a bare threshold adds up plain floats, so it stops well above the smallest.
DEEPEST_RECURSION = 600.0


@dataclass(frozen=True)
class Race:
    """The four numbers the theorem needs, and whether the threshold is drawn anew."""

    cutoff: int
    step: float
    threshold: LaplaceShift | GaussianShift | None
    monotonic: bool
    resample: bool = False

    @property
    def mixed(self) -> bool:
        """Whether hazards may rise and fall within one run, as the adversary likes."""
        return self.threshold is None and not self.monotonic

    @property
    def largest_order(self) -> float:
        """Orders from here on have an infinite Rényi divergence."""
        if self.threshold is not None:
            return LARGEST_ORDER
        return min(LARGEST_ORDER, -1 / math.expm1(-self.step))

    @property
    def pure_epsilon(self) -> float:
        """The largest privacy loss; infinite unless the threshold has Laplace noise."""
        if not isinstance(self.threshold, LaplaceShift):
            return math.inf
        draws = self.cutoff if self.resample else 1
        return (draws * self.threshold.epsilon + self.cutoff * self.step) * (1 + 1e-15)

    def renyi(self, order: float) -> float:
        """Rényi divergence of any order above 1, of a whole run."""
        draws = self.cutoff if self.resample else 1
        return draws * self.threshold_renyi(order) + self.cutoff * self.positive_renyi(order)

    def threshold_renyi(self, order: float) -> float:
        """Rényi divergence of one draw of the threshold noise."""
        return 0.0 if self.threshold is None else shift_renyi(self.threshold, order)

    def positive_renyi(self, order: float) -> float:
        """Rényi divergence of one positive answer, with all the negatives before it."""
        if self.threshold is not None:
            return base_renyi(self.step, order)
        return max(base_renyi(self.step, order), base_renyi(-self.step, order))

    def log_delta(self, epsilon: float) -> float:
        """Log of the smallest proved δ at ε."""
        if self.mixed or (self.resample and self.threshold is not None):
            return self._log_delta_by_renyi(epsilon)
        if self.threshold is None:
            level = np.array([epsilon])
            faster = log_excess_faster(self.cutoff, self.step, level)
            slower = log_excess_slower(self.cutoff, self.step, level)
            return float(max(faster[0], slower[0]))
        if epsilon >= self.pure_epsilon:
            return -math.inf
        depth = 60.0
        while True:
            value = self._log_delta_to(epsilon, depth)
            if (
                isinstance(self.threshold, LaplaceShift)
                or value > MARGIN - depth
                or depth == DEEPEST
            ):
                return value
            depth = min(DEEPEST, max(2 * depth, 2 * MARGIN - value))

    def _log_delta_by_renyi(self, epsilon: float) -> float:
        if epsilon < 0:  # the bound holds in both directions, so it can be mirrored
            rest = math.exp(self._log_delta_by_renyi(-epsilon))
            return math.log1p(-math.exp(epsilon) * (1 - rest))
        if epsilon >= self.pure_epsilon:
            return -math.inf
        value = log_delta_from_renyi(self.renyi, epsilon, self.largest_order)
        known = self.mixed and self.cutoff <= MOST_POSITIVES and self.step <= LARGEST_STEP
        if not known or value < -DEEPEST_RECURSION:
            return value
        # The exact recursion, on a grid that reaches well beyond this ε; few depths, many hits.
        depth = 40.0
        while value < 15 - depth:
            depth *= 2
        exact = _bare(self, depth).delta(epsilon)
        return min(value, math.log(exact) if exact > 0 else value)

    def _log_delta_to(self, epsilon: float, depth: float) -> float:
        assert self.threshold is not None
        pair = shift_losses(self.threshold, depth)
        # Lower than ε by more than the losses are off by.
        levels = epsilon * (1 - 1e-15) - pair.losses - 1e-15 * np.abs(pair.losses)
        terms = log_excess_faster(self.cutoff, self.step, levels)
        with np.errstate(divide="ignore"):
            terms = np.append(terms + np.log(pair.masses), pair.log_beyond)
        largest = float(np.max(terms))
        if largest == -math.inf:
            return -math.inf
        return min(0.0, largest + math.log(float(np.sum(np.exp(terms - largest)))) + 1e-12)

    def epsilon(self, log_delta: float) -> float:
        """Return the smallest ε >= 0 found whose δ is at most the one given."""
        found = cache(self.log_delta)
        if found(0.0) <= log_delta:
            return 0.0
        high = self.pure_epsilon
        if self.mixed:  # the recursion reaches no further than it has to
            high, _ = epsilon_from_renyi(self.renyi, log_delta, self.largest_order)
        if math.isinf(high):
            high = self.cutoff * self.step
        high = max(1e-6, high)
        while found(high) > log_delta:
            high *= 2
        return safe_end(lambda epsilon: found(epsilon) - log_delta, high, 0.0)


@lru_cache(maxsize=64)
def _bare(race: Race, depth: float) -> BareProfile:
    last, _ = epsilon_from_renyi(race.renyi, -depth, race.largest_order)
    return bare_profile(race.cutoff, race.step, last)
