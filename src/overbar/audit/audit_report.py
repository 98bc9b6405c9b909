"""What is said about an audit: every claim, every control, and how to read them."""

from __future__ import annotations

import math
import platform
from importlib import metadata

from overbar.audit.broken_rankings import BROKEN
from overbar.audit.package import CAUGHT, EXACT, KEPT, AuditRow, Table
from overbar.report import Gauge, Report, ReportTable, Section

HEAD = ("claim", "method", "worst found", "allowed", "would find", "share of allowed", "verdict")
#: Where a bar shows the allowed value; more than that goes on to the right.
EDGE = 0.6
#: Evidence that is longer is cut.
LONGEST = 180
CONTROLS = "An audit that does not catch these is too weak to say anything about others."


def audit_report(table: Table, *, page: bool = False) -> Report:
    """Return what is said about an audit; a page has room for how to read it."""
    alarm = f"The chance of a false alarm is at most {table.false_alarm:g} in all"
    failures = [
        f"violated: {row.subject}, {row.claim}: {row.evidence}" for row in table.violations
    ] + [f"missed: {name}; the audit is too weak, give it more minutes" for name in table.missed]
    version = f"Version {metadata.version('overbar')}, Python {platform.python_version()}"
    return Report(
        "Privacy audit of overbar",
        (
            Section(
                name="result",
                lead=_sentence(table.summary),
                warnings=tuple(failures),
                notes=(f"{version}, {table.seconds:.0f} seconds on this machine.",),
            ),
            *([_reading(table)] if page else []),
            Section(
                name="claims",
                title="Our claims",
                table=_grid([row for row in table.rows if not row.control]),
            ),
            Section(
                name="controls",
                title="Controls: mechanisms that are known to be broken",
                sentences=(CONTROLS,),
                table=_grid([row for row in table.rows if row.control]),
            ),
            *([_faults()] if page else []),
        ),
        f"{table.summary}. {alarm}.",
        fields={
            "overbar": metadata.version("overbar"),
            "passed": table.passed,
            "summary": table.summary,
            "false_alarm": table.false_alarm,
            "seconds": round(table.seconds, 3),
            "missed_controls": table.missed,
            "rows": [_fields(row) for row in table.rows],
        },
    )


def _grid(rows: list[AuditRow]) -> ReportTable:
    return ReportTable(
        HEAD,
        tuple(map(_cells, rows)),
        looks=tuple("good" if row.verdict in (CAUGHT, KEPT) else "bad" for row in rows),
        notes=tuple(
            row.evidence if len(row.evidence) <= LONGEST else f"{row.evidence[: LONGEST - 3]}..."
            for row in rows
        ),
        words=len(HEAD),
    )


def _cells(row: AuditRow) -> tuple[str | Gauge, ...]:
    method = row.method if row.method == EXACT else f"{row.runs:,} samples"
    relation = "≥" if row.method == EXACT else ">"
    worst = f"{row.measure} {relation} {number(row.found)}" if row.found > 0 else "nothing"
    would_find = "–" if math.isnan(row.would_find) else f"ε ≥ {number(row.would_find)}"
    if math.isinf(row.would_find):
        would_find = "too few runs"
    share = row.found / row.allowed if row.allowed else math.inf
    gauge = Gauge(min(1.0, EDGE * share), f"{number(share)} times what is allowed", mark=EDGE)
    allowed = f"{row.measure} = {number(row.allowed)}"
    return (f"{row.subject}: {row.claim}", method, worst, allowed, would_find, gauge, row.verdict)


def number(value: float) -> str:
    """Write a number for people.

    >>> number(1.9999999995), number(float("inf")), number(0.000111)
    ('2', '∞', '0.000111')
    """
    return "∞" if math.isinf(value) else f"{value:.4g}"


def _fields(row: AuditRow) -> dict[str, object]:
    """Return a row for JSON; what is infinite is null there, and says so in `unbounded`."""
    return {
        "claim": row.subject,
        "epsilon": float(row.claim.epsilon),
        "delta": float(row.claim.delta),
        "method": row.method,
        "measure": {"ε": "epsilon", "δ": "delta"}[row.measure],
        "worst_found": _finite(row.found),
        "unbounded": math.isinf(row.found),
        "allowed": row.allowed,
        "verdict": row.verdict,
        "control": row.control,
        "runs": row.runs,
        "would_find": _finite(row.would_find),
        "evidence": row.evidence,
        "seconds": round(row.seconds, 3),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _reading(table: Table) -> Section:
    return Section(
        name="reading",
        title="How to read this",
        sentences=(
            "Exact rows enumerate small runs and search neighbours, questions and answers for the "
            "worst. What they find is a fact. ε is the largest loss of any outcome; for claims "
            "with δ > 0, the largest δ at the claimed ε.",
            "Samples come from the mechanism as it runs here. One set of runs chooses an event, "
            "fresh runs count it, and the bounds of Clopper and Pearson say which ε is proved. "
            "The chance that this whole audit calls something sound broken is at most "
            f"{table.false_alarm:g}.",
            "Would find: the true ε that so many samples would have found nine times in ten, with "
            "an event as likely. Finding nothing proves nothing beyond that.",
        ),
    )


def _faults() -> Section:
    pairs = tuple((one.name, f"{_sentence(one.fault)} {_sentence(one.source)}") for one in BROKEN)
    return Section(name="faults", title="Their faults", pairs=pairs)
