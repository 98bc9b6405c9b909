"""The plan station in a real Chromium: every control, both themes, two widths, copies that run."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from fractions import Fraction
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

import overbar
from overbar import Plan, guarantee
from overbar._numbers import number_text
from overbar.frames import Question
from overbar.words.plan_words import quality_of
from tests.cli.explore.conftest import copied, fits, opened, outside, undriven
from tests.cli.shop import run

TINY = "?question=select&cutoff=2&threshold=300&candidates=20&epsilon=1&delta=0"
SMALL = "?question=select&cutoff=5&threshold=300&candidates=200&epsilon=1&delta=0"
DELTA = (
    "?question=select&cutoff=2&threshold=300&candidates=20&epsilon=1&delta=1e-6"
    "&items_per_person=3&unlisted=yes"
)
#: The sentence that says how good it is.
GOOD = "#planned-good + .promise"
KINDS = ("command", "python", "question", "plan")
#: Where the controls of this station are; those that need a table are used elsewhere.
INSIDE = (
    "header, .fields > :not([data-shown=ask]) label:not([data-shown=ask]), "
    ".always > :not(.buttons), #plan"
)
TOP = "?question=top&cutoff=5&candidates=200&epsilon=0.5&delta=0&persons=9000&counts=yes"


def state(tab):
    return dict(parse_qsl(urlsplit(tab.url).query))


def settled(tab, look="whole"):
    """Wait until the page shows the plan of what stands in the form, or a first look at it."""
    tab.wait_for_function(
        """(look) => {
        const shown = document.querySelector('#planned');
        const given = [...new FormData(document.querySelector('#asked'))];
        const asked = new URLSearchParams(given.filter(([, value]) => value !== ''));
        return !document.querySelector('#wrong').hidden
          || ([look, 'whole'].includes(shown.dataset.look)
            && shown.dataset.asked === asked.toString()); }""",
        arg=look,
    )


def later(route):
    """Tell whether a request is for the whole of a plan with δ."""
    sent = route.request.post_data_json
    return sent["look"] == "whole" and sent["delta"] == "0.01"


def level(threshold, **numbers):
    plan = overbar.plan(monotonic=True, **numbers)
    return int(quality_of(plan, threshold, numbers["candidates"], "persons").sure)


def test_every_number_moves_the_plan_and_stands_in_the_address(context, page):
    tab = opened(context, page, SMALL)
    found = tab.inner_text(GOOD)
    assert f"with {level(300, epsilon=1, cutoff=5, candidates=200):,} or more persons" in found
    numbers = {"epsilon": "1", "cutoff": "5", "candidates": "200"}
    for name, value in (("cutoff", "9"), ("candidates", "400"), ("epsilon", "0.8")):
        tab.fill(f"[name={name}]", value)
        settled(tab, "first")
        numbers[name] = value
        wanted = {**numbers, "cutoff": int(numbers["cutoff"])}
        at = level(300, **{**wanted, "candidates": int(numbers["candidates"])})
        assert f"with {at:,} or more persons" in tab.inner_text(GOOD)
        assert state(tab)[name] == value
    tab.fill("[name=threshold]", "1000")
    tab.fill("[name=persons]", "1001")
    settled(tab, "first")
    assert f"with {at + 700:,} or more persons" in tab.inner_text(GOOD)
    assert "No item can have so many persons" in tab.inner_text("#planned")
    tab.fill("[name=items_per_person]", "8")
    settled(tab, "first")
    assert "histogram" in tab.text_content("#planned")
    tab.check("[name=counts]")
    tab.check("[name=question][value=top]")
    settled(tab)
    assert state(tab)["counts"] == "yes"
    assert tab.is_hidden("[name=threshold]")
    assert "The top 9" in tab.text_content("#planned")
    tab.check("[name=question][value=select]")
    assert tab.is_visible("[name=threshold]")
    assert page.token not in tab.url


def test_a_first_look_says_what_it_is(context, page):
    tab = opened(context, page, f"{TINY}&items_per_person=3")
    tab.check("[name=unlisted]")
    tab.route("**/plan", lambda route: None if later(route) else route.continue_())
    with tab.expect_response(
        lambda reply: '"delta":"0.01"' in (reply.request.post_data or "")
    ) as got:
        tab.fill("[name=delta]", "0.01")
    said = got.value.json()
    assert "A first look at δ = 0. The plan with δ = 0.01 follows." in said["html"]
    assert said["copies"] == {}
    tab.wait_for_selector("#cost:has-text('Computing the price…')")  # that of δ = 0 is another
    tab.unroute("**/plan")
    tab.reload()
    settled(tab)
    assert "A run costs at most ε = 1 and δ = " in tab.inner_text("#cost")
    shown = tab.text_content("#planned")
    assert "first look" not in shown
    assert "read off the data" in shown
    assert state(tab)["unlisted"] == "yes"


def test_keys_that_nobody_listed_can_be_planned(context, page):
    tab = opened(context, page, SMALL)
    tab.check("[name=question][value=keys]")
    tab.wait_for_selector("#wrong:not([hidden])")
    assert tab.inner_text("#wrong") == "--delta must be given: a small number such as 1e-6"
    assert tab.get_attribute("[name=delta]", "aria-invalid") == "true"
    for name in ("threshold", "cutoff", "candidates", "unlisted"):
        assert tab.is_hidden(f"[name={name}]")
    assert tab.is_hidden("[data-copy=plan]")
    tab.fill("[name=delta]", "1e-6")
    tab.wait_for_selector(f"{GOOD}:has-text('Keys held by')")
    question = Question.keys(item="item", person="person", epsilon=1, delta="1e-6")
    said = " ".join(tab.text_content("#planned").split())
    assert all(sentence in said for sentence in question.forecast.rstrip(".").split(". "))
    assert "A run costs at most ε = 1 and δ = 1e-6." in said
    assert "chance that a key comes out that one person alone has" in said
    assert not tab.is_visible("#planned-technical + p")
    tab.click("#planned details summary")
    assert tab.is_visible("#planned-technical + p")
    tab.fill("[name=persons]", "2000000")
    tab.wait_for_selector(".warning:has-text('one divided by the number of persons')")


def test_a_slider_moves_by_the_keyboard(context, page):
    tab = opened(context, page, SMALL)
    tab.focus("#slider")
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") in (
        "auto",
        "solid",
    )
    tab.keyboard.press("ArrowLeft")
    settled(tab, "first")
    assert state(tab)["epsilon"] == "0.8"
    assert tab.get_attribute("#slider", "aria-valuetext") == "ε = 0.8"
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    settled(tab, "first")
    assert state(tab)["epsilon"] == tab.input_value("[name=epsilon]") == "1.6"
    tab.fill("[name=epsilon]", "0.3")
    assert tab.input_value("#slider") == "15"  # the next stop


def test_bad_numbers_are_named_at_their_control(context, page):
    tab = opened(context, page, SMALL)
    tab.fill("[name=cutoff]", "0")
    tab.wait_for_selector("#wrong:not([hidden])")
    assert tab.inner_text("#wrong") == "--cutoff must be a positive whole number, got '0'"
    assert tab.get_attribute("[name=cutoff]", "aria-invalid") == "true"
    assert all(tab.is_disabled(f"[data-copy={kind}]") for kind in KINDS)
    tab.fill("[name=cutoff]", "5")
    tab.wait_for_selector("#wrong", state="hidden")
    settled(tab)
    assert tab.get_attribute("[name=cutoff]", "aria-invalid") is None


def all_copied(tab, shown):
    """Press every button that copies; return what was in the clipboard, by its kind."""
    buttons = tab.query_selector_all("#plan [data-copy]:visible")
    kinds = [button.get_attribute("data-copy") for button in buttons]
    taken = {kind: copied(tab, kind, "#copied") for kind in kinds}
    assert taken == shown["copies"]
    return taken


def executed(text):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(text, {})
    return out.getvalue().splitlines()


@pytest.mark.parametrize("query", [SMALL, DELTA, TOP], ids=["pure", "unlisted", "top"])
def test_all_four_copies_run_and_agree_with_the_page(context, page, query, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tab = opened(context, page, query)
    shown = page.answer("/plan", **dict(parse_qsl(query.strip("?"))), look="whole")
    taken = all_copied(tab, shown)
    assert sorted(taken) == ["command", "plan", "python", "question"]
    words = shlex.split(taken["command"])
    assert words.pop(0) == "overbar"
    told = json.loads(run(*words, "--format", "json").stdout)
    mine = next(one for one in told["expected"]["by_method"] if one["this_plan"])
    level = Fraction(mine["margin_for_95_percent"])
    plan = Plan.from_json(taken["plan"])
    assert json.loads(plan.to_json()) == told["plan"]
    said, margin = executed(taken["python"])
    assert said == repr(guarantee(plan))
    assert Fraction(margin) == level
    Path("plan.json").write_text(taken["plan"])
    again = json.loads(run("plan", "--plan", "plan.json", "--format", "json").stdout)
    assert again["plan"] == told["plan"]  # and its guarantee is computed anew
    Path("question.toml").write_text(taken["question"])
    asked = run("run", "question.toml")
    assert asked.exit_code == 0, asked.output
    guaranteed = tab.text_content("#planned-technical")
    assert guaranteed.startswith("Guaranteed: ")
    assert guaranteed in " ".join(asked.stdout.split())
    line = next(line for line in asked.stdout.splitlines() if "(this plan)" in line)
    assert line.split()[-1] == number_text(level)
    assert line.split()[-1] == tab.text_content("tr.chosen td:last-child")


def test_copies_of_keys_run_and_agree_with_the_page(context, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    query = "?question=keys&epsilon=1/2&delta=1e-6&items_per_person=7&counts=yes"
    tab = opened(context, page, query)
    taken = all_copied(tab, page.answer("/plan", **dict(parse_qsl(query.strip("?")))))
    assert sorted(taken) == ["command", "python", "question"]  # a plan file would lack a part of δ
    kept, forecast = executed(taken["python"])
    assert kept == "True"
    assert "guarantee.implies('1/2', '1e-6')" in taken["python"]
    shown = " ".join(tab.text_content("#planned").split())
    Path("question.toml").write_text(taken["question"])
    for words in (shlex.split(taken["command"])[1:], ["run", "question.toml"]):
        told = " ".join(run(*words).stdout.split())
        assert forecast in told
        assert "ε = 0.5 and δ = 1e-6" in told
    assert all(sentence in shown for sentence in forecast.rstrip(".").split(". "))
    assert "ε = 0.5 and δ = 1e-6" in shown


def test_a_link_shows_the_same_again(context, page):
    tab = opened(context, page, TOP)
    other = context.new_page()
    other.goto(tab.url)  # the token is there already, for this browser alone
    other.wait_for_selector("#planned[data-look=whole]")
    assert other.inner_html("#planned") == tab.inner_html("#planned")
    assert other.url == tab.url
    other.reload()
    other.wait_for_selector("#planned[data-look=whole]")
    assert other.inner_html("#planned") == tab.inner_html("#planned")


def test_it_fits_at_both_widths_in_both_themes(context, page):
    tab = opened(context, page, SMALL)
    tab.click("[data-copy=plan]")
    tab.wait_for_selector("#copied:not([hidden])")
    fits(tab)


def test_all_controls_are_reached_by_the_keyboard(context, page):
    tab = opened(context, page, SMALL)
    tab.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.name || document.activeElement.innerText"))
        if "Copy as plan file" in reached:
            break
    wanted = {"Plan", "Ask", "Budget", "question", "cutoff", "threshold", "candidates", "unlisted",
              "counts", "persons", "items_per_person", "epsilon", "delta", "Copy as command",
              "Copy as Python", "Copy as question file", "Copy as plan file"}  # fmt: skip
    assert wanted <= reached
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#copied:not([hidden])")
    for name in ("budget", "ask", "plan"):
        tab.focus(f"[data-station={name}]")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(f"#{name}:not([hidden])")


def test_without_the_token_it_says_where_to_go(context, page):
    tab = context.new_page()
    for address in (page.base, f"{page.base}/#wrong"):
        tab.goto(address)
        tab.wait_for_selector("#wrong:not([hidden])")
        assert "open the address that was printed" in tab.inner_text("#wrong")
        assert tab.inner_html("#planned") == ""
    tab.wait_for_url(page.base + "/")
    tab.goto(f"{page.base}/{SMALL}#{page.token}")  # into the same tab
    tab.wait_for_selector("#planned[data-look=whole]")


def test_other_sites_and_other_names_get_nothing(browser, page):
    """In a context of its own: it goes where no other test may."""
    with contextlib.closing(browser.new_context()) as context:
        tab, seen = context.new_page(), []
        tab.on("response", lambda reply: seen.append((reply.request.method, reply.status)))
        other = f"http://evil.example:{page.port}"
        tab.goto(f"{other}/#{page.token}")  # a name that was bound anew
        assert "another address" in tab.inner_text("body")
        assert seen == [("GET", 403)]
        context.route("http://127.0.0.1:1/", lambda route: route.fulfill(body="<p>another site"))
        tab.goto("http://127.0.0.1:1/")
        seen.clear()
        took = """async ([url, token, mode]) => {
            const headers = mode === 'cors' ? { authorization: `Bearer ${token}` } : {};
            const asked = { method: 'POST', mode, headers, body: '{}' };
            return fetch(url, asked).then((reply) => reply.text(), () => 'nothing'); }"""
        for path in ("/plan", "/start", "/spend"):
            for mode in ("cors", "no-cors"):
                assert tab.evaluate(took, [page.base + path, page.token, mode]) == "nothing"
        form = """url => { const form = document.createElement('form'); form.action = url;
            form.method = 'post'; document.body.append(form); form.submit(); }"""
        with tab.expect_navigation():
            tab.evaluate(form, f"{page.base}/spend")
        assert seen[-1] == ("POST", 403)
        assert tab.inner_text("body") == "another site may not ask this page"


def test_back_works(context, page):
    """No old number stands beside an error, and what was typed stays."""
    tab = opened(context, page, TINY)
    tab.set_viewport_size({"width": 1280, "height": 720})
    tab.click("#planned details summary")  # what is for researchers
    assert tab.is_visible("tr.chosen")
    assert outside(tab) == []
    tab.click("[data-station=ask]")
    tab.fill("[name=value]", "age")
    tab.go_back()
    tab.wait_for_selector("[data-station=plan][aria-current]")
    assert state(tab)["value"] == tab.input_value("[name=value]") == "age"
    tab.fill("[name=epsilon]", "x")
    tab.wait_for_selector("#wrong:not([hidden])")
    assert tab.is_hidden("#planned")
    assert tab.inner_text("#cost").strip() == ""
    tab.check("[value=select]")


def test_every_control_of_this_station_was_used(context, page, request):
    tab = opened(context, page, SMALL)
    assert undriven(request, tab, INSIDE) <= {"dataset"}
