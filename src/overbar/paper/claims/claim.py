"""What a claim is, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from overbar.paper.study import Row, Table

HOLDS = "holds"
PARTLY = "holds in part"
FAILS = "does not hold"
UNKNOWN = "cannot be judged"

Tables = Mapping[str, Table]


@dataclass(frozen=True)
class Judgement:
    """What was measured, what follows for the claim, and why."""

    verdict: str
    measured: str
    why: str


@dataclass(frozen=True)
class PaperClaim:
    """A sentence that can be checked.

    Attributes
    ----------
    where, sentence
        Its place in the paper, and its words or their gist.
    needs
        The studies whose tables it is judged by.
    judge
        From these tables, in that order, to a verdict.
    erratum
        Whether it is one of the slips that were found beforehand.
    timed
        Whether running times decide it, which are true of one machine at one moment.
    """

    where: str
    sentence: str
    needs: tuple[str, ...]
    judge: Callable[..., Judgement]
    erratum: bool = False
    timed: bool = False

    def judged(self, tables: Tables) -> JudgedClaim:
        """Judge it, if what it needs was computed."""
        missing = [name for name in self.needs if not tables.get(name)]
        if missing:
            why = f"not part of this report, or without data: {', '.join(missing)}"
            return JudgedClaim(self, Judgement(UNKNOWN, "nothing", why))
        return JudgedClaim(self, self.judge(*(tables[name] for name in self.needs)))


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its verdict."""

    claim: PaperClaim
    verdict: Judgement

    def row(self) -> Row:
        """Return it as a row of a table."""
        return {
            "where": self.claim.where,
            "claim": self.claim.sentence,
            "measured": self.verdict.measured,
            "verdict": self.verdict.verdict,
            "why": self.verdict.why,
            "erratum": self.claim.erratum,
            "judged_by": " ".join(self.claim.needs),
        }
