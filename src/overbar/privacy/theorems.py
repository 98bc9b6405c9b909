"""Which steps a plan has: a theorem for each kind.

Theory: :doc:`/theory/steps`, and the page of each mechanism.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np

from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError
from overbar.mechanisms import (
    HistogramPlan,
    MonitorPlan,
    Plan,
    RankedPlan,
    SetUnionPlan,
    SparseVectorPlan,
)
from overbar.noise import Gaussian, Gumbel
from overbar.privacy.capped import capped_covers, capped_renyi
from overbar.privacy.hazard import BOUNDED_HAZARD, hazard_step
from overbar.privacy.histogram import Moved
from overbar.privacy.key_rounds import key_shifts, shown_rounds
from overbar.privacy.monitor_cost import (
    LARGEST_BARE_STEP,
    ROUNDED,
    monitor_step,
    weight_cost,
)
from overbar.privacy.pairs import Bit, Pick, Pure, Values
from overbar.privacy.pure import positive_epsilon, pure_covers, threshold_epsilon
from overbar.privacy.shifts import (
    FEW_SHIFTS,
    MOST_SHIFTS,
    Glance,
    risen,
    shares_of,
    shifted_by,
)
from overbar.privacy.steps import Curve, Way, Worst
from overbar.privacy.threshold_loss import SHIFTED, Shift, threshold_shift
from overbar.privacy.ways import Proof, Proofs, one, proofs, race


@proofs.of(RankedPlan)
def _of_ranked(plan: RankedPlan) -> list[Proofs]:
    found = [one(_picks(plan))] if is_top(plan) else []
    return found + _races(plan)


@proofs.of(SparseVectorPlan)
def _of_sparse_vector(plan: SparseVectorPlan) -> list[Proofs]:
    found = [one(_pure_runs(plan))] if plan.redraws and pure_covers(plan) else []
    found += _races(plan)
    if is_bare_set(plan):
        found.append(one(_set(plan)))
    if capped_covers(plan):
        found.append(one(Proof((Curve(lambda order: capped_renyi(plan, order)),))))
    return found


def is_top(plan: Plan) -> bool:
    """Tell whether a plan is the top by Gumbel noise, without a bar or values."""
    return plan.bar is None and plan.shared is None and type(plan.query_noise) is Gumbel


def _picks(plan: Plan) -> Proof:
    """All scores may be moved alike, so the range of a pick is width by scale."""
    each = Pick(hazard_step(plan.query_noise, plan.reach.width))
    return Proof((replace(each, times=plan.cutoff),), (), (each,), plan.cutoff)


def _pure_runs(plan: Plan) -> Proof:
    """Runs that draw their threshold anew are independent, of one positive each."""
    each = Pure(threshold_epsilon(plan) + positive_epsilon(plan))
    runs = (replace(each, times=plan.cutoff),)
    return Proof(runs, (each,), (), plan.cutoff, redraws=True)


def race_covers(plan: Plan) -> bool:
    """Tell whether a run is a race between hazards of which a bound is known."""
    in_turn = plan.in_turn or type(plan.query_noise) is Gumbel
    if not in_turn or type(plan.query_noise) not in BOUNDED_HAZARD:
        return False
    if is_top(plan) and (plan.items_per_person or plan.cutoff) >= plan.cutoff:
        return False  # it would prove less than what is known of picks
    return plan.threshold_noise is None or type(plan.threshold_noise) in SHIFTED


def _races(plan: RankedPlan | SparseVectorPlan) -> list[Proofs]:
    """Return races for each shift of the threshold's noise, and without it for few items."""
    if not race_covers(plan):
        return []
    threshold, items = threshold_shift(plan), plan.items_per_person
    few = items is not None and items < plan.cutoff and not plan.redraws
    found = [] if threshold is None else [_of_shifts(plan, threshold)]
    step = hazard_step(plan.query_noise, plan.reach.most)
    if (threshold is None or few) and step <= LARGEST_BARE_STEP:
        count = min(plan.cutoff, items or plan.cutoff)
        rise = 0.0 if plan.reach.one_way else step
        found.append(one(race(count, rise, step, None)))
    return found


def _of_shifts(plan: Plan, threshold: Shift) -> Proofs:
    most = MOST_SHIFTS if type(plan.query_noise) is Gumbel else FEW_SHIFTS
    shares, back = shares_of(threshold.steps, most), plan.reach.back

    def step(share: Fraction) -> float:
        return hazard_step(plan.query_noise, share * plan.reach.most) if share else 0.0

    shifts = [shifted_by(threshold, share) for share in shares]
    rises = [step(risen(share, back)) for share in shares]
    falls = [step(1 - share) for share in shares]
    rows = zip(rises, falls, shifts, strict=True)
    every = tuple(race(plan.cutoff, *row, redraws=plan.redraws) for row in rows)
    sizes = np.array([0.0 if one is None else one.size for one in shifts])
    draws = plan.cutoff if plan.redraws else 1
    ends = np.array(rises), np.array(falls)
    return Proofs(every, Glance(plan.cutoff, draws, *ends, type(threshold), sizes))


# Values, sets and keys ----------------------------------------------------------------------------


@proofs.of(HistogramPlan)
def _of_histogram(plan: HistogramPlan) -> list[Proofs]:
    """With a log-concave law the worst neighbour moves all its scores by all of the reach."""
    if type(plan.query_noise) is not Gaussian:
        return []
    steps = int(plan.reach.most / plan.grid)
    variance = (plan.query_noise.scale / plan.grid) ** 2
    return [one(Proof((Values(Moved(plan.items_per_person, steps, variance)),)))]


def is_bare_set(plan: Plan) -> bool:
    """Tell whether a plan asks each once, under Gaussian noise, and against a bare threshold."""
    return (
        type(plan) is SparseVectorPlan  # the order of values would say more than bits
        and type(plan.query_noise) is Gaussian
        and plan.threshold_noise is None
        and plan.repeats.rounds == 1
        and plan.items_per_person is not None
    )


def _set(plan: Plan) -> Proof:
    """Nothing but bits comes out, of which one person moves few; the cutoff is read off these."""
    assert plan.items_per_person is not None  # looked at just now
    shift = rounded_up(plan.reach.most / plan.query_noise.scale)
    return Proof((Bit(shift, times=plan.items_per_person),))


@proofs.of(SetUnionPlan)
def _of_keys(plan: SetUnionPlan) -> list[Proofs]:
    """In each round a person moves the weights of some keys; only who reaches the bar is told."""
    try:
        found = [one(Proof((Values(shown_rounds(plan)),)))]
    except NoGuaranteeError:
        return []
    if plan.weights and plan.count_noise is None:
        found.insert(0, one(Proof(key_bits(plan))))
    return found


def key_bits(plan: SetUnionPlan, every: int = 1) -> Way:
    """Return the rounds of a search; with fewer numbers of keys it is a look and no proof."""
    rounds = (
        Worst(tuple((Bit(shift, times=keys),) for keys, shift in (*each[::every], each[-1])))
        for each in key_shifts(plan)
    )
    return tuple(rounds)


@proofs.of(MonitorPlan)
def _of_monitor(plan: MonitorPlan) -> list[Proofs]:
    """A person is left out once enough alarms have counted them: so many arrivals of a race."""
    with suppress(NoGuaranteeError):
        step = monitor_step(plan)
        if plan.renyi_order is None:
            rise = 0.0 if plan.reach.one_way else step
            return [one(Proof(race(plan.hits, rise, step, None).steps))]
        order = float(plan.renyi_order)
        divergence = plan.hits * weight_cost(step, order) * ROUNDED
        return [one(Proof((Curve(lambda _: divergence, order),)))]
    return []
