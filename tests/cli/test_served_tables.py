"""The command line and a table in PostgreSQL: the answer, the ledger, and what is never shown."""

from __future__ import annotations

import json

import psycopg
import pytest
from typer.testing import CliRunner

import overbar
from overbar.cli import app

SECRET = "hunter2"
#: Counts of 1,000 and 40 against 500, with ε = 20 for two: a wrong answer has a chance far below
#: e^-100.
ASK = ["--item", "product", "--person", "customer", "--threshold", "500", "--cutoff", "2",
       "--epsilon", "20"]  # fmt: skip


@pytest.fixture(scope="module")
def where(server):
    """An address with a password in it, which this server does not ask for."""
    with psycopg.connect(server.plain, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA shop")
        connection.execute(
            "CREATE TABLE shop.sales AS SELECT 'tea' AS product, g AS customer "
            "FROM generate_series(1, 1000) AS g "
            "UNION ALL SELECT 'rum', g FROM generate_series(1, 40) AS g"
        )
        connection.execute("CREATE VIEW shop.again AS SELECT * FROM shop.sales")
        connection.execute(
            "CREATE TABLE shop.places AS SELECT 'north' AS region, * FROM shop.sales "
            "UNION ALL SELECT 'south', 'ale', 9000 + g FROM generate_series(1, 1000) AS g"
        )
        connection.execute("CREATE TABLE shop.codes AS SELECT 7 AS product, 1 AS customer")
    yield server.plain.replace("postgres:@", f"postgres:{SECRET}@")
    with psycopg.connect(server.plain, autocommit=True) as connection:
        connection.execute("DROP SCHEMA shop CASCADE")


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert "Traceback" not in result.output
    assert SECRET not in result.output
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def listed(tmp_path):
    (tmp_path / "products.txt").write_text("ale\nrum\ntea\n")
    return ["--catalogue", tmp_path / "products.txt"]


def test_select_top_and_keys(where, listed, tmp_path):
    named = [where, "--table", "shop.sales"]
    assert "tea" in run("select", *named, *ASK, *listed)
    in_address = f"{where}&table=shop.sales"
    page = tmp_path / "page.html"
    answer = tmp_path / "answer.json"
    run("select", in_address, *ASK, *listed, "--out", answer, "--out", page)
    assert SECRET not in page.read_text() + answer.read_text()
    assert json.loads(answer.read_text())["labels"] == ["tea"]
    assert "tea" in run("top", *named, *ASK[:4], "--cutoff", "1", "--epsilon", "20", *listed)
    assert "tea" in run("keys", *named, *ASK[:4], "--epsilon", "20", "--delta", "1e-6")
    codes = [where, "--table", "shop.codes", *ASK, "--catalogue", "0..9"]
    assert "0 of at most 2 found" in run("select", *codes)


def test_groups_and_items_of_several_columns(where, listed, tmp_path):
    """As close calls go: 1,000 persons against 500, or against 40, in noise of at most 0.2."""
    named = [where, "--table", "shop.places"]
    by = ["--groups", "region=south,north", "--groups-per-person", "1"]
    wanted = "found,region,product\n1,south,ale\n1,north,tea\n"
    assert wanted in run("select", *named, *ASK, *listed, *by)
    for most in ("1", "2"):
        numbers = ["--cutoff", "1", "--epsilon", "20", "--items-per-person", most]
        assert wanted in run("top", *named, *ASK[:4], *numbers, *listed, *by)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("region,product\nnorth,tea\nsouth,tea\nnorth,ale\n")
    both = ["--item", "region", *ASK, "--catalogue", pairs]
    assert "1,north,tea" in run("select", *named, *both)


def test_where_and_check(where, listed, tmp_path):
    """Of 1,000 persons 30 are far below 500, in noise of at most 0.2."""
    named = [where, "--table", "shop.sales"]
    some = ["--where", "customer > 970 AND product <> 'gin'"]
    assert "0 of at most 2 found" in run("select", *named, *ASK, *listed, *some)
    answer = tmp_path / "answer.json"
    numbers = ["--cutoff", "1", "--epsilon", "20", "--counts", "--out", answer]
    run("top", *named, *ASK[:4], *numbers, *listed, *some)
    source = json.loads(answer.read_text())["question"]["source"]
    assert source.endswith("""?table=shop.sales where "customer" > 970 and "product" <> 'gin'""")
    look = json.loads(run("check", *named, *ASK[:4], *listed, *some, "--format", "json"))
    assert (look["rows"], look["items"], look["persons"]) == (30, 1, 30)
    assert look["catalogue"] == {"listed": 3, "occurring": 1, "unlisted_rows": 0}
    told = run("check", *named, *ASK[:4])
    assert "NOT PRIVATE" in told
    assert "1,040" in told
    columns = json.loads(run("check", *named, *some, "--format", "json"))
    assert columns["columns"] == ["product", "customer"]
    assert columns["rows"] == 30


def test_a_ledger_is_told_which_table_without_the_password(where, listed, tmp_path):
    ledger = tmp_path / "budgets.db"
    run("ledger", "open", ledger, "shop", "--epsilon", "50")
    paid = ["--ledger", ledger, "--dataset", "shop", "--request", "one"]
    for _ in range(2):  # the second time the answer is the one that is stored
        run("select", where, "--table", "shop.sales", *ASK, *listed, *paid)
    assert overbar.Ledger(ledger).remaining("shop") == 30
    assert "made before with another purpose, question" in run(
        "select", where, "--table", "shop.again", *ASK, *listed, *paid, code=2
    )
    assert SECRET.encode() not in ledger.read_bytes()
    (entry,) = overbar.Ledger(ledger).show("shop").entries
    assert entry.purpose.endswith("?table=shop.sales")


def test_refusals(where, listed):
    for told, *arguments in (
        ("--table must name a table or view", where),
        ("there is no table 'shop.sail'", where, "--table", "shop.sail"),
        (
            "--where must name a column, got 'custmer'",
            where,
            "--table",
            "shop.sales",
            "--where",
            "custmer = 1",
        ),
        (
            "--groups must name a column, got 'regio'",
            where,
            "--table",
            "shop.places",
            "--groups",
            "regio=north,south",
            "--groups-per-person",
            "1",
        ),
        ("are for files", where, "--table", "shop.sales", "--memory", "1GB"),
        ("stands alone", where, where, "--table", "shop.sales"),
        ("stands alone", where, "--table", "shop.sales", "--input-format", "csv"),
        ("not readable", f"postgresql://ann:{SECRET}/@x/y", "--table", "shop.sales"),
        ("got mysql://…", f"mysql://ann:{SECRET}@x/y"),
        ("must not be a database", where, "--table", "shop.sales", "--catalogue", where),
        ("cannot be used", where.replace("/postgres?", "/nowhere?"), "--table", "shop.sales"),
    ):
        wanted = [] if "--catalogue" in arguments else listed
        assert told in run("select", *arguments, *ASK, *wanted, code=2).replace("\n", " ")
