"""The list of all that the paper has: against itself, and against the paper's source if it is here.

``OVERBAR_PAPER`` names the TeX file; without it a file ``svt-exp.tex`` is looked for in folders
called ``paper`` beside the repository and beside its parents.
"""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path

import pytest

from overbar_lab.paper import STUDIES
from overbar_lab.paper.claims import CLAIMS
from overbar_lab.paper.paper_page import ITEMS, place_of

ROOT = Path(__file__).parents[3]
ENVIRONMENTS = {
    "figure": "Figure",
    "table": "Table",
    "algorithm": "Algorithm",
    "theorem": "Theorem",
    "definition": "Definition",
    "proposition": "Proposition",
}
SECTIONS = ("section", "subsection", "subsubsection")
#: Enumerations that are steps, definitions or reasons, and claim nothing of their own.
NO_CLAIMS = {
    "2.1": ["first", "second"],
    "4.3.1": ["first", "second"],
    "4.3.3": ["first"],
    "C": ["first"],
}


def source() -> str:
    named = os.environ.get("OVERBAR_PAPER")
    places = [Path(named)] if named else []
    for folder in ROOT.parents:
        places += sorted(folder.glob("*/paper/svt-exp.tex"))
    for place in places:
        if place.is_file():
            return re.sub(r"(?<!\\)%.*", "", place.read_text(encoding="utf-8"))
    pytest.skip("the source of the paper is not here")


def numbered(tex: str, environment: str) -> list[str]:
    """Labels of an environment in the order of their numbers; empty where there is none."""
    found = []
    for block in re.findall(
        rf"\\begin{{{environment}\*?}}(.*?)\\end{{{environment}\*?}}", tex, re.DOTALL
    ):
        # Panels have labels of their own, before that of the figure.
        own = re.findall(r"\\label{((?:fig|tbl|alg|theo|def|prop): [^}]*)}", block)
        found.append(own[-1] if own else "")
    return found


@pytest.mark.parametrize(("environment", "kind"), ENVIRONMENTS.items())
def test_nothing_that_is_numbered_is_missing(environment, kind):
    tex = source()
    ours = [(item["number"], item["label"]) for item in ITEMS if item["kind"] == kind]
    theirs = [(str(place), label) for place, label in enumerate(numbered(tex, environment), 1)]
    assert ours == theirs


def enumerations(tex: str) -> dict[str, list[str]]:
    """The ordinals and numbered points of each section, by its number."""
    found: dict[str, list[str]] = {}
    counts, appendix = [0, 0, 0], False
    body = tex[tex.index(r"\section{Introduction}") :]
    for match in re.finditer(
        r"\\(appendix)\b|\\((?:sub){0,2}section)\*?{|\\underline{(First|Second|Third|Fourth)}"
        r"|(?<![\w{])(First|Second|Third|Fourth|Firstly|Secondly),"
        r"|\\(item) |^\\textcircled{(\d)}",
        body,
        re.MULTILINE,
    ):
        start, section, underlined, plain, item, circle = match.groups()
        if start:
            counts, appendix = [0, 0, 0], True
        elif section:
            level = SECTIONS.index(section)
            counts = [*counts[:level], counts[level] + 1, *[0] * (2 - level)]
        else:
            first = chr(64 + counts[0]) if appendix else str(counts[0])
            name = ".".join([first, *(str(count) for count in counts[1:] if count)])
            ordinals = ("first", "second", "third", "fourth")
            word = (underlined or plain or "").lower().removesuffix("ly")
            if circle:
                word = ordinals[int(circle) - 1]
            elif item:
                word = ordinals[len(found.get(name, []))]
            found.setdefault(name, []).append(word)
    return found


def test_no_numbered_claim_is_missing():
    theirs = enumerations(source())
    ours: dict[str, list[str]] = {name: list(words) for name, words in NO_CLAIMS.items()}
    for item in ITEMS:
        if item["kind"] in ("Section", "Appendix"):
            section, *_, ordinal = item["number"].split(", ")
            ours.setdefault(section, []).append(ordinal)
    assert ours == theirs


def test_control_a_figure_that_is_left_out_would_be_noticed():
    tex = source()
    assert len(numbered(tex, "figure")) == 17
    shorter = tex.replace(r"\begin{figure}", r"\begin{picture}", 1)
    assert len(numbered(shorter, "figure")) < 17


def test_everything_that_says_something_is_somewhere():
    names = {study.name for study in STUDIES}
    pictures = [item["label"] for item in ITEMS if not item["here"]]
    assert pictures == ["fig: comparison_svt_typical", "fig: framework"]
    for item in ITEMS:
        for name in item["here"].split():
            assert name in names or exists(name), f"{item['kind']} {item['number']}: {name}"


def exists(name: str) -> bool:
    if name.startswith("theory/"):
        return (ROOT / "docs" / f"{name}.md").is_file()
    for cut in range(name.count(".") + 1):
        module, *rest = [name.rsplit(".", cut)[0], *name.split(".")[name.count(".") + 1 - cut :]]
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        for part in rest:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_every_study_of_the_paper_is_placed_and_every_numbered_claim_is_judged():
    assert place_of("ncr-by-budget") == "Figure 7"
    wheres = " ; ".join(claim.where for claim in CLAIMS)
    for item in ITEMS:
        if item["kind"] in ("Section", "Appendix") and not item["here"].startswith("theory/"):
            section, ordinal = item["number"].rsplit(", ", 1)
            assert f"{item['kind']} {section}, {ordinal}" in wheres or (
                f"Section {section}, first to third" in wheres
            ), item["number"]
