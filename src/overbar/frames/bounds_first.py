"""Bounds that are found first, by guess and check, from a part of the same budget.

A range of sums bounds what one person adds to one item. So the one value of a person on each side
is their largest sum of an item, and their smallest. For a number of items or keys it is how many of
them a person has.

**Claim.** What comes after costs the same, whatever the bounds are: noise is in units of them. So
costs add up as for parts that are known beforehand. Where another plan is run by the number of
items that was found, the dearest of all is paid (:mod:`overbar.accounting.one_of`).

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

from overbar import _check
from overbar.accounting import PureDP
from overbar.accounting.guarantees import proved_about
from overbar.calibration.bounds_kind import (
    SURELY_INSIDE,
    SURELY_PART,
    after_bounds,
    bounds_plan,
    range_part,
    spread,
)
from overbar.calibration.plan_parameters import Parameters
from overbar.frames.ladders import HIGHEST, LOWEST, Ladder
from overbar.plans import Composed, Plan
from overbar.plans.composed_plan import composed, rescaled, within

#: Ten steps to each power of ten, for the end of a range on either side of zero.
RANGES = Ladder(
    "bounds",
    (
        Fraction(0),
        *(
            digits * Fraction(10) ** (power - 1)
            for power in range(LOWEST, HIGHEST)
            for digits in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
        ),
        Fraction(10) ** HIGHEST,
    ),
)
#: Not fewer than three: in a table of few persons nothing says that there are more.
FEW = (*range(3, 9), 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000)
#: How many items of a person may be counted.
ITEMS = Ladder("items", tuple(map(Fraction, FEW)))

#: The same where a plan that needs no number is at hand, and is run in tables of few persons.
FEWER = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
#: A number must make noise so much smaller: what persons have beyond it is lost.
WORTH = Fraction(2, 3)


def with_items_found(make: Callable[[int | None, Parameters], Plan], chosen: Parameters) -> Plan:
    """Return a plan before which it is found how many items of each person count, or if all do.

    `make` takes that number, or None, and the parameters of a plan. Where no number is worth it,
    it is the plan for None with all of ε. That goes by public numbers alone.
    """
    level = _check.positive("epsilon", chosen["epsilon"])
    delta = _check.probability("delta", chosen.get("delta", 0))

    @cache  # the first is made to see whether it is worth it
    def bounded(share: Fraction) -> Plan:
        less = {**chosen, "epsilon": share * level}
        usual, few = make(None, less), list[Plan]()
        for items in FEWER:
            own = make(items, {**less, "mechanism": "histogram"})
            if spread(own) > WORTH * spread(usual):
                break
            assert own.first == usual.first  # keys are searched for in one way
            few.append(composed(own.labels, counts=own.counts))
        if not few:
            return make(None, chosen)
        bounds = bounds_plan(
            SURELY_PART * level, rungs=len(few) + 1, inside=SURELY_INSIDE, surely=True
        )
        return replace(within(bounds, usual), instead=tuple(few))

    plan = bounded(1 - SURELY_PART)
    if plan.bounds is None:
        return plan
    return after_bounds(plan.bounds, bounded, level, delta, 1 - SURELY_PART)


def with_range_found(
    make: Callable[[Parameters], Plan], chosen: Parameters, inside: Fraction
) -> Plan:
    """Return the plan of sums whose range is found first; `make` takes the parameters of a plan."""
    whole = make(chosen)  # which says what is missing
    level = _check.positive("epsilon", chosen["epsilon"])
    delta = _check.probability("delta", chosen.get("delta", 0))
    # By its width alone a range costs noise that is pure. With δ, theorems are for sums that grow.
    sides = 1 if delta else 2
    assert sides == 1 or isinstance(proved_about(whole), PureDP)
    found_by = partial(bounds_plan, rungs=len(RANGES.rungs), sides=sides, inside=inside)
    part = range_part(whole, level, found_by)
    return after_bounds(
        found_by(part * level), lambda share: rescaled(whole, 1 / share), level, delta
    )


def ladder_for(plan: Plan) -> Ladder:
    """Return the ladder on which bounds are found first; its last rung may stand for all items."""
    if isinstance(plan, Composed) and plan.instead:
        few = sorted(int(way.items_per_person or 0) for way in plan.ways)[1:]
        return Ladder("items, the last for all", (*map(Fraction, few), Fraction(few[-1] + 1)))
    return ITEMS if plan.finds_keys else RANGES
