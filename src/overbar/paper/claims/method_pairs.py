"""Comparisons of methods in a table of measured points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from overbar.paper.study import Row, Table, only

OURS = "SVT-Exp (optimal)"


def number(row: Row, name: str) -> float:
    """Return a cell that holds a number."""
    cell = row[name]
    assert cell is not None
    return float(cell)


def datasets(table: Table) -> list[str]:
    """Return the datasets of a table, in order."""
    return list(dict.fromkeys(str(row["dataset"]) for row in table))


def named(table: Table, method: str) -> Table:
    """Return the rows of a method, whatever convention it runs under."""
    return [row for row in table if str(row["method"]).removesuffix(", paper's RDP") == method]


@dataclass(frozen=True)
class MethodPair:
    """Two methods at one point of one measure."""

    one: Row
    other: Row
    measure: str

    @property
    def difference(self) -> float:
        """How much the one is above the other."""
        return number(self.one, self.measure) - number(self.other, self.measure)

    @property
    def clearly_above(self) -> bool:
        """Whether the interval of the one lies above that of the other."""
        low, high = f"{self.measure}_low", f"{self.measure}_high"
        return number(self.one, low) > number(self.other, high)

    @property
    def clearly_below(self) -> bool:
        """Whether the interval of the one lies below that of the other."""
        return MethodPair(self.other, self.one, self.measure).clearly_above

    @property
    def reach(self) -> float:
        """Half the width of an interval for the difference, from both intervals."""
        halves = [
            (number(row, f"{self.measure}_high") - number(row, f"{self.measure}_low")) / 2
            for row in (self.one, self.other)
        ]
        return math.hypot(*halves)

    def __str__(self) -> str:
        return f"{where(self.one)}: {self.values}"

    @property
    def values(self) -> str:
        """Both values."""
        return (
            f"{number(self.one, self.measure):.3f} against {number(self.other, self.measure):.3f}"
        )


def where(row: Row) -> str:
    """Say where a point lies."""
    rounds = "" if row["rounds"] is None else f", {row['rounds']} traverses"
    return f"{row['dataset']}, ε = {number(row, 'epsilon'):g}{rounds}"


def pairs(table: Table, one: str, other: str, measure: str = "ncr") -> Iterator[MethodPair]:
    """Yield two methods at every point where both were measured."""
    keys = ("dataset", "epsilon", "rounds", "threshold", "tolerance")
    for row in named(table, one):
        matching = only(named(table, other), **{key: row[key] for key in keys})
        yield from (MethodPair(row, match, measure) for match in matching)


def above(
    table: Table, one: str, others: tuple[str, ...], measure: str = "ncr"
) -> list[MethodPair]:
    """Return where the one is clearly above all others: paired with the best of them."""
    return [pair for pair in against_best(table, one, others, measure) if pair.clearly_above]


def below(
    table: Table, one: str, others: tuple[str, ...], measure: str = "ncr"
) -> list[MethodPair]:
    """Return where the one is clearly below the best of the others."""
    return [pair for pair in against_best(table, one, others, measure) if pair.clearly_below]


def against_best(
    table: Table, one: str, others: tuple[str, ...], measure: str = "ncr"
) -> list[MethodPair]:
    """Return the one paired with the best of the others, at every point."""
    columns = [list(pairs(table, one, other, measure)) for other in others]
    return [min(row, key=lambda pair: pair.difference) for row in zip(*columns, strict=True)]


def mean_difference(of: Sequence[MethodPair]) -> tuple[float, float]:
    """Return the mean difference over points, and half the width of its 95 % interval."""
    mean = sum(pair.difference for pair in of) / len(of)
    return mean, math.sqrt(sum(pair.reach**2 for pair in of)) / len(of)
