"""An audit in words, as JSON, and as one HTML page with everything in it."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Sequence
from html import escape
from importlib import metadata

from overbar import _html
from overbar.audit.broken import BROKEN
from overbar.audit.table import CAUGHT, EXACT, KEPT, MISSED, VIOLATED, AuditRow, Table

HEAD = ("claim", "method", "worst found", "allowed", "would find", "verdict")
LOOKS = {KEPT: "good", CAUGHT: "good", VIOLATED: "bad", MISSED: "bad"}
#: Where a bar shows the allowed value; more than that goes on to the right.
EDGE = 60.0
WIDTH = 100.0


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


def page(table: Table) -> str:
    """Return the audit as HTML."""
    own = [row for row in table.rows if not row.control]
    controls = [row for row in table.rows if row.control]
    mark = "good" if table.passed else "bad"
    title = "Privacy audit of overbar"
    return _html.page(
        title,
        f"<h1>{title}</h1>",
        f'<p class="promise"><span class="{mark}">{escape(_sentence(table.summary))}</span></p>',
        f'<p class="soft">Version {escape(metadata.version("overbar"))}, Python '
        f"{platform.python_version()}, {table.seconds:.0f} seconds on this machine.</p>",
        _html.section("reading", "How to read this", *_explanations(table)),
        _html.section("claims", "Our claims", _grid(own)),
        _html.section(
            "controls",
            "Controls: mechanisms that are known to be broken",
            "<p>An audit that does not catch these is too weak to say anything about others.</p>",
            _grid(controls),
            _faults(),
        ),
        wide=True,
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _explanations(table: Table) -> list[str]:
    return [
        "<p><b>Exact</b> rows enumerate small runs and search neighbours, questions and answers "
        "for the worst. What they find is a fact. ε is the largest loss of any outcome; for claims "
        "with δ &gt; 0, the largest δ at the claimed ε.</p>",
        "<p><b>Samples</b> come from the mechanism as it runs here. One set of runs chooses an "
        "event, fresh runs count it, and the bounds of Clopper and Pearson say which ε is proved. "
        f"The chance that this whole audit calls something sound broken is at most "
        f"{table.false_alarm:g}.</p>",
        "<p><b>Would find</b>: the true ε that so many samples would have found nine times in ten, "
        "with an event as likely. Finding nothing proves nothing beyond that.</p>",
    ]


def _grid(rows: Sequence[AuditRow]) -> str:
    head = (*HEAD, "share of allowed")
    return _html.table(head, map(_line, rows), first=len(head), look="audit cards")


def _line(row: AuditRow) -> str:
    claim, *middle, verdict = cells(row)
    shown = row.evidence if len(row.evidence) <= 180 else row.evidence[:177] + "..."
    columns = [f'<td>{escape(claim)}<div class="evidence">{escape(shown)}</div></td>']
    columns += [
        f'<td class="number" data-name="{escape(name)}">{escape(text)}</td>'
        for name, text in zip(HEAD[1:-1], middle, strict=True)
    ]
    columns.append(
        f'<td data-name="verdict"><span class="{LOOKS[row.verdict]}">{escape(verdict)}</span></td>'
    )
    return f"<tr>{''.join(columns)}<td>{_bar(row)}</td></tr>"


def _bar(row: AuditRow) -> str:
    """Draw how much of what is allowed was found; the black line is all of it."""
    share = row.found / row.allowed if row.allowed else math.inf
    width = min(WIDTH, EDGE * share)
    look = "over" if row.broken else "full"
    return (
        f'<svg class="bars" viewBox="0 0 {WIDTH:g} 10" role="img" '
        f'aria-label="{number(share)} times what is allowed" preserveAspectRatio="none">'
        f'<rect class="room" x="0" y="2" width="{EDGE:g}" height="6"/>'
        f'<rect class="{look}" x="0" y="2" width="{width:.2f}" height="6"/>'
        f'<line class="edge" x1="{EDGE:g}" x2="{EDGE:g}" y1="0" y2="10"/></svg>'
    )


def _faults() -> str:
    items = "".join(
        f"<dt>{escape(one.name)}</dt><dd>{escape(_sentence(one.fault))} "
        f'<span class="soft">{escape(_sentence(one.source))}</span></dd>'
        for one in BROKEN
    )
    return f'<h3>Their faults</h3><dl class="faults">{items}</dl>'
