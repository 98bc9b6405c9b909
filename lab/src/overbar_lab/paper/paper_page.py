"""What the report says: every study, every claim, and where everything of the paper is."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from overbar.report import Image, Report, ReportTable, Section
from overbar.report.as_html import report_page
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
    sections = [Section(name="about", notes=(about, *conditions.data.notes))]
    parts = (
        ("figures", "The paper, figure by figure", [*STUDIES[: -len(BEYOND)]]),
        ("beyond", "Beyond the paper", [*BEYOND]),
        ("yours", "Your studies", [one for one in studies if one not in STUDIES]),
    )
    for name, title, members in parts:
        if shown := [study for study in studies if study in members]:
            sections.append(Section(name=name, title=title))
            sections += [_study(one, tables[one.name], conditions, out) for one in shown]
    if claims:
        sections.append(_claims("claims", f"Claims: {counts}", CLAIMS, claims))
    if errata:
        sections.append(_claims("errata-table", f"Errata: {len(errata)}", ERRATA, errata))
    if len(studies) >= len(STUDIES):
        sections.append(_inventory())
    report = Report("overbar: the paper, reproduced", tuple(sections))
    return report_page(report, wide=True, contents=True)


def _claims(name: str, title: str, sentence: str, findings: Sequence[JudgedClaim]) -> Section:
    table = ReportTable(
        ("claim", "where", "numbers", "rule", "why", "verdict"),
        tuple(
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
        words=6,
        looks=tuple(LOOKS.get(one.verdict, "") for one in findings),
        links=tuple(one.claim.needs for one in findings),
    )
    return Section(name=name, title=title, sentences=(sentence,), table=table)


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


def _inventory() -> Section:
    studies = {study.name for study in STUDIES}
    rows = [(item, item["here"].split()) for item in ITEMS]
    table = ReportTable(
        ("in the paper", "what", "here"),
        tuple(
            (
                f"{item['kind']} {item['number']}",
                item["title"],
                " ".join(name for name in names if name not in studies),
            )
            for item, names in rows
        ),
        words=3,
        links=tuple(tuple(name for name in names if name in studies) for _, names in rows),
    )
    return Section(name="inventory", title="Where everything of the paper is", table=table)


def _study(study: Study, table: Table, conditions: Conditions, out: Path) -> Section:
    pairs = [(n.replace("_", " "), text_of(value)) for n, value in study.parameters.items()]
    if study.datasets:
        used = ", ".join(map(str, conditions.data.resolve(study.datasets)))
        pairs.append(("datasets used", used or "none"))
    image = None
    drawn = f", figures/{study.name}.pdf" if study.draw is not None and table else ""
    if drawn:
        image = _image((out / f"figures/{study.name}.svg").read_text(encoding="utf-8"), study.title)
    missing = () if table else ("None of its datasets is here.",)
    return Section(
        name=study.name,
        title=study.title,
        warnings=(study.warning,) if study.warning else (),
        sentences=(study.shows, *missing),
        image=image,
        pairs=tuple(pairs),
        table=_table(table) if table and image is None else None,
        notes=(place_of(study.name), f"{study.name}: csv/{study.name}.csv{drawn}"),
    )


def _image(svg: str, title: str) -> Image:
    match = re.search(r'width="([\d.]+)pt"', svg)
    assert match is not None
    return Image(svg, title, round(float(match[1]) * LARGER))


def _table(table: Table) -> ReportTable:
    shown = without_times(table)
    head = tuple(name.replace("_", " ") for name in shown[0])
    rows = tuple(tuple(map(_cell, row.values())) for row in shown)
    return ReportTable(head, rows, words=len(head))


def _cell(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}"
    return "" if value is None else text_of(value)
