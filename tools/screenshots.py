"""Make the screenshots of docs/explore.md: ``python -m tools.screenshots [FOLDER]``.

It needs the extra `test` and a Chromium. With a FOLDER it also takes pictures of other sizes and
themes, to look at. The answer in them is drawn anew each time.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from conftest import chromium
from overbar import Ledger
from tests.cli.explore.conftest import Running, opened, started
from tests.cli.explore.shop_folder import furnish, query

#: The documentation shows the first.
LOOKS = (
    ("", 1280, 860, "light"),
    ("-low-light", 1280, 720, "light"),
    ("-desk-dark", 1280, 1000, "dark"),
    ("-phone-light", 390, 844, "light"),
    ("-phone-dark", 390, 844, "dark"),
)
DOCUMENTATION = Path(__file__).parents[1] / "docs" / "_static"
#: A question with some noise to see.
PLAN = "?question=select&cutoff=50&threshold=500&candidates=10000&epsilon=1&delta=0&persons=20000"


def stations(tab: Page, page: Running, name: str, folder: Path) -> None:
    """Walk through the stations of a page and take a picture of each."""

    def picture(station: str) -> None:
        tab.screenshot(path=folder / f"explore-{station}{name}.png")

    picture("plan")
    tab.goto(page.base + "/" + query(request=f"monday{name}", counts="yes"))
    tab.wait_for_selector("#planned[data-look=whole]", state="attached")
    tab.click("#spend")
    tab.click("#yes")
    tab.wait_for_selector("#answered table")
    picture("ask")
    tab.click("[data-station=budget]")
    tab.wait_for_selector("#accounts section")
    tab.click("#verify")
    tab.wait_for_selector("#verified:not([hidden])")
    picture("budget")


def make(folder: Path, looks: Sequence[tuple[str, int, int, str]]) -> None:
    """Start a page on a small shop and take the pictures."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        shop = furnish(Path(place))
        ledger = Ledger(shop / "budget.db")
        ledger.booking("sales", request_id="mean-2026", purpose="mean of the totals").spend(
            epsilon="7.5", neighbours="person"
        )
        page = started(shop, "--ledger", "budget.db")
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for name, width, height, theme in looks:
            size = {"width": width, "height": height}
            context = browser.new_context(viewport=size, color_scheme=theme)
            stations(opened(context, page, PLAN), page, name, folder)
            context.close()
        browser.close()
        page.stop()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        make(Path(sys.argv[1]), LOOKS)
    else:
        make(DOCUMENTATION, LOOKS[:1])
