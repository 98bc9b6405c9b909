"""What it costs to read candidates from the table, and what to change if that is too much."""

from __future__ import annotations

import math
from fractions import Fraction

from overbar._numbers import short_text
from overbar.accounting import PureDP, guarantee, unlisted_delta
from overbar.calibration.plan_parameters import Parameters
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.frames.keys_first import refuse_pure
from overbar.frames.measure import Measure
from overbar.plans import Plan

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


def delta_within(plan: Plan, threshold: Fraction, measure: Measure, allowed: Fraction) -> float:
    """Return the δ that unlisted candidates cost; refuse if it is above what is allowed."""
    assert measure.items_per_person is not None
    cost = unlisted_delta(plan, threshold, measure.items_per_person)
    if Fraction(cost) <= allowed:
        return cost
    enough = least_threshold(plan, threshold, measure.items_per_person, allowed)
    raise NoGuaranteeError(
        f"without a catalogue an item that one person holds is released with probability up to "
        f"{cost:.3g}, above the {float(allowed):.3g} that {named('delta')} leaves for it. Change "
        f"one of three things: raise the threshold from {short_text(threshold)} to "
        f"{short_text(enough)} or more; ask for fewer rounds{_now(plan)} or fewer "
        f"{named('items_per_person')} (now {measure.items_per_person}); allow a larger "
        f"{named('delta')}, or give a public catalogue of items"
    )


def _now(plan: Plan) -> str:
    """Say how many rounds there are, where candidates are asked in turn."""
    return f" (now {plan.repeats.rounds})" if plan.in_turn else ""


def least_threshold(
    plan: Plan, threshold: Fraction, items_per_person: int, allowed: Fraction
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
