"""Bounds by guess and check: how many persons lie outside of them, and which part of ε they get.

Rung after rung of a public ladder is asked, from the widest inwards, how many persons lie outside,
until there are enough: so many that noise alone is not taken for persons.

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from overbar._numbers import at_most_text, exact_text, number_text, people_text, short_fraction
from overbar.accounting import PureDP
from overbar.accounting.guarantees import lone_delta, proved_about
from overbar.accounting.pure import pure_epsilon
from overbar.noise import Exponential
from overbar.plans import Bar, Plan
from overbar.plans.bounds_plan import BoundsPlan
from overbar.plans.composed_plan import Composed, within

#: Asks for bounds that are found first.
AUTO = "auto"
#: A bound that lies beyond everybody comes out with at most this chance.
BEYOND = 0.001
#: An answer says how many lie outside at most; that is wrong with at most this chance.
WRONG = 0.05
#: The largest part of ε for a range, the one for a number of keys, and of items.
RANGE_PART, ITEMS_PART, SURELY_PART = Fraction(1, 10), Fraction(1, 60), Fraction(1, 40)
#: Which share of persons has at most so many items as count, surely, where all may count instead;
#: and how many more have no more, in units of how far the threshold is moved.
SURELY_INSIDE, SURELY_MOST = Fraction(9, 10), 3
#: So many spreads of the noise on a sum may lie outside: then clamping and noise harm alike.
SPREADS = 16


def bounds_plan(
    epsilon: Fraction,
    *,
    rungs: int,
    sides: int = 1,
    inside: Fraction = Fraction(1),
    surely: bool = False,
) -> BoundsPlan:
    """Return a run that finds a bound on each side with a pure ε.

    Outside there may lie a share of 1 - `inside` of all persons, and as many more as noise needs;
    or `surely` no more than that share, nor more than a number, and then a table of few persons
    has the widest bound. The number is the correction of the plan: the threshold is zero.

    >>> from overbar.accounting import guarantee
    >>> plan = bounds_plan(Fraction(1, 10), rungs=200, sides=2)
    >>> guarantee(plan), plan.correction, most_outside(plan)
    (PureDP(epsilon=0.1), Fraction(245, 1), 319)
    """
    left, each = 1 - inside, epsilon / sides
    bar = max(1 if surely else inside, 2 * left) / each
    scale = 1 / (each - left / bar)
    far = math.log(sides * rungs / BEYOND / (1 + float(bar / scale)))
    enough = math.ceil(float(scale) * max(0.0, far))
    if surely:
        enough = -math.ceil(_beyond(bar))
    noisy, most = Bar(Exponential(bar), Fraction(enough)), -SURELY_MOST * Fraction(enough)
    return BoundsPlan(Exponential(scale), noisy, inside, sides, most if surely else None)


def _beyond(scale: Fraction, sides: int = 1) -> Fraction:
    """Return what the noise of a threshold exceeds too seldom to count, on one of the sides."""
    return scale * Fraction(math.log(sides / WRONG))


def most_outside(plan: BoundsPlan) -> int:
    """Return how many persons lie outside of a bound at most, beside the share, with 95 %.

    The noise on a number of persons is never below zero. So where the answer is no, fewer lie
    outside than the noisy threshold says.
    """
    assert plan.bar.noise is not None
    return math.ceil(plan.correction + _beyond(plan.bar.noise.scale, plan.sides))


def outside_words(plan: BoundsPlan) -> str:
    """Say how many persons lie outside of a bound at most."""
    some = f"{exact_text(100 * plan.outside)} % of all"
    if plan.most is not None:
        return f"{some} persons, and at most {int(plan.most):,},"
    return f"{most_outside(plan):,} persons{f' plus {some}' * (plan.outside > 0)}"


def bounds_words(plan: Plan, bounds: Sequence[Fraction] | None) -> str:
    """Say which bounds were found, or that they will be, and how many persons lie outside."""
    assert plan.bounds is not None
    cost, outside = at_most_text(pure_epsilon(plan.bounds)), outside_words(plan.bounds)
    if plan.finds_keys or plan.instead:
        what, number = "keys" if plan.finds_keys else "items", bounds and int(bounds[0])
        if number == 0:
            return (
                f"All {what} of each person count. A number was looked for, from ε = {cost}, that "
                f"at most {outside} exceed."
            )
        most = f"How many {what} of each person count"
        if number is not None:
            most = f"Of each person at most {number:,} {what} count, which"
        return f"{most} is found first, from ε = {cost}. With 95 %, at most {outside} have more."
    which, unit = "", " The numbers of the plan are in widths of it."
    if bounds is not None:
        which, unit = ", {} to {},".format(*map(number_text, bounds)), ""
    below = "and as many one below" if plan.bounds.sides > 1 else "and those below zero count as 0"
    return (
        f"The range of sums{which} is found first, from ε = {cost}. With 95 %, at most {outside} "
        f"have a sum above it, {below}.{unit}"
    )


def after_bounds(
    bounds: BoundsPlan,
    make: Callable[[Fraction], Plan],
    epsilon: Fraction,
    delta: Fraction,
    share: Fraction = Fraction(1),
) -> Composed:
    """Return the plan that keeps ε and δ together with the bounds before it.

    `make` gives a plan that costs about a share of that. A pure plan gives up what the bounds cost,
    and one with δ less.
    """
    while True:
        plan = within(bounds, make(share))
        proved = proved_about(plan)
        pure = isinstance(proved, PureDP)
        cost = proved.at(0 if pure else delta - lone_delta(plan))
        over = Fraction(cost) / epsilon - 1
        if over <= 0:
            return plan
        share = share - over if pure else short_fraction(float(share - over) - 1e-4, 6)


def spread(plan: Plan) -> float:
    """Return the standard deviation of the noise on a score that is shown, or that decides."""
    shown = plan.counts or plan.query_noise
    return math.sqrt(shown.variance + (plan.shared.variance if plan.shared else 0))


def bounds_forecast(plan: Plan) -> str:
    """Say how good an answer within bounds will be, before they are known."""
    assert plan.bounds is not None
    if isinstance(plan, Composed) and plan.instead:
        usual, *least = plan.ways
        each = (f"{spread(way):.3g} if {way.items_per_person:,}" for way in (least[0], least[-1]))
        return (
            f"Noise on a score has a standard deviation of {' or '.join(dict.fromkeys(each))} of "
            f"the items of each person count, and of {spread(usual):.3g} if all do."
        )
    few = f"In a table of hardly more than {most_outside(plan.bounds):,} persons too much is cut."
    return (
        f"Noise on a sum has a standard deviation of {people_text(spread(plan))} times the width "
        f"of the range that is found. {few}"
    )


def range_part(plan: Plan, epsilon: Fraction, bounds: Callable[[Fraction], Plan]) -> Fraction:
    """Return the part of ε for the range of sums: less than a tenth where noise is wide anyway.

    `plan` is that of the sums with all of ε, in ranges.
    """
    needed = float(bounds(RANGE_PART * epsilon).correction) / (SPREADS * spread(plan))
    return RANGE_PART * min(Fraction(1), short_fraction(needed, 3))
