"""A plan, or the parameters that ask for one: what every question is given. And other ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError, either, named
from overbar.mechanisms import Plan, ScorePlan
from overbar.planning.choice import IN_TURN
from overbar.planning.make import plan as planned
from overbar.privacy import guarantee

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
) -> ScorePlan:
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
    if isinstance(plan, Plan):
        plan.check_scores()
    if not isinstance(plan, ScorePlan):
        raise ParameterError("plan must be a Plan; make one with overbar.plan")
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


#: What a threshold noise adds to a name.
ABOUT = {"gaussian": ", Gaussian bar", "none": ", bare bar"}

#: Noises on scores and on the threshold of plans that are shown beside others, for δ = 0 and δ > 0.
SHOWN = {
    "ranked": (("exponential", "auto"),),
    "histogram": (("laplace", "auto"),),
    "sparse-vector": (("exponential", "auto"), ("gumbel", "auto"), ("laplace", "auto")),
}
SHOWN_WITH_DELTA = {
    "ranked": (("gumbel", "auto"), ("gumbel", "gaussian"), ("gumbel", "none")),
    "histogram": (("gaussian", "auto"),),
    "sparse-vector": (("gumbel", "auto"), ("gumbel", "none")),
}

#: Makes a plan from mechanism, noises and δ; everything else stays the same.
Make = Callable[[Parameters], ScorePlan]


class Method(NamedTuple):
    """A way to keep the privacy asked for."""

    name: str
    plan: ScorePlan


def methods(make: Make, delta: Number) -> list[Method]:
    """Return the sound ways to meet a request; those that are refused are left out.

    With δ > 0, exponential noise, and Laplace noise in a histogram, are shown as the pure plans
    they still are. `make` gives the plan for parameters of :func:`overbar.plan`.

    >>> import overbar
    >>> def make(way):
    ...     return overbar.plan(epsilon=1, cutoff=5, candidates=100, **way)
    >>> [method.name for method in methods(make, 0)]
    ['ranked, exponential', 'sparse-vector, exponential', 'sparse-vector, gumbel',
     'sparse-vector, laplace']
    """
    shown = SHOWN_WITH_DELTA if _check.probability("delta", delta) > 0 else SHOWN
    ways: list[tuple[str, str, str, Number, str]]
    ways = [(name, *way, delta, "") for name, every in shown.items() for way in every]
    if shown is SHOWN_WITH_DELTA:
        ways += [(name, *every[0], 0, ", δ = 0") for name, every in SHOWN.items()]
    sound: list[Method] = []
    for name, noise, threshold, allowed, unused in ways:
        barless = name != IN_TURN and any(method.plan.for_top for method in sound)
        if barless and threshold in ABOUT:
            continue
        way: Parameters = {
            "mechanism": name,
            "noise": noise,
            "threshold_noise": threshold,
            "delta": allowed,
        }
        try:
            plan = make(way)
        except ParameterError:
            continue
        if any(method.plan == plan for method in sound):  # what was left open came to the same
            continue
        sound.append(Method(f"{name}, {noise}{ABOUT.get(threshold, '')}{unused}", plan))
    return sound
