"""The way of someone new through the page, in a real Chromium: what comes next is in sight."""

from __future__ import annotations

from pathlib import Path

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
    """A page with a ledger that has other budgets too."""
    pytest.importorskip("starlette")
    folder = furnish(tmp_path_factory.mktemp("shop"))
    Ledger(folder / "budget.db").open("small", epsilon=1)
    Ledger(folder / "budget.db").open("searches", epsilon=500, delta="1e-3")
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


def test_an_answer_comes_first_with_the_page_to_show_around(context, shop):
    tab = opened(context, shop, query())
    tab.set_viewport_size({"width": 1280, "height": 600})
    for question in ("top", "keys"):
        asked = query(question=question, request=question, dataset="searches", delta="1e-6")
        tab.goto(f"{shop.base}/{asked}")
        tab.wait_for_selector("#planned[data-look=whole]", state="attached")
        tab.evaluate("document.querySelector('#yes').click()")
        tab.wait_for_selector("#files a, #wrong:not([hidden])")
        assert tab.inner_text("#wrong") == ""
        assert in_sight(tab, "#answered h2")
        assert in_sight(tab, "text=Save the page to show around (HTML)")
        with tab.expect_download() as got:
            tab.click("#files [download='answer.html']")
        page = Path(got.value.path()).read_text()
        first, _, after = page.partition("What was asked")
        assert "sales.csv" in after
        assert "sales.csv" not in first
        assert "tea" in first
        fits(tab)
        tab.set_viewport_size({"width": 1280, "height": 600})


def test_spend_waits_for_a_file_and_says_so(context, shop):
    tab = opened(context, shop, PLAN)
    assert tab.is_disabled("#spend")
    assert tab.get_attribute("#spend", "title") == "First choose a file, under Ask"
    assert "to ask your table go to Ask" in tab.inner_text(".fields")
    tab.click("[data-station=ask]")
    assert "to ask your table go to Ask" not in tab.inner_text(".fields")
    assert tab.is_disabled("#spend")
    tab.select_option("[name=file]", "sales.csv")
    assert tab.is_enabled("#spend")
    assert tab.get_attribute("#spend", "title") == ""


def test_what_does_not_fit_is_not_offered_and_what_is_paid_is_shown_again(context, shop):
    tab = opened(context, shop, query(dataset="small"))
    tab.click("#spend")
    tab.wait_for_selector("#sure[open]")
    assert tab.inner_text("#line") == "Top 3 of product by customer, from sales.csv"
    tab.click("#yes")
    tab.wait_for_selector("#answered ol.answer")
    once = tab.inner_text("#answered ol.answer")
    assert set(once.split()) == HIGH
    account = spent(shop.folder, "small")
    tab.click("#spend")  # the same request
    tab.wait_for_selector("#said:has-text('You have paid for this answer: shown again, free.')")
    assert tab.inner_text("#answered ol.answer") == once
    assert tab.is_hidden("#sure")
    tab.fill("[name=cutoff]", "2")  # another
    tab.click("#spend")
    tab.wait_for_selector("#sure[open]")
    assert "does not fit" in tab.inner_text("#price")
    assert tab.is_hidden("#yes")
    assert "cannot be taken back" not in tab.inner_text("#sure")
    fits(tab)
    tab.click("#no")
    assert spent(shop.folder, "small") == account
    tab.select_option("[name=dataset]", "searches")
    tab.click("#spend")
    tab.wait_for_selector("#sure[open]")
    assert tab.is_visible("#yes")


def test_the_page_names_its_own_fields(context, shop):
    tab = opened(context, shop, query())
    tab.click("#dry")
    tab.wait_for_selector("#dried:not([hidden])")
    said = tab.inner_text("#told")
    assert "--items-per-person" not in said
    name = "Items per person at most"
    assert f"Say how many items one person has at most (in “{name}”)" in said
    assert name in tab.inner_text("label:has([name=items_per_person])")
