"""A plan, or the parameters that ask for one: what every question is given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from overbar.accounting import guarantee
from overbar.calibration.calibrate import calibrate, calibrate_top
from overbar.errors import ParameterError, either, named
from overbar.plans import Plan

#: What is asked of :func:`overbar.calibrate`, by name; checked there.
Parameters = dict[str, Any]
#: All that may be asked of it.
NAMES = tuple(inspect.signature(calibrate).parameters)


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
        return _top_plan(parameters) if top else calibrate(**parameters)
    if not isinstance(plan, Plan):
        raise ParameterError("plan must be a Plan; make one with calibrate")
    if plan.keys is not None:
        raise ParameterError(
            f"{named('plan')} must be one without a search for keys, which needs a table: use keys"
        )
    if parameters:
        raise ParameterError(
            f"a plan brings its own numbers: leave out {', '.join(map(named, sorted(parameters)))}"
            f"{either('', ', or --plan')}"
        )
    if plan.for_top != top:
        wanted, maker = ("top", "calibrate_top") if top else ("select", "calibrate")
        typed = f"overbar plan{' --top' * top} --out FILE"
        raise ParameterError(
            f"{named('plan')} must be one for {wanted}; make it with {either(maker, typed)}"
        )
    if plan.groups is not None and not groups:
        raise ParameterError(
            f"the plan is for {plan.groups.count:,} groups of a table: give {named('by')} and "
            f"{named('groups')} with it, or make one without groups"
        )
    guarantee(plan)
    return plan


def asked_for(arguments: Mapping[str, object], make: Callable[..., Plan] = calibrate) -> Parameters:
    """Return the parameters of a plan among the arguments of a call: those that were given.

    None is nothing said, except for `rounds`, where it means as often as it takes. Whoever gives an
    order wants to ask in turn, and so a sparse vector run.
    """
    defaults = {name: one.default for name, one in inspect.signature(make).parameters.items()}
    defaults |= dict.fromkeys(("epsilon", "cutoff"))
    given = {
        name: value
        for name, value in arguments.items()
        if name in defaults
        and (value is not None or name == "rounds")
        and (type(value) is not type(defaults[name]) or value != defaults[name])
    }
    if arguments.get("order") is not None and arguments.get("plan") is None:
        given.setdefault("mechanism", "sparse-vector")
    return given


def _top_plan(parameters: Parameters) -> Plan:
    for name in ("rounds", "correction"):
        if name in parameters:
            raise ParameterError(
                f"{named(name)} must not be given to top, which asks as often as it takes against "
                "a bar "
                "above all scores; use select"
            )
    # Candidates and a tolerance serve the optimal correction, which the top does not need.
    used = {k: v for k, v in parameters.items() if k not in ("candidates", "tolerance")}
    return calibrate_top(**used)
