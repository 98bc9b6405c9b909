"""A page that runs, and a real browser to look at it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

#: Controls that tests have used so far.
DRIVEN = set()
KINDS = ("input:not([type=hidden])", "select", "textarea", "button", "summary")
#: How a control is called here; a choice by its value too.
CALLED = """(one) => (one.type === "radio" ? one.value : one.name || one.id || one.dataset.copy
  || one.dataset.station || one.tagName)"""
RECORD = f"""
for (const kind of ["input", "click"]) addEventListener(kind, (event) => {{
  const one = event.target.closest("input, select, textarea, button, summary");
  if (one) driven(({CALLED})(one));
}}, true);
"""


@dataclass
class Running:
    """A page: its process, its address and its token."""

    process: subprocess.Popen
    port: int
    token: str
    folder: Path

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path, body=None, method="POST", patience=300, **headers):
        """Send a request as anyone could; headers that are None are left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        sent = {"authorization": f"Bearer {self.token}", **headers}
        connection.putrequest(method, path, skip_host="host" in sent)
        text = b"" if body is None else json.dumps(body).encode()
        for name, value in {**sent, "content-length": str(len(text))}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(text)
        try:
            reply = connection.getresponse()
            return reply, reply.read().decode()
        finally:
            connection.close()

    def answer(self, path, **asked):
        reply, text = self.ask(path, asked)
        assert reply.status == 200, text
        return json.loads(text)

    def stop(self):
        """End it as Ctrl-C does, and return what it had said."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=120)

    def end(self):
        """End it, and see that it ended well and has logged nothing."""
        out, err = self.stop()
        assert self.process.returncode == 0
        assert self.token not in out + err
        assert err == ""
        return out


def started(folder, *arguments, command=(sys.executable, "-m", "overbar")):
    """Start a page in a folder."""
    process = subprocess.Popen(
        [*command, "explore", "--no-browser", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    first = process.stdout.readline()
    assert "http://127.0.0.1:" in first, first + process.communicate()[1]
    address, _, token = first.split()[-1].partition("#")
    return Running(process, int(address.split(":")[2].strip("/")), token, Path(folder))


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    """A page without a ledger. It ends as Ctrl-C ends it, and has logged nothing by then."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    running = started(tmp_path_factory.mktemp("folder"))
    yield running
    running.end()


@pytest.fixture
def context(browser):
    """A browser profile of its own; what it asks of anyone else fails the test."""
    made = browser.new_context(viewport={"width": 1280, "height": 900})
    made.set_default_timeout(60_000)
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    made.expose_binding("driven", lambda _, name: DRIVEN.add(name))
    made.add_init_script(RECORD)
    asked, broken = [], []
    made.on("request", lambda request: asked.append(request.url))
    made.on("weberror", lambda error: broken.append(str(error.error)))
    yield made
    made.close()
    assert asked
    assert not [url for url in asked if not url.startswith(("http://127.0.0.1:", "data:"))]
    assert not broken


def opened(context, running, query="", look="whole"):
    """Open a tab at the address with these numbers, and wait for the plan."""
    tab = context.new_page()
    tab.goto(f"{running.base}/{query}#{running.token}")
    tab.wait_for_selector(f"#planned[data-look={look}]", state="attached")
    return tab


def copied(tab, kind, into):
    """Press a button that copies, and return the clipboard, when the same is to be read there."""
    tab.evaluate("navigator.clipboard.writeText('')")
    tab.click(f"[data-copy={kind}]:visible")
    tab.wait_for_function(
        """async (into) => { const text = await navigator.clipboard.readText();
        return text && text === document.querySelector(into).textContent; }""",
        arg=into,
    )
    return tab.evaluate("navigator.clipboard.readText()")


def undriven(request, tab, inside):
    """Return the controls inside of something that no test of this file has used so far."""
    tests = [name for name in vars(request.module) if name.startswith("test_")]
    ran = {item.originalname for item in request.session.items if item.path == request.path}
    if ran != set(tests):
        pytest.skip("only some tests of this file were run")
    controls = ", ".join(f":is({inside}) {kind}" for kind in KINDS)
    found = tab.locator(controls).evaluate_all(f"all => all.map({CALLED})")
    assert len(found) > 8
    return set(found) - DRIVEN


#: What a screen reader would call by its kind alone, as it has no name.
NAMELESS = re.compile(r"- (button|textbox|combobox|slider|radio|checkbox|link)(:|$| \[)")


def outside(tab):
    """Return what cannot be seen of ε, the price and the buttons, at the end of the page too."""
    unseen = """() => { scrollTo(0, document.body.scrollHeight);
        const parts = [...document.querySelectorAll('[name=epsilon], #cost, #spend, #dry')];
        return parts.filter((one) => { const box = one.getBoundingClientRect();
          return one.checkVisibility()
            && (box.top < 0 || box.bottom > innerHeight || box.right > innerWidth);
        }).map((one) => one.outerHTML); }"""
    return tab.evaluate(unseen)


def fits(tab):
    """See that a station fits at both widths, is readable in both themes, and is all named."""
    for width, height in ((390, 844), (1280, 720)):
        tab.set_viewport_size({"width": width, "height": height})
        assert outside(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        wide = """() => [...document.querySelectorAll('input, select, button, pre, dl, ol, p')]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.outerHTML)"""
        assert tab.evaluate(wide) == []
        for theme in ("light", "dark"):
            tab.emulate_media(color_scheme=theme)
            ink, paper = (
                sum(
                    map(
                        int,
                        tab.evaluate(f"getComputedStyle(document.body).{name}")[4:-1].split(","),
                    )
                )
                for name in ("color", "backgroundColor")
            )
            assert (ink < paper) == (theme == "light")
            assert abs(ink - paper) > 500
    said = tab.locator("body").aria_snapshot()
    assert "- button" in said
    assert not [line for line in said.splitlines() if NAMELESS.search(line)]
