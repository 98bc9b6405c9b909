"""How high a score must be to be found, in the units of the scores. No data is needed.

**Above a threshold.** A candidate of score q reaches the bar with the chance

    p(q) = E_ρ[1 - F(T + r + ρ - q)^R],

computed on the grid on which releases happen. Whoever reaches it is found while places are left;
so if fewer than the cutoff come out, a candidate that is missing was below the bar. Nothing is
supposed about the others.

**The top.** One who leads all outside the top c by d has at worst c - 1 others far ahead, and all
n - c others at distance d: it is found with a chance of at least E_v[F(v + d)^(n-c)]. One who is d
behind all of the top c has at best all c just at distance d, and nobody else to beat: it comes out
with a chance of at most 1 - E_v[S(v - d)^c]. Both hold for any scores, and are reached. A
sparse vector run for the top draws its winners as Gumbel noise of the same scale does
(:doc:`/theory/appending`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from overbar import _check
from overbar._check import Number, rational
from overbar._numbers import first_from
from overbar.noise import Gumbel
from overbar.noise.grid_tails import grid_tail
from overbar.noise.noise import Array
from overbar.plans import HistogramPlan, Plan, Repeats, SparseVectorPlan

#: The level that is announced is found with this chance, and what is hardly found with the rest.
SURE = 0.95
#: Digits of a distance; it is rounded away from the threshold.
DIGITS = 3
#: Places of noise that are looked at, and how far out, in scales.
PLACES, REACH = 20_000, 25
PRECISION = 64


@dataclass(frozen=True)
class Detection:
    """What is found almost surely, and what is hardly ever found.

    `sure` and `hardly` are distances above the threshold; for the top, how far one must lead the
    first place outside, and how far the last place inside leads one. None where nothing is known.
    """

    sure: Fraction | None
    hardly: Fraction | None
    cutoff: int
    for_top: bool
    #: Whether it is about each of several groups.
    grouped: bool = False

    def levels(
        self, threshold: Number = 0, *, whole: bool = False
    ) -> tuple[Fraction | None, Fraction | None]:
        """Return the two scores, rounded to the safe side: whole numbers, or distances to digits.

        Parameters
        ----------
        threshold : int, float, str, Fraction or Decimal, default 0
            The public level.
        whole : bool, default False
            Whether scores are whole numbers.

        Returns
        -------
        tuple of two Fractions
            What is found almost surely, and what is hardly ever found; distances for the top.
        """
        start = Fraction(0) if self.for_top else rational("threshold", threshold)
        up = _rounded(start, self.sure, ROUND_CEILING, math.ceil if whole else None)
        low = ROUND_CEILING if self.for_top else ROUND_FLOOR
        away = math.ceil if self.for_top else math.floor
        return up, _rounded(start, self.hardly, low, away if whole else None)

    def in_words(
        self, threshold: Number | None = None, unit: str = "in score", *, least: int | None = None
    ) -> str:
        """Say it in one sentence; nothing that is `least` or below is worth a word.

        Parameters
        ----------
        threshold : int, float, str, Fraction or Decimal, optional
            The public level; without it distances are told.
        unit : str, default "in score"
            What scores are; whole numbers if it counts persons.
        least : int, optional
            The lowest score that anyone has.

        Returns
        -------
        str
            The sentence.
        """
        if self.grouped:
            one = replace(self, grouped=False).in_words(threshold, unit, least=least)
            return f"In each group: {one[0].lower()}{one[1:]}"
        whole = unit.endswith("persons")
        sure, hardly = self.levels(threshold or 0, whole=whole)
        often, seldom = f"at least {100 * SURE:.0f} %", f"at most {100 * (1 - SURE):.0f} %"
        if self.for_top:
            assert hardly is not None
            behind = f"{number_text(hardly)} or more {unit} behind place {self.cutoff:,}"
            if sure is None:
                return f"Items {behind} come out {seldom} of the time, whatever the others have."
            lead = (
                f"Items that lead place {self.cutoff + 1:,} by {number_text(sure)} or more {unit}"
            )
            begin = f"{lead} are found {often} of the time"
            return f"{begin}; those {behind}, {seldom}, whatever the others have."
        assert sure is not None
        assert hardly is not None
        room = f"while places are left ({self.cutoff:,} in all)"
        if threshold is None:
            high, low = _beside(sure, more=True), _beside(hardly, more=False)
        else:
            high = f"with {number_text(sure)} or more {unit}"
            low = f"with {number_text(hardly)} or fewer"
        begin = f"Items {high} are found {often} of the time {room}"
        if threshold is not None and least is not None and hardly <= least:
            return f"{begin}."
        return f"{begin}; those {low}, {seldom}."


@_check.known_keywords
def detection(plan: Plan, candidates: int | None = None) -> Detection | None:
    """Return how high a score must be to be found; None where nothing simple can be said.

    That is so if the threshold is drawn anew after each positive, if comparisons are limited, or
    if all are asked again and again against a threshold.

    Parameters
    ----------
    plan : Plan
        What would be run.
    candidates : int, optional
        How many there are. For the top, nothing is said without it about who is sure to be found.

    Returns
    -------
    Detection or None
        What is found almost surely, and what is hardly ever found.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> detection(plan).in_words(1000, "persons")
    'Items with 1,157 or more persons are found at least 95 % of the time while places are left
    (50 in all); those with 981 or fewer, at most 5 %.'
    """
    if plan.for_top:
        return _of_top(plan, candidates)
    repeats = _repeats(plan)
    if repeats.resample or repeats.rounds is None or repeats.max_queries is not None:
        return None
    chance = chance_of_passing(plan)
    noises = (plan.query_noise, plan.threshold_noise)
    widest = max(float(noise.scale) for noise in noises if noise is not None)
    first = -math.floor(REACH * widest / float(plan.grid)) - 1
    sure = first_from(lambda steps: chance(steps) >= SURE, first)
    hardly = first_from(lambda steps: chance(steps) > 1 - SURE, first) - 1
    lift = plan.correction
    ends = sure * plan.grid + lift, hardly * plan.grid + lift
    return Detection(*ends, plan.cutoff, for_top=False, grouped=plan.groups is not None)


def _repeats(plan: Plan) -> Repeats:
    """Return how often candidates are asked: once, where the highest values win."""
    labels = plan.labels
    return labels.repeats if isinstance(labels, SparseVectorPlan) else Repeats()


def chance_of_passing(plan: Plan) -> Callable[[int], float]:
    """Return the chance to reach the bar of who is so many grid steps above its public level."""
    noise, grid, rounds = plan.threshold_noise, plan.grid, _repeats(plan).rounds or 1
    if isinstance(plan.labels, HistogramPlan):
        return lambda steps: float(grid_tail(plan.query_noise, grid, -steps, PRECISION).mid())
    places: Array = np.zeros(1)
    weights: Array = np.ones(1)
    if noise is not None:
        reach = math.ceil(REACH * float(noise.scale / grid))
        apart = max(1, math.ceil(2 * reach / PLACES))
        places = np.arange(-reach, reach + 1, apart, dtype=np.float64) * float(grid)
        weights = noise.pdf(places)
        weights /= weights.sum()

    def chance(steps: int) -> float:
        log_missed = plan.query_noise.logcdf(places - steps * float(grid))
        return float(-np.expm1(rounds * log_missed) @ weights)

    return chance


def _of_top(plan: Plan, candidates: int | None) -> Detection | None:
    noise = plan.query_noise
    if isinstance(plan.labels, SparseVectorPlan):
        if plan.labels.repeats != Repeats(rounds=None):
            return None
        noise = Gumbel(noise.scale)
    middles: Array = (np.arange(PLACES) + 0.5) / PLACES
    values, grid = np.asarray(noise.quantile(middles)), float(plan.grid)
    rest = None if candidates is None else candidates - plan.cutoff
    if rest is not None and rest <= 0:
        return None  # all are found

    def leads(steps: int) -> bool:
        missed = (rest or 0) * noise.logcdf(values + steps * grid)
        return float(np.exp(missed).mean()) >= SURE

    def behind(steps: int) -> bool:
        kept = plan.cutoff * noise.logsf(values - steps * grid)
        return float(np.exp(kept).mean()) >= SURE

    sure = None if rest is None else first_from(leads, 0) * plan.grid
    hardly = first_from(behind, 0) * plan.grid
    return Detection(sure, hardly, plan.cutoff, for_top=True, grouped=plan.groups is not None)


def _rounded(
    start: Fraction,
    distance: Fraction | None,
    rounding: str,
    whole: Callable[[Fraction], int] | None,
) -> Fraction | None:
    if distance is None:
        return None
    digits = Context(prec=DIGITS, rounding=rounding)
    exact = Decimal(distance.numerator) / Decimal(distance.denominator)
    end = start + Fraction(digits.create_decimal(exact))
    return end if whole is None else Fraction(whole(end))


def _beside(distance: Fraction, *, more: bool) -> str:
    """Say where a score lies beside the threshold, and farther up or down."""
    side = "above" if distance >= 0 else "below"
    on = "more" if more == (distance >= 0) else "less"
    return f"{number_text(abs(distance))} or {on} {side} the threshold"


def number_text(number: Fraction) -> str:
    """Write a number for people, with commas."""
    return f"{int(number):,}" if number.denominator == 1 else f"{float(number):,.7g}"
