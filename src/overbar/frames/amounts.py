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
from itertools import pairwise
from typing import Any

import narwhals as nw

from overbar.frames.measure import Range
from overbar.frames.texts import EXACT, is_spark

#: A declared range has at most so many fine steps, which leaves a row room for 2^25 ranges.
FINE_STEPS = 2**36
#: Up to this range whole numbers are taken as they are.
WHOLE_RANGE = 2**48
#: What a row counts at most, in fine steps.
ROW_LIMIT = 2**61
#: Rows are added in so many pieces, each of so many bits but the first, which has the rest. So the
#: sums of 2^32 rows stay in words; on a cluster, where one that does not would raise, of 2^41.
IN_MEMORY = (2, 31)
ON_A_CLUSTER = (3, 21)

Lazy = nw.LazyFrame[Any]


@dataclass(frozen=True)
class Amounts:
    """From a column of numbers to what each person adds to each item, by public numbers alone."""

    column: str
    #: As what the values are read.
    kind: nw.dtypes.DType
    value_range: Range
    grid: Fraction

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers of fine steps as they are, in steps of one."""
        return self.kind.is_integer() and max(map(abs, self.value_range)) <= WHOLE_RANGE

    @property
    def digits(self) -> int:
        """How many digits after the point count: the fine step is 10 to the minus this.

        >>> Amounts("price", nw.Float64(), (Fraction(0), Fraction(100)), Fraction(1)).digits
        8
        """
        largest, digits = max(map(abs, self.value_range)), 0
        if self.whole:
            return digits
        while largest * Fraction(10) ** digits <= FINE_STEPS:
            digits += 1
        while largest * Fraction(10) ** digits > FINE_STEPS:
            digits -= 1
        return digits

    def row(self) -> nw.Expr:
        """Return the column as whole numbers of fine steps; zero where there is no number."""
        if self.whole:
            return _whole(nw.col(self.column), self.kind).fill_null(0)
        value = _float(nw.col(self.column), self.kind)
        value = nw.when(value.is_null() | value.is_nan()).then(nw.lit(0.0)).otherwise(value)
        power = float(10 ** abs(self.digits))
        steps = value * power if self.digits >= 0 else value / power
        limit = float(ROW_LIMIT)
        return (steps.clip(-limit, limit) + 0.5).floor().cast(nw.Int64)

    def shares(self, rows: Lazy) -> Lazy:
        """Return each item and person once, with what the person adds in whole grid steps.

        Precondition: columns item, person and value, the last as :meth:`row` gives it.
        """
        totals, limit = person_sums(rows), self.limit
        total = nw.col("value").clip(-limit, limit).cast(nw.Int64)
        return totals.select("item", "person", self._steps(total).alias("share"))

    @property
    def limit(self) -> int:
        """Fine steps that no sum inside the range reaches."""
        largest = max(map(abs, self.value_range)) * Fraction(10) ** self.digits
        return math.floor(largest) + 1

    @property
    def ratio(self) -> tuple[int, int]:
        """Two whole numbers A and B so that x/g + 1/2 is (A·S + B)/2B, for S fine steps.

        Both parts of the quotient are below 2^53, so a single float division has the same floor.
        Where the grid and the fine step have no such ratio, a near one is taken.
        """
        ratio = 1 / (self.grid * Fraction(10) ** self.digits)
        ratio = ratio.limit_denominator(max(1, int(EXACT / 2 / (2 * self.limit * ratio + 1))))
        return 2 * ratio.numerator, ratio.denominator

    @property
    def ends(self) -> tuple[int, int]:
        """The range in whole grid steps: it holds whatever was divided."""
        low, high = (math.floor(end / self.grid + Fraction(1, 2)) for end in self.value_range)
        return low, high

    def _steps(self, total: nw.Expr) -> nw.Expr:
        """Return floor(x/g + 1/2) of a total x."""
        above, below = map(float, self.ratio)
        steps = ((total.cast(nw.Float64) * above + below) / (2 * below)).floor()
        return steps.cast(nw.Int64).clip(*self.ends)


def _whole(column: nw.Expr, kind: nw.dtypes.DType) -> nw.Expr:
    """Return whole numbers in words, within the limit of a row."""
    if kind in (nw.UInt64, nw.UInt128):  # before the cast, and by a number of the same type
        return column.clip(upper_bound=nw.lit(ROW_LIMIT, kind)).cast(nw.Int64)
    if kind == nw.Int128:
        return column.clip(-ROW_LIMIT, ROW_LIMIT).cast(nw.Int64)
    return column.cast(nw.Int64).clip(-ROW_LIMIT, ROW_LIMIT)


def _float(column: nw.Expr, kind: nw.dtypes.DType) -> nw.Expr:
    """Return the nearest floats. By halves where Arrow would refuse a number above 2^53."""
    if kind not in (nw.Int64, nw.UInt64):
        return column.cast(nw.Float64)
    limit = 2**63 - 2**32  # Spark divides floats, and half of a larger one could leave its word
    if kind == nw.UInt64:
        column = column.clip(upper_bound=nw.lit(limit, kind)).cast(nw.Int64)
    column = column.clip(-limit, limit)
    upper = column // 2**31
    lower = column - upper * 2**31
    return upper.cast(nw.Float64) * 2.0**31 + lower.cast(nw.Float64)


def person_sums(rows: Lazy) -> Lazy:
    """Return the sum for each item and person, exact as far as a range goes."""
    if rows.implementation.is_duckdb():  # which adds up in 128 bits
        return rows.group_by("item", "person").agg(nw.col("value").sum())
    return _added(rows, *(ON_A_CLUSTER if is_spark(rows) else IN_MEMORY))


def _added(rows: Lazy, pieces: int, bits: int) -> Lazy:
    """Add in pieces, and put them together again.

    Spark divides by way of floats, so that a quotient may be off by one; what is left over then is
    too, and together they are right. What is far outside of every range is cut off.
    """
    names = ["value", *(f"piece {place}" for place in range(1, pieces))]
    for place in range(pieces - 1, 0, -1):
        unit = 2 ** (place * bits)
        rows = rows.with_columns((nw.col("value") // unit).alias(names[place]))
        rows = rows.with_columns(nw.col("value") - nw.col(names[place]) * unit)
    pairs = rows.group_by("item", "person").agg(nw.col(*names).sum())
    for lower, upper in pairwise(names):
        pairs = pairs.with_columns((nw.col(lower) // 2**bits).alias("carry"))
        pairs = pairs.with_columns(
            nw.col(lower) - nw.col("carry") * 2**bits, nw.col(upper) + nw.col("carry")
        )
    unit = 2 ** ((pieces - 1) * bits)
    total = nw.col(names[-1]).clip(-EXACT // unit, EXACT // unit) * unit
    for place, name in enumerate(names[:-1]):
        total = total + nw.col(name) * 2 ** (place * bits)
    return pairs.with_columns(total.alias("value"))
