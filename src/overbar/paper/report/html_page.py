"""One HTML page with everything in it: it needs no network and no other file."""

from __future__ import annotations

import base64
import csv
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from overbar.paper.claims.claim import FAILS, FEW, HOLDS, PARTLY, UNKNOWN, VERDICTS, JudgedClaim
from overbar.paper.studies import BEYOND, STUDIES
from overbar.paper.study import Conditions, Study, Table, Value, text_of, without_times
from overbar.report import as_html

CLASSES = {HOLDS: "holds", PARTLY: "part", FAILS: "fails", FEW: "unknown", UNKNOWN: "unknown"}
PAPER = (
    "Accuracy-enhanced Sparse Vector Technique with Exponential Noise and Optimal Threshold "
    "Correction, PVLDB 18(2)"
)
ADDRESS = "https://arxiv.org/abs/2407.20068"
CLAIMS = (
    "Each sentence of the paper that can be checked, the rule it is judged by, and the numbers. "
    "“Ahead” and “behind” mean that the 95 % interval of the difference is off zero. A verdict "
    "that changes when the numbers move within their intervals is “too few runs”. “By reading” "
    "means that the paper itself shows it. Section, figure and table numbers are those of the "
    "preprint. Rows marked overbar are claims of our own."
)
ERRATA = "<p>Slips that were found while building on the paper; one misprint counts once.</p>"
#: All that the paper has that is numbered, and where it is here. Numbers and labels are those of
#: the preprint; *here* names a study, a page of the theory or something of this package.
ITEMS = tuple(
    csv.DictReader(files("overbar.paper").joinpath("inventory.csv").read_text("utf-8").splitlines())
)
#: Figures at least this wide may be scrolled on a phone instead of shrunk to nothing.
WIDE = 400
#: Pixels for each point: printed sizes are small for a screen.
LARGER = 2


def page(
    studies: Sequence[Study],
    tables: Mapping[str, Table],
    findings: Sequence[JudgedClaim],
    conditions: Conditions,
    out: Path,
) -> str:
    """Return the report; it opens with the studies, which are what was asked for."""
    ours = {study.name for study in BEYOND}
    claims = [one for one in findings if not one.claim.erratum]
    errata = [one for one in findings if one.claim.erratum]
    counts = ", ".join(
        f"{count} {name}" for name in VERDICTS if (count := sum(f.verdict == name for f in claims))
    )

    def sections(wanted: Callable[[Study], bool]) -> list[str]:
        some = filter(wanted, studies)
        return [_section(study, tables[study.name], conditions, out) for study in some]

    parts = [
        (
            "figures",
            "The paper, figure by figure",
            sections(lambda one: one in STUDIES and one.name not in ours),
        ),
        ("beyond", "Beyond the paper", sections(lambda one: one.name in ours)),
        ("yours", "Your studies", sections(lambda one: one not in STUDIES)),
        ("claims", f"Claims: {counts}", [f"<p>{CLAIMS}</p>", _claims(claims)] if claims else []),
        ("errata-table", f"Errata: {len(errata)}", [ERRATA, _claims(errata)] if errata else []),
        (
            "inventory",
            "Where everything of the paper is",
            [_inventory()] if len(studies) >= len(STUDIES) else [],
        ),
    ]
    shown = [part for part in parts if part[2]]
    links = [
        *((name, title) for name, title, _ in shown),
        *((study.name, study.title) for study in studies),
    ]
    notes = "".join(f"<li>{escape(line)}</li>" for line in conditions.data.notes)
    items = "".join(f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title in links)
    return as_html.page(
        "overbar: the paper, reproduced",
        "<h1>The paper, reproduced</h1>",
        f'<p class="soft">{escape(PAPER)} (<a href="{ADDRESS}">arXiv:2407.20068</a>). '
        f"{conditions.runs:,} runs a point where nothing else is said, seed {conditions.seed}. "
        "Everything here is simulated; nothing here protects anyone.</p>",
        f'<ul class="note">{notes}</ul>' if notes else "",
        f'<nav aria-label="Contents"><ul>{items}</ul></nav>',
        *(as_html.section(name, title, *body) for name, title, body in shown),
        wide=True,
    )


def _claims(findings: Sequence[JudgedClaim]) -> str:
    rows = []
    for one in findings:
        claim = one.claim
        links = " ".join(f'<a href="#{name}">{name}</a>' for name in claim.needs)
        how = '<br><span class="soft">by reading</span>' if claim.by_reading else ""
        note = f'<br><span class="soft">{escape(claim.note)}</span>' if claim.note else ""
        rows.append(
            f"<tr><td>{escape(claim.says)} "
            f'<span class="soft">({escape(claim.where)})</span></td>'
            f'<td><span class="verdict {CLASSES[one.verdict]}">{one.verdict}</span>{how}</td>'
            f'<td>{escape(one.measured)}<br><span class="soft">Rule: {escape(claim.rule)}</span>'
            f'{note}<br><span class="figures">{links}</span></td></tr>'
        )
    return (
        '<table class="claims cards">'
        '<colgroup><col class="said"><col class="decision"><col></colgroup>'
        "<thead><tr><th>claim</th><th>verdict</th><th>numbers, rule, why</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def place_of(study: str) -> str:
    """Return which figures and tables of the paper a study shows; empty for ours.

    >>> place_of("f1-by-budget"), place_of("race-gain")
    ('Figure 10', '')
    """
    return ", ".join(
        f"{item['kind']} {item['number']}"
        for item in ITEMS
        if item["kind"] in ("Figure", "Table") and study in item["here"].split()
    )


def _inventory() -> str:
    names = {study.name for study in STUDIES}
    rows = (
        f"<tr>{as_html.cell(item['kind'] + ' ' + item['number'])}{as_html.cell(item['title'])}<td>"
        + " ".join(
            f'<a href="#{name}">{name}</a>' if name in names else f"<code>{name}</code>"
            for name in item["here"].split()
        )
        + "</td></tr>"
        for item in ITEMS
    )
    return as_html.table(["in the paper", "what", "here"], rows, words=3)


def _section(study: Study, table: Table, conditions: Conditions, out: Path) -> str:
    place = place_of(study.name)
    body = [
        f'<section id="{study.name}"><h3>{escape(study.title)}</h3>',
        f'<p class="soft">{place}{". " if place else ""}<code>{study.name}</code></p>',
        f"<p>{escape(study.shows)}</p>",
    ]
    if study.warning:
        body.append(f'<p class="warning"><strong>{escape(study.warning)}</strong></p>')
    if not table:
        body.append('<p class="note">None of its datasets is here.</p>')
    elif study.draw is not None:
        body.append(_image((out / f"figures/{study.name}.svg").read_bytes(), study.title))
    else:
        body.append(_table(table))
    pairs = [(n.replace("_", " "), text_of(value)) for n, value in study.parameters.items()]
    if study.datasets:
        used = ", ".join(map(str, conditions.data.resolve(study.datasets)))
        pairs.append(("datasets used", used or "none"))
    body.append(f"<details><summary>parameters</summary>{as_html.pairs(pairs)}</details>")
    named = f"csv/{study.name}.csv"
    if study.draw is not None and table:
        named += f", figures/{study.name}.pdf"
    body.append(f'<p class="soft">Files: <code>{named}</code></p></section>')
    return "\n".join(body)


def _image(svg: bytes, title: str) -> str:
    match = re.search(rb'width="([\d.]+)pt"', svg)
    assert match is not None
    width = float(match[1])
    name = ' class="wide"' if width >= WIDE else ""
    return (
        f'<figure{name}><img alt="{escape(title)}" style="max-width:{width * LARGER:.0f}px" '
        f'src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"></figure>'
    )


def _table(table: Table) -> str:
    shown = without_times(table)
    head = [name.replace("_", " ") for name in shown[0]]
    rows = (f"<tr>{''.join(_cell(value) for value in row.values())}</tr>" for row in shown)
    return as_html.table(head, rows, words=len(head))


def _cell(value: Value) -> str:
    if isinstance(value, float):
        return as_html.cell(f"{value:,.6g}", number=True)
    number = isinstance(value, int) and not isinstance(value, bool)
    return as_html.cell("" if value is None else text_of(value), number=number)
