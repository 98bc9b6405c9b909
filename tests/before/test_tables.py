"""This house scores nasty tables as the house before did: a few of what a campaign compares."""

from __future__ import annotations

import pytest

from tests.before import tables

BEFORE = tables.before()
pytestmark = pytest.mark.skipif(BEFORE is None, reason="python -m tools.before makes what it needs")
NUMBERS = [0, 1, 2, 3, 199]


def test_scores_are_those_of_before():
    compared, found = tables.differences(BEFORE, NUMBERS)
    assert found == []
    assert compared > 15


def test_control_a_leak_of_today_differs():
    _, found = tables.differences(BEFORE, NUMBERS, "NaN is the highest")
    assert any(what.startswith("sums") for what in found)
