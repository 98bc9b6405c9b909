"""The table of an audit: one row for each claim and method, and what it comes to."""

from __future__ import annotations

import math
from dataclasses import dataclass

from overbar.audit.interfaces import Claim

EXACT = "exact"
SAMPLES = "samples"

KEPT = "no violation found"
VIOLATED = "VIOLATED"
CAUGHT = "caught"
MISSED = "missed"


@dataclass(frozen=True)
class AuditRow:
    """What one method found about one claim."""

    subject: str
    claim: Claim
    #: "exact" or "samples".
    method: str
    #: What `found` and `allowed` are: "ε", or "δ" at the claim's ε.
    measure: str
    #: A proved lower bound on the worst case, and what the claim allows.
    found: float
    allowed: float
    #: Whether the subject is known to be broken.
    control: bool
    #: A path of questions and answers, or an event and how often it came up.
    evidence: str
    #: Fresh runs of each input; zero for the exact method.
    runs: int = 0
    #: For samples: the true ε that would have been found nine times in ten.
    would_find: float = math.nan
    seconds: float = 0.0

    @property
    def broken(self) -> bool:
        """Whether more was found than is allowed."""
        return self.found > self.allowed

    @property
    def verdict(self) -> str:
        """What the row says, in a word or two."""
        if self.control:
            return CAUGHT if self.broken else MISSED
        return VIOLATED if self.broken else KEPT


@dataclass(frozen=True)
class Table:
    """All rows of an audit, in the order audited."""

    rows: tuple[AuditRow, ...]
    #: The chance that sound mechanisms, all of them together, are called broken by samples.
    false_alarm: float
    seconds: float

    @property
    def violations(self) -> list[AuditRow]:
        """Claims of ours that do not hold."""
        return [row for row in self.rows if row.broken and not row.control]

    @property
    def missed(self) -> list[str]:
        """Known-broken mechanisms that no method caught: then the audit is too weak."""
        caught = {row.subject for row in self.rows if row.control and row.broken}
        controls = dict.fromkeys(row.subject for row in self.rows if row.control)
        return [name for name in controls if name not in caught]

    @property
    def passed(self) -> bool:
        """Whether nothing was found, by an audit that finds what is there."""
        return not self.violations and not self.missed

    @property
    def summary(self) -> str:
        """One line."""
        own = dict.fromkeys(row.subject for row in self.rows if not row.control)
        controls = dict.fromkeys(row.subject for row in self.rows if row.control)
        caught = len(controls) - len(self.missed)
        violated = len(dict.fromkeys(row.subject for row in self.violations))
        text = (
            f"{violated} of {len(own)} claims VIOLATED"
            if violated
            else f"{len(own)} claims attacked"
        )
        text += f", {caught} of {len(controls)} known-broken mechanisms caught"
        if not violated:
            text += ", no violation found"
        return text + (": the audit is too weak" if self.missed else "")
