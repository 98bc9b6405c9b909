"""What a claim is, how it is judged, and how methods stand against each other in a table."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from overbar_lab.paper.study import CONVENTION, HALF, Row, Table, number

HOLDS = "holds"
PARTLY = "holds in part"
FAILS = "does not hold"
FEW = "too few runs"
UNKNOWN = "cannot be judged"
VERDICTS = (HOLDS, PARTLY, FAILS, FEW, UNKNOWN)

Tables = Mapping[str, Table]
#: A verdict, and the numbers behind it.
Judgement = tuple[str, str]
#: So often a simulated table is moved within its intervals; a verdict must outlast all of them.
TRIES = 40


@dataclass(frozen=True)
class PaperClaim:
    """A sentence that can be checked.

    Attributes
    ----------
    where, says
        Its place in the paper, with numbers, and its words or their gist.
    rule
        What makes it hold, and what makes it hold in part.
    needs
        The studies whose tables it is judged by.
    judge
        From these tables, in that order, to a verdict and the numbers behind it.
    note
        Why it is so, or what else must be known.
    by_reading
        Whether the paper itself shows it, so that no number could change the verdict.
    erratum
        Whether it is one of the slips of the paper.
    timed
        Whether running times decide it, which are true of one machine at one moment.
    """

    where: str
    says: str
    rule: str
    needs: tuple[str, ...]
    judge: Callable[..., Judgement]
    note: str = ""
    by_reading: bool = False
    erratum: bool = False
    timed: bool = False

    def judged(self, tables: Tables, moved: Sequence[list[Table]] | None = None) -> JudgedClaim:
        """Judge it; a verdict that chance could have changed is none.

        Claims by the same tables may share what :func:`moved_tables` makes of them.
        """
        needed = [tables[name] for name in self.needs]
        if not all(needed):
            return JudgedClaim(self, UNKNOWN, "none of the datasets is here")
        verdict, measured = self.judge(*needed)
        if any("runs" in table[0] for table in needed):
            others = moved_tables(needed) if moved is None else moved
            changed = sum(self.judge(*other)[0] != verdict for other in others)
            if changed:
                measured += f". Moved within their intervals, the numbers say {changed} of {TRIES} "
                measured += f"times that it is not “{verdict}”"
                verdict = FEW
        return JudgedClaim(self, verdict, measured)


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict and the numbers behind it."""

    claim: PaperClaim
    verdict: str
    measured: str

    def row(self) -> Row:
        """Return it as a row of a table."""
        return {
            "where": self.claim.where,
            "claim": self.claim.says,
            "verdict": self.verdict,
            "how": "by reading" if self.claim.by_reading else "by measurement",
            "rule": self.claim.rule,
            "measured": self.measured,
            "note": self.claim.note,
            "erratum": self.claim.erratum,
            "judged_by": " ".join(self.claim.needs),
        }


def graded(holds: bool, partly: bool = False) -> str:
    """Return the verdict: it holds, or at least in part, or not."""
    return HOLDS if holds else PARTLY if partly else FAILS


def moved_tables(tables: list[Table]) -> list[list[Table]]:
    """Move every simulated mean, with its interval, as other seeds might have."""
    if not all(tables) or not any("runs" in table[0] for table in tables):
        return []
    spreads = [[(row, _spreads(row)) for row in table] for table in tables]
    return [_moved(spreads, random.Random(trial)) for trial in range(TRIES)]  # a study


#: Columns that move together, with their values; how far in standard errors; whether a share.
_Spread = tuple[tuple[tuple[str, float], ...], float, bool]


def _spreads(row: Row) -> list[_Spread]:
    found: list[_Spread] = []
    for low in row:
        name = low.removesuffix("_low")
        if name == low or row[name] is None:
            continue
        cells = tuple((one, number(row, one)) for one in (name, low, f"{name}_high"))
        (_, middle), (_, least), (_, most) = cells
        found.append((cells, max(middle - least, most - middle) / HALF, name in SHARES))
    return found


def _moved(spreads: list[list[tuple[Row, list[_Spread]]]], chance: random.Random) -> list[Table]:
    tables = []
    for rows in spreads:
        tables.append(moved := [row.copy() for row, _ in rows])
        for new, (_, own) in zip(moved, rows, strict=True):
            for cells, error, share in own:
                by = chance.gauss(0, error)
                for name, value in cells:
                    to = value + by
                    new[name] = 0.0 if share and to < 0 else 1.0 if share and to > 1 else to
    return tables


#: Measures between zero and one.
SHARES = ("ncr", "f1", "precision", "recall", "delay", "found", "accuracy")

OURS = "SVT-Exp (optimal)"
RIVALS = ("SVT-Exp (mean)", "SVT-Exp (no)", "SVT-Gum", "SVT-Lap", "SVT-Gau")
#: Where the best rival finds this much, or nobody finds more than that, there is no race.
FULL, EMPTY = 0.98, 0.05


def named(table: Table, method: str) -> Table:
    """Return the rows of a method, whatever convention it runs under."""
    return [row for row in table if str(row["method"]).removesuffix(CONVENTION) == method]


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


#: Columns that must agree where two methods are compared.
PLACE = ("dataset", "epsilon", "rounds", "threshold", "tolerance", "candidates")


def pairs(
    table: Table, one: str, other: str, measure: str = "ncr", keys: tuple[str, ...] = PLACE
) -> Pairs:
    """Return two methods at every point where both were measured."""
    return _paired(named(table, one), named(table, other), measure, keys)


def _paired(ones: Table, others: Table, measure: str, keys: tuple[str, ...] = PLACE) -> Pairs:
    at_place = {tuple(row.get(key) for key in keys): row for row in others}
    return Pairs(
        MethodPair(row, at_place[place], measure)
        for row in ones
        if (place := tuple(row.get(key) for key in keys)) in at_place
    )


def in_turn(ones: Table, others: Table) -> Pairs:
    """Pair the rows of two tables, in their order."""
    return Pairs(MethodPair(one, other) for one, other in zip(ones, others, strict=True))


def against_best(table: Table, measure: str = "ncr") -> Pairs:
    """Return SVT-Exp (optimal) paired with the best rival, at every point."""
    by_method: dict[str, Table] = {}
    for row in table:
        by_method.setdefault(str(row["method"]).removesuffix(CONVENTION), []).append(row)
    ours = by_method.get(OURS, [])
    columns = [_paired(ours, by_method.get(other, []), measure) for other in RIVALS]
    return Pairs(Pairs(row).least for row in zip(*columns, strict=True))


def open_points(table: Table, measure: str = "ncr") -> Pairs:
    """Return SVT-Exp (optimal) against the best rival where there is a race, without Adult."""
    return against_best(without_adult(table), measure).where(
        lambda pair: number(pair.other, measure) < FULL and number(pair.one, measure) > EMPTY
    )
