"""What an alarm takes, and how worn a monitor is: from public numbers alone.

Nobody is told who was left out. But an alarm counts about as many persons as the threshold says, or
more; so after A alarms at a threshold T, of N persons in all, one has been counted about A·T/N
times. If alarms met everybody alike, the number of hits would be a Poisson variable of this mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import scipy

from overbar import _check
from overbar.accuracy.detection import SURE, detection
from overbar.mechanisms.monitor import MonitorPlan


@dataclass(frozen=True)
class Outlook:
    """What is expected of a monitor; as text a few sentences."""

    #: In how many alarms one person counts, and how many were given.
    hits: int
    alarms: int
    #: An alarm comes at least 95 % of the time from so many persons on, and at most 5 % up to so
    #: many: above the threshold, if none is known.
    sure: Fraction
    hardly: Fraction
    threshold: Fraction | None
    #: In how many more alarms a typical person can count.
    typical: float | None = None
    #: About this share of all persons is left out by now, and half of them after so many more.
    used_up: float | None = None
    until_half: int | None = None

    def __str__(self) -> str:
        above = "" if self.threshold is not None else " above the threshold"
        text = (
            f"An alarm comes at least {SURE:.0%} of the time from {float(self.sure):,.0f} "
            f"persons{above} on, and at most {1 - SURE:.0%} up to "
            f"{max(0.0, float(self.hardly)):,.0f}. One person counts in {self.hits:,} alarms, and "
            f"{self.alarms:,} were given so far."
        )
        if self.used_up is None or self.until_half is None:
            return text
        return (
            f"{text} If alarms meet everybody alike, a typical person can count in "
            f"{self.typical:.1f} more, about {self.used_up:.0%} of all persons are left out by "
            f"now, and half of them after {self.until_half:,} more alarms."
        )


def outlook(
    plan: MonitorPlan, threshold: Fraction | None, alarms: int, persons: int | None
) -> Outlook:
    """Return what is expected, at a public threshold and for a public guess of all persons."""
    many = None if persons is None else _check.whole("persons", persons)
    expected = detection(plan)
    assert expected is not None
    sure, hardly = expected.levels(threshold or 0, whole=plan.counts_persons)
    assert sure is not None
    assert hardly is not None
    known = plan.hits, alarms, sure, hardly, threshold
    if threshold is None or many is None:
        return Outlook(*known)
    each = float(max(threshold, plan.grid) / many)
    half = scipy.special.gammaincinv(plan.hits, 0.5) / each
    used_up = float(scipy.special.gammainc(plan.hits, alarms * each))
    typical = max(0.0, plan.hits - alarms * each)
    return Outlook(*known, typical, used_up, max(0, round(half) - alarms))
