"""Without a catalogue: keys first, then the question over them as a catalogue, in one budget.

**Claim.** The search for keys is private, whatever is done with what comes out. What is asked of
the keys is private for every catalogue. So both together are what their plans prove as parts of one
(:mod:`overbar.privacy.account`), and the δ of keys that one person alone holds comes on top.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import cast

from overbar import _check
from overbar._numbers import least_safe, short_fraction
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.frames.measure import Measure
from overbar.mechanisms import KeyPlan, Plan, ScorePlan
from overbar.mechanisms.key_values import LARGEST_EPSILON, MOST_ITEMS
from overbar.mechanisms.score_plan import widened
from overbar.mechanisms.together import after
from overbar.planning.key_rounds import ITEMS
from overbar.planning.keys import key_plan
from overbar.planning.plan_parameters import SHOWN_WITH_DELTA, Parameters
from overbar.planning.request import ABOUT_CANDIDATES
from overbar.privacy import PureDP
from overbar.privacy.guarantees import proved_about
from overbar.privacy.orders import checked_log_delta, epsilon_from_renyi

#: Which part of ε the keys get. Where costs are Gaussian three quarters remain for the question,
#: and with bits as many keys come out as had 7/10 of ε if weights were shown, or more.
KEYS_PART, ONE_KEY_PART = Fraction(83, 125), Fraction(1, 2)
#: By Rényi divergences, which add up, keys may cost this part of ε: with a large δ they say more.
MOST = 0.85
#: How close to the least noise of the question a search ends, and the digits of what it finds.
CLOSE, DIGITS = 1e-6, 9
#: How far from one the noise may be widened where a threshold was corrected for it, and how often
#: that is tried.
NEAR, MOST_TRIES = 0.02, 12

#: Makes the plan of a question, with a noise or the best, that keeps ε and δ by itself.
Make = Callable[[str | None, Fraction, Fraction], ScorePlan]


def refuse_a_plan(plan: Plan | None) -> None:
    """Refuse a plan made before: it has all of a budget that the keys need a part of."""
    if plan is not None:
        raise ParameterError(
            f"{named('catalogue')} must be given with {named('plan')}: without one, keys are found "
            f"first, from the same budget. Give {named('epsilon')} and {named('delta')} instead"
        )


def refuse_pure(delta: Fraction, more: str = "") -> None:
    """Refuse a δ of zero; `more` is what else must be given."""
    if delta == 0:
        raise NoGuaranteeError(
            f"{named('delta')} must be positive without a catalogue: an item that only one person "
            f"holds is released with a small probability. Give {named('delta', '1e-6')}{more}, or "
            f"a public list of the items with {named('catalogue')}"
        )


def refuse_lacking(chosen: Parameters) -> None:
    """Refuse a choice above a threshold that lacks what a catalogue would tell, all at once."""
    lacks = "candidates" not in chosen
    more = f" and {named('candidates')} ({ABOUT_CANDIDATES})" if lacks else ""
    refuse_pure(_check.probability("delta", chosen.get("delta", 0)), more)
    if lacks:
        raise ParameterError(
            f"{named('candidates')} must be given without a catalogue: {ABOUT_CANDIDATES}. Or give "
            f"a public list of the items with {named('catalogue')}"
        )


def with_keys_first(
    measure: Measure, epsilon: _check.Number | None, delta: Fraction, make: Make
) -> ScorePlan:
    """Return the plan of the question with a search for keys before it.

    The question gets what is left of ε where costs add up as squares do, and then less, until both
    together keep what was asked for. A pure part costs in full beside keys, where Gaussian and
    Gumbel noise add up to less: the one that spreads less is taken.
    """
    level = _check.positive("epsilon", epsilon)
    if level > LARGEST_EPSILON:
        raise ParameterError(
            f"{named('epsilon')} must be at most {LARGEST_EPSILON} where keys are found first, got "
            f"{epsilon}; or give a public {named('catalogue')}"
        )
    if not isinstance(measure.item, str):
        raise ParameterError(
            f"{named('catalogue')} must be given where several columns name an item: keys, which "
            "are found first without one, are of one column. Put them into one first"
        )
    items = min(measure.items_per_person or ITEMS, MOST_ITEMS)
    search = partial(key_plan, items_per_person=items)  # no weight of theirs ever comes out
    before, part = search(KEYS_PART * level, delta), KEYS_PART
    in_full = isinstance(proved_about(before), PureDP)  # what it costs adds up as it is
    if in_full:
        part = ONE_KEY_PART
        before = search(part * level, delta / 2)
        in_full = isinstance(proved_about(before), PureDP)
    share, smaller = 1 - part, delta
    if not in_full:
        share = short_fraction(math.sqrt(1 - float(part) ** 2), 6)
        while not _leaves_room(before, level, delta):
            smaller /= 2
            before = search(part * level, smaller)
    left = delta - before.lone_delta()
    own = _least_beside(make, None, share * level, before, level, left)
    if isinstance(proved_about(own), PureDP) and not in_full:
        noise, _ = SHOWN_WITH_DELTA[own.labels.kind][0]
        other = _least_beside(make, noise, share * level, before, level, left)
        own = min(own, other, key=lambda plan: plan.query_noise.variance)
    return after(before, own)


def _leaves_room(before: KeyPlan, level: Fraction, delta: Fraction) -> bool:
    """Tell whether keys leave something of ε, where costs add up as Rényi divergences."""
    left = delta - before.lone_delta()
    cost, _ = epsilon_from_renyi(proved_about(before).renyi, checked_log_delta(left))
    return cost <= MOST * float(level)


def _least_beside(
    make: Make, noise: str | None, start: Fraction, before: Plan, level: Fraction, left: Fraction
) -> ScorePlan:
    """Return the plan of the question with about the least noise that keeps (ε, δ) beside keys.

    Its noise is widened as it takes. What is added to a threshold is for the noise that it was made
    with, so it is made anew where that is not about the same.
    """
    allowed = left
    own = make(noise, start, allowed)
    wider = _widened(own, before, level, left)
    for _ in range(MOST_TRIES):
        if own.bar is None or abs(wider - 1) <= NEAR:
            break
        start = short_fraction(float(start / wider), 6)
        own, last = make(noise, start, allowed), wider
        wider = _widened(own, before, level, left)
        if 2 * (wider - 1) > last - 1 > 0:  # a large δ, where noise hardly depends on ε
            allowed /= 2
    return cast("ScorePlan", widened(own, wider))


def _widened(plan: ScorePlan, before: Plan, level: Fraction, left: Fraction) -> Fraction:
    """Return about the least factor of the noise for which both together keep (ε, δ)."""

    def excess(factor: float) -> float:
        total = after(before, widened(plan, short_fraction(factor, DIGITS)))
        return float(Fraction(proved_about(total).at(left)) / level - 1)

    return short_fraction(least_safe(excess, 1.0, -0.5, CLOSE), DIGITS)
