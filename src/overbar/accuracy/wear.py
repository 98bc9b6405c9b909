"""What an alarm takes, and how worn a monitor is: from public numbers alone.

Nobody is told who was left out. But an alarm counts about as many persons as the threshold says, or
more; so after A alarms at a threshold T, of N persons in all, one has been counted about A·T/N
times. If alarms met everybody alike, the number of hits would be a Poisson variable of this mean,
and who has k of them is left out. Where the same persons are met again and again they are left out
sooner, and others later.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import scipy

from overbar import _check
from overbar.accuracy.chances import passing_chance
from overbar.accuracy.detection import SURE, detection
from overbar.plans import MonitorPlan


@dataclass(frozen=True)
class Outlook:
    """What is expected of a monitor.

    Attributes
    ----------
    hits : int
        In how many alarms one person counts.
    alarms : int
        How many were given.
    sure, hardly : Fraction
        With so many persons an alarm comes at least 95 % of the time, and at most 5 %; above the
        threshold, where none is known.
    at_threshold : float
        The chance of an alarm with as many persons as the threshold says.
    with_nobody : float or None
        The chance of a false alarm where nobody is counted.
    used_up : float or None
        About this share of all persons is left out by now.
    until_half : int or None
        After about so many more alarms half of them will be.
    """

    hits: int
    alarms: int
    threshold: Fraction | None
    sure: Fraction
    hardly: Fraction
    at_threshold: float
    with_nobody: float | None
    used_up: float | None
    until_half: int | None

    def __str__(self) -> str:
        above = "" if self.threshold is not None else " above the threshold"
        least = max(0, round(float(self.hardly)))
        text = (
            f"An alarm comes at least {SURE:.0%} of the time from {round(float(self.sure)):,} "
            f"persons{above} on, and at most {1 - SURE:.0%} up to {least:,}. One person counts in "
            f"{self.hits:,} alarms, and {self.alarms:,} were given so far."
        )
        if self.used_up is None or self.until_half is None:
            return text
        return (
            f"{text} If alarms meet everybody alike, about {self.used_up:.0%} of all persons are "
            f"left out by now, and half of them after {self.until_half:,} more alarms."
        )


def outlook(
    plan: MonitorPlan, threshold: Fraction | None, alarms: int, persons: int | None
) -> Outlook:
    """Return what is expected, at a public threshold and for a public guess of all persons."""
    many = None if persons is None else _check.whole("persons", persons)
    found = detection(plan)
    assert found is not None
    sure, hardly = found.levels(threshold or 0, whole=plan.counts_persons)
    assert sure is not None
    assert hardly is not None
    chance = passing_chance(plan)
    below = int(plan.correction / plan.grid)
    used_up = until_half = with_nobody = None
    if threshold is not None:
        with_nobody = chance(-plan.level(threshold))
        if many is not None:
            each = max(threshold, plan.grid) / many
            used_up = float(scipy.special.gammainc(plan.hits, float(alarms * each)))
            half = float(scipy.special.gammaincinv(plan.hits, 0.5)) / float(each)
            until_half = max(0, round(half) - alarms)
    return Outlook(
        hits=plan.hits,
        alarms=alarms,
        threshold=threshold,
        sure=sure,
        hardly=hardly,
        at_threshold=chance(-below),
        with_nobody=with_nobody,
        used_up=used_up,
        until_half=until_half,
    )
