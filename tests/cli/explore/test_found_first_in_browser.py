"""Bounds that are found first can be asked for on the page, by the word that a user types."""

from __future__ import annotations

import pytest

from overbar import Ledger
from tests.cli.explore.conftest import opened, outside, started
from tests.cli.explore.shop_folder import query


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    """A page beside a table with amounts: of 6,000 customers each has three products."""
    pytest.importorskip("starlette")
    folder = tmp_path_factory.mktemp("till")
    products = [f"p{number}" for number in range(30)]
    lines = [
        f"c{customer},{products[(customer + step) % 3 + 3 * (customer % 10)]},{step + 1}.50"
        for customer in range(6000)
        for step in range(3)
    ]
    (folder / "sales.csv").write_text("\n".join(["customer,product,amount", *lines]) + "\n")
    (folder / "products.txt").write_text("\n".join(products) + "\n")
    Ledger(folder / "budget.db").open("sales", epsilon=50)
    running = started(folder, "--ledger", "budget.db")
    yield running
    running.end()


@pytest.mark.parametrize(
    ("typed", "known", "found"),
    [
        (
            {"value": "amount", "value_range": "auto"},
            "sums of a column",
            "The range of sums, 0 to ",
        ),
        ({"items_per_person": "auto"}, "the number of items", "Of each person at most 3 items"),
    ],
)
def test_auto_is_typed_and_what_was_found_is_shown(context, till, typed, known, found):
    """The price is always in sight, and nothing is called wrong on the way."""
    tab = opened(context, till, query(cutoff="20", epsilon="4", counts="yes"))
    tab.set_viewport_size({"width": 1280, "height": 720})
    for name, text in typed.items():
        tab.fill(f"[name={name}]", text)
    tab.wait_for_selector(f"#planned :has-text('A dry run knows {known}')", state="attached")
    assert "A run costs at most ε = 4." in tab.inner_text("#cost")
    tab.click("#spend")
    tab.wait_for_selector("#sure[open], #wrong:not([hidden])")
    assert tab.inner_text("#wrong") == ""
    assert "is found first, from ε = " in tab.inner_text("#told")
    assert outside(tab) == []
    tab.click("#yes")
    tab.wait_for_selector("#answered table, #wrong:not([hidden])")
    assert found in tab.inner_text("#answered-bounds + .promise")
    assert tab.inner_text("#cost").startswith("This cost ε = 4 of 50;")
