"""The plan station answers every kind of question in full, from its process beside the page."""

import pytest

KINDS = {
    "pure": {"delta": "0"},
    "with delta": {"delta": "1e-6"},
    "with delta and counts": {"delta": "1e-6", "counts": "yes"},
    "few items": {"delta": "1e-6", "items_per_person": "3"},
}


@pytest.mark.parametrize("question", ["select", "top"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_plan_is_answered(page, kind, question):
    asked = {"question": question, "epsilon": "1", "cutoff": "50", "candidates": "10000"}
    asked |= {"threshold": "500"} if question == "select" else {}
    shown = page.answer("/plan", **asked, **KINDS[kind], look="whole")
    assert shown.get("whole") is True, shown.get("error")
    assert len(shown["copies"]) == 4
