"""The plan station in a real Chromium: every control, both themes, two widths, copies that run."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from fractions import Fraction
from math import ceil
from urllib.parse import parse_qsl, urlsplit

import pytest

from overbar import Plan, calibrate, guarantee
from overbar.prediction import margin_for
from tests.cli.explore.conftest import opened
from tests.cli.shop import run

SMALL = "?question=select&cutoff=5&threshold=300&candidates=200&epsilon=1&delta=0"
DELTA = (
    "?question=select&cutoff=2&threshold=300&candidates=20&epsilon=1&delta=1e-6"
    "&items_per_person=3&unlisted=yes"
)
TOP = "?question=top&cutoff=5&candidates=200&epsilon=0.5&delta=0&persons=9000&counts=yes"


def state(tab):
    return dict(parse_qsl(urlsplit(tab.url).query))


def settled(tab):
    """Wait until the page shows the plan of what stands in the form."""
    tab.wait_for_function(
        """() => {
        const shown = document.querySelector('#planned');
        const given = [...new FormData(document.querySelector('#asked'))];
        const asked = new URLSearchParams(given.filter(([, value]) => value !== ''));
        return !document.querySelector('#wrong').hidden
          || (shown.dataset.look === 'whole' && shown.dataset.asked === asked.toString()); }"""
    )


def level(**numbers):
    plan = calibrate(monotonic=True, **numbers)
    return margin_for(plan, "0.95", candidates=numbers["candidates"])


def test_every_number_moves_the_plan_and_stands_in_the_address(context, page):
    tab = opened(context, page, SMALL)
    found = tab.inner_text("#level + .promise")
    at = 300 + level(epsilon=1, cutoff=5, candidates=200)
    assert f"items that {ceil(at):,} persons" in found
    numbers = {"epsilon": "1", "cutoff": "5", "candidates": "200"}
    for name, value in (("cutoff", "9"), ("candidates", "400"), ("epsilon", "0.8")):
        tab.fill(f"[name={name}]", value)
        settled(tab)
        numbers[name] = value
        wanted = {**numbers, "cutoff": int(numbers["cutoff"])}
        at = 300 + level(**{**wanted, "candidates": int(numbers["candidates"])})
        assert f"items that {ceil(at):,} persons" in tab.inner_text("#level + .promise")
        assert state(tab)[name] == value
    tab.fill("[name=threshold]", "1000")
    settled(tab)
    assert f"items that {ceil(at + 700):,} persons" in tab.inner_text("#level + .promise")
    tab.fill("[name=persons]", "1001")
    settled(tab)
    assert "No item can have so many persons" in tab.inner_text("#planned")
    tab.fill("[name=items_per_person]", "8")
    settled(tab)
    assert "histogram" in tab.inner_text("#planned")
    tab.fill("[name=delta]", "0.01")
    settled(tab)
    assert "above one in the number of persons" in tab.inner_text("#planned")
    tab.fill("[name=delta]", "1e-6")
    tab.check("[name=unlisted]")
    settled(tab)
    assert "read off the data" in tab.text_content("#learns ~ details")
    tab.uncheck("[name=unlisted]")
    tab.check("[name=counts]")
    tab.check("[name=question][value=top]")
    settled(tab)
    assert state(tab)["counts"] == "yes"
    assert tab.is_hidden("[name=threshold]")
    assert "The top 9" in tab.inner_text("#planned")
    assert page.token not in tab.url


def test_a_slider_moves_by_the_keyboard(context, page):
    tab = opened(context, page, SMALL)
    tab.focus("#slider")
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") in (
        "auto",
        "solid",
    )
    tab.keyboard.press("ArrowLeft")
    settled(tab)
    assert state(tab)["epsilon"] == "0.8"
    assert tab.get_attribute("#slider", "aria-valuetext") == "ε = 0.8"
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    settled(tab)
    assert state(tab)["epsilon"] == tab.input_value("[name=epsilon]") == "1.6"
    tab.fill("[name=epsilon]", "0.3")
    assert tab.input_value("#slider") == "15"  # the next stop


def test_a_first_look_says_what_it_is(context, page):
    tab = opened(context, page, SMALL)
    with tab.expect_response(
        lambda reply: '"look":"first"' in (reply.request.post_data or "")
    ) as got:
        tab.fill("[name=delta]", "1e-7")
    said = got.value.json()
    assert "A first look at δ = 0. The plan with δ = 1e-7 follows." in said["html"]
    assert said["copies"] == {}
    settled(tab)
    assert "first look" not in tab.inner_text("#planned")
    assert "ranked, exponential, δ = 0" in tab.text_content("#planned")


def test_bad_numbers_are_named_at_their_control(context, page):
    tab = opened(context, page, SMALL)
    tab.fill("[name=cutoff]", "0")
    tab.wait_for_selector("#wrong:not([hidden])")
    assert tab.inner_text("#wrong") == "--cutoff must be a positive whole number, got '0'"
    assert tab.get_attribute("[name=cutoff]", "aria-invalid") == "true"
    assert all(tab.is_disabled(f"[data-copy={kind}]") for kind in ("command", "python", "plan"))
    tab.fill("[name=cutoff]", "5")
    tab.wait_for_selector("#wrong", state="hidden")
    settled(tab)
    assert tab.get_attribute("[name=cutoff]", "aria-invalid") is None


@pytest.mark.parametrize("query", [SMALL, DELTA, TOP], ids=["pure", "unlisted", "top"])
def test_copies_run_and_agree_with_the_page(context, page, query, tmp_path):
    tab = opened(context, page, query)
    asked = {**dict(parse_qsl(query.strip("?"))), "look": "whole"}
    shown = page.answer("/plan", **asked)
    taken = {}
    for kind in ("command", "python", "plan"):
        tab.click(f"[data-copy={kind}]")
        tab.wait_for_function(
            f"document.querySelector('#copied').textContent !== {taken.get('last', '')!r}"
        )
        taken[kind] = tab.evaluate("navigator.clipboard.readText()")
        taken["last"] = tab.text_content("#copied")
        assert taken[kind] == taken["last"] == shown["copies"][kind]
    words = shlex.split(taken["command"])
    assert words.pop(0) == "overbar"
    told = json.loads(run(*words, "--json").stdout)
    mine = next(one for one in told["expected"]["by_method"] if one["this_plan"])
    assert mine["margin_for_95_percent"] == shown["level"]
    plan = Plan.from_json(taken["plan"])
    assert json.loads(plan.to_json()) == told["plan"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(taken["python"], {})
    said, margin = out.getvalue().splitlines()
    assert said == repr(guarantee(plan))
    assert Fraction(margin) == Fraction(shown["level"])
    (tmp_path / "plan.json").write_text(taken["plan"])
    again = json.loads(run("plan", "--plan", tmp_path / "plan.json", "--json").stdout)
    assert again["plan"] == told["plan"]  # and its guarantee is computed anew


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


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_theme(context, page, width, theme):
    tab = opened(context, page, SMALL)
    tab.set_viewport_size({"width": width, "height": 900})
    tab.emulate_media(color_scheme=theme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    ink, paper = (
        sum(map(int, tab.evaluate(f"getComputedStyle(document.body).{name}")[4:-1].split(",")))
        for name in ("color", "backgroundColor")
    )
    assert (ink < paper) == (theme == "light")
    assert abs(ink - paper) > 500
    for control in tab.query_selector_all("input:not([type=hidden]), select, button"):
        name = control.evaluate(
            "one => one.ariaLabel || one.textContent || one.labels?.[0]?.textContent"
        )
        assert name.strip(), control.evaluate("one => one.outerHTML")
    for label in tab.query_selector_all("label:visible input:not([type=radio], [type=checkbox])"):
        assert label.bounding_box()["width"] <= width


def test_without_the_token_it_says_where_to_go(context, page):
    tab = context.new_page()
    for address in (page.base, f"{page.base}/#wrong"):
        tab.goto(address)
        tab.wait_for_selector("#wrong:not([hidden])")
        assert "open the address that was printed" in tab.inner_text("#wrong")
        assert tab.inner_html("#planned") == ""
    tab.wait_for_url(page.base + "/")
    tab.goto(f"{page.base}/#{page.token}")  # into the same tab
    tab.wait_for_selector("#planned[data-look=whole]")
