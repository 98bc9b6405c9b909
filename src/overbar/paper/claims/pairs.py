"""Comparisons of methods in a table of measured points."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from overbar.paper.study import Row, Table, number

OURS = "SVT-Exp (optimal)"
RIVALS = ("SVT-Exp (mean)", "SVT-Exp (no)", "SVT-Gum", "SVT-Lap", "SVT-Gau")
#: Where the best rival finds this much, or nobody finds more than that, there is no race.
FULL, EMPTY = 0.98, 0.05


def named(table: Table, method: str) -> Table:
    """Return the rows of a method, whatever convention it runs under."""
    return [row for row in table if str(row["method"]).removesuffix(", paper's RDP") == method]


def without_adult(table: Table) -> Table:
    """Return the rows of the datasets on which the task is what the paper says."""
    return [row for row in table if row["dataset"] != "Adult"]


@dataclass(frozen=True)
class MethodPair:
    """Two methods at one point of one measure."""

    one: Row
    other: Row
    measure: str = "ncr"

    @property
    def difference(self) -> float:
        """How much the one is above the other."""
        return number(self.one, self.measure) - number(self.other, self.measure)

    @property
    def reach(self) -> float:
        """Half the width of a 95 % interval for the difference, from both intervals."""
        low, high = f"{self.measure}_low", f"{self.measure}_high"
        return math.hypot(
            *((number(row, high) - number(row, low)) / 2 for row in (self.one, self.other))
        )

    @property
    def sign(self) -> int:
        """1 if the one is above the other beyond the interval, -1 if below, else 0."""
        return (self.difference > self.reach) - (self.difference < -self.reach)

    @property
    def values(self) -> str:
        """Both values."""
        one, other = (number(row, self.measure) for row in (self.one, self.other))
        return f"{one:.3f} against {other:.3f}"

    def __str__(self) -> str:
        row = self.one
        rounds = "" if row["rounds"] is None else f", {row['rounds']} traverses"
        return f"{row['dataset']}, ε = {number(row, 'epsilon'):g}{rounds}: {self.values}"


class Pairs(list[MethodPair]):
    """Two methods at some points; as text, the mean difference with its interval."""

    @property
    def ahead(self) -> int:
        """At how many points the one is above the other beyond the interval."""
        return sum(pair.sign > 0 for pair in self)

    @property
    def behind(self) -> int:
        """At how many points it is below."""
        return sum(pair.sign < 0 for pair in self)

    @property
    def least(self) -> MethodPair:
        """The point that is worst for the one."""
        return min(self, key=lambda pair: pair.difference)

    @property
    def most(self) -> MethodPair:
        """The point that is best for it."""
        return max(self, key=lambda pair: pair.difference)

    @property
    def mean(self) -> float:
        """The mean difference over points."""
        return sum(pair.difference for pair in self) / len(self)

    @property
    def reach(self) -> float:
        """Half the width of its 95 % interval."""
        return math.sqrt(sum(pair.reach**2 for pair in self)) / len(self)

    @property
    def sign(self) -> int:
        """1 if the one is above the other on average beyond the interval, -1 if below, else 0."""
        return (self.mean > self.reach) - (self.mean < -self.reach)

    def where(self, holds: Callable[[MethodPair], bool]) -> Pairs:
        """Return the points at which something holds."""
        return Pairs(filter(holds, self))

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ± {self.reach:.4f}"


def pairs(table: Table, one: str, other: str, measure: str = "ncr") -> Pairs:
    """Return two methods at every point where both were measured."""
    keys = ("dataset", "epsilon", "rounds", "threshold", "tolerance")
    others = {tuple(row[key] for key in keys): row for row in named(table, other)}
    return Pairs(
        MethodPair(row, others[place], measure)
        for row in named(table, one)
        if (place := tuple(row[key] for key in keys)) in others
    )


def against_best(table: Table, measure: str = "ncr") -> Pairs:
    """Return SVT-Exp (optimal) paired with the best rival, at every point."""
    columns = [pairs(table, OURS, other, measure) for other in RIVALS]
    return Pairs(Pairs(row).least for row in zip(*columns, strict=True))


def open_points(table: Table, measure: str = "ncr") -> Pairs:
    """Return SVT-Exp (optimal) against the best rival where there is a race, without Adult."""
    return against_best(without_adult(table), measure).where(
        lambda pair: number(pair.other, measure) < FULL and number(pair.one, measure) > EMPTY
    )
