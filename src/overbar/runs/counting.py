"""Counts beside labels: a noisy number for each, with an interval. Public by construction.

Theory: :doc:`/theory/counts`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from overbar.accuracy.interval import interval
from overbar.mechanisms import CountNoise, ScorePlan
from overbar.noise import Gaussian, Laplace, Noise
from overbar.sampling.entropy import Source
from overbar.sampling.highest import noisy_values

#: A count whose interval is at least this wide is shown to people as a whole number.
WIDE = 20
#: No count is shown as larger: a float can hold it, and Python writes its digits.
LARGEST = Fraction(10) ** 300


class Count(NamedTuple):
    """A noisy count and the ends of its interval of 95 %, or about 95 % for Gumbel values.

    Parameters
    ----------
    value : Fraction
        The score with noise.
    low : Fraction or None
        The lower end; None where nothing says how low the score is.
    high : Fraction
        The upper end.

    Examples
    --------
    >>> print(Count(Fraction(9120), Fraction(9000), Fraction(9240)))
    9,120 (9,000 to 9,240)
    >>> print(Count(Fraction(37), None, Fraction(50)))
    37 (at most 50)
    """

    value: Fraction
    low: Fraction | None
    high: Fraction

    def __str__(self) -> str:
        return f"{self.shown} ({self.within})"

    @property
    def shown(self) -> str:
        """The value, as people read it."""
        return self._text(self.value)

    @property
    def within(self) -> str:
        """The interval, as people read it."""
        if self.low is None:
            return f"at most {self._text(self.high)}"
        return f"{self._text(self.low)} to {self._text(self.high)}"

    def _text(self, number: Fraction) -> str:
        wide = self.low is None or self.high - self.low >= WIDE
        if wide or number.denominator == 1:
            return f"{math.floor(number + Fraction(1, 2)):,}"
        return f"{float(number):,.4g}"


class Rest(NamedTuple):
    """What is counted beside keys that came out: everything else, and all together.

    Parameters
    ----------
    everything_else : Count
        How many pairs of person and key count beside these.
    total : Count
        All of them together.
    """

    everything_else: Count
    total: Count

    def __str__(self) -> str:
        return f"everything else: {self.everything_else}; in all: {self.total}"


class KnownScores(NamedTuple):
    """What is public about all scores: the least they can be, and whether they are whole."""

    least: Fraction | None = None
    whole: bool = False

    def fitted(self, count: Count) -> Count:
        """Move a count and its interval into what is possible. It is post-processing, and free.

        Ends move inwards to whole numbers, the value to the nearest one, which stays inside.
        """
        value, high = _within(count.value), _within(count.high)
        low = None if count.low is None else _within(count.low)
        if self.whole:
            value = Fraction(math.floor(value + Fraction(1, 2)))
            high = max(Fraction(math.floor(high)), value)
            low = None if low is None else min(Fraction(math.ceil(low)), value)
        if self.least is not None:
            least = self.least
            low = least if low is None else max(low, least)
            value, high = max(value, least), max(high, least)
        return Count(value, low, high)


#: Nothing is public about the scores.
ALL_SCORES = KnownScores()
#: Persons are whole, and not fewer than none.
PERSONS = KnownScores(Fraction(0), whole=True)


def _within(number: Fraction) -> Fraction:
    return min(max(number, -LARGEST), LARGEST)


def counted(values: Sequence[int], noise: Noise, grid: Fraction) -> tuple[Count, ...]:
    """Return counts of persons, of noisy values in grid steps."""
    return tuple(_count(value, interval(noise, grid, value), grid, PERSONS) for value in values)


def counted_keys(
    each: Sequence[int], rest: int, noise: CountNoise, source: Source
) -> tuple[tuple[Count, ...], Rest]:
    """Return counts of keys with noise, in whole persons, and of everything else.

    The total is their sum before any is moved up to zero.
    """
    grid, persons = noise.grid, int(1 / noise.grid)

    def drawn(numbers: Sequence[int], law: Gaussian | Laplace) -> list[int]:
        steps = [number * persons for number in numbers]
        return noisy_values(steps, noise=law, grid=grid, source=source)

    values, (other,) = drawn(each, noise.each), drawn([rest], noise.rest)
    total, margin = (sum(values) + other) * grid, total_margin(noise, len(values))
    around = Count(total, Fraction(math.floor(total) - margin), Fraction(math.ceil(total) + margin))
    (everything_else,) = counted([other], noise.rest, grid)
    return counted(values, noise.each, grid), Rest(everything_else, PERSONS.fitted(around))


def total_margin(noise: CountNoise, keys: int) -> int:
    """By how much the sum over so many keys and everything else is off, in 95 of 100 cases.

    In units of its deviation a sum of Laplace noises is nearer to zero than one of them.
    """
    laplace = isinstance(noise.each, Laplace)
    factor = math.log(20) / math.sqrt(2) if laplace else 1.96
    each, rest = (
        float(law.scale**2) * (2 if laplace else 1) + 1 / 12 for law in (noise.each, noise.rest)
    )
    return math.ceil(factor * math.sqrt(keys * each + rest))


def counted_values(values: Sequence[int], plan: ScorePlan, level: int | None) -> tuple[Count, ...]:
    """Return counts of values that are told, in grid steps: of new noise, or of those that decided.

    Whoever came out by its value had one no lower than the level and the one after the last. That
    one is known as well: it is paid for, or all values may be released.
    """
    chosen, after = values[: plan.cutoff], values[plan.cutoff :]
    around = (plan.around(value, level, after[0] if after else None) for value in chosen)
    return tuple(_count(value, (low, high), plan.grid, ALL_SCORES) for value, low, high in around)


def _count(value: int, ends: tuple[int | None, int], grid: Fraction, known: KnownScores) -> Count:
    """Return a count; who hardly came out has most likely a score below its value."""
    low, high = ends
    shown = min(value, high) if low is None else max(min(value, high), low)
    least = None if low is None else low * grid
    return known.fitted(Count(shown * grid, least, high * grid))
