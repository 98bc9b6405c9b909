"""The race theorem for plans: (ε, δ) and Rényi guarantees of unlimited, adaptive runs.

Each function reads a :class:`~overbar.plan.Plan` and answers for what a release draws: threshold
noise on the plan's grid, query noise compared at grid points. The mathematics is in
:mod:`overbar.accounting.race_bound`.

Theory: :doc:`/theory/race`, :doc:`/theory/bare`, :doc:`/theory/partial_shift`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from overbar import _check
from overbar._numbers import rounded_up
from overbar.accounting.conversion import checked_log_delta
from overbar.accounting.hazard import BOUNDED_HAZARD, hazard_step
from overbar.accounting.pure import checked_positives
from overbar.accounting.race_bound import Race
from overbar.accounting.threshold_loss import SHIFTED, threshold_shift
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Gumbel
from overbar.plan import Plan

#: A bare threshold loses about e^step with every positive: beyond this, orders and floats run out.
LARGEST_BARE_STEP = 15.0


def race_covers(plan: Plan) -> bool:
    """Tell whether the companion theorem covers a plan; :func:`race_of` says why not."""
    if type(plan.query_noise) not in BOUNDED_HAZARD or not _is_race(plan):
        return False
    if plan.threshold_noise is None:
        return hazard_step(plan.query_noise, plan.sensitivity) <= LARGEST_BARE_STEP
    return type(plan.threshold_noise) in SHIFTED


def _is_race(plan: Plan) -> bool:
    """Tell whether a run asks again and again, or does what that comes to.

    The highest of scores with Gumbel noise are the limit of ever more rounds against an ever
    higher bar: -ln F is e^(-gap/scale), so a bar higher by scale·ln R makes up for R rounds.
    """
    if plan.mechanism == "ranked":
        return type(plan.query_noise) is Gumbel
    return plan.mechanism == "sparse-vector"


def race_of(plan: Plan) -> Race:
    """Read off a plan the numbers the companion theorem needs.

    What must hold: query noise with a bounded log-hazard (Gumbel, Laplace); threshold noise that
    is Laplace, Gaussian or absent. Otherwise :class:`NoGuaranteeError` says why.
    """
    if not _is_race(plan):
        raise NoGuaranteeError(
            f"the companion theorem is not about {plan.mechanism} with {plan.query_noise!r}"
        )
    threshold = threshold_shift(plan)
    shift = plan.sensitivity if threshold is None else plan.query_shift
    step = hazard_step(plan.query_noise, shift)
    if threshold is None and step > LARGEST_BARE_STEP:
        raise NoGuaranteeError(
            "with so little noise on the queries a bare threshold has no guarantee worth the name; "
            "use a larger scale, or laplace noise on the threshold"
        )
    count = _moved_positives(plan, plan.cutoff)
    return Race(count, step, threshold, plan.monotonic, plan.resample)


def _moved_positives(plan: Plan, positives: int) -> int:
    """Return how many positives one person can have a hand in: with a bare threshold, their own.

    All scores are there from the start, and each is found at most once (:doc:`/theory/bare`).
    """
    if plan.threshold_noise is not None or plan.items_per_person is None:
        return positives
    return min(positives, plan.items_per_person)


def bare_covers(plan: Plan) -> bool:
    """Tell whether a plan with noise on its threshold has the guarantees of a bare one as well."""
    return plan.threshold_noise is not None and race_covers(plan) and race_covers(bare_of(plan))


def bare_of(plan: Plan) -> Plan:
    """Return the plan without its threshold noise, whose guarantees the plan has as well.

    That noise does not depend on data: given its value, a run is one with a bare threshold.
    """
    if threshold_shift(plan) is None:
        raise NoGuaranteeError("the threshold of this plan is bare already")
    items = None if plan.resample else plan.items_per_person
    return replace(plan, threshold_noise=None, resample=False, items_per_person=items)


def race_log_delta(plan: Plan, epsilon: _check.Number) -> float:
    """Natural logarithm of :func:`race_delta`, for δ too small for a float."""
    level = _check.non_negative("epsilon", epsilon)
    return race_of(plan).log_delta(-rounded_up(-level))


def race_delta(plan: Plan, epsilon: _check.Number) -> float:
    """Return δ such that a run of the plan is (ε, δ)-DP, for unlimited adaptive queries.

    With threshold noise: the hockey-stick divergence of the dominating pair. Without, and with
    monotonic queries: the larger of two closed forms, which is attained. Without, in general: by
    the best adversary's recursion (:mod:`overbar.accounting.bare`), also attained, or beyond its
    reach by the Rényi curve (:func:`race_renyi`) and :mod:`overbar.accounting.conversion`.
    An upper bound, also in its last digit: the numerical error is added.
    """
    value = race_log_delta(plan, epsilon)
    if value == -math.inf:
        return 0.0
    return max(math.exp(value), math.ulp(0.0))


def race_epsilon(plan: Plan, delta: _check.Number) -> float:
    """Return ε such that a run of the plan is (ε, δ)-DP; what is returned has been re-evaluated.

    For δ = 0 it is the largest privacy loss of the dominating pair, finite for Laplace threshold
    noise only.
    """
    log_delta = checked_log_delta(delta)
    race = race_of(plan)
    if log_delta == -math.inf:
        if math.isinf(race.pure_epsilon):
            raise NoGuaranteeError(
                "without Laplace noise on the threshold there is no pure guarantee; allow a "
                "positive delta"
            )
        return race.pure_epsilon
    return race.epsilon(log_delta)


def race_renyi(plan: Plan, order: float) -> float:
    """Return the Rényi divergence bound of a whole run, at an order above 1.

    Per positive [a·κ - ln(1 + a(e^κ - 1))]/(a - 1), plus the threshold's own. Without threshold
    noise the larger of the values at κ and -κ, which is infinite from order 1/(1 - e^-κ) on.
    """
    return race_of(plan).renyi(_order(order))


def race_spent(plan: Plan, positives: int, order: float) -> float:
    """Return the Rényi cost, at a fixed order, of a run that has given some positives so far.

    Negatives given since the last positive are included at no charge: with the charge taken at
    each positive, exp((a-1)·(loss - charged)) is a supermartingale under the first law, because
    over a short time with hazard h dt on the second side it changes by the factor
    1 + h·dt·[e^(a·y - charge·(a-1)) - 1 - a(e^y - 1)] <= 1. So this is what a Rényi filter at
    that order may be told (Feldman & Zrnic 2021, "Individual privacy accounting via a Rényi
    filter", arXiv:2008.11193v4; Lécuyer 2021, arXiv:2103.01379v2), and the rest of
    the run's budget at the same order may be given back. The order must be fixed beforehand.
    """
    checked_positives(plan, positives)
    race, a = race_of(plan), _order(order)
    draws = min(positives + 1, plan.cutoff) if plan.resample else 1
    count = _moved_positives(plan, positives)
    return draws * race.threshold_renyi(a) + count * race.positive_renyi(a)


def _order(order: float) -> float:
    if not order > 1:
        raise ParameterError(f"order must be above 1, got {order}")
    return float(order)


def bare_delta(plan: Plan, epsilon: _check.Number) -> float:
    """Return a δ at this ε that the plan has because it would have it without threshold noise."""
    return race_delta(bare_of(plan), epsilon)


def bare_epsilon(plan: Plan, delta: _check.Number) -> float:
    """Return an ε at this δ that the plan has because it would have it without threshold noise."""
    return race_epsilon(bare_of(plan), delta)


def bare_renyi(plan: Plan, order: float) -> float:
    """Return a Rényi bound that the plan has because it would have it without threshold noise."""
    return race_renyi(bare_of(plan), order)
