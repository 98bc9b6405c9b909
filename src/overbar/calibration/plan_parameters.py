"""A plan, or the parameters that ask for one: what every question is given."""

from __future__ import annotations

from typing import Any

from overbar.accounting import guarantee
from overbar.calibration.planning import plan as planned
from overbar.errors import ParameterError, either, named
from overbar.plans import Plan

#: What is asked of :func:`overbar.plan`, by name; checked there.
Parameters = dict[str, Any]


def those_given(**parameters: object) -> Parameters:
    """Return the parameters that were given, also at their usual values: None is nothing said."""
    return {name: value for name, value in parameters.items() if value is not None}


def refuse_beside_plan(parameters: Parameters) -> None:
    """Refuse numbers beside a plan, which has its own."""
    if parameters:
        raise ParameterError(
            f"a plan brings its own numbers: leave out {', '.join(map(named, sorted(parameters)))}"
            f"{either('', ', or --plan')}"
        )


def plan_of(
    plan: Plan | None, parameters: Parameters, *, top: bool = False, groups: bool = False
) -> Plan:
    """Return the plan given, or the one the parameters ask for; refuse one without a proof.

    With `top` it is a plan for :func:`overbar.top`. Only a table has `groups`.
    """
    if plan is None:
        for name in ("epsilon", "cutoff"):
            if name not in parameters:
                raise ParameterError(
                    f"{named(name)} must be given, or a plan{either('', ': --plan FILE')}"
                )
        return planned(**parameters, top=top)
    if not isinstance(plan, Plan):
        raise ParameterError("plan must be a Plan; make one with overbar.plan")
    if plan.keys is not None:
        raise ParameterError(
            f"{named('plan')} must be one without a search for keys, which needs a table: use keys"
        )
    refuse_beside_plan(parameters)
    if plan.for_top != top:
        wanted = "top" if top else "select"
        written = f"overbar.plan({'top=True' * top})"
        typed = f"overbar plan{' --top' * top} --out FILE"
        raise ParameterError(
            f"{named('plan')} must be one for {wanted}; make it with {either(written, typed)}"
        )
    if plan.groups is not None and not groups:
        raise ParameterError(
            f"the plan is for {plan.groups.count:,} groups of a table: give {named('groups')} "
            "with it, or make one without groups"
        )
    guarantee(plan)
    return plan
