"""How high a score must be to be found, in the units of the scores, and which ε that takes.

The chances are those of :mod:`overbar.accuracy.chances`; they rise with the score. With ε they rise
as the noise shrinks, but for the rounding of the correction to the grid, so an ε is rounded up and
tried, and raised until it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from overbar import _check
from overbar._check import Number, rational
from overbar._numbers import first_from, number_text
from overbar.accuracy.chances import REACH, chances, covered, outside, together_chance, top_chances
from overbar.accuracy.plan import Labels, Plan
from overbar.errors import ParameterError, named

#: The level that is announced is found with this chance, and what is hardly found with the rest.
SURE = 0.95
#: Digits of a distance; it is rounded away from the threshold.
DIGITS = 3
#: Largest and smallest ε that is looked at: beyond, nothing is private or nothing is found.
LARGEST_EPSILON = 1000
SMALLEST_EPSILON = Fraction(1, 10**6)


@dataclass(frozen=True)
class Detection:
    """What is found almost surely, and what is hardly ever found.

    `sure` and `hardly` are distances above the threshold; for the top, how far one must lead the
    first place outside, and how far the last place inside leads one. None where nothing is known. A
    cutoff of zero is none. `together` is how far apart these two places must be for all that are
    inside to be found almost surely.
    """

    sure: Fraction | None
    hardly: Fraction | None
    cutoff: int
    for_top: bool
    #: Whether it is about each of several groups.
    grouped: bool = False
    together: Fraction | None = None
    #: The lowest score that anyone has, if there is one: none at it or below is worth a word.
    least: int | None = None

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

    def in_words(self, threshold: Number | None = None, unit: str = "in score") -> str:
        """Say it in one sentence.

        Parameters
        ----------
        threshold : int, float, str, Fraction or Decimal, optional
            The public level; without it distances are told.
        unit : str, default "in score"
            What scores are; whole numbers if it counts persons.

        Returns
        -------
        str
            The sentence.
        """
        if self.grouped:
            one = replace(self, grouped=False).in_words(threshold, unit)
            return f"In each group: {one[0].lower()}{one[1:]}"
        whole = unit.endswith("persons")
        sure, hardly = self.levels(threshold or 0, whole=whole)
        often = f"at least {100 * SURE:.0f} times of 100"
        seldom = f"at most {100 * (1 - SURE):.0f} times of 100"
        if self.for_top:
            assert hardly is not None
            behind = f"{number_text(hardly)} or more {unit} behind place {self.cutoff:,}"
            trailing = f"tems {behind} come out {seldom}, whatever the others have."
            if self.together is None:
                return f"I{trailing}"
            apart, _ = replace(self, sure=self.together).levels(whole=whole)
            assert apart is not None
            right = "the right one comes" if self.cutoff == 1 else f"the right {self.cutoff:,} come"
            return (
                f"If places {self.cutoff:,} and {self.cutoff + 1:,} are {number_text(apart)} or "
                f"more {unit} apart, {right} out {often}. I{trailing}"
            )
        assert sure is not None
        assert hardly is not None
        room = f" while places are left ({self.cutoff:,} in all)" if self.cutoff else ""
        if threshold is None:
            high, low = _beside(sure, more=True), _beside(hardly, more=False)
        else:
            high = f"with {number_text(sure)} or more {unit}"
            low = f"with {number_text(hardly)} or fewer"
        begin = f"Items {high} come out {often}{room}"
        if threshold is not None and self.least is not None and hardly <= self.least:
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
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> detection(plan).in_words(1000, "persons")
    'Items with 1,157 or more persons come out at least 95 times of 100 while places are left
    (50 in all); those with 981 or fewer, at most 5 times of 100.'
    """
    labels = plan.labels
    if labels.not_predicted:
        return None
    sure: Fraction | None = None
    together: Fraction | None = None
    if labels.for_top:
        if candidates is not None:
            if candidates <= labels.limit:
                return None  # all are found
            sure = _enough(labels, SURE, candidates)
            all_of_them = together_chance(labels, outside(labels, candidates))
            together = first_from(lambda steps: all_of_them(steps) >= SURE, 0) * labels.grid
        _, trailing = top_chances(labels, 0)
        hardly = first_from(lambda steps: 1 - trailing(steps) >= SURE, 0) * labels.grid
    else:
        sure, chance = _enough(labels, SURE, candidates), labels.passing()
        last = first_from(lambda steps: chance(steps) > 1 - SURE, _lowest(labels)) - 1
        hardly = last * labels.grid + labels.correction
    return Detection(
        sure,
        hardly,
        labels.limit,
        for_top=labels.for_top,
        grouped=plan.groups is not None,
        together=together,
        least=labels.least,
    )


@_check.known_keywords
def margin_for(plan: Plan, recall: Number, *, candidates: int | None = None) -> Fraction:
    """Return the smallest margin at which a score is found so often, rounded up.

    Parameters
    ----------
    plan : Plan
        What would be run.
    recall : int, float, str, Fraction or Decimal
        How often it is to be found: a share between 0 and 1.
    candidates : int, optional
        How many candidates there are; only the top needs it.

    Returns
    -------
    Fraction
        How far above the threshold is enough; for the top, how far ahead of the first place
        outside.

    Raises
    ------
    ParameterError
        If nothing simple can be said about the plan.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> margin_for(plan, "0.95")
    Fraction(157, 1)
    """
    enough = _enough(covered(plan), _wanted(recall), candidates)
    return Fraction(_to_digits(enough, ROUND_CEILING))


@_check.known_keywords
def epsilon_for(
    make: Callable[[Fraction], Plan],
    recall: Number,
    margin: Number,
    *,
    candidates: int | None = None,
) -> Fraction:
    """Return the smallest ε at which a score is found so often at this margin, rounded up.

    Parameters
    ----------
    make : callable
        Gives the plan of an ε, everything else being the same.
    recall : int, float, str, Fraction or Decimal
        How often the score is to be found: a share between 0 and 1.
    margin : int, float, str, Fraction or Decimal
        How far above the threshold the score is.
    candidates : int, optional
        How many candidates there are; only the top needs it.

    Returns
    -------
    Fraction
        An ε that is enough.

    Raises
    ------
    ParameterError
        If no ε is enough.

    Examples
    --------
    >>> import overbar
    >>> def make(epsilon):
    ...     return overbar.plan(epsilon=epsilon, cutoff=50, monotonic=True, candidates=10_000)
    >>> epsilon_for(make, "0.95", 500)
    Fraction(157, 500)
    """
    wanted = _wanted(recall)
    distance = _check.positive("margin", margin)

    def enough(epsilon: Fraction) -> bool:
        return chances(make(epsilon), distance, candidates=candidates).above >= wanted

    high = Fraction(1)
    while not enough(high):
        high *= 4
        if high > LARGEST_EPSILON:
            raise ParameterError(
                f"no epsilon up to {LARGEST_EPSILON} gives a recall of "
                f"{number_text(_check.rational('recall', recall))} at a margin of "
                f"{number_text(distance)}; allow a larger margin or a smaller recall"
            )
    low = high / 4
    while low > SMALLEST_EPSILON and enough(low):
        low, high = low / 4, low
    while high - low > high / 10**4:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return _rounded_up(low, enough)


def _rounded_up(value: Fraction, enough: Callable[[Fraction], bool]) -> Fraction:
    """Round up to a few digits, and on until it is enough."""
    answer = _to_digits(value, ROUND_CEILING)
    while not enough(Fraction(answer)):
        answer = answer.next_plus(Context(prec=DIGITS))
    return Fraction(answer)


def _to_digits(value: Fraction, rounding: str) -> Decimal:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return Context(prec=DIGITS, rounding=rounding).create_decimal(exact)


def _wanted(recall: Number) -> float:
    share = _check.positive("recall", recall)
    if share >= 1:
        raise ParameterError(f"{named('recall')} must be between 0 and 1, got {number_text(share)}")
    return float(share)


def _lowest(plan: Labels) -> int:
    """Return so many steps from the level that nobody there reaches the bar."""
    noises = (plan.query_noise, plan.threshold_noise)
    widest = max(float(noise.scale) for noise in noises if noise is not None)
    return -math.floor(REACH * widest / float(plan.grid)) - 1


def _enough(plan: Labels, share: float, candidates: int | None) -> Fraction:
    """Return the least distance on the grid at which a score is found so often."""
    if plan.for_top:
        leading, _ = top_chances(plan, outside(plan, candidates))
        return first_from(lambda steps: leading(steps) >= share, 0) * plan.grid
    passing = plan.passing()
    steps = first_from(lambda steps: passing(steps) >= share, _lowest(plan))
    return steps * plan.grid + plan.correction


def _rounded(
    start: Fraction,
    distance: Fraction | None,
    rounding: str,
    whole: Callable[[Fraction], int] | None,
) -> Fraction | None:
    if distance is None:
        return None
    end = start + Fraction(_to_digits(distance, rounding))
    return end if whole is None else Fraction(whole(end))


def _beside(distance: Fraction, *, more: bool) -> str:
    """Say where a score lies beside the threshold, and farther up or down."""
    side = "above" if distance >= 0 else "below"
    on = "more" if more == (distance >= 0) else "less"
    return f"{number_text(abs(distance))} or {on} {side} the threshold"
