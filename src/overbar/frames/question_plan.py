"""What a question needs of its parameters: the public list, and the plan for its measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._numbers import rounded_up
from overbar.accounting.guarantees import lone_delta
from overbar.calibration.plan_parameters import Parameters, plan_of
from overbar.errors import ParameterError, either, named
from overbar.frames.catalogue import Catalogue, catalogue_of, in_groups
from overbar.frames.keys_first import refuse_pure, with_keys_first
from overbar.frames.measure import Measure, measure_of
from overbar.plans import KeyPlan, Plan

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
    by, own_groups = _with_what("groups", groups)
    if groups is not None and own_groups is None:
        raise ParameterError(
            f"{named('groups')} must be a column and the public list of its groups, such as "
            + either("{'region': ['north', 'south']}", "region=north,south")
        )
    public_groups = catalogue_of(own_groups, name="groups")
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


def _with_what(name: str, given: Any) -> tuple[Any, Any]:
    """Return a column, and what is public about it if that is said: ``{column: what}``."""
    if not isinstance(given, Mapping):
        return given, None
    if len(given) != 1:
        raise ParameterError(f"{named(name)} must be about one column, got {len(given)}")
    return next(iter(given.items()))


def ready_plan(
    plan: Plan | None, parameters: Parameters, measure: Measure, *, top: bool = False
) -> Plan:
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
) -> tuple[Plan, Fraction]:
    """Return a plan over keys that are found first, from the same budget, and its own δ."""
    delta = _check.probability("delta", chosen.get("delta", 0))
    refuse_pure(delta)
    delta = Fraction(-rounded_up(-delta))  # as a float, which is not above what was asked for
    if "epsilon" not in chosen or "cutoff" not in chosen:
        ready_plan(None, chosen, measure, top=top)  # which says what is missing

    def make(noise: str | None, epsilon: Fraction, allowed: Fraction) -> Plan:
        wanted = {**chosen, "epsilon": epsilon, "delta": allowed}
        wanted |= {} if noise is None else {"noise": noise}
        return ready_plan(None, wanted, measure, top=top)

    plan = with_keys_first(measure, chosen.get("epsilon"), delta, make)
    return plan, delta - lone_delta(plan)


def search_words(plan: KeyPlan) -> str:
    """Say how keys are searched for."""
    number = len(plan.rounds)
    held = f", held by at least {plan.at_least:,}" if plan.at_least > 1 else ""
    in_rounds = f", in {number} rounds" if number > 1 else ""
    return held + in_rounds + (", with counts" if plan.gives_counts else "")
