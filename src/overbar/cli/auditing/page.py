"""The page of an audit: one HTML file with everything in it."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from html import escape
from importlib import metadata

from overbar.audit.broken import BROKEN
from overbar.audit.table import CAUGHT, KEPT, MISSED, VIOLATED, AuditRow, Table
from overbar.cli.auditing.words import HEAD, cells, number
from overbar.cli.page.look import STYLE

__all__ = ["page"]

#: What the audit's page adds to the look of all pages.
MORE_STYLE = """
main { max-width: 68rem; }
.good { color: var(--c2); font-weight: 650; } .bad { color: var(--c1); font-weight: 650; }
.evidence { color: var(--soft); font-size: .82rem; overflow-wrap: anywhere; }
table.audit { width: 100%; }
table.audit td.number, table.audit th.number { text-align: left; }
svg.bars { max-width: 12rem; min-width: 7rem; height: 1rem; }
svg.bars .room { fill: var(--line); } svg.bars .full { fill: var(--c2); }
svg.bars .over { fill: var(--c1); } svg.bars .edge { stroke: var(--ink); stroke-width: 2; }
dl.faults { grid-template-columns: minmax(9rem, 18rem) 1fr; }
@media (max-width: 46rem) {
  dl.faults { grid-template-columns: 1fr; }
  table.audit, table.audit tbody, table.audit tr, table.audit td { display: block; width: 100%; }
  table.audit thead { display: none; }
  table.audit tr { border: 1px solid var(--line); border-radius: .5rem; margin: .7rem 0;
    padding: .4rem .6rem; }
  table.audit td { border: 0; padding: .12rem 0; white-space: normal; }
  table.audit td[data-name]::before { content: attr(data-name) ": "; color: var(--soft); }
}
"""

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
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{STYLE}{MORE_STYLE}</style></head><body><main>",
        f"<h1>{title}</h1>",
        f'<p class="promise"><span class="{mark}">{escape(_sentence(table.summary))}</span></p>',
        f'<p class="soft">Version {escape(metadata.version("overbar"))}, Python '
        f"{platform.python_version()}, {table.seconds:.0f} seconds on this machine.</p>",
        _section("How to read this", *_explanations(table)),
        _section("Our claims", _rows(own)),
        _section(
            "Controls: mechanisms that are known to be broken",
            "<p>An audit that does not catch these is too weak to say anything about others.</p>",
            _rows(controls),
            _faults(),
        ),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _section(title: str, *body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>\n" + "\n".join(body) + "</section>"


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
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in (*HEAD, "share of allowed"))
    body = "".join(_row(row) for row in rows)
    return (
        f'<div class="scroll" tabindex="0"><table class="audit"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


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
