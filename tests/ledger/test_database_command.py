"""The command line with a ledger in a database: every verb, and releases that it pays for."""

import json

import pytest
from typer.testing import CliRunner

import overbar
from overbar.cli import app
from tests.ledger.places import DatabasePlace

ASK = ["--item", "item", "--person", "who", "--threshold", "5", "--cutoff", "1", "--epsilon", "0.1"]
SECRET = "hunter2"


@pytest.fixture
def where(server):
    """An address with a password in it, which this server does not ask for."""
    return DatabasePlace(server).where.replace("postgres@", f"postgres:{SECRET}@")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "baskets.csv"
    (tmp_path / "items.txt").write_text("tea\nrum\n")
    path.write_text("item,who\n" + "".join(f"tea,{number}\n" for number in range(1000)))
    return path


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert "Traceback" not in result.output
    assert SECRET not in result.output
    assert result.exit_code == code, result.output
    return result.output


def test_every_verb(where):
    run("ledger", "show", where, code=2)
    head = run("ledger", "open", where, "baskets", "--epsilon", "1").split()[-1]
    told = run(
        "ledger",
        "spend",
        where,
        "baskets",
        "--epsilon",
        "1/4",
        "--neighbours",
        "person",
        "--request",
        "mean",
    )
    assert "baskets: epsilon 1/4 is spent, in row 2" in told
    assert "booked before" in run(
        "ledger",
        "spend",
        where,
        "baskets",
        "--epsilon",
        "1/4",
        "--neighbours",
        "person",
        "--request",
        "mean",
        code=2,
    )
    assert "0.75" in run("ledger", "show", where)
    assert "other" in run("ledger", "show", where, "baskets")
    (shown,) = json.loads(run("ledger", "show", where, "--format", "json"))
    assert shown["runs"][0]["plan"] is None
    assert "intact" in run("ledger", "verify", where, "--head", head)
    run("ledger", "verify", where, "--head", "0" * 64, code=1)
    assert "closed" in run("ledger", "close", where, "baskets")


def test_a_release_is_paid_for(where, table):
    paid = [
        "--catalogue",
        table.with_name("items.txt"),
        "--ledger",
        where,
        "--dataset",
        "baskets",
        "--request",
        "monday",
    ]
    run("ledger", "open", where, "baskets", "--epsilon", "1")
    assert "would be left" in run("select", table, *ASK, *paid, "--dry-run")
    first = run("select", table, *ASK, *paid)
    assert "tea" in first
    ledger = overbar.Ledger(where)
    assert ledger.remaining("baskets") < 1
    spent = ledger.remaining("baskets")
    run("select", table, *ASK, *paid)
    assert ledger.remaining("baskets") == spent
    gone = where.replace("postgres:", "nobody:")
    run("select", table, *ASK, *paid[:2], "--ledger", gone, "--dataset", "baskets", code=2)
