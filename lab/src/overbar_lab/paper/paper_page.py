"""The report as one page of HTML: all studies, all claims, and where all of the paper is."""

from __future__ import annotations

import base64
import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from overbar_lab.paper.claim import FAILS, HOLDS, VERDICTS, JudgedClaim
from overbar_lab.paper.studies import BEYOND, STUDIES
from overbar_lab.paper.study import Conditions, Study, Table, Value, text_of, without_times

LOOKS = {HOLDS: "good", FAILS: "bad"}
PAPER = (
    "Accuracy-enhanced Sparse Vector Technique with Exponential Noise and Optimal Threshold "
    "Correction, PVLDB 18(2), https://arxiv.org/abs/2407.20068"
)
CLAIMS = (
    "Each sentence of the paper that can be checked, the rule it is judged by, and the numbers. "
    "“Ahead” and “behind” mean that the 95 % interval of the difference is off zero. A verdict "
    "that changes when the numbers move within their intervals is “too few runs”. “By reading” "
    "means that the paper itself shows it. Section, figure and table numbers are those of the "
    "preprint. Rows marked overbar are claims of our own."
)
ERRATA = "Slips that were found while building on the paper; one misprint counts once."
#: All that the paper has that is numbered, and where it is here. Numbers and labels are those of
#: the preprint; *here* names a study, a page of the theory or something of this package.
ITEMS = tuple(
    csv.DictReader(
        files("overbar_lab.paper").joinpath("inventory.csv").read_text("utf-8").splitlines()
    )
)
#: Pixels for each point: printed sizes are small for a screen.
LARGER = 2
TITLE = "overbar: the paper, reproduced"
STYLE = files("overbar_lab.paper").joinpath("page.css").read_text("utf-8")


class Part(NamedTuple):
    """A part of the page; `body` is HTML."""

    name: str
    title: str
    body: str


def page(
    studies: Sequence[Study],
    tables: Mapping[str, Table],
    findings: Sequence[JudgedClaim],
    conditions: Conditions,
    out: Path,
) -> str:
    """Return the report as one page that needs no network and no other file.

    It opens with the studies, which are what was asked for.
    """
    claims = [one for one in findings if not one.claim.erratum]
    errata = [one for one in findings if one.claim.erratum]
    counts = ", ".join(
        f"{count} {name}" for name in VERDICTS if (count := sum(f.verdict == name for f in claims))
    )
    about = (
        f"{PAPER}. {conditions.runs:,} runs a point where nothing else is said, seed "
        f"{conditions.seed}. Everything here is simulated; nothing here protects anyone."
    )
    sections = [Part("about", "", _paragraphs("soft", about, *conditions.data.notes))]
    parts = (
        ("figures", "The paper, figure by figure", [*STUDIES[: -len(BEYOND)]]),
        ("beyond", "Beyond the paper", [*BEYOND]),
        ("yours", "Your studies", [one for one in studies if one not in STUDIES]),
    )
    for name, title, members in parts:
        if shown := [study for study in studies if study in members]:
            sections.append(Part(name, title, ""))
            sections += [_study(one, tables[one.name], conditions, out) for one in shown]
    if claims:
        sections.append(_claims("claims", f"Claims: {counts}", CLAIMS, claims))
    if errata:
        sections.append(_claims("errata-table", f"Errata: {len(errata)}", ERRATA, errata))
    if len(studies) >= len(STUDIES):
        sections.append(_inventory())
    return _whole(sections)


def _whole(parts: Sequence[Part]) -> str:
    contents = "".join(
        f'<li><a href="#{part.name}">{escape(part.title)}</a></li>' for part in parts if part.title
    )
    sections = "\n".join(
        f'<section aria-labelledby="{part.name}"><h2 id="{part.name}">{escape(part.title)}</h2>\n'
        f"{part.body}</section>"
        if part.title
        else f"<div>{part.body}</div>"
        for part in parts
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{TITLE}</title><style>{STYLE}</style></head><body><main>\n<h1>{TITLE}</h1>\n"
        f'<nav aria-label="Contents"><ul>{contents}</ul></nav>\n{sections}\n'
        "</main></body></html>\n"
    )


def _paragraphs(look: str, *texts: str) -> str:
    return "".join(f'<p class="{look}">{escape(text)}</p>' for text in texts if text)


def _table(
    head: Iterable[str],
    rows: Iterable[Iterable[str]],
    looks: Iterable[str] = (),
    links: Iterable[Iterable[str]] = (),
) -> str:
    """Return a table; rows may stand out, and lead to sections from below their last cell."""
    lines = [[escape(cell) for cell in row] for row in rows]
    for line, names in zip(lines, links, strict=False):
        led = " ".join(f'<a href="#{name}">{name}</a>' for name in names)
        line[-1] += f"<div class=small>{led}</div>"
    shown = "".join(
        f'<tr class="{look}">{"".join(f"<td>{cell}</td>" for cell in line)}</tr>'
        for line, look in zip(lines, list(looks) or [""] * len(lines), strict=True)
    )
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{top}</tr></thead>'
        f"<tbody>{shown}</tbody></table></div>"
    )


def _claims(name: str, title: str, sentence: str, findings: Sequence[JudgedClaim]) -> Part:
    table = _table(
        ("claim", "where", "numbers", "rule", "why", "verdict"),
        (
            (
                one.claim.says,
                one.claim.where,
                one.measured,
                one.claim.rule,
                one.claim.note,
                one.verdict + ", by reading" * one.claim.by_reading,
            )
            for one in findings
        ),
        looks=(LOOKS.get(one.verdict, "") for one in findings),
        links=(one.claim.needs for one in findings),
    )
    return Part(name, title, _paragraphs("", sentence) + table)


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


def _inventory() -> Part:
    studies = {study.name for study in STUDIES}
    rows = [(item, item["here"].split()) for item in ITEMS]
    table = _table(
        ("in the paper", "what", "here"),
        (
            (
                f"{item['kind']} {item['number']}",
                item["title"],
                " ".join(name for name in names if name not in studies),
            )
            for item, names in rows
        ),
        links=([name for name in names if name in studies] for _, names in rows),
    )
    return Part("inventory", "Where everything of the paper is", table)


def _study(study: Study, table: Table, conditions: Conditions, out: Path) -> Part:
    pairs = [(n.replace("_", " "), text_of(value)) for n, value in study.parameters.items()]
    if study.datasets:
        used = ", ".join(map(str, conditions.data.resolve(study.datasets)))
        pairs.append(("datasets used", used or "none"))
    drawn = study.draw is not None and bool(table)
    path = f"csv/{study.name}.csv{f', figures/{study.name}.pdf' if drawn else ''}"
    named = "".join(f"<dt>{escape(n)}</dt><dd>{escape(value)}</dd>" for n, value in pairs if value)
    body = [
        _paragraphs("warning", study.warning),
        _paragraphs("", study.shows, "" if table else "None of its datasets is here."),
        _image(out / f"figures/{study.name}.svg", study.title) if drawn else "",
        f"<dl>{named}</dl>" if named else "",
        "" if drawn or not table else _numbers(table),
        _paragraphs("soft", place_of(study.name), f"{study.name}: {path}"),
    ]
    return Part(study.name, study.title, "".join(body))


def _image(path: Path, title: str) -> str:
    svg = path.read_text(encoding="utf-8")
    match = re.search(r'width="([\d.]+)pt"', svg)
    assert match is not None
    width = round(float(match[1]) * LARGER)
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
    return (
        f'<figure><img alt="{escape(title)}" style="max-width:{width}px" src="{source}"></figure>'
    )


def _numbers(table: Table) -> str:
    shown = without_times(table)
    head = (name.replace("_", " ") for name in shown[0])
    return _table(head, (map(_cell, row.values()) for row in shown))


def _cell(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}"
    return "" if value is None else text_of(value)
