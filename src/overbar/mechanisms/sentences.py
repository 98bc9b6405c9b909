"""Noises, reaches and the like as people read them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from overbar._numbers import number_text, people_text, three_digits
from overbar.mechanisms.reach_and_bar import Reach
from overbar.noise import Noise

if TYPE_CHECKING:
    from overbar.mechanisms.score_plan import ScorePlan


def noise_text(noise: Noise) -> str:
    """Name a noise in a sentence."""
    return f"{noise.name.capitalize()} noise of scale {people_text(noise.scale)}"


def noise_words(noise: Noise | None) -> str:
    """Return a noise as people read it.

    >>> from overbar.noise import Laplace
    >>> noise_words(Laplace(2))
    'Laplace noise of scale 2 (standard deviation 2.83)'
    """
    if noise is None:
        return "none"
    name = (
        noise.name.capitalize() if noise.name in ("laplace", "gumbel", "gaussian") else noise.name
    )
    deviation = three_digits(math.sqrt(noise.variance))
    return f"{name} noise of scale {people_text(noise.scale)} (standard deviation {deviation})"


def highest_text(plan: ScorePlan, values: str = "") -> str:
    """Describe a plan whose highest values win."""
    noise, bar = plan.threshold_noise, plan.bar
    on_bar = "" if noise is None or bar is None else f", {noise_text(noise)} on the threshold"
    moved = "" if bar is None else f", which is moved by {people_text(bar.correction)}"
    most = plan.items_per_person
    few = "" if most is None else f" A person moves at most {most:,} of them."
    passing = "values" if bar is None else "values that reach the threshold"
    return (
        f"{noise_text(plan.query_noise)} on each of the {plan.reach.on('queries')}{on_bar}{moved}; "
        f"the highest {passing} are given, {plan.cutoff:,} at most.{few} "
        f"Releases happen on a grid of {people_text(plan.grid)}.{values}"
    )


def values_text(plan: ScorePlan, free: str = "free", shared: str = "") -> str:
    """Say of counts that are the values which decided how exact they are, and what they cost."""
    where = "the last place" if plan.for_top else "the threshold"
    width = within_text(plan)
    return f"{free}: the noisy scores themselves{shared}, {width}; wider next to {where}"


def within_text(plan: ScorePlan) -> str:
    """Say how far counts are from the truth."""
    _, low, high = plan.around(0)
    half = (high - (low or 0)) * plan.grid / 2
    shown = people_text(Fraction(math.ceil(half)) if half >= 10 else half)
    return f"within {shown} of the truth, 95 % of the time"


def moved_by(reach: Reach) -> str:
    """Say how far one person moves a score."""
    if reach.one_way or reach.low == -reach.high:
        return f"at most {reach}"
    return (
        f"at most {number_text(reach.high)} up and {number_text(-reach.low)} down, or the reverse"
    )


def many(number: int, thing: str) -> str:
    """Count things.

    >>> many(1, "key"), many(2000, "alarm")
    ('1 key', '2,000 alarms')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"
