"""The plan station answers every kind of question in full, from its process beside the page."""

import re
from importlib.resources import files

import pytest

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


def test_what_a_plan_does_not_know_is_said(page):
    asked = {"question": "top", "epsilon": "1", "cutoff": "3", "candidates": "100"}
    html = page.answer("/plan", **asked, value="amount", groups="region=a,b")["html"]
    assert "A dry run knows sums of a column and groups too." in html
    assert "dry run" not in page.answer("/plan", **asked)["html"]


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
