"""Audit this package: all claims by both methods, and the broken mechanisms that must be caught."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from overbar.audit.broken import BROKEN, Broken
from overbar.audit.exact import Law, exact_profile, search, unlisted_profile
from overbar.audit.interfaces import Claim, Pair, Subject
from overbar.audit.our_claims import our_claims
from overbar.audit.statistical import audit
from overbar.audit.subjects import UnlistedRuns
from overbar.audit.table import EXACT, SAMPLES, AuditRow, Table
from overbar.plan import Plan

#: The chance that the whole audit calls something sound broken.
FALSE_ALARM = 1e-6
#: The seed of the controls: they are studies, and come out the same on every machine.
SEED = 1
#: A quick audit leaves controls with more runs than this to the exact auditor.
QUICK_RUNS = 1_000_000
#: Where the exact auditor takes longer than planned, samples still get this share of all time.
LEAST_SHARE = 0.4


@dataclass(frozen=True)
class Job:
    """Something to do that gives a row, given seconds and a level of confidence.

    Jobs without a clock take as long as they take; the others share the time that is left.
    """

    subject: str
    work: Callable[[float, float], AuditRow]
    sampled: bool = False
    timed: bool = False


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
    jobs = [*_exact_jobs(thorough), *_controls(thorough), *_samples(thorough)]
    confidence = 1 - FALSE_ALARM / sum(job.sampled for job in jobs)
    timed = sum(job.timed for job in jobs)
    each = 0.0  # settled when all that has no clock is done
    rows: list[AuditRow] = []
    for number, job in enumerate(jobs):
        if progress is not None:
            progress(number, len(jobs), job.subject)
        begun = time.perf_counter()
        if job.timed and not each:
            each = max(seconds - (begun - start), LEAST_SHARE * seconds) / timed
        row = job.work(each, confidence)
        rows.append(replace(row, seconds=time.perf_counter() - begun))
    if progress is not None:
        progress(len(jobs), len(jobs), "")
    return Table(tuple(rows), FALSE_ALARM, time.perf_counter() - start)


def _exact_jobs(thorough: bool) -> list[Job]:
    own = [
        Job(check.name, _exact_search(check.name, check.claim, check.plan))
        for check in our_claims()
        if check.plan is not None and (thorough or check.plan.rounds is not None)
    ]
    own += [
        Job(check.name, _exact_unlisted(check.name, check.claim, check.mechanism, check.pairs))
        for check in our_claims()
        if isinstance(check.mechanism, UnlistedRuns)
    ]
    controls = [
        Job(one.name, _exact_control(one, one.law, thorough))
        for one in BROKEN
        if one.law is not None
    ]
    return own + controls


def _controls(thorough: bool) -> list[Job]:
    return [
        Job(
            one.name,
            _sampled(one.name, one.claim, one.seeded(SEED), one.pairs, control=True, runs=one.runs),
            sampled=True,
        )
        for one in BROKEN
        if thorough or one.runs <= QUICK_RUNS
    ]


def _samples(thorough: bool) -> list[Job]:
    return [
        Job(
            check.name,
            _sampled(check.name, check.claim, check.mechanism, check.pairs),
            sampled=True,
            timed=True,
        )
        for check in our_claims()
        if check.mechanism is not None and (thorough or check.quick)
    ]


def _exact_search(name: str, claim: Claim, plan: Plan) -> Callable[[float, float], AuditRow]:
    def work(_: float, __: float) -> AuditRow:
        found = search(plan, epsilon=claim.epsilon if claim.delta else None)
        return _exact_row(name, claim, found.worst, str(found.witness), control=False)

    return work


def _exact_unlisted(
    name: str, claim: Claim, mechanism: UnlistedRuns, pairs: tuple[Pair, ...]
) -> Callable[[float, float], AuditRow]:
    """Enumerate the pairs of inputs, and every order of the candidates that occur in them."""

    def work(_: float, __: float) -> AuditRow:
        worst, shown = 0.0, "nothing"
        for pair in pairs:
            first, second = (
                {item: count for item, count in data.items() if count}
                for data in (pair.first, pair.second)
            )
            profile = unlisted_profile(mechanism.plan, first, second, threshold=mechanism.threshold)
            delta = profile.delta(float(claim.epsilon)).low
            if delta > worst:
                worst, shown = delta, f"{first} and {second}"
        return _exact_row(name, claim, worst, shown, control=False)

    return work


def _exact_control(one: Broken, law: Law, thorough: bool) -> Callable[[float, float], AuditRow]:
    """Look at the inputs that expose a broken mechanism, and search for worse ones."""

    def work(_: float, __: float) -> AuditRow:
        pair = one.pairs[-1]
        between = one.path or (pair.first, pair.second)
        profile = exact_profile(law, between)
        if one.claim.delta:
            worst = profile.delta(float(one.claim.epsilon)).low
        else:
            worst = profile.loss().low
        shown = str(one.path) if one.path else _answers(profile.worst())
        if thorough and not law.releases_value:
            found = search(law, epsilon=one.claim.epsilon if one.claim.delta else None)
            if found.worst > worst:
                worst, shown = found.worst, str(found.witness)
        return _exact_row(one.name, one.claim, worst, shown, control=True)

    return work


def _brief(data: object) -> str:
    text = str(data)
    return text if len(text) <= 40 else text[:37] + "..."


def _answers(transcript: object) -> str:
    """Write a transcript for people: what each query was answered."""
    if not isinstance(transcript, tuple):
        return str(transcript)
    words = {True: "above", False: "below"}
    return ", ".join(
        words[answer] if isinstance(answer, bool) else f"above with value {answer}"
        for _, answer in transcript
    )


def _exact_row(name: str, claim: Claim, worst: float, shown: str, *, control: bool) -> AuditRow:
    return AuditRow(
        subject=name,
        claim=claim,
        method=EXACT,
        measure="δ" if claim.delta else "ε",
        found=worst,
        allowed=float(claim.delta or claim.epsilon),
        control=control,
        evidence=shown,
    )


def _sampled(
    name: str,
    claim: Claim,
    mechanism: Subject,
    pairs: tuple[Pair, ...],
    *,
    control: bool = False,
    runs: int | None = None,
) -> Callable[[float, float], AuditRow]:
    def work(seconds: float, confidence: float) -> AuditRow:
        verdict = audit(
            mechanism,
            pairs,
            epsilon=claim.epsilon,
            delta=claim.delta,
            confidence=confidence,
            seconds=max(seconds, 0.1),
            runs=runs,
        )
        seen = verdict.evidence
        one, other = seen.pair.first, seen.pair.second
        if seen.swapped:
            one, other = other, one
        return AuditRow(
            subject=name,
            claim=claim,
            method=SAMPLES,
            measure="ε",
            found=verdict.found,
            allowed=float(claim.epsilon),
            control=control,
            evidence=(
                f"{seen.hits:,} times on {_brief(one)}, {seen.other_hits:,} on {_brief(other)}: "
                f"{seen.event}"
            ),
            runs=seen.runs,
            would_find=verdict.would_find,
        )

    return work
