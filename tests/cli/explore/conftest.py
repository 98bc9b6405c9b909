"""A page that runs, and a real browser to look at it."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest


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

    def ask(self, path, body=None, method="POST", **headers):
        """Send a request as anyone could; headers that are None are left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
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
        return self.process.communicate(timeout=30)


def started(folder, *arguments):
    """Start a page in a folder."""
    process = subprocess.Popen(
        [sys.executable, "-m", "overbar", "explore", "--no-browser", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    first = process.stdout.readline()
    assert "http://127.0.0.1:" in first, first + process.communicate()[1]
    address, _, token = first.split()[-1].partition("#")
    return Running(process, int(address.split(":")[2].strip("/")), token, Path(folder))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    running = started(tmp_path_factory.mktemp("folder"))
    yield running
    running.stop()


@pytest.fixture
def context(browser):
    """A browser profile of its own; what it asks of anyone else fails the test."""
    made = browser.new_context(viewport={"width": 1280, "height": 900})
    made.set_default_timeout(20_000)
    made.grant_permissions(["clipboard-read", "clipboard-write"])
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
