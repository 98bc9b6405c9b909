"""Audit this package: all claims by both methods, and the broken mechanisms that must be caught."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from overbar.audit.broken import BROKEN
from overbar.audit.interfaces import Claim, Pair, Subject
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


@dataclass(frozen=True)
class ExactJob:
    """A claim to be taken apart exactly; it takes as long as it takes."""

    subject: str
    claim: Claim
    control: bool
    attack: Callable[[], tuple[float, str]]
    timed = False

    def row(self, _seconds: float, _confidence: float) -> AuditRow:
        """Return the worst that is proved."""
        worst, shown = self.attack()
        measure, allowed = (
            ("δ", self.claim.delta) if self.claim.delta else ("ε", self.claim.epsilon)
        )
        return AuditRow(
            self.subject, self.claim, EXACT, measure, worst, float(allowed), self.control, shown
        )


@dataclass(frozen=True)
class SampledJob:
    """A claim to be attacked by samples: so many, or as many as there is time for."""

    subject: str
    claim: Claim
    control: bool
    mechanism: Subject
    pairs: tuple[Pair, ...]
    runs: int | None = None

    @property
    def timed(self) -> bool:
        """Whether it takes its share of the time that is left."""
        return self.runs is None

    def row(self, seconds: float, confidence: float) -> AuditRow:
        """Return what the samples prove."""
        verdict = audit(
            self.mechanism,
            self.pairs,
            epsilon=self.claim.epsilon,
            delta=self.claim.delta,
            confidence=confidence,
            seconds=max(seconds, 0.1),
            runs=self.runs,
        )
        seen = verdict.evidence
        one, other = (shortened(str(data), 40) for data in seen.inputs)
        return AuditRow(
            subject=self.subject,
            claim=self.claim,
            method=SAMPLES,
            measure="ε",
            found=verdict.found,
            allowed=float(self.claim.epsilon),
            control=self.control,
            evidence=f"{seen.hits:,} times on {one}, {seen.other_hits:,} on {other}: {seen.event}",
            runs=seen.runs,
            would_find=verdict.would_find,
        )


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
    jobs: list[ExactJob | SampledJob] = [*_exact(thorough), *_sampled(thorough)]
    confidence = 1 - FALSE_ALARM / sum(isinstance(job, SampledJob) for job in jobs)
    timed = sum(job.timed for job in jobs)
    each = 0.0  # settled when all that has no clock is done
    rows: list[AuditRow] = []
    for number, job in enumerate(jobs):
        if progress is not None:
            progress(number, len(jobs), job.subject)
        begun = time.perf_counter()
        if job.timed and not each:
            each = max(seconds - (begun - start), LEAST_SHARE * seconds) / timed
        row = job.row(each, confidence)
        rows.append(replace(row, seconds=time.perf_counter() - begun))
    if progress is not None:
        progress(len(jobs), len(jobs), "")
    return Table(tuple(rows), FALSE_ALARM, time.perf_counter() - start)


def _exact(thorough: bool) -> Iterator[ExactJob]:
    for check in our_claims():
        if check.exact is not None and (thorough or not check.slow):
            yield ExactJob(check.name, check.claim, False, partial(check.exact, check.claim))
    for one in BROKEN:
        if one.law is not None:
            yield ExactJob(one.name, one.claim, True, partial(one.exact, thorough))


def _sampled(thorough: bool) -> Iterator[SampledJob]:
    """Yield the controls first: what has no clock comes before what shares the time left."""
    for one in BROKEN:
        if thorough or one.runs <= QUICK_RUNS:
            yield SampledJob(one.name, one.claim, True, one.seeded(SEED), one.pairs, one.runs)
    for check in our_claims():
        if check.mechanism is not None and (thorough or check.quick):
            yield SampledJob(check.name, check.claim, False, check.mechanism, check.pairs)
