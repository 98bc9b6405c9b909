"""What a question needs of its parameters: the public list, and the plan for its measure.

Without a list: what it costs to read candidates from the table, and what to change if that is too
much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._numbers import at_most_text, number_text, people_text, rounded_up
from overbar.errors import NoGuaranteeError, ParameterError, either, named
from overbar.frames.catalogue import Catalogue, catalogue_of, in_groups
from overbar.frames.keys_first import refuse_pure, with_keys_first
from overbar.frames.measure import Measure, measure_of
from overbar.mechanisms import KeyPlan, Plan, ScorePlan
from overbar.planning.plan_parameters import Parameters, plan_of
from overbar.privacy import PureDP, guarantee, unlisted_delta

#: Threshold noises with a pure guarantee.
PURE_THRESHOLDS = ("auto", "exponential", "laplace")


def plan_share(delta: Fraction, parameters: Parameters, plan: Plan | None = None) -> Fraction:
    """Return how much of δ a plan itself may use: nothing if it is pure, else half."""
    if plan is not None:
        pure = isinstance(guarantee(plan), PureDP)
    else:
        threshold_noise = parameters.get("threshold_noise", "auto")
        pure = parameters.get("noise") == "exponential" and threshold_noise in PURE_THRESHOLDS
    return Fraction(0) if pure else delta / 2


def refuse_unbounded(measure: Measure, delta: Fraction) -> None:
    """Refuse what has no proof without a catalogue, before anything is computed."""
    if measure.items_per_person is None:
        raise ParameterError(
            f"{named('items_per_person')} must be given without a catalogue: how many items of "
            "each person count? Or give a public catalogue of items"
        )
    refuse_pure(delta)


def fits_unlisted(plan: Plan, threshold: Fraction, measure: Measure, allowed: Fraction) -> bool:
    """Tell whether unlisted candidates cost no more than is allowed."""
    assert measure.items_per_person is not None
    return Fraction(unlisted_delta(plan, threshold, measure.items_per_person)) <= allowed


def delta_within(
    plan: ScorePlan, threshold: Fraction, measure: Measure, allowed: Fraction
) -> float:
    """Return the δ that unlisted candidates cost; refuse if it is above what is allowed."""
    assert measure.items_per_person is not None
    cost = unlisted_delta(plan, threshold, measure.items_per_person)
    if Fraction(cost) <= allowed:
        return cost
    enough = least_threshold(plan, threshold, measure.items_per_person, allowed)
    raise NoGuaranteeError(
        f"without a catalogue an item that one person holds is released with probability up to "
        f"{at_most_text(cost)}, above the {people_text(allowed, ROUND_FLOOR)} that "
        f"{named('delta')} leaves for it. Change one of three things: raise the "
        f"threshold from {number_text(threshold)} to {number_text(enough)} or more; "
        f"ask for fewer rounds{_now(plan)} or fewer {named('items_per_person')} (now "
        f"{measure.items_per_person}); allow a larger {named('delta')}, or "
        "give a public catalogue of items"
    )


def _now(plan: ScorePlan) -> str:
    """Say how many rounds there are, where candidates are asked in turn."""
    rounds = plan.repeats.rounds or 1
    return f" (now {rounds})" if rounds > 1 else ""


def least_threshold(
    plan: ScorePlan, threshold: Fraction, items_per_person: int, allowed: Fraction
) -> Fraction:
    """Return a threshold at which unlisted candidates cost no more than is allowed.

    It is the least such whole number of sensitivities, or a little more: δ falls with the threshold
    like e^(-threshold/scale), so a bracket by doubling and a bisection find it.
    """
    unit = plan.reach.most

    def enough(steps: int) -> bool:
        return Fraction(unlisted_delta(plan, steps * unit, items_per_person)) <= allowed

    low = math.floor(threshold / unit)
    reach = max(1, math.ceil(plan.query_noise.scale / unit))
    while not enough(low + reach):
        low, reach = low + reach, 2 * reach
    high = low + reach
    while high - low > max(1, reach // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high * unit


#: A person's part of a sum is rounded to the grid by itself, and the roundings of many persons add
#: up. So a range has so many steps.
SUM_STEPS = 10**6


def measured(
    *,
    item: str | Sequence[str],
    person: str | None,
    value: object,
    score: object,
    sensitivity: object,
    items_per_person: int | None,
    groups: object,
    groups_per_person: object,
    catalogue: Any,
) -> tuple[Measure, Catalogue | None]:
    """Return what is measured, and the public list of items, in each group where there are some."""
    by, public_groups = listed_groups(groups)
    summed, range_of_sums = _with_what("value", value)
    scored, range_of_scores = _with_what("score", score)
    measure = measure_of(
        item=item,
        person=person,
        value=summed,
        value_range=range_of_sums if range_of_scores is None else range_of_scores,
        score=scored,
        sensitivity=sensitivity,
        items_per_person=items_per_person,
        by=by,
        groups=public_groups,
        groups_per_person=groups_per_person,
    )
    if by is not None:
        return measure, in_groups(public_groups, catalogue, measure.items)
    return measure, catalogue_of(catalogue, measure.items)


def listed_groups(groups: object) -> tuple[Any, Catalogue | None]:
    """Return the column of groups, and the public list of them."""
    by, listed = _with_what("groups", groups)
    if groups is not None and listed is None:
        raise ParameterError(
            f"{named('groups')} must be a column and the public list of its groups, such as "
            + either("{'region': ['north', 'south']}", "region=north,south")
        )
    return by, catalogue_of(listed, name="groups")


def _with_what(name: str, given: Any) -> tuple[Any, Any]:
    """Return a column, and what is public about it if that is said: ``{column: what}``."""
    if not isinstance(given, Mapping):
        return given, None
    if len(given) != 1:
        raise ParameterError(f"{named(name)} must be about one column, got {len(given)}")
    return next(iter(given.items()))


def ready_plan(
    plan: Plan | None, parameters: Parameters, measure: Measure, *, top: bool = False
) -> ScorePlan:
    """Return the plan given, or the one the parameters ask for, with the measure's sensitivity."""
    moves = {
        "items_per_person": measure.items_per_person,
        "groups": measure.groups,
        "groups_per_person": measure.groups_per_person,
    }
    if plan is None:
        reach = measure.reach
        if measure.kind == "sum":
            parameters = {**parameters, "grid": reach.most / SUM_STEPS}
            reach = reach.outwards(parameters["grid"])  # a part of a sum is rounded to a step
        ready = plan_of(None, {**parameters, **moves, "reach": reach}, top=top)
    else:
        ready = plan_of(plan, parameters, top=top, groups=measure.groups is not None)
        measure.refuse_a_plan_for_less(ready)
    return ready


def plan_with_keys(
    measure: Measure, chosen: Parameters, *, top: bool = False
) -> tuple[ScorePlan, Fraction]:
    """Return a plan over keys that are found first, from the same budget, and its own δ."""
    delta = _check.probability("delta", chosen.get("delta", 0))
    refuse_pure(delta)
    delta = Fraction(-rounded_up(-delta))  # as a float, which is not above what was asked for
    if "epsilon" not in chosen or "cutoff" not in chosen:
        ready_plan(None, chosen, measure, top=top)  # which says what is missing

    def make(noise: str | None, epsilon: Fraction, allowed: Fraction) -> ScorePlan:
        wanted = {**chosen, "epsilon": epsilon, "delta": allowed}
        wanted |= {} if noise is None else {"noise": noise}
        return ready_plan(None, wanted, measure, top=top)

    plan = with_keys_first(measure, chosen.get("epsilon"), delta, make)
    return plan, delta - plan.lone_delta()


def search_words(plan: KeyPlan) -> str:
    """Say how keys are searched for."""
    number = len(plan.rounds)
    held = f", held by at least {plan.at_least:,}" if plan.at_least > 1 else ""
    in_rounds = f", in {number} rounds" if number > 1 else ""
    return held + in_rounds + (", with counts" if plan.gives_counts else "")
