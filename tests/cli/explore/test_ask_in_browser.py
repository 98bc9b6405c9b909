"""The ask station in a real Chromium: nothing is spent by accident, and nothing twice."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from overbar import Ledger
from overbar._numbers import short_text
from overbar.cli.explore.ask_station import AskStation
from tests.cli.explore.conftest import opened, started
from tests.cli.explore.shop_folder import ASKED, BOUGHT, HIGH, furnish, query, spent
from tests.cli.shop import run


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    pytest.importorskip("starlette")
    running = started(furnish(tmp_path_factory.mktemp("shop")), "--ledger", "budget.db")
    yield running
    running.stop()


@pytest.fixture
def doomed(tmp_path):
    """A page that a test may kill."""
    running = started(furnish(tmp_path), "--ledger", "budget.db")
    yield running
    running.stop()


def until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def press(tab):
    """Say yes to spending, as far as the click."""
    tab.click("#spend")
    tab.wait_for_selector("#sure[open]")
    return tab.locator("#yes")


def found(tab):
    tab.wait_for_selector("#answered table")
    return {one.inner_text() for one in tab.query_selector_all("#answered tbody td:last-child")}


def test_a_question_from_the_dry_run_to_the_answer(context, shop, monkeypatch):
    tab = opened(context, shop, "?cutoff=5&candidates=20&epsilon=2&threshold=9")
    tab.click("[data-station=ask]")
    for name in ("file", "catalogue"):
        tab.select_option(f"[name={name}]", ASKED[name])
    tab.check("[name=question][value=top]")
    for name in ("item", "person", "cutoff", "epsilon", "delta"):
        tab.fill(f"[name={name}]", ASKED[name])
    tab.fill("[name=purpose]", "which to stock")
    tab.click("#dry")
    tab.wait_for_selector("#dried:not([hidden])")
    monkeypatch.chdir(shop.folder)
    words = shlex.split(tab.inner_text("#command"))[1:]
    assert run(*words, "--dry-run").stdout == tab.text_content("#dried")
    before = spent(shop.folder)

    press(tab)
    said = "At most this is spent: pure differential privacy with ε = 1"
    assert said in tab.inner_text("#cost")
    assert f"The ledger has {before.left} left for sales." in tab.inner_text("#cost")
    tab.click("#no")
    assert spent(shop.folder) == before
    assert "request" not in tab.url
    press(tab).click()
    assert found(tab) == HIGH
    assert "This run has cost ε = 1." in tab.inner_text("#answered")
    entry = spent(shop.folder).entries[-1]
    assert entry.request_id == dict(parse_qsl(urlsplit(tab.url).query))["request"]
    assert entry.purpose == "which to stock"
    for name in ("answer.csv", "answer.json", "answer.html"):
        with tab.expect_download() as got:
            tab.click(f"text=Download {name}")
        text = Path(got.value.path()).read_text()
        assert got.value.suggested_filename == name
        assert all(label in text for label in HIGH)
    assert not tab.query_selector("#owner[open]")
    tab.click("#owner summary")
    tab.click("#check")
    tab.wait_for_selector("#checked:not([hidden])")
    assert "NOT PRIVATE" in tab.inner_text("#checked").upper()
    tab.reload()  # never spends again
    assert found(tab) == HIGH
    assert "nothing was spent now" in tab.inner_text("#answered")
    assert len(spent(shop.folder).entries) == len(before.entries) + 1
    tab.fill("[name=cutoff]", "2")  # another question is another request
    tab.wait_for_function("!location.search.includes('request')")
    assert tab.inner_text("#answered") == ""


def test_two_tabs_spend_the_same_request_once_and_say_nothing_private(context, doomed):
    shop = doomed
    tabs = [opened(context, shop, query(request="monday")) for _ in range(2)]
    for yes in [press(tab) for tab in tabs]:
        yes.click(no_wait_after=True)
    assert [found(tab) for tab in tabs] == [HIGH, HIGH]
    account = spent(shop.folder)
    assert len(account.entries) == 1
    assert account.spent.pure == 1
    seen = [text for tab in tabs for text in (tab.content(), tab.url, tab.title())]
    seen += shop.stop()
    drawn = re.compile(r"blob:[^\"]*|127\.0\.0\.1:\d+")  # ids and ports come by chance
    whole = drawn.sub("", "\n".join(seen))
    for label in HIGH:
        assert label in whole
        assert not re.search(rf"{BOUGHT[label]}|{BOUGHT[label]:,}", whole)


def test_a_killed_server_loses_nothing(context, doomed):
    shop = doomed
    tab = opened(context, shop, query(request="tuesday"))
    press(tab).click()
    until(lambda: spent(shop.folder).entries or runs(shop))
    shop.process.kill()
    tab.wait_for_selector("#wrong:not([hidden])")
    assert "nothing is lost" in tab.inner_text("#wrong")
    until(lambda: [one for one in spent(shop.folder).entries if not one.open])
    again = started(shop.folder, "--ledger", "budget.db")
    try:
        other = opened(context, again, "?" + urlsplit(tab.url).query)
        assert found(other) == HIGH
        assert "nothing was spent now" in other.inner_text("#answered")
        assert spent(shop.folder).spent.pure == spent(shop.folder).balance.total.pure == 1
    finally:
        again.stop()


def runs(running):
    """Return the processes that a page has started to ask, each the first of a group of its own."""
    pid = running.process.pid
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found if os.getpgid(int(one)) == int(one)]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are found in /proc")
def test_a_killed_run_is_told_and_counted_at_most_once_more(shop):
    asked = {**ASKED, "request": "wednesday"}

    def tries():
        return [one for one in spent(shop.folder).entries if one.request_id == "wednesday"]

    with ThreadPoolExecutor() as pool:
        first = pool.submit(shop.answer, "/spend", **asked)
        until(lambda: runs(shop))
        os.killpg(runs(shop)[0], signal.SIGKILL)
        assert "if it was reserved already, it counts as spent" in first.result()["error"]
    lost = len(tries())
    state = shop.answer("/look-back", **asked)
    assert state == {"state": "open" if lost else "new"}
    assert len(tries()) == lost
    assert set(json.loads(shop.answer("/spend", **asked)["files"]["answer.json"])["labels"]) == HIGH
    assert [one.open for one in tries()] == [True] * lost + [False]


def test_counts_come_with_their_intervals(shop):
    told = shop.answer("/spend", **{**ASKED, "request": "friday", "counts": "yes"})
    fields = json.loads(told["files"]["answer.json"])
    assert told["html"].count("bar with its interval") == len(fields["counts"]) == 3
    assert "interval of 95 %" in told["html"]
    for one in fields["counts"]:
        assert f"<td class=number>{short_text(Fraction(one['count']))}</td>" in told["html"]


def test_only_tables_of_this_folder_are_offered(shop, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.csv"
    outside.write_text("customer,product\n")
    (shop.folder / "link.csv").symlink_to(outside)
    (shop.folder / ".hidden.csv").write_text("")
    (shop.folder / "note.md").write_text("")
    listed = shop.answer("/start")["files"]
    assert listed == ["products.txt", "sales.csv", "sales.parquet", "shop.duckdb"]
    for name in (
        "link.csv",
        ".hidden.csv",
        "budget.db",
        str(outside),
        "../secret.csv",
        "*.csv",
        "-",
    ):
        for path in ("/schema", "/check", "/dry-run", "/spend", "/look-back"):
            said = shop.answer(path, **{**ASKED, "file": name, "request": "x"})
            assert "must be one of those listed" in said["error"]
        said = shop.answer("/dry-run", **{**ASKED, "catalogue": name})
        assert "must be one of those listed" in said["error"]


def test_the_schema_is_offered_where_the_file_states_it(shop):
    assert shop.answer("/schema", file="sales.csv") == {"tables": [], "columns": []}
    columns = ["customer", "product"]
    assert shop.answer("/schema", file="sales.parquet") == {"tables": [], "columns": columns}
    told = shop.answer("/schema", file="shop.duckdb")
    assert told == {"tables": ["sales"], "columns": columns}


def test_a_command_shows_no_password(tmp_path, monkeypatch):
    class Named(Ledger):
        def __init__(self):
            pass

        name = "postgresql://ann@db/budgets"

    address = "postgresql://ann:secret@db/budgets"
    station = AskStation(furnish(tmp_path), address=address, ledger=Named())

    async def said(_, words):
        assert f"--ledger={address}" in words
        return ""

    monkeypatch.setattr(AskStation, "_told", said)
    with ThreadPoolExecutor() as other:  # a browser may have a loop in this thread
        told = other.submit(lambda: asyncio.run(station.dry_run(ASKED))).result()
    assert "--ledger=postgresql://ann@db/budgets" in told["command"]
    assert "secret" not in str(told)


def test_what_the_command_refuses_is_told_and_options_are_no_words_of_a_shell(shop):
    before = spent(shop.folder)
    said = shop.answer("/dry-run", **{**ASKED, "item": "; touch bad", "epsilon": "-1"})
    assert said["error"] == "--epsilon must be positive, got '-1'"
    said = shop.answer("/spend", **{**ASKED, "request": "a", "item": "--help"})
    assert "--help" in said["error"]
    said = shop.answer("/spend", **{**ASKED, "request": ""})
    assert "a ledger must pay" in said["error"]
    assert spent(shop.folder) == before
    assert not (shop.folder / "bad").exists()


def test_the_budget_is_shown_and_verified(context, shop):
    ledger = Ledger(shop.folder / "budget.db")
    ledger.open("visits", epsilon=1, delta="1e-6", note="<b>from the web</b>")
    ledger.spend("sales", epsilon="1.25", request_id="mean", purpose="a mean")
    tab = opened(context, shop, "?cutoff=5&candidates=20&epsilon=2&threshold=9")
    tab.click("[data-station=budget]")
    tab.wait_for_selector("#accounts section")
    said = tab.inner_text("#accounts")
    left = spent(shop.folder).left
    for text in ("ε = 50", "1.25", left, "a mean", "mean", "visits", "<b>from the web</b>"):
        assert text in said
    assert tab.get_attribute("svg.gone", "aria-label").endswith(" of 50 is gone")
    assert tab.is_hidden("#asked")
    tab.click("#verify")
    tab.wait_for_selector("#verified:not([hidden])")
    assert ledger.head in tab.inner_text("#verified")
    tab.reload()
    tab.wait_for_selector("#accounts section")
    for width in (1280, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    file = shop.folder / "budget.db"
    whole = file.read_bytes()
    assert b"a mean" in whole
    file.write_bytes(whole.replace(b"a mean", b"a lean"))
    tab.click("#verify")
    tab.wait_for_selector("#wrong:not([hidden])")
    assert tab.is_hidden("#verified")
    file.write_bytes(whole)
