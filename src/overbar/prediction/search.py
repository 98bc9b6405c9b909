"""Find the margin, or the ε, that gives a wanted recall.

Recall rises with the margin: given the threshold noise, more of those above and fewer of those
below turn positive. With ε it rises as the noise shrinks, but for the rounding of the correction
to the grid, so an answer is rounded up and tried, and raised until it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._docstrings import described_as
from overbar._numbers import short_text
from overbar.errors import ParameterError, named
from overbar.plans import Plan
from overbar.prediction.expected import expected_accuracy

#: Digits of an answer; it is rounded up, so one digit more would only look exact.
DIGITS = 3
#: Doublings before a search gives up.
DOUBLINGS = 60
#: Largest and smallest ε that is looked at: beyond, nothing is private or nothing is found.
LARGEST_EPSILON = 1000.0
SMALLEST_EPSILON = 1e-6


@described_as(expected_accuracy)
@_check.known_keywords
def margin_for(
    plan: Plan, recall: Number, *, candidates: int, above: int | None = None
) -> Fraction:
    """Return the smallest margin at which so much is found, rounded up.

    Parameters
    ----------
    recall : int, float, str, Fraction or Decimal
        The share that is to be found.

    Returns
    -------
    Fraction
        A margin that is enough.

    Raises
    ------
    ParameterError
        If no margin is enough.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> margin_for(plan, "0.95", candidates=10_000)
    Fraction(213, 1)
    """
    wanted = _wanted(recall)

    def enough(margin: float) -> bool:
        found = expected_accuracy(plan, margin, candidates=candidates, above=above)
        return found.recall >= wanted

    if enough(0.0):
        return Fraction(0)
    high = float(plan.query_noise.scale)
    for _ in range(DOUBLINGS):
        if enough(high):
            return _rounded_up(_boundary(enough, 0.0, high), enough)
        high *= 2
    raise ParameterError(
        f"no margin gives a recall of {short_text(_check.rational('recall', recall))} "
        "with this plan"
    )


@described_as(expected_accuracy)
@described_as(margin_for)
@_check.known_keywords
def epsilon_for(
    make: Callable[[Fraction], Plan],
    recall: Number,
    margin: Number,
    *,
    candidates: int,
    above: int | None = None,
) -> Fraction:
    """Return the smallest ε at which so much is found at this margin, rounded up.

    Parameters
    ----------
    make : callable
        Gives the plan of an ε, everything else being the same.

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
    >>> from overbar import calibrate
    >>> def make(epsilon):
    ...     return calibrate(epsilon=epsilon, cutoff=50, monotonic=True, candidates=10_000)
    >>> epsilon_for(make, "0.95", 500, candidates=10_000)
    Fraction(213, 500)
    """
    wanted = _wanted(recall)
    distance = _check.positive("margin", margin)

    def enough(epsilon: float) -> bool:
        plan = make(Fraction(f"{epsilon:.12g}"))
        found = expected_accuracy(plan, distance, candidates=candidates, above=above)
        return found.recall >= wanted

    high = 1.0
    while not enough(high):
        high *= 4
        if high > LARGEST_EPSILON:
            raise ParameterError(
                f"no epsilon up to {LARGEST_EPSILON:g} gives a recall of "
                f"{short_text(_check.rational('recall', recall))} at a margin of "
                f"{short_text(distance)}; allow a larger margin or a smaller recall"
            )
    low = high / 4
    while enough(low):
        low, high = low / 4, low
        if high < SMALLEST_EPSILON:
            break
    return _rounded_up(_boundary(enough, low, high), enough)


def _wanted(recall: Number) -> float:
    share = _check.positive("recall", recall)
    if share >= 1:
        raise ParameterError(f"{named('recall')} must be between 0 and 1, got {short_text(share)}")
    return float(share)


def _boundary(enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return a place that is enough, with one that is not within a ten-thousandth below it."""
    while high - low > 1e-4 * high:
        middle = math.sqrt(low * high) if low > high / 16 else (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _rounded_up(value: float, enough: Callable[[float], bool]) -> Fraction:
    """Round up to a few digits, and on until it is enough."""
    up = Context(prec=DIGITS, rounding=ROUND_CEILING)
    # The value is a ten-thousandth too large already: take that off before rounding up.
    answer = up.create_decimal(Decimal(repr(value * (1 - 1e-4))))
    while not enough(float(answer)):
        answer = answer.next_plus(up)
    return Fraction(answer)
