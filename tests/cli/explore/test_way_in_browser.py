"""The way of someone new through the page, in a real Chromium: what comes next is in sight."""

from __future__ import annotations

import pytest

from overbar import Ledger
from tests.cli.explore.conftest import fits, opened, started
from tests.cli.explore.shop_folder import HIGH, furnish, query, spent

PLAN = "?question=top&cutoff=5&candidates=20&epsilon=2&dataset=sales"
#: What of a part is between the line of messages and the bar at the bottom.
IN_SIGHT = """(part) => { const box = part.getBoundingClientRect();
  const above = document.querySelector(".status").getBoundingClientRect().bottom;
  const below = document.querySelector(".always").getBoundingClientRect().top;
  return box.height > 0 && box.top >= above && box.bottom <= below; }"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A page with a ledger that has a small budget too."""
    pytest.importorskip("starlette")
    folder = furnish(tmp_path_factory.mktemp("shop"))
    Ledger(folder / "budget.db").open("small", epsilon=1)
    running = started(folder, "--ledger", "budget.db")
    yield running
    running.end()


def in_sight(tab, selector):
    return tab.locator(selector).first.evaluate(IN_SIGHT)


def test_another_station_begins_at_its_first_field(context, shop):
    tab = opened(context, shop, PLAN)
    tab.set_viewport_size({"width": 1280, "height": 600})
    tab.evaluate("document.querySelector('.fields').scrollTop = 9999")
    assert tab.evaluate("document.querySelector('.fields').scrollTop") > 0
    tab.click("[data-station=ask]")
    assert in_sight(tab, "[name=file]")
