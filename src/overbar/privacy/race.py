"""The race theorem, also called the companion theorem: what a race between hazards gives away.

Let H = -ln F be the cumulative hazard of a positive answer. With threshold noise, let ``step`` be
the most that ln H changes over a move of the gap by the query shift (2Δ in general, Δ when
monotonic). A run with at most c positives, unlimited and adaptive queries and one draw of the
threshold noise is then dominated, for every f-divergence, by

    the threshold noise shifted by Δ,  times  c copies of Exp(rate e^step) against Exp(rate 1).

What is read off a :class:`~overbar.plans.Plan` answers for what a release draws: threshold noise on
the plan's grid, query noise compared at grid points. All results are rounded towards privacy.

**A bare threshold.** Without threshold noise ``step`` is the most that ln H changes over Δ, in
either direction: for monotonic queries one of two closed forms. In general the adversary chooses
the change anew for every query (:mod:`overbar.privacy.race_profile`).

Theory: :doc:`/theory/race`, :doc:`/theory/bare`, :doc:`/theory/partial_shift`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from overbar._numbers import safe_end
from overbar.errors import NoGuaranteeError
from overbar.noise import Gumbel
from overbar.plans import RankedPlan, SparseVectorPlan
from overbar.privacy.hazard import (
    BOUNDED_HAZARD,
    base_renyi,
    hazard_step,
    log_excess_faster,
    log_excess_slower,
)
from overbar.privacy.race_profile import race_profile
from overbar.privacy.theorem import (
    LARGEST_ORDER,
    RunBound,
    Theorem,
    epsilon_from_renyi,
    log_delta_from_renyi,
)
from overbar.privacy.threshold_loss import (
    SHIFTED,
    LaplaceShift,
    Shift,
    shift_losses,
    shift_renyi,
    threshold_shift,
)
from overbar.privacy.top_with_delta import PICKS

#: Threshold losses are looked at down to this far below the δ that comes out (in logs), but no
#: further than to e^-DEEPEST, which is below the smallest float.
MARGIN = 25.0
DEEPEST = 790.0
#: Profiles are made for depths that are this far apart, so that few serve for many ε.
DEPTHS_APART = 8.0


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
        each = self.positive_renyi(order) if own else 0.0  # which may be infinite
        return draws * self.threshold_renyi(order) + own * each

    def best_adversary(self, epsilon: float, log_delta: float) -> float:
        """Log of δ at ε by the best adversary's recursion; infinite where that does not reach.

        `log_delta` is about what orders prove: it says where the recursion must be close, not what
        comes out. With a rise below the fall it would hold in one direction only.
        """
        if self.draws > 1 or self.rise < self.fall or not math.isfinite(log_delta):
            return math.inf
        depth = DEPTHS_APART * math.ceil(max(1.0, -log_delta / DEPTHS_APART))
        profile = race_profile(self.cutoff, self.rise, self.fall, depth)
        if profile is None:
            return math.inf
        level = np.array([epsilon * (1 - 1e-15)])
        if self.threshold is None:
            return math.log(float(profile.at(level)[0]))
        pair = shift_losses(self.threshold, depth + MARGIN)
        terms = pair.masses * profile.at(level - pair.losses - 1e-15 * np.abs(pair.losses))
        total = float(np.sum(terms)) + math.exp(pair.log_beyond)
        return min(0.0, math.log(total) + 1e-12)


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
        by the best adversary's recursion, also attained, or beyond its reach by orders.
        """
        if self.by_orders:
            return self._log_delta_by_renyi(epsilon)
        if self.threshold is None:
            return self._one_way(epsilon)
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

    def _one_way(self, epsilon: float) -> float:
        """Log of δ at ε where hazards all rise, or all fall."""
        level = np.array([epsilon])
        faster = log_excess_faster(self.cutoff, self.step, level)
        slower = log_excess_slower(self.cutoff, self.step, level)
        return float(max(faster[0], slower[0]))

    def least_log_delta(self, epsilon: float) -> float:
        """Log of a δ that is not above what :meth:`log_delta` says, where that takes long."""
        return self._one_way(epsilon) - 1e-6 if self.mixed else -math.inf

    def _log_delta_by_renyi(self, epsilon: float) -> float:
        if epsilon < 0:  # the bound holds in both directions, so it can be mirrored
            rest = math.exp(self._log_delta_by_renyi(-epsilon))
            return math.log1p(-math.exp(epsilon) * (1 - rest))
        if epsilon >= self.pure_epsilon:
            return -math.inf
        value = log_delta_from_renyi(self.renyi, epsilon, self.part.largest_order)
        return min(value, self.part.best_adversary(epsilon, value)) if self.mixed else value

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
        proved = cache(self.log_delta)
        if proved(0.0) <= log_delta:
            return 0.0
        high = self.pure_epsilon
        if self.mixed:  # the recursion reaches no further than it has to
            high, _ = epsilon_from_renyi(self.renyi, log_delta, self.part.largest_order)
        if math.isinf(high):
            high = self.cutoff * self.step
        high = max(1e-6, high)
        while proved(high) > log_delta:
            high *= 2
        return safe_end(lambda epsilon: proved(epsilon) - log_delta, high, 0.0)


RacePlan = RankedPlan | SparseVectorPlan

#: A bare threshold loses about e^step with every positive: beyond this, orders and floats run out.
LARGEST_BARE_STEP = 15.0


def race_covers(plan: RacePlan) -> bool:
    """Tell whether the companion theorem covers a plan; :func:`race_of` says why not."""
    if not _is_race(plan) or type(plan.query_noise) not in BOUNDED_HAZARD:
        return False
    if PICKS.covers(plan) and (plan.items_per_person or plan.cutoff) >= plan.cutoff:
        return False  # it would prove less than what is known of picks
    if plan.threshold_noise is None:
        return hazard_step(plan.query_noise, plan.reach.most) <= LARGEST_BARE_STEP
    return type(plan.threshold_noise) in SHIFTED


def _is_race(plan: RacePlan) -> bool:
    """Tell whether a run asks again and again, or does what that comes to.

    The highest of scores with Gumbel noise are the limit of ever more rounds against an ever
    higher bar: -ln F is e^(-gap/scale), so a bar higher by scale·ln R makes up for R rounds.
    """
    return plan.in_turn or type(plan.query_noise) is Gumbel


def race_of(plan: RacePlan) -> Race:
    """Read off a plan the numbers the companion theorem needs.

    What must hold: query noise with a bounded log-hazard (Gumbel, Laplace); threshold noise that
    is Laplace, Gaussian or absent. Otherwise :class:`NoGuaranteeError` says why.
    """
    if not _is_race(plan):
        raise NoGuaranteeError(
            f"the companion theorem is not about {plan.kind} with {plan.query_noise!r}"
        )
    threshold = threshold_shift(plan)
    shift = plan.reach.most if threshold is None else plan.reach.width
    step = hazard_step(plan.query_noise, shift)
    if threshold is None and step > LARGEST_BARE_STEP:
        raise NoGuaranteeError(
            "with so little noise on the queries a bare threshold has no guarantee worth the name; "
            "use a larger scale, or laplace noise on the threshold"
        )
    count = plan.cutoff
    if threshold is None and plan.items_per_person is not None:
        # With a bare threshold one person has a hand in their own positives alone: all scores are
        # there from the start, and each is found at most once (docs/theory/bare.md).
        count = min(count, plan.items_per_person)
    return Race(count, step, threshold, plan.reach.one_way, plan.redraws)


def bare_covers(plan: RacePlan) -> bool:
    """Tell whether a plan with noise on its threshold has the guarantees of a bare one as well."""
    return plan.threshold_noise is not None and race_covers(plan) and race_covers(bare_of(plan))


def bare_of(plan: RacePlan) -> RacePlan:
    """Return the plan without its threshold noise, whose guarantees the plan has as well.

    That noise does not depend on data: given its value, a run is one with a bare threshold.
    """
    if threshold_shift(plan) is None:
        raise NoGuaranteeError("the threshold of this plan is bare already")
    return plan.bare(None if plan.redraws else plan.items_per_person)


def bare_race(plan: RacePlan) -> Race:
    """Read off a plan with noise on its threshold what the theorem needs of the one without."""
    return race_of(bare_of(plan))


#: (ε, δ) for unlimited adaptive queries.
RACE = Theorem((RankedPlan, SparseVectorPlan), race_covers, race_of, is_filter=True)
#: What a plan keeps because it would keep it without threshold noise.
BARE = Theorem((RankedPlan, SparseVectorPlan), bare_covers, bare_race)
