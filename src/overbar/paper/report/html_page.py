"""One HTML page with everything in it: it needs no network and no other file."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from overbar import _html
from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN, JudgedClaim
from overbar.paper.study import Conditions, Study, Table, Value, without_times

CLASSES = {HOLDS: "holds", PARTLY: "part", FAILS: "fails", UNKNOWN: "unknown"}
PAPER = (
    "Accuracy-enhanced Sparse Vector Technique with Exponential Noise and Optimal Threshold "
    "Correction, PVLDB 18(2)"
)
ADDRESS = "https://arxiv.org/abs/2407.20068"
#: Figures at least this wide may be scrolled on a phone instead of shrunk to nothing.
WIDE = 600


@dataclass(frozen=True)
class Leaf:
    """One study as the page shows it."""

    study: Study
    table: Table
    svg: bytes | None
    parameters: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, study: Study, table: Table, out: Path, conditions: Conditions) -> Leaf:
        """Collect what the page needs of a study."""
        parameters = list(study.parameters)
        if study.datasets:
            used = ", ".join(conditions.data.resolve(study.datasets)) or "none"
            parameters.append(("datasets used", used))
        if study.simulated:
            parameters += [
                ("runs a point", f"{conditions.runs:,}"),
                ("seed", str(conditions.seed)),
            ]
        svg = None
        if study.draw is not None and table:
            svg = (out / "figures" / f"{study.name}.svg").read_bytes()
        return cls(study, table, svg, tuple(parameters))


def page(leaves: Sequence[Leaf], findings: Sequence[JudgedClaim], conditions: Conditions) -> str:
    """Return the report."""
    counts = {name: sum(f.verdict.verdict == name for f in findings) for name in CLASSES}
    summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    notes = "".join(f"<li>{escape(line)}</li>" for line in conditions.data.notes)
    return _html.page(
        "overbar: the paper, reproduced",
        "<h1>The paper, figure by figure</h1>",
        f'<p class="soft">{escape(PAPER)} (<a href="{ADDRESS}">arXiv:2407.20068</a>), reproduced '
        "with overbar. Everything here is simulated from a seed; nothing here protects anyone.</p>",
        f"<p>{conditions.runs:,} runs a point, seed {conditions.seed}. Claims: {summary}.</p>",
        f'<ul class="note">{notes}</ul>' if notes else "",
        _contents(leaves),
        '<h2 id="claims">Claims</h2>',
        "<p>Each sentence of the paper that can be checked, what was measured, and what follows. "
        "“Clearly” means that 95 % intervals over runs do not overlap. Comparisons of methods "
        "leave Adult out unless they name it: its threshold passes 81 items where five are sought, "
        "so chance decides. The last rows are our own claims.</p>",
        _claims([f for f in findings if not f.claim.erratum]),
        '<h2 id="errata-table">Errata</h2>',
        "<p>Slips that were found while building on the paper, each with its evidence.</p>",
        _claims([f for f in findings if f.claim.erratum]),
        '<h2 id="figures">Figures and tables</h2>',
        *(_section(leaf) for leaf in leaves),
        wide=True,
    )


def _contents(leaves: Sequence[Leaf]) -> str:
    items = ['<li><a href="#claims">Claims</a></li>', '<li><a href="#errata-table">Errata</a></li>']
    items += [
        f'<li><a href="#{leaf.study.name}">{escape(leaf.study.title)}</a></li>' for leaf in leaves
    ]
    return f'<nav aria-label="Contents"><ul>{"".join(items)}</ul></nav>'


def _claims(findings: Sequence[JudgedClaim]) -> str:
    rows = []
    for finding in findings:
        claim, verdict = finding.claim, finding.verdict
        links = " ".join(f'<a href="#{name}">{name}</a>' for name in claim.needs)
        badge = f'<span class="verdict {CLASSES[verdict.verdict]}">{verdict.verdict}</span>'
        rows.append(
            f"<tr><td>{escape(claim.sentence)} "
            f'<span class="soft">({escape(claim.where)})</span></td>'
            f"<td>{badge}</td><td>{escape(verdict.measured)}"
            f'<br><span class="soft">{escape(verdict.why)}</span>'
            f'<br><span class="figures">{links}</span></td></tr>'
        )
    return (
        '<table class="claims cards">'
        '<colgroup><col class="said"><col class="decision"><col></colgroup>'
        "<thead><tr><th>claim</th><th>verdict</th><th>measured, and why</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _section(leaf: Leaf) -> str:
    study = leaf.study
    place = f"In the paper: {study.place}. " if study.place else "Ours. "
    body = [
        f'<section id="{study.name}"><h3>{escape(study.title)}</h3>',
        f'<p class="soft">{escape(place)}<code>{study.name}</code></p>',
        f"<p>{escape(study.shows)}</p>",
    ]
    if study.warning:
        body.append(f'<p class="warning"><strong>{escape(study.warning)}</strong></p>')
    if not leaf.table:
        body.append('<p class="note">None of its datasets is here.</p>')
    elif leaf.svg is not None:
        body.append(_image(leaf.svg, study.title))
    else:
        body.append(_table(leaf.table))
    pairs = _html.pairs(leaf.parameters)
    body.append(f"<details><summary>parameters</summary>{pairs}</details>")
    body.append(f'<p class="soft">Numbers: <code>csv/{study.name}.csv</code></p></section>')
    return "\n".join(body)


def _image(svg: bytes, title: str) -> str:
    data = base64.b64encode(svg).decode()
    width = _width(svg)
    name = ' class="wide"' if width >= WIDE else ""
    return (
        f'<figure{name}><img alt="{escape(title)}" style="max-width:{width * 4 / 3:.0f}px" '
        f'src="data:image/svg+xml;base64,{data}"></figure>'
    )


def _width(svg: bytes) -> float:
    """Return the width of an SVG in points."""
    head = svg[:2000].decode("utf-8", "replace")
    start = head.index('width="') + len('width="')
    return float(head[start : head.index('pt"', start)])


def _table(table: Table) -> str:
    shown = without_times(table)
    head = [name.replace("_", " ") for name in shown[0]]
    rows = (f"<tr>{''.join(_cell(value) for value in row.values())}</tr>" for row in shown)
    return _html.table(head, rows, first=len(head))


def _cell(value: Value) -> str:
    if isinstance(value, bool):
        return _html.cell("yes" if value else "no")
    if isinstance(value, (int, float)):
        return _html.cell(f"{value:,}" if isinstance(value, int) else f"{value:,.6g}", number=True)
    return _html.cell(value or "")
