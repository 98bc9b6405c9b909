"""The plan station answers every kind of question in full, from its process beside the page."""

import re
from html import unescape
from importlib.resources import files

import pytest

from tests.cli.shop import run

KINDS = {
    "pure": {"delta": "0"},
    "with delta": {"delta": "1e-6"},
    "with delta and counts": {"delta": "1e-6", "counts": "yes"},
    "few items": {"delta": "1e-6", "items_per_person": "3"},
}


@pytest.mark.parametrize(
    ("question", "kind"),
    [*(("select", kind) for kind in KINDS), ("top", "with delta and counts")],
)
def test_a_whole_plan_is_answered(page, kind, question):
    asked = {"question": question, "epsilon": "1", "cutoff": "3", "candidates": "100"}
    asked |= {"threshold": "50"} if question == "select" else {}
    shown = page.answer("/plan", **asked, **KINDS[kind], look="whole")
    assert shown.get("whole") is True, shown.get("error")
    assert len(shown["copies"]) == 4


VALUES = {
    "quantile": {"at": "0.5,0.95", "of": "largest", "ladder": "whole"},
    "mean": {"delta": "1e-6"},  # which it has not
    "describe": {"delta": "1e-6", "number": "age\nincome", "day": "born", "text": "city"},
}


@pytest.mark.parametrize("question", VALUES)
def test_a_question_about_values_is_planned_as_a_dry_run_says(page, question, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("value,person,age,income,born,city\n")
    asked = {"question": question, "epsilon": "1", "threshold": "500", **VALUES[question]}
    shown = page.answer("/plan", **asked)
    assert shown.get("whole") is True, shown.get("error")
    words = [f"--{name}={one}" for name, text in VALUES[question].items() if question != "mean"
             for one in text.split("\n")]  # fmt: skip
    words += [] if question == "describe" else ["--value=value"]
    told = run(question, str(table), "--person=person", "--epsilon=1", *words, "--dry-run").stdout
    said = " ".join(told.split())
    assert shown["cost"][0] in said
    assert "folded" not in shown["html"]
    lead = unescape(re.search('class="promise">(.*?)</p>', shown["html"])[1])
    assert lead in said


def test_what_a_plan_does_not_know_is_said(page):
    asked = {"question": "top", "epsilon": "1", "cutoff": "3", "candidates": "100"}
    html = page.answer("/plan", **asked, value="amount", groups="region=a,b")["html"]
    assert "A dry run knows sums of a column and groups too." in html
    assert "dry run" not in page.answer("/plan", **asked)["html"]
    shown = page.answer("/plan", **asked, items_per_person=" auto ", look="whole")
    assert "A dry run knows the number of items that is found first too." in shown["html"]
    assert shown["cost"][0] == "A run costs at most ε = 1."
    refused = run("plan", "--top", "--cutoff=3", "--epsilon=1", "--items-per-person=auto")
    assert refused.exit_code == 2
    assert "dry run of select or top" in refused.stderr
    wrong = page.answer("/plan", question="describe", epsilon="1", number="*")
    assert "use a dry run" in wrong["error"]


@pytest.mark.parametrize("question", ["select", "top", "keys"])
def test_a_large_delta_is_refused_and_one_that_is_rather_large_is_warned_of(page, question):
    asked = {"question": question, "epsilon": "1", "cutoff": "3", "candidates": "9"}
    refused = page.answer("/plan", **asked, delta="0.5")
    assert "--delta must be at most 0.01, got '0.5'" in refused["error"]
    if question == "keys":
        assert "this protects nobody" in page.answer("/plan", **asked, delta="0.01")["html"]


def test_the_page_has_no_class_that_means_something_else_in_a_report():
    """An answer stands in the page, and must not get what the page has at its bottom."""
    page, report = (
        set(re.findall(r"\.([a-z][\w-]*)", files(package).joinpath(name).read_text()))
        for package, name in (("overbar.cli.explore", "page.css"), ("overbar.report", "report.css"))
    )
    assert "always" in page
    assert "bar" in report
    assert not page & report
