"""What a claim is, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from overbar.paper.study import Row, Table

__all__ = ["FAILS", "HOLDS", "PARTLY", "UNKNOWN", "Claim", "Finding", "Tables", "Verdict"]

HOLDS = "holds"
PARTLY = "holds in part"
FAILS = "does not hold"
UNKNOWN = "cannot be judged"

Tables = Mapping[str, Table]


@dataclass(frozen=True)
class Verdict:
    """What was measured, what follows for the claim, and why."""

    verdict: str
    measured: str
    why: str


@dataclass(frozen=True)
class Claim:
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
    judge: Callable[..., Verdict]
    erratum: bool = False
    timed: bool = False

    def judged(self, tables: Tables) -> Finding:
        """Judge it, if what it needs was computed."""
        missing = [name for name in self.needs if not tables.get(name)]
        if missing:
            why = f"not part of this report, or without data: {', '.join(missing)}"
            return Finding(self, Verdict(UNKNOWN, "nothing", why))
        return Finding(self, self.judge(*(tables[name] for name in self.needs)))


@dataclass(frozen=True)
class Finding:
    """A claim with its verdict."""

    claim: Claim
    verdict: Verdict

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
