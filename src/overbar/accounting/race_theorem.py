"""The race theorem, also called the companion theorem: what a race between hazards gives away.

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
from functools import cache, cached_property, lru_cache

import numpy as np

from overbar._numbers import safe_end
from overbar.accounting.bare import LARGEST_STEP, MOST_POSITIVES, bare_profile
from overbar.accounting.conversion import (
    LARGEST_ORDER,
    epsilon_from_renyi,
    log_delta_from_renyi,
)
from overbar.accounting.profile_operator import ProfileBound
from overbar.accounting.race_integrals import base_renyi, log_excess_faster, log_excess_slower
from overbar.accounting.theorem import RunBound
from overbar.accounting.threshold_loss import LaplaceShift, Shift, shift_losses, shift_renyi
from overbar.errors import NoGuaranteeError

#: Threshold losses are looked at down to this far below the δ that comes out (in logs), but no
#: further than to e^-DEEPEST, which is below the smallest float.
MARGIN = 25.0
DEEPEST = 790.0
#: The recursion for a bare threshold adds up plain floats, so it stops well above the smallest.
DEEPEST_RECURSION = 600.0


@dataclass(frozen=True)
class Part:
    """What a run costs if log-hazards rise and fall by so much, beside the threshold's shift."""

    cutoff: int
    rise: float
    fall: float
    threshold: Shift | None
    resample: bool = False

    @property
    def largest_order(self) -> float:
        """Orders from here on have an infinite Rényi divergence."""
        if self.fall <= 0:
            return LARGEST_ORDER
        return min(LARGEST_ORDER, -1 / math.expm1(-self.fall))

    @property
    def draws(self) -> int:
        """How often the threshold noise is drawn in a whole run."""
        return self.cutoff if self.resample else 1

    def threshold_renyi(self, order: float) -> float:
        """Rényi divergence of one draw of the threshold noise."""
        return 0.0 if self.threshold is None else shift_renyi(self.threshold, order)

    def positive_renyi(self, order: float) -> float:
        """Rényi divergence of one positive answer, with all the negatives before it."""
        ends = (self.rise, -self.fall)
        return max([base_renyi(end, order) for end in ends if end] or [0.0])

    def renyi(self, order: float) -> float:
        """Rényi divergence of a whole run."""
        return self.spent(self.cutoff, order)

    def spent(self, positives: int, order: float) -> float:
        """Rényi divergence of a run that has given so many positives; those of others are free.

        Negatives given since the last positive are included at no charge: with the charge taken at
        each positive, exp((a-1)·(loss - charged)) is a supermartingale under the first law, because
        over a short time with hazard h dt on the second side it changes by the factor
        1 + h·dt·[e^(a·y - charge·(a-1)) - 1 - a(e^y - 1)] <= 1.
        """
        draws = min(positives + 1, self.draws)
        own = min(positives, self.cutoff)
        return draws * self.threshold_renyi(order) + own * self.positive_renyi(order)


@dataclass(frozen=True)
class Race(RunBound):
    """The four numbers the theorem needs, and whether the threshold is drawn anew."""

    cutoff: int
    step: float
    threshold: Shift | None
    monotonic: bool
    resample: bool = False

    @property
    def mixed(self) -> bool:
        """Whether hazards may rise and fall within one run, as the adversary likes."""
        return self.threshold is None and not self.monotonic

    @property
    def by_orders(self) -> bool:
        """Whether δ is found by way of Rényi divergences: no closed form is known."""
        return self.mixed or (self.resample and self.threshold is not None)

    @cached_property
    def part(self) -> Part:
        """Its Rényi costs: with threshold noise hazards only rise, by the whole step."""
        fall = self.step if self.threshold is None else 0.0
        return Part(self.cutoff, self.step, fall, self.threshold, self.resample)

    @property
    def pure_epsilon(self) -> float:
        """The largest privacy loss; infinite unless the threshold has Laplace noise."""
        if not isinstance(self.threshold, LaplaceShift):
            return math.inf
        draws, each = self.part.draws, self.threshold.epsilon
        return (draws * each + self.cutoff * self.step) * (1 + 1e-15)

    def renyi(self, order: float) -> float:
        """Rényi divergence of a whole run: c positives, and the draws of the threshold noise."""
        return self.part.renyi(order)

    def spent(self, positives: int, order: float) -> float:
        """Rényi divergence of a run so far."""
        return self.part.spent(positives, order)

    def log_delta(self, epsilon: float) -> float:
        """Log of the smallest proved δ at ε.

        With threshold noise: the hockey-stick divergence of the dominating pair. Without, and with
        monotonic queries: the larger of two closed forms, which is attained. Without, in general:
        by the best adversary's recursion (:mod:`overbar.accounting.bare`), also attained, or beyond
        its reach by orders.
        """
        if self.by_orders:
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
        value = log_delta_from_renyi(self.renyi, epsilon, self.part.largest_order)
        known = self.mixed and self.cutoff <= MOST_POSITIVES and self.step <= LARGEST_STEP
        if not known or value < -DEEPEST_RECURSION:
            return value
        # The exact recursion, on a grid that reaches well beyond this ε; few depths, many hits.
        depth = 40.0
        while value < 15 - depth:
            depth *= 2
        exact = _bare(self, depth).at(epsilon)
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
        """Return the smallest ε >= 0 found whose δ is at most the one given.

        For δ = 0 it is the largest privacy loss, finite for Laplace threshold noise only.
        """
        if log_delta == -math.inf:
            if math.isinf(self.pure_epsilon):
                raise NoGuaranteeError(
                    "without Laplace noise on the threshold there is no pure guarantee; allow a "
                    "positive delta"
                )
            return self.pure_epsilon
        found = cache(self.log_delta)
        if found(0.0) <= log_delta:
            return 0.0
        high = self.pure_epsilon
        if self.mixed:  # the recursion reaches no further than it has to
            high, _ = epsilon_from_renyi(self.renyi, log_delta, self.part.largest_order)
        if math.isinf(high):
            high = self.cutoff * self.step
        high = max(1e-6, high)
        while found(high) > log_delta:
            high *= 2
        return safe_end(lambda epsilon: found(epsilon) - log_delta, high, 0.0)


@lru_cache(maxsize=64)
def _bare(race: Race, depth: float) -> ProfileBound:
    last, _ = epsilon_from_renyi(race.renyi, -depth, race.part.largest_order)
    return bare_profile(race.cutoff, race.step, last)
