"""The ask station in a real Chromium: nothing is spent by accident, and nothing twice."""

import asyncio
import json
import os
import re
import shlex
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from overbar import Ledger
from overbar.cli.explore.ask_station import AskStation
from overbar.cli.explore.plan_station import on_page
from overbar.cli.question_file import words_of
from overbar.report.report import report_of
from tests.cli.explore.conftest import copied, fits, opened, started, undriven
from tests.cli.explore.shop_folder import ASKED, BOUGHT, HIGH, PRIVATE, furnish, query, spent
from tests.cli.shop import run

COLUMNS = ["customer", "product"]
#: HTML as a browser has it.
AS_SHOWN = """(html) => { const shown = document.createElement("div");
  shown.innerHTML = html; return shown.innerHTML; }"""
#: A plan that is quickly made.
PLAN = "cutoff=5&candidates=20&epsilon=2&threshold=9"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A page with a ledger. Whatever was asked, it has logged nothing in the end."""
    pytest.importorskip("starlette")
    folder = furnish(tmp_path_factory.mktemp("shop"))
    Ledger(folder / "budget.db").open("searches", epsilon=500, delta="1e-3")
    running = started(folder, "--ledger", "budget.db")
    yield running
    assert not PRIVATE.search(running.end())


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


def say_yes(tab):
    """Spend without the dry run before."""
    tab.evaluate("document.querySelector('#yes').click()")


def found(tab):
    tab.wait_for_selector("#answered ol.answer")
    return {one.inner_text() for one in tab.query_selector_all("#answered ol.answer li")}


def test_a_question_from_the_dry_run_to_the_answer(context, shop, monkeypatch):
    tab = opened(context, shop, f"?{PLAN}")
    tab.click("[data-station=ask]")
    tab.select_option("[name=file]", "shop.duckdb")
    tab.wait_for_selector("[name=table]:visible")
    tab.select_option("[name=table]", "sales")
    offered = tab.locator("#columns option")
    assert [one.get_attribute("value") or one.inner_text() for one in offered.all()] == COLUMNS
    for name in ("file", "catalogue"):
        tab.select_option(f"[name={name}]", ASKED[name])
    tab.wait_for_selector("[name=table]", state="hidden")
    tab.check("[name=question][value=top]")
    for name in ("item", "person", "cutoff", "epsilon", "delta"):
        tab.fill(f"[name={name}]", ASKED[name])
    tab.fill("[name=purpose]", "which to stock")
    tab.select_option("[name=dataset]", "sales")
    tab.click("#dry")
    tab.wait_for_selector("#dried:not([hidden]), #wrong:not([hidden])")
    assert tab.inner_text("#wrong") == ""
    monkeypatch.chdir(shop.folder)
    told, command = tab.inner_html("#told"), tab.inner_text("#command")
    words = [*shlex.split(command)[1:], "--dry-run"]
    report = report_of(run(*words, "--format", "json").stdout)
    assert tab.evaluate(AS_SHOWN, on_page(report, "told-")) == told
    Path("question.toml").write_text(copied(tab, "question", "#command"))
    assert run("run", "question.toml", "--dry-run").stdout == run(*words).stdout
    assert copied(tab, "command", "#command") == command
    before = spent(shop.folder)

    press(tab)
    assert "A run costs at most ε = 1." in tab.inner_text("#price")
    left = f"Of the budget of {before.granted} for sales, {before.left} is left."
    assert left in tab.inner_text("#price")
    tab.click("#no")
    tab.evaluate("document.querySelector('#sure').showModal()")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#sure", state="hidden")
    assert spent(shop.folder) == before
    assert "request" not in tab.url
    tab.evaluate("document.querySelector('#sure').showModal()")
    assert tab.evaluate("document.activeElement.id") == "yes"
    tab.keyboard.press("Enter")
    assert found(tab) == HIGH
    assert "This cost ε = 1 of" in tab.inner_text("#answered")
    entry = spent(shop.folder).entries[-1]
    assert entry.request_id == dict(parse_qsl(urlsplit(tab.url).query))["request"]
    assert entry.purpose == "which to stock"
    for name in ("answer.csv", "answer.json", "answer.html"):
        with tab.expect_download() as got:
            tab.click(f"#files [download='{name}']")
        text = Path(got.value.path()).read_text()
        assert got.value.suggested_filename == name
        assert all(label in text for label in HIGH)
        assert not PRIVATE.search(text)
    assert not tab.query_selector("#owner[open]")
    tab.click("#owner summary")
    tab.click("#check")
    tab.wait_for_selector("#checked:not([hidden])")
    assert "NOT PRIVATE" in tab.inner_text("#checked").upper()
    assert PRIVATE.search(tab.inner_text("#checked"))  # here, and nowhere else
    tab.evaluate("document.querySelector('#checked').remove()")
    assert not PRIVATE.search(shown(tab))
    tab.reload()  # never spends again
    assert found(tab) == HIGH
    assert "nothing was spent now" in tab.inner_text("#answered")
    assert len(spent(shop.folder).entries) == len(before.entries) + 1
    tab.fill("[name=cutoff]", "2")  # another question is another request
    tab.wait_for_function("!location.search.includes('request')")
    assert tab.inner_text("#answered") == ""


def test_keys_are_asked_for_once_and_it_fits(context, shop):
    """At ε = 8 keys of 90 persons or more come out, but for a chance far below 1e-12."""
    asked = {"question": "keys", "epsilon": "8", "delta": "1e-6", "items_per_person": "4"}
    tab = opened(context, shop, query(**asked, dataset="searches", counts="yes"))
    press(tab)
    fits(tab)  # the dry run and the dialog
    assert "A run costs at most ε = 8 and δ = 1e-6." in tab.inner_text("#price")
    assert "for searches" in tab.inner_text("#price")
    guaranteed = "(ε, δ)-differential privacy with ε = 8 and δ = 1e-6"
    assert guaranteed in tab.text_content("#told")
    tab.click("#yes")
    tab.wait_for_selector("#answered table")
    rows = tab.locator("#answered tbody tr")
    labels = [row.split("\t")[0] for row in rows.all_inner_texts()]
    assert sorted(labels[:-1]) == sorted(BOUGHT)  # the largest count comes first
    assert labels[-1] == "everything else"
    assert rows.locator("svg[aria-label='bar with its interval']").count() == len(labels)
    assert "Keys held by about" in tab.inner_text("#answered")
    fits(tab)
    (entry,) = spent(shop.folder, "searches").entries
    assert entry.request_id == dict(parse_qsl(urlsplit(tab.url).query))["request"]


def test_sums_and_groups_are_asked_as_the_command_would(context, shop):
    """Every option of the folded part goes into the command that is shown, and it runs."""
    rows = "".join(f"p{n};{n % 40},5;{'nord' if n % 2 else 'süd'}\n" for n in range(900))
    text = f"Umsätze 2024\nKundin;Betrag;Gebiet\n{rows}"
    (shop.folder / "umsatz.csv").write_bytes(text.encode("cp1252"))
    (shop.folder / "gebiete.txt").write_bytes("nord\nsüd\n".encode("cp1252"))
    tab = opened(context, shop, query(file="umsatz.csv", catalogue="", candidates="", delta="1e-6"))
    tab.click(".fields summary")
    tab.fill("[name=encoding]", "cp1252")
    tab.fill("[name=header_row]", "2")
    tab.fill("[name=where]", "Gebiet != 'ost'")
    tab.select_option("[name=decimal_comma]", "yes")
    tab.fill("[name=groups]", "Gebiet=nord,süd")
    tab.fill("[name=groups_per_person]", "1")
    for name, text in (("value", "Betrag"), ("value_range", "0,40"), ("person", "Kundin")):
        tab.fill(f"[name={name}]", text)
    offered = tab.locator("#columns option")
    tab.wait_for_selector("#columns option:nth-child(3)", state="attached")
    names = [one.get_attribute("value") or one.inner_text() for one in offered.all()]
    assert names == ["Kundin", "Betrag", "Gebiet"]
    assert "owner’s eyes" in tab.inner_text("#offered")
    sent = {name: tab.input_value(f"[name={name}]") for name in (
        "encoding", "header_row", "where", "decimal_comma", "groups", "groups_per_person",
        "value", "value_range")}  # fmt: skip
    command = shlex.join(words_of(AskStation(shop.folder).options({**ASKED, **sent})))
    for word in ("--encoding=cp1252", "--header-row=2", "Gebiet=nord,süd", "--groups-per-person=1",
                 "--value-range=0,40", "--decimal-comma", "ost"):  # fmt: skip
        assert word in command
    for name, text in (
        ("groups", ""),
        ("groups_per_person", ""),
        ("item", "Gebiet"),
        ("delta", "0"),
    ):
        tab.fill(f"[name={name}]", text)
    tab.select_option("[name=catalogue]", "gebiete.txt")
    tab.evaluate("document.querySelector('[name=epsilon]').value = '20'")
    say_yes(tab)
    tab.wait_for_selector("#answered ol.answer, #wrong:not([hidden])")
    assert tab.inner_text("#wrong") == ""
    assert found(tab) == {"nord", "süd"}
    assert tab.inner_text("#said").startswith("This cost ε = 13.4 of 50;")


def test_two_tabs_spend_the_same_request_once_and_say_nothing_private(context, shop):
    before = spent(shop.folder)
    tabs = [opened(context, shop, query(request="monday")) for _ in range(2)]
    for tab in tabs:
        say_yes(tab)
    assert [found(tab) for tab in tabs] == [HIGH, HIGH]
    account = spent(shop.folder)
    assert len(account.entries) == len(before.entries) + 1
    assert account.spent.pure == before.spent.pure + 1
    for tab in tabs:
        assert all(label in shown(tab) for label in HIGH)
        assert not PRIVATE.search(shown(tab))


def shown(tab):
    """Return all that a tab shows, and where it is; ids and ports come by chance."""
    return re.sub(
        r"blob:[^\"]*|127\.0\.0\.1:\d+|request=[-\w]*|value=\"[-\w]{36}\"",
        "",
        "\n".join([tab.content(), tab.url, tab.title()]),
    )


def test_a_killed_server_loses_nothing(context, doomed):
    shop = doomed
    tab = opened(context, shop, query(request="tuesday"))
    say_yes(tab)
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
        again.end()


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
    with pytest.raises(TimeoutError):  # whoever asked goes away, and the run goes on
        shop.ask("/spend", asked, patience=0.5)
    told = shop.answer("/look-back", **asked)
    assert set(json.loads(told["files"]["answer.json"])["labels"]) == HIGH
    assert [one.open for one in tries()] == [True] * lost + [False]


def test_only_tables_of_this_folder_are_offered(shop, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.csv"
    outside.write_text("customer,product\n")
    (shop.folder / "link.csv").symlink_to(outside)
    (shop.folder / ".hidden.csv").write_text("")
    (shop.folder / "note.md").write_text("")
    listed = {*shop.answer("/start")["files"]} - {"umsatz.csv", "gebiete.txt"}
    assert sorted(listed) == ["products.txt", "sales.csv", "sales.parquet", "shop.duckdb"]
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


def test_columns_of_every_file_are_offered(shop):
    assert shop.answer("/schema", file="sales.csv") == {"tables": [], "columns": COLUMNS}
    assert shop.answer("/schema", file="sales.csv", header_row="2")["columns"] == ["c0", "tea"]
    assert "--encoding" in shop.answer("/schema", file="sales.csv", encoding="klingon")["error"]
    assert "--header-row" in shop.answer("/schema", file="sales.csv", header_row="x")["error"]
    assert shop.answer("/schema", file="sales.parquet") == {"tables": [], "columns": COLUMNS}
    told = shop.answer("/schema", file="shop.duckdb")
    assert told == {"tables": ["sales"], "columns": COLUMNS}


def test_a_command_shows_no_password(tmp_path, monkeypatch):
    class Named(Ledger):
        def __init__(self):
            pass

        name = "postgresql://ann@db/budgets"

    address = "postgresql://ann:secret@db/budgets"
    station = AskStation(furnish(tmp_path), address=address, ledger=Named())

    class Ran:
        returncode = 0

        async def communicate(self):
            return b'{"report": {"title": "", "sections": [], "summary": ""}}', b""

    async def started(*words, env, **_):
        assert "secret" not in " ".join(words)  # which all can see in a list of processes
        assert env["OVERBAR_LEDGER"] == address
        return Ran()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", started)
    with ThreadPoolExecutor() as other:  # a browser may have a loop in this thread
        told = other.submit(lambda: asyncio.run(station.dry_run(ASKED))).result()
    assert "--ledger=postgresql://ann@db/budgets" in told["copies"]["command"]
    assert "set OVERBAR_LEDGER" in told["copies"]["question"]
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
    ledger.booking("sales", request_id="mean", purpose="a mean").spend(
        epsilon="1.25", neighbours="person"
    )
    tab = opened(context, shop, f"?{PLAN}&dataset=sales")
    left = spent(shop.folder).left
    tab.wait_for_selector("#planned :has-text('would be left')")
    planned = tab.inner_text("#planned")
    assert f"Of the budget of ε = 50 for sales, {left} is left." in planned
    assert f"After this run ε = {float(left.split()[2]) - 2:g} would be left." in planned
    tab.click("[data-station=budget]")
    tab.wait_for_selector("#accounts section")
    said = tab.inner_text("#accounts")
    for text in ("ε = 50", "1.25", left, "a mean", "mean", "visits", "<b>from the web</b>"):
        assert text in said
    assert tab.get_attribute("#accounts dl svg.gauge", "aria-label").endswith(" of 50 is gone")
    assert tab.is_hidden("#asked")
    tab.click("#verify")
    tab.wait_for_selector("#verified:not([hidden])")
    assert ledger.head in tab.inner_text("#verified")
    tab.reload()
    tab.wait_for_selector("#accounts section")
    fits(tab)
    file = shop.folder / "budget.db"
    whole = file.read_bytes()
    assert b"a mean" in whole
    file.write_bytes(whole.replace(b"a mean", b"a lean"))
    tab.click("#verify")
    tab.wait_for_selector("#wrong:not([hidden])")
    assert tab.is_hidden("#verified")
    file.write_bytes(whole)


def test_every_control_of_these_stations_was_used(context, shop, request):
    tab = opened(context, shop, f"?{PLAN}")
    inside = "[data-shown=ask], [data-shown=budget], [data-needs=datasets], .always .buttons"
    assert undriven(request, tab, inside) == set()
