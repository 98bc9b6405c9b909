"""Audit this package: all claims by both methods, and the broken mechanisms that must be caught."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from overbar.audit.interfaces import Claim, shortened
from overbar.audit.statistical import audit
from tests.attacks.broken_rankings import BROKEN
from tests.attacks.checks import Check
from tests.attacks.our_claims import our_claims
from tests.attacks.twins import Twin

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


#: The chance that the whole audit calls something sound broken.
FALSE_ALARM = 1e-6
#: The seed of the controls: they are studies, and come out the same on every machine.
SEED = 1
#: A quick audit leaves controls with more runs than this to the exact auditor.
QUICK_RUNS = 1_000_000
#: Where the exact auditor takes longer than planned, samples still get this share of all time.
LEAST_SHARE = 0.4


def audit_package(
    seconds: float = 180.0,
    *,
    thorough: bool = True,
    progress: Callable[[int, int, str], None] | None = None,
) -> Table:
    """Attack every claim of this package on this machine.

    Parameters
    ----------
    seconds
        About how long it may take.
    thorough
        Look at everything: let the exact auditor search for the worst case of plans with unlimited
        rounds, and draw samples of all settings, not only of the main ones.
    progress
        Told how many rows are done, of how many, and what comes next.
    """
    start = time.perf_counter()
    own = our_claims()
    mine = [check for check in own if check.plan is not None and (thorough or not check.slow)]
    # The controls first: what has no clock comes before what shares the time left.
    controls = [twin for twin in BROKEN if thorough or twin.runs <= QUICK_RUNS]
    timed = [check for check in own if check.mechanism and (thorough or check.quick)]
    confidence = 1 - FALSE_ALARM / max(1, len(controls) + len(timed))
    exact: list[Check | Twin] = [*mine, *BROKEN]
    total = len(exact) + len(controls) + len(timed)
    rows: list[AuditRow] = []

    def add(check: Check | Twin, attack: Callable[..., AuditRow], *how: float) -> None:
        if progress is not None:
            progress(len(rows), total, check.name)
        begun = time.perf_counter()
        row = attack(check, *how)
        rows.append(replace(row, seconds=time.perf_counter() - begun))

    for check in exact:
        add(check, _exact)
    for twin in controls:
        add(twin, _sampled, 0.0, confidence)
    left = max(seconds - (time.perf_counter() - start), LEAST_SHARE * seconds)
    for check in timed:
        add(check, _sampled, left / len(timed), confidence)
    if progress is not None:
        progress(total, total, "")
    return Table(tuple(rows), FALSE_ALARM, time.perf_counter() - start)


def _exact(check: Check | Twin) -> AuditRow:
    """Take a claim apart; return the worst that is proved."""
    claim = check.claim
    worst, shown = check.exact()
    measure, allowed = ("δ", claim.delta) if claim.delta else ("ε", claim.epsilon)
    return AuditRow(check.name, claim, EXACT, measure, worst, float(allowed), check.control, shown)


def _sampled(check: Check | Twin, seconds: float, confidence: float) -> AuditRow:
    """Attack a claim by samples: so many, or as many as there is time for."""
    claim = check.claim
    verdict = audit(
        check.sampled(SEED),
        check.pairs,
        epsilon=claim.epsilon,
        delta=claim.delta,
        confidence=confidence,
        seconds=max(seconds, 0.1),
        runs=check.runs,
    )
    one, other = (shortened(str(data), 40) for data in verdict.inputs)
    came_up = f"{verdict.hits:,} times on {one}, {verdict.other_hits:,} on {other}"
    return AuditRow(
        subject=check.name,
        claim=claim,
        method=SAMPLES,
        measure="ε",
        found=verdict.found,
        allowed=float(claim.epsilon),
        control=check.control,
        evidence=f"{came_up}: {verdict.event}",
        runs=verdict.runs,
        would_find=verdict.would_find,
    )
