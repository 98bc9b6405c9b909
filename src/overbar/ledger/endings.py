"""What a run has cost when it has ended: its pure ε by its ending, the rest as it was paid.

A bound on each single ending, such as a pure ε, may be charged by the ending. A bound on average,
such as a Rényi divergence, may be charged as it was paid on the way, by a theorem that is
fixed beforehand (:mod:`overbar.privacy.instalments`). Everything else is paid once.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from overbar.errors import NoGuaranteeError
from overbar.ledger.budget import Budget
from overbar.ledger.costs import Charge, Schedule, booked, up
from overbar.ledger.description import StatedCost
from overbar.mechanisms import Plan
from overbar.privacy.instalments import Instalments, checked_positives, renyi_instalments

#: The form of a charge by what theorems prove about a plan.
CURVES = "curves"
#: Rényi costs are rounded up to so many parts of one, and what is left of ε is rounded down.
RENYI_PARTS = 10**15
#: The part of a charge that must be there when another machine computes it again.
LEEWAY = 1 - Fraction(1, 10**9)


def schedule_of(
    plan: Plan | StatedCost, form: str, charge: Charge, budget: Budget
) -> Schedule | None:
    """Return what a run pays on its way; None where all of it is paid at once.

    Only by a theorem of which the whole cost is charged: one theorem serves from the beginning to
    the end. The lower of two, in the end, is proved by none.
    """
    chosen = []
    for most, ways in zip(charge.renyi, _ways_to_pay(plan, form, budget), strict=False):
        fitting = [way for way in ways if way.whole <= most and way.each]
        if not fitting:
            return None
        chosen.append(fitting[0])
    if not chosen:
        return None
    return Schedule(
        tuple(up(way.start, RENYI_PARTS) for way in chosen),
        tuple(up(way.each, RENYI_PARTS) for way in chosen),
    )


def pays_too_little(
    plan: Plan | StatedCost, form: str, charge: Charge, budget: Budget, schedule: Schedule
) -> bool:
    """Return whether a schedule is below all that are proved, with their whole cost charged."""
    proved = _ways_to_pay(plan, form, budget)
    if len({len(proved), len(charge.renyi), len(schedule.start)}) > 1:
        return True
    rows = zip(schedule.start, schedule.each, charge.renyi, proved, strict=True)
    return not all(
        any(
            start >= way.start * LEEWAY and each >= way.each * LEEWAY and all_ >= way.whole * LEEWAY
            for way in ways
        )
        for start, each, all_, ways in rows
    )


def _ways_to_pay(
    plan: Plan | StatedCost, form: str, budget: Budget
) -> list[tuple[Instalments, ...]]:
    """Return the instalments that are proved at each order, the least first."""
    if isinstance(plan, StatedCost) or form != CURVES:
        return []
    return [renyi_instalments(plan, float(order)) for order in budget.orders]


@lru_cache(maxsize=64)
def pure_or_none(plan: Plan) -> Fraction | None:
    """Return a plan's pure ε; None where it has none."""
    try:
        return plan.pure()
    except NoGuaranteeError:
        return None


def cost_of(
    plan: Plan | StatedCost,
    form: str,
    reserved: Charge,
    positives: int,
    asked: bool,
    schedule: Schedule | None = None,
) -> Charge:
    """Return what a run has cost that has ended, at most what was reserved.

    Nothing, if nothing was asked and nothing was run before; all of it, if it was run in groups.
    Otherwise the pure cost of a run charged by its curves goes down to what its positives
    have cost: that bound holds for every single transcript, whatever made it end. Rényi costs
    hold on average over all the ways in which a run can end. They stay, unless a `schedule` says
    how they are paid on the way. What is paid once, δ's and costs in the potential, always stays.
    """
    if isinstance(plan, StatedCost):
        return reserved
    begun = plan.keys is not None or plan.first or plan.groups
    if not asked and not begun:
        return reserved - reserved
    cost = reserved
    if form == CURVES and pure_or_none(plan) is not None:
        pure = min(reserved.pure, booked(plan.pure(checked_positives(plan, positives))))
        cost = replace(reserved, pure=pure)
    return cost if schedule is None else schedule.after(positives, cost)


def can_have_cost(
    plan: Plan | StatedCost,
    form: str,
    reserved: Charge,
    cost: Charge,
    positives: range,
    schedule: Schedule | None = None,
) -> bool:
    """Return whether a run can have cost this: with one of these numbers of positives.

    -1 stands for a run in which nothing was asked.
    """
    if isinstance(plan, StatedCost):
        return cost == reserved

    def after(given: int) -> Charge:
        return cost_of(plan, form, reserved, given, asked=True, schedule=schedule)

    if -1 in positives and cost == cost_of(plan, form, reserved, 0, asked=False):
        return True
    if not positives or positives[-1] < 0:
        return False
    # Costs rise with the positives, but for a full answer, which may cost less than one short of
    # it: look for the number that has this one.
    low, high = max(0, positives[0]), positives[-1]
    if cost == after(high):
        return True
    while low < high:
        middle = (low + high) // 2
        if sum(after(middle).values) < sum(cost.values):
            low = middle + 1
        else:
            high = middle
    return cost == after(low)
