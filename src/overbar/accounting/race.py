"""The race theorem for plans: (ε, δ) and Rényi guarantees of unlimited, adaptive runs.

What is read off a :class:`~overbar.plans.Plan` answers for what a release draws: threshold noise on
the plan's grid, query noise compared at grid points. The mathematics is in
:mod:`overbar.accounting.race_theorem`.

Theory: :doc:`/theory/race`, :doc:`/theory/bare`, :doc:`/theory/partial_shift`.
"""

from __future__ import annotations

from overbar.accounting.bounded_range import PICKS
from overbar.accounting.hazard import BOUNDED_HAZARD, hazard_step
from overbar.accounting.race_theorem import Race
from overbar.accounting.theorem import Theorem
from overbar.accounting.threshold_loss import SHIFTED, threshold_shift
from overbar.errors import NoGuaranteeError
from overbar.noise import Gumbel
from overbar.plans import RankedPlan, SparseVectorPlan

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
