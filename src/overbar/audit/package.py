"""Audit this package: all claims by both methods, and the broken mechanisms that must be caught."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from overbar.audit.broken import BROKEN
from overbar.audit.checks import Check
from overbar.audit.our_claims import our_claims
from overbar.audit.statistical import audit
from overbar.audit.table import EXACT, SAMPLES, AuditRow, Table
from overbar.audit.verdict import shortened

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
        Look at everything: let the exact auditor search for the worst case of every control and
        of plans with unlimited rounds, and draw samples of all settings, not only of the main ones.
    progress
        Told how many rows are done, of how many, and what comes next.
    """
    start = time.perf_counter()
    own = our_claims()
    exact = [check for check in (*own, *BROKEN) if check.law and (thorough or not check.slow)]
    # The controls first: what has no clock comes before what shares the time left.
    controls = [check for check in BROKEN if thorough or (check.runs or 0) <= QUICK_RUNS]
    timed = [check for check in own if check.mechanism and (thorough or check.quick)]
    confidence = 1 - FALSE_ALARM / max(1, len(controls) + len(timed))
    total = len(exact) + len(controls) + len(timed)
    rows: list[AuditRow] = []

    def add(check: Check, attack: Callable[..., AuditRow], *how: float) -> None:
        if progress is not None:
            progress(len(rows), total, check.name)
        begun = time.perf_counter()
        row = attack(check, *how)
        rows.append(replace(row, seconds=time.perf_counter() - begun))

    for check in exact:
        add(check, _exact, thorough)
    for check in controls:
        add(check, _sampled, 0.0, confidence)
    left = max(seconds - (time.perf_counter() - start), LEAST_SHARE * seconds)
    for check in timed:
        add(check, _sampled, left / len(timed), confidence)
    if progress is not None:
        progress(total, total, "")
    return Table(tuple(rows), FALSE_ALARM, time.perf_counter() - start)


def _exact(check: Check, thorough: bool) -> AuditRow:
    """Take a claim apart; return the worst that is proved."""
    claim = check.claim
    worst, shown = check.exact(thorough)
    measure, allowed = ("δ", claim.delta) if claim.delta else ("ε", claim.epsilon)
    return AuditRow(check.name, claim, EXACT, measure, worst, float(allowed), check.control, shown)


def _sampled(check: Check, seconds: float, confidence: float) -> AuditRow:
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
