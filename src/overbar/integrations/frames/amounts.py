"""Sums of a person's rows that are the same in every order of adding.

A sum of floats depends on its order, and the order in which an engine adds depends on its threads
and on other people's rows. So every row becomes a whole number of fine steps first, by a rule that
looks at that row alone; whole numbers are added, clamped, and rounded to the grid. No sum can leave
its word, so none wraps and none raises.

Theory: :doc:`/theory/tables`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import narwhals as nw

from overbar.integrations.frames.measure import Range

#: A declared range has at most so many fine steps, which leaves a row room for 2^25 ranges.
FINE_STEPS = 2**36
#: Up to this range whole numbers are taken as they are.
WHOLE_RANGE = 2**48
#: What a row counts at most, in fine steps.
ROW_LIMIT = 2**61
#: Rows are added in pieces of so many steps each, so that the sum of 2^41 rows stays in a word.
PIECE = 2**21
#: Below this floats hold every whole number.
EXACT = 2**53
#: Powers of ten up to this one, and their inverses, are floats.
LARGEST_POWER = 300

Lazy = nw.LazyFrame[Any]


@dataclass(frozen=True)
class Amounts:
    """From a column of numbers to what each person adds to each item, by public numbers alone."""

    value_range: Range
    grid: Fraction
    #: The fine step is 10 to the minus this.
    digits: int

    @classmethod
    def of(cls, value_range: Range, grid: Fraction, kind: nw.dtypes.DType) -> Amounts:
        """Choose the fine step: one for whole numbers, else the finest that leaves room.

        >>> Amounts.of((Fraction(0), Fraction(100)), Fraction(1), nw.Float64()).digits
        8
        """
        largest = max(map(abs, value_range))
        if kind.is_integer() and largest <= WHOLE_RANGE:
            return cls(value_range, grid, 0)
        digits = LARGEST_POWER
        while digits > -LARGEST_POWER and largest * Fraction(10) ** digits > FINE_STEPS:
            digits -= 1
        return cls(value_range, grid, digits)

    def row(self, name: str, kind: nw.dtypes.DType) -> nw.Expr:
        """Return a column as whole numbers of fine steps; zero where there is no number."""
        column = nw.col(name)
        if kind.is_integer():
            whole = _whole(column, kind)
            if self.digits == 0:
                return whole
            value = _as_float(whole)
        else:
            value = column.cast(nw.Float64)
            value = nw.when(value.is_null() | value.is_nan()).then(nw.lit(0.0)).otherwise(value)
        power = float(10 ** abs(self.digits))
        steps = value * power if self.digits >= 0 else value / power
        limit = float(ROW_LIMIT)
        return (steps.clip(-limit, limit) + 0.5).floor().cast(nw.Int64)

    def shares(self, rows: Lazy) -> Lazy:
        """Return each item and person once, with what the person adds in whole grid steps.

        Precondition: columns item, person and value, the last as :meth:`row` gives it.
        """
        if rows.implementation.is_duckdb():  # adds up in 128 bits
            pairs = rows.group_by("item", "person").agg(nw.col("value").sum())
        else:
            pieces = nw.col("top", "middle", "value").sum()
            pairs = _joined(_split(rows).group_by("item", "person").agg(pieces))
        limit = self._limit
        total = nw.col("value").clip(-limit, limit).cast(nw.Int64)
        return pairs.select("item", "person", self._steps(total).alias("share"))

    @property
    def _limit(self) -> int:
        """Fine steps that no sum inside the range reaches."""
        largest = max(map(abs, self.value_range)) * Fraction(10) ** self.digits
        return min(math.floor(largest) + 1, EXACT // 8)

    def _steps(self, total: nw.Expr) -> nw.Expr:
        """Return floor(x/g + 1/2) of a total x, as the floor of a quotient of two whole numbers.

        Both are below 2^53, so a single float division has the same floor. Where the grid and the
        fine step have no such ratio, a near one is taken. The ends hold whatever was divided.
        """
        ratio = 1 / (self.grid * Fraction(10) ** self.digits)
        ratio = ratio.limit_denominator(max(1, int(EXACT / 2 / (2 * self._limit * ratio + 1))))
        above, below = float(2 * ratio.numerator), float(ratio.denominator)
        steps = ((total.cast(nw.Float64) * above + below) / (2 * below)).floor()
        ends = (math.floor(end / self.grid + Fraction(1, 2)) for end in self.value_range)
        return steps.cast(nw.Int64).clip(*ends)


def _whole(column: nw.Expr, kind: nw.dtypes.DType) -> nw.Expr:
    """Return whole numbers within the limit of a row, in words, zero where one is missing."""
    if kind in (nw.UInt64, nw.UInt128):  # before the cast, and by a number of the same type
        clipped = column.clip(upper_bound=nw.lit(ROW_LIMIT, kind)).cast(nw.Int64)
    elif kind == nw.Int128:
        clipped = column.clip(-ROW_LIMIT, ROW_LIMIT).cast(nw.Int64)
    else:
        clipped = column.cast(nw.Int64).clip(-ROW_LIMIT, ROW_LIMIT)
    return clipped.fill_null(0)


def _as_float(whole: nw.Expr) -> nw.Expr:
    """Return the nearest floats. By halves, because Arrow refuses whole numbers above 2^53."""
    upper = whole // 2**31
    lower = whole - upper * 2**31
    return upper.cast(nw.Float64) * 2.0**31 + lower.cast(nw.Float64)


def _split(rows: Lazy) -> Lazy:
    """Write each value as top · 2^42 + middle · 2^21 + value.

    Spark divides by way of floats, so a quotient may be off by one; the sum of the parts is not.
    """
    for name, unit in (("top", PIECE**2), ("middle", PIECE)):
        rows = rows.with_columns((nw.col("value") // unit).alias(name))
        rows = rows.with_columns(nw.col("value") - nw.col(name) * unit)
    return rows


def _joined(pairs: Lazy) -> Lazy:
    """Put the pieces together again; what is far outside of every range is cut off first."""
    for lower, upper in (("value", "middle"), ("middle", "top")):
        pairs = pairs.with_columns((nw.col(lower) // PIECE).alias("carry"))
        pairs = pairs.with_columns(
            nw.col(lower) - nw.col("carry") * PIECE, nw.col(upper) + nw.col("carry")
        )
    top = nw.col("top").clip(-(2**10), 2**10)
    return pairs.with_columns(
        (top * PIECE**2 + nw.col("middle") * PIECE + nw.col("value")).alias("value")
    )
