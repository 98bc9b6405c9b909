"""Bounds that are found first, by guess and check, from a part of the same budget.

A range of sums bounds what one person adds to one item. So the one value of a person on each side
is their largest sum of an item, and their smallest. For keys it is how many of them a person has.

**Claim.** What comes after costs the same, whatever the bounds are: noise is in units of them. So
costs add up as for parts that are known beforehand.

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from overbar import _check
from overbar.accounting import PureDP
from overbar.accounting.guarantees import proved_about
from overbar.calibration.bounds_kind import after_bounds, bounds_plan, range_part
from overbar.calibration.plan_parameters import Parameters
from overbar.frames.ladders import HIGHEST, LOWEST, Ladder
from overbar.frames.measure import Measure
from overbar.plans import Plan
from overbar.plans.composed_plan import rescaled

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
FEW = (*range(3, 9), 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 1000)
#: How many items of a person may be counted.
ITEMS = Ladder("items", tuple(map(Fraction, FEW)))


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


def ladder_for(measure: Measure) -> Ladder | None:
    """Return the ladder on which bounds are found first; None where all are public."""
    if measure.inside is None:
        return None
    return RANGES if measure.kind == "sum" else ITEMS
