"""The site in a real browser: what is copied runs, nothing is too wide, nothing comes from outside.

`make docs` builds the site and runs this on it, with its folder in OVERBAR_SITE. Without that, or
without a browser, these tests are skipped. That the tests run what is copied: `runnable.py`.
"""

import functools
import http.server
import os
import re
import threading
from pathlib import Path

import pytest

from tests.docs.runnable import ROOT, documented, runnable

#: What is wider than it may be; a line of code may be as long as the lines of the project.
TOO_WIDE = """() => {
    const column = document.querySelector(".content"), page = document.scrollingElement;
    const right = column.getBoundingClientRect().right + 1;
    const blocks = [...column.querySelectorAll("pre, table, img, math, svg")].filter((one) =>
        !one.parentElement.closest("table, .math, .output")
        && (one.getBoundingClientRect().right > right
            || (one.matches("pre") && one.scrollWidth > one.clientWidth + 1
                && !(innerWidth < 800 && one.closest(".highlight-text, .highlight-none")))));
    return [page, column].filter((one) => one.scrollWidth > one.clientWidth + 1).concat(blocks)
        .map((one) => `${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 60)}`);
}"""
#: Whether a line of a hundred characters stays one line.
HUNDRED_FIT = """() => [...document.querySelectorAll(".content > article > section > div pre")]
    .every((one) => {
        const before = one.innerHTML;
        one.textContent = "x".repeat(100);
        const high = one.clientHeight;
        one.textContent = "x";
        const same = one.clientHeight === high;
        one.innerHTML = before;
        return same;
    })"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    """The folder of the site and its address here; a clipboard needs http."""
    folder = os.environ.get("OVERBAR_SITE")
    if not folder:
        pytest.skip("make docs builds the site and looks at it")
    folder = Path(folder).resolve()
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_options_are_spelled_with_two_hyphens(site):
    """In text and tables as well: –encoding is no option."""
    pattern = re.compile("[–—][a-z]+(?:-[a-z]+)*")
    wrong = {
        file.name: pattern.findall(file.read_text())
        for file in site[0].rglob("*.html")
        if pattern.search(file.read_text())
    }
    assert not wrong
    assert "--encoding" in (site[0] / "messy-files.html").read_text()


@pytest.fixture(scope="module")
def tab(browser, site):
    """A tab; what it asks of anyone else, or an error in a script, fails the tests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    asked, broken = [], []
    context.on("request", lambda request: asked.append(request.url))
    context.on("weberror", lambda error: broken.append(str(error.error)))
    yield context.new_page()
    context.close()
    assert not [url for url in asked if not url.startswith((site[1], "data:"))]
    assert not broken


def pages(site):
    """Name and address of every page, but not of the source code."""
    folder, address = site
    for file in sorted(folder.rglob("*.html")):
        name = file.relative_to(folder)
        if name.parts[0] not in {"_modules", "_static", "links"}:
            yield name, f"{address}/{name.as_posix()}"


KINDS = ("pycon", "python", "sh")
WITH_BUTTON = ", ".join([*(f"div.highlight-{kind} pre" for kind in KINDS), "div.doctest pre"])
BUTTONS_CAME = (
    f"() => !document.querySelector('{WITH_BUTTON}') || document.querySelector('button.copybtn')"
)


#: Press every button; what the clipboard holds after each.
COPIED = """async () => {
    const clipboard = navigator.clipboard, found = [];
    for (const button of document.querySelectorAll("button.copybtn")) {
        await clipboard.writeText("nothing was copied");
        button.click();
        found.push(await clipboard.readText());
    }
    return found;
}"""


def copied(tab):
    """Press every button on the page; return what the clipboard holds after each.

    Buttons come when the script that copies has been loaded, which the page does not wait for.
    """
    tab.wait_for_function(BUTTONS_CAME)
    return tab.evaluate(COPIED)


@pytest.fixture(scope="module")
def seen(tab, site):
    """Of every page: what its buttons copy, and what is too wide on a desktop and on a phone."""
    found = {}
    for name, address in pages(site):
        tab.set_viewport_size({"width": 1280, "height": 800})
        tab.goto(address)
        texts, wide = copied(tab), tab.evaluate(TOO_WIDE)
        if not tab.evaluate(HUNDRED_FIT):
            wide.append("a line of 100 characters is broken")
        tab.set_viewport_size({"width": 390, "height": 800})
        found[name] = texts, wide, tab.evaluate(TOO_WIDE)
    return found


def test_what_is_copied_is_what_the_tests_run(seen):
    docstrings = documented()
    wrong = []
    for name, (got, _, _) in seen.items():
        page = ROOT / "docs" / name.with_suffix(".md")
        if name.parts[:2] == ("api", "modules"):
            wrong += [(name, text) for text in got if f"\n{text}\n" not in f"\n{docstrings}\n"]
        elif page.exists() and got != runnable(page):
            wrong.append((name, set(got) ^ set(runnable(page))))
    assert not wrong
    assert sum(len(got) for got, _, _ in seen.values()) > 100


@pytest.mark.parametrize("screen", [1, 2], ids=["desktop", "phone"])
def test_nothing_is_wider_than_its_column(seen, screen):
    assert not {name: found[screen] for name, found in seen.items() if found[screen]}


def test_what_is_too_wide_is_noticed(tab, site):
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.goto(f"{site[1]}/index.html")
    assert not tab.evaluate(TOO_WIDE)
    for wide in ("<div style='width: 500px'>x</div>", f"<pre style='white-space: pre'>{'x' * 200}"):
        tab.goto(f"{site[1]}/index.html")
        tab.evaluate("text => document.querySelector('article').innerHTML += text", wide)
        assert tab.evaluate(TOO_WIDE), wide


def test_the_first_page_says_it_all_on_one_screen(tab, site):
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(f"{site[1]}/index.html")
    bottom = "one => one.getBoundingClientRect().bottom"
    for needed in ("h1", ".highlight-sh", ".highlight-pycon"):
        assert tab.eval_on_selector(f"article {needed}", bottom) < 800, needed
