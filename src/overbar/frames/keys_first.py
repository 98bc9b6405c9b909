"""Without a catalogue: keys first, then the question over them as a catalogue, in one budget.

**Claim.** The search for keys is private, whatever is done with what comes out. What is asked of
the keys is private for every catalogue. So both together are what their plans prove as parts of one
(:mod:`overbar.accounting.composition`), and the δ of keys that one person alone holds comes on top.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from overbar import _check
from overbar._numbers import short_fraction
from overbar.accounting import guarantee
from overbar.accounting.one_key import OneKey
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.frames.key_search import KeyQuestion
from overbar.frames.measure import Measure
from overbar.plan import Plan

#: Which part of ε the keys get; where costs are Gaussian more than half remains for the question.
KEYS_PART, ONE_KEY_PART = Fraction(7, 10), Fraction(1, 2)

#: Makes the plan of a question that keeps ε and δ by itself.
Make = Callable[[Fraction, Fraction], Plan]


def refuse_what_needs_a_list(plan: Plan | None, delta: Fraction, mechanism: str) -> None:
    """Refuse what cannot be asked of keys that are found first, before anything is computed."""
    if plan is not None:
        raise ParameterError(
            f"{named('catalogue')} must be given with {named('plan')}: without one, keys are found "
            f"first, from the same budget. Give {named('epsilon')} and {named('delta')} instead"
        )
    if mechanism == "sparse-vector":
        raise ParameterError(
            f"{named('catalogue')} must be given with {named('mechanism', 'sparse-vector')}"
        )
    if delta == 0:
        raise NoGuaranteeError(
            f"{named('delta')} must be positive without a catalogue: keys are found first, and one "
            f"that only one person holds comes out with a small probability. Give {named('delta')}, "
            "or a public catalogue of items"
        )


def keys_and_plan(
    measure: Measure, epsilon: _check.Number | None, delta: Fraction, make: Make
) -> tuple[KeyQuestion, Plan]:
    """Return a search for keys, and the plan of the question with the search before it."""
    level = _check.positive("epsilon", epsilon)
    assert measure.person is not None  # only persons hold keys

    def asked(part: Fraction, allowed: Fraction) -> KeyQuestion:
        return KeyQuestion.of(
            item=measure.item,
            person=str(measure.person),
            epsilon=part * level,
            delta=allowed,
            items_per_person=measure.items_per_person,
        )

    question, share = asked(KEYS_PART, delta), short_fraction((1 - float(KEYS_PART) ** 2) ** 0.5, 6)
    if isinstance(question.union, OneKey):
        question, share = asked(ONE_KEY_PART, delta / 2), 1 - ONE_KEY_PART
    left = delta - question.union.unlisted_delta
    while True:
        plan = replace(make(share * level, left), before=question.union.plan)
        over = guarantee(plan).at(left) / float(level) - 1
        if over <= 0 and guarantee(plan).implies(level, left):
            return question, plan
        share *= short_fraction(1 - max(1.5 * over, 0.002), 6)
