"""The rows of an audit as text."""

from __future__ import annotations

import json
import math
from importlib import metadata

from overbar.audit.table import EXACT, AuditRow, Table

HEAD = ("claim", "method", "worst found", "allowed", "would find", "verdict")


def number(value: float) -> str:
    """Write a number for people.

    >>> number(1.9999999995), number(float("inf")), number(0.000111)
    ('2', '∞', '0.000111')
    """
    return "∞" if math.isinf(value) else f"{value:.4g}"


def cells(row: AuditRow) -> tuple[str, ...]:
    """Return a row's text, one cell for each entry of ``HEAD``."""
    method = row.method if row.method == EXACT else f"{row.runs:,} samples"
    relation = "≥" if row.method == EXACT else ">"
    found = f"{row.measure} {relation} {number(row.found)}" if row.found > 0 else "nothing"
    allowed = f"{row.measure} = {number(row.allowed)}"
    seen = "–" if math.isnan(row.would_find) else f"ε ≥ {number(row.would_find)}"
    if math.isinf(row.would_find):
        seen = "too few runs"
    return (f"{row.subject}: {row.claim}", method, found, allowed, seen, row.verdict)


def as_json(table: Table) -> str:
    """Write an audit as JSON; what is infinite is null there, and says so in `unbounded`."""
    return json.dumps(
        {
            "overbar": metadata.version("overbar"),
            "passed": table.passed,
            "summary": table.summary,
            "false_alarm": table.false_alarm,
            "seconds": round(table.seconds, 3),
            "missed_controls": table.missed,
            "rows": [_row(row) for row in table.rows],
        },
        indent=2,
        ensure_ascii=False,
        allow_nan=False,
    )


def _row(row: AuditRow) -> dict[str, object]:
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
