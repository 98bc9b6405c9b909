"""A question whose bounds are found first: one run, one payment, one answer.

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from overbar.accounting import spent
from overbar.calibration.key_kind import for_items
from overbar.frames.bounds_first import ITEMS, RANGES
from overbar.frames.key_search import KeySearch, underway
from overbar.frames.ladders import Ladder
from overbar.frames.measure import reach_of_sums
from overbar.frames.scoring import check_columns, items_within, persons_within
from overbar.ledger import Booking
from overbar.ledger.description import Description
from overbar.mechanism.guess_and_check import found_bounds
from overbar.mechanism.payment import paid
from overbar.mechanism.selection import Selection
from overbar.plans import Composed
from overbar.plans.composed_plan import rescaled
from overbar.sampling.entropy import system

if TYPE_CHECKING:
    from overbar.frames.question import Question


def found_first(question: Question, frame: Any, payer: Booking | None) -> Selection:
    """Find bounds, and then the answer within them. A ledger pays for both at once.

    The table is read for the bounds before that, so one that cannot be read costs nothing.
    """
    plan, ladder, measure = question.plan, question.ladder, question.measure
    assert plan.bounds is not None
    assert ladder is not None
    bounds_plan, search = plan.bounds, None
    run = Description("batch", plan, question.threshold)
    if plan.finds_keys:
        assert plan.keys is not None
        search = KeySearch(plan.keys, frame, measure)
        persons = [search.persons_within(ladder)]
        run = Description("keys", plan, None)
    elif plan.instead:
        persons = [items_within(frame, measure, ladder, question.catalogue)]
    else:
        check_columns(frame, measure, plan.grid)
        sides = persons_within(frame, measure, ladder, question.catalogue)
        persons = sides[: bounds_plan.sides]

    def drawn() -> Selection:
        bounds = bounds_at(ladder, found_bounds(bounds_plan, persons, system))
        inside = within(question, bounds)
        with underway():
            answer = inside.run(frame) if search is None else search.selection(inside.plan)
        return replace(answer, bounds=bounds)

    answer = paid(payer, run, drawn)
    whole = within(question, answer.bounds).plan  # of a stored one as well
    return replace(answer, plan=whole, spent=spent(whole, len(answer)))


def bounds_at(ladder: Ladder, places: Sequence[int]) -> tuple[Fraction, ...]:
    """Return the bounds at these places: the ends of a range, or a number of items; 0 for all."""
    high, below = (*(ladder.rungs[place] for place in places), Fraction(0))[:2]
    if ladder.name == RANGES.name:
        return -below, ladder.rungs[1] if high == below == 0 else high
    return (Fraction(0) if ladder is not ITEMS and high == ladder.rungs[-1] else high,)


def within(question: Question, bounds: tuple[Fraction, ...] | None) -> Question:
    """Return what is asked within bounds that were found; as it is where all are public."""
    plan, measure = question.plan, question.measure
    if bounds is None or measure.inside is None:
        return question
    assert isinstance(plan, Composed)
    measure = replace(measure, inside=None)
    if plan.instead:
        items = [int(way.items_per_person or 0) for way in plan.ways]
        most = int(bounds[0])
        measure = replace(measure, items_per_person=most or None)
        return replace(question, measure=measure, plan=plan.taking(items.index(most)))
    if plan.keys is not None and plan.finds_keys:
        most = int(bounds[0])
        few = replace(plan, labels=for_items(plan.keys, most))
        return replace(question, measure=replace(measure, items_per_person=most), plan=few)
    low, high = bounds
    measure = replace(measure, value_range=(low, high), reach=reach_of_sums(low, high))
    return replace(question, measure=measure, plan=rescaled(plan, Fraction(1), high - low))
