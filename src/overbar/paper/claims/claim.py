"""What a claim is, and how it is judged."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from overbar.paper.study import Row, Table, number

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
#: Half the width of a 95 % interval, in standard errors.
HALF = 1.96


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

    def judged(self, tables: Tables) -> JudgedClaim:
        """Judge it; a verdict that chance could have changed is none."""
        needed = [tables[name] for name in self.needs]
        if not all(needed):
            return JudgedClaim(self, UNKNOWN, "none of the datasets is here")
        verdict, measured = self.judge(*needed)
        if any("runs" in table[0] for table in needed):
            others = [self.judge(*_moved(needed, trial))[0] for trial in range(TRIES)]
            changed = sum(other != verdict for other in others)
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


def _moved(tables: list[Table], trial: int) -> list[Table]:
    """Move every simulated mean, with its interval, as another seed might have."""
    chance = random.Random(trial)  # a study
    return [[_moved_row(row, chance) for row in table] for table in tables]


def _moved_row(row: Row, chance: random.Random) -> Row:
    new = dict(row)
    for low in [name for name in row if name.endswith("_low")]:
        name = low.removesuffix("_low")
        middle = number(row, name)
        reach = max(middle - number(row, low), number(row, f"{name}_high") - middle)
        by = chance.gauss(0, reach / HALF)
        for one in (name, low, f"{name}_high"):
            new[one] = min(1.0, max(0.0, number(row, one) + by))
    return new
