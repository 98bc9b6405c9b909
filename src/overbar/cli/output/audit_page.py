"""The page of an audit: one HTML file with everything in it."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from html import escape
from importlib import metadata

from overbar import _html
from overbar.audit.broken import BROKEN
from overbar.audit.table import CAUGHT, KEPT, MISSED, VIOLATED, AuditRow, Table
from overbar.cli.output.audit_words import HEAD, cells, number

LOOKS = {KEPT: "good", CAUGHT: "good", VIOLATED: "bad", MISSED: "bad"}
#: Where a bar shows the allowed value; more than that goes on to the right.
EDGE = 60.0
WIDTH = 100.0


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
        _html.section("claims", "Our claims", _rows(own)),
        _html.section(
            "controls",
            "Controls: mechanisms that are known to be broken",
            "<p>An audit that does not catch these is too weak to say anything about others.</p>",
            _rows(controls),
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


def _rows(rows: Sequence[AuditRow]) -> str:
    head = (*HEAD, "share of allowed")
    return _html.table(head, map(_row, rows), first=len(head), look="audit cards")


def _row(row: AuditRow) -> str:
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
