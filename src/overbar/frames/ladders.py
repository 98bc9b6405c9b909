"""Public ladders: the values that a quantile may have. They are chosen without a look at any row.

A ladder is a name, even steps LOW:HIGH:STEP, or a list of numbers. Those with a name have coarser
parts, for tables of few persons: 1, 2, 5, 10, … and 1, 10, 100, …; of days, months and years. Which
one is taken if nothing is said follows from the type of the column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar._numbers import number_text
from overbar.errors import ParameterError, named
from overbar.frames.amounts import FIRST_DAY, Amounts, is_day
from overbar.frames.columns import refuse_what_is_no_number
from overbar.mechanism.counting import day_text

#: Powers of ten between which the ladders with names run.
LOWEST, HIGHEST = -5, 13
MOST_RUNGS = 1 << 17
#: A value has at most so many fine steps.
FINE_STEPS = 10**18


@dataclass(frozen=True)
class Ladder:
    """Rising public values; what lies beyond its ends counts as there."""

    name: str
    rungs: tuple[Fraction, ...]
    #: Which rungs make each of its coarser parts.
    coarser: tuple[Callable[[Fraction], bool], ...] = ()
    #: Whether rungs are days, counted from the first of 1970.
    days: bool = False

    def __str__(self) -> str:
        shown = day_text if self.days else number_text
        first, last = map(shown, (self.rungs[0], self.rungs[-1]))
        return f"{self.name}: {len(self.rungs):,} rungs from {first} to {last}"

    @cached_property
    def levels(self) -> tuple[NDArray[np.intp], ...]:
        """Places of the rungs, of all and of each coarser part; the last is in all of them."""
        last = len(self.rungs) - 1
        parts = [
            [place for place, rung in enumerate(self.rungs) if place == last or holds(rung)]
            for holds in self.coarser
        ]
        return np.arange(last + 1), *(np.array(part, dtype=np.intp) for part in parts)

    def amounts(self, column: str, kind: Any) -> Amounts:
        """Return how values of a column are read: as whole numbers of fine steps."""
        if not self.days:
            refuse_what_is_no_number("value", column, kind)
        elif not is_day(kind):
            raise ParameterError(
                f"{named('value')} must be a column of dates for the ladder of days, got {column!r}"
            )
        return Amounts(column, kind, (self.rungs[0], self.rungs[-1]), Fraction(1), fine=FINE_STEPS)

    def below(
        self, values: NDArray[np.int64], persons: NDArray[np.int64], digits: int
    ) -> NDArray[np.int64]:
        """Return how many persons have a value up to each rung, the last of which is for all.

        Values are in fine steps. A person counts from the first rung on that is no less.
        """
        steps = self._steps(digits)
        places = np.minimum(np.searchsorted(steps, values, side="left"), len(steps) - 1)
        each = np.zeros(len(steps), dtype=np.int64)
        np.add.at(each, places, persons)
        return np.cumsum(each)

    @cached_property
    def _steps(self) -> Callable[[int], NDArray[np.int64]]:
        """The rungs in fine steps of so many digits."""

        def steps(digits: int) -> NDArray[np.int64]:
            power = Fraction(10) ** digits
            return np.array([math.floor(rung * power) for rung in self.rungs], dtype=np.int64)

        return cache(steps)


def ladder_of(wish: object) -> Ladder:
    """Return the ladder that was asked for; by default that of all numbers.

    >>> print(ladder_of(None))
    numbers: 3,243 rungs from -10,000,000,000,000 to 10,000,000,000,000
    >>> print(ladder_of("0:100:5"), "|", ladder_of((1, 2, "2.5")))
    0:100:5: 21 rungs from 0 to 100 | list: 3 rungs from 1 to 2.5
    """
    if wish is None or isinstance(wish, str):
        text = "numbers" if wish is None else wish
        if text in NAMED:
            return NAMED[text]()
        return _even(text) if ":" in text else _listed(text.split(","))
    if isinstance(wish, Ladder):
        return wish
    if isinstance(wish, Sequence):
        return _listed(wish)
    raise ParameterError(_wrong())


def _wrong() -> str:
    return (
        f"{named('ladder')} must be {', '.join(NAMED)}, LOW:HIGH:STEP such as 0:100:5, or at most "
        f"{MOST_RUNGS:,} rising numbers"
    )


def _listed(numbers: Sequence[Any]) -> Ladder:
    rungs = tuple(_check.rational("ladder", number) for number in numbers)
    if not 2 <= len(rungs) <= MOST_RUNGS or sorted(set(rungs)) != list(rungs):
        raise ParameterError(_wrong())
    return Ladder("list", rungs)


def _even(text: str) -> Ladder:
    parts = [_check.rational("ladder", part) for part in text.split(":")]
    if len(parts) != 3 or parts[2] <= 0 or not 1 <= (parts[1] - parts[0]) / parts[2] < MOST_RUNGS:
        raise ParameterError(_wrong())
    low, high, step = parts
    return Ladder(text, tuple(low + step * n for n in range(math.floor((high - low) / step) + 1)))


def _both_ways(lowest: int, mantissas: Sequence[int]) -> tuple[Fraction, ...]:
    """Return ±m/10·10^k and zero, up to the highest power of ten."""
    powers = [Fraction(10) ** power / 10 for power in range(lowest, HIGHEST)]
    above = [power * digits for power in powers for digits in mantissas]
    above.append(Fraction(10) ** HIGHEST)
    return (*(-rung for rung in reversed(above)), Fraction(0), *above)


def _whole() -> Ladder:
    rungs = {rung for rung in _both_ways(0, range(10, 100)) if rung.denominator == 1}
    return Ladder("whole", tuple(sorted(rungs)), COARSER)


def _days() -> Ladder:
    days = range(*(date(year, 1, 1).toordinal() - FIRST_DAY for year in YEARS))
    firsts = lambda day: day_text(day).endswith("-01")  # noqa: E731
    years = lambda day: day_text(day).endswith("-01-01")  # noqa: E731
    return Ladder("days", tuple(map(Fraction, days)), (firsts, years), days=True)


COARSER = (
    lambda rung: rung == 0 or _single_digit(rung) in (1, 2, 5),
    lambda rung: rung == 0 or _single_digit(rung) == 1,
)
#: The ladder of days begins and ends with these years.
YEARS = 1900, 2101
NAMED: dict[str, Callable[[], Ladder]] = {
    "numbers": cache(lambda: Ladder("numbers", _both_ways(LOWEST, range(10, 100)), COARSER)),
    "powers": cache(lambda: Ladder("powers", _both_ways(LOWEST, (10, 20, 50)), COARSER[1:])),
    "whole": cache(_whole),
    "days": cache(_days),
}


def _single_digit(rung: Fraction) -> int:
    """Return the digit of a number that has one, such as 20 or 0.2; else zero."""
    digits = str(int(abs(rung) * 10 ** (1 - LOWEST))).rstrip("0")
    return int(digits) if len(digits) == 1 else 0
