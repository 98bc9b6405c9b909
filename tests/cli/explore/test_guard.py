"""Who is answered: our own page, with the token, and nobody else."""

from __future__ import annotations

import contextlib
import json
import os
import socket

import pytest

from tests.cli.shop import run

NUMBERS = {"epsilon": "1", "cutoff": "5", "candidates": "100", "threshold": "50"}


def test_our_page_is_answered(page):
    own = {"origin": page.base, "sec-fetch-site": "same-origin"}
    reply, text = page.ask("/plan", NUMBERS, **own)
    assert reply.status == 200
    assert "html" in json.loads(text)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/plan", {"authorization": None}, 401),
        ("/plan", {"authorization": "Bearer wrong"}, 401),
        ("/plan", {"authorization": "Bearer "}, 401),
        ("/start", {"authorization": "Bearer é"}, 401),
        ("/plan", {"origin": "https://evil.example"}, 403),
        ("/plan", {"origin": "null"}, 403),
        ("/plan", {"sec-fetch-site": "cross-site"}, 403),
        ("/plan", {"sec-fetch-site": "same-site"}, 403),
        ("/plan", {"host": "evil.example"}, 403),
        ("/", {"host": "evil.example"}, 403),
        ("/", {"host": "127.0.0.1"}, 403),
        ("/", {"origin": "https://evil.example"}, 403),
        ("/plan", {"transfer-encoding": "chunked"}, 411),
    ],
)
def test_anyone_else_is_refused(page, path, headers, status):
    reply, text = page.ask(path, NUMBERS, "POST" if path != "/" else "GET", **headers)
    assert reply.status == status
    assert page.token not in text
    assert "html" not in text


def test_a_long_request_is_refused_unread(page):
    reply, _ = page.ask("/plan", {"epsilon": "1" * (1 << 17)})
    assert reply.status == 413


def test_the_empty_page_has_no_number_and_lets_nothing_in(page):
    for path in ("/", "/page.js", "/page.css"):
        reply, text = page.ask(path, method="GET", authorization=None)
        assert reply.status == 200
        assert page.token not in text
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "http" not in policy
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["set-cookie"] is None
        assert reply.headers["access-control-allow-origin"] is None


@pytest.mark.parametrize("path", ["/page.html", "/../serving.py", "/%2e%2e/serving.py", "/plan/x"])
def test_no_other_file_is_sent(page, path):
    reply, _ = page.ask(path, method="GET")
    assert reply.status in (404, 405)


def test_other_computers_do_not_reach_it(page):
    others = {one[4][0] for one in socket.getaddrinfo(socket.gethostname(), None)}
    for address in others - {"127.0.0.1", "::1"}:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as one:
            one.settimeout(2)
            assert one.connect_ex((address, page.port)) != 0


@pytest.mark.parametrize("body", [None, [], "text", {"epsilon": 1}, {"epsilon": {"a": "b"}}])
def test_odd_requests_are_told_in_a_word(page, body):
    reply, text = page.ask("/plan", body)
    assert reply.status == 400
    assert text == "a request must be texts by name, as JSON"


@pytest.mark.parametrize("text", ["\0", "a\0b", "\ud800", "x\udcff"])
@pytest.mark.parametrize("path", ["/start", "/plan", "/check", "/dry-run", "/spend", "/look-back"])
def test_what_no_command_can_take_is_refused(page, path, text):
    reply, said = page.ask(path, {**NUMBERS, "item": text})
    assert reply.status == 400
    assert said == "item must have no NUL and no half of a letter in it"
    reply, said = page.ask(path, {**NUMBERS, text: "1"})
    assert reply.status == 400


def test_a_file_whose_name_is_no_text_is_not_offered(page):
    with contextlib.suppress(OSError):  # some systems have no such names
        (page.folder / os.fsdecode(b"\xff.csv")).touch()
    assert page.answer("/start")["files"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "70000"], "--port must be from 0 to 65535, got 70000"),
        (["--ledger", "no.db"], "there is no ledger no.db"),
    ],
)
def test_bad_use_is_told(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("explore", "--no-browser", *arguments)
    assert result.exit_code == 2
    assert said in result.output
