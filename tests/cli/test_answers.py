"""Where answers go: files, the screen, a ledger, and what happens when one of them fails."""

from __future__ import annotations

import json
import os
import subprocess
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest

import overbar
from overbar.cli.tables import encodings
from overbar.frames.discretion import discreetly
from overbar.mechanisms import RankedPlan
from tests.cli.shop import (
    HIGH,
    LISTED,
    PAID,
    labels,
    run,
)
from tests.prepared import program


def test_files_are_whole_and_hold_the_answer(here):
    names = ["answer.csv", "answer.json", "answer.parquet"]
    outs = [part for name in names for part in ("--out", name)]
    result = run("select", "sales.parquet", *LISTED, *outs)
    assert result.exit_code == 0, result.output
    shown = labels(result.stdout)
    assert labels(Path("answer.csv").read_text()) == shown
    answer = json.loads(Path("answer.json").read_text())
    assert answer["labels"] == shown
    assert Fraction(answer["spent"]) == 1
    rows = duckdb.sql("select product from 'answer.parquet' order by found").fetchall()
    assert [row[0] for row in rows] == shown
    assert not [path for path in here.iterdir() if path.name.startswith(".")]
    again = run("select", "sales.parquet", *LISTED, "--out", "answer.csv")
    assert again.exit_code == 2
    assert "answer.csv exists already; write --force" in again.output
    assert run("select", "sales.parquet", *LISTED, "--out", "answer.csv", "--force").exit_code == 0


def test_the_json_answer_has_exactly_these_fields(here):
    """Whatever is added here must be public."""
    numbers = ["--delta", "1e-6", "--cutoff", "200", "--format", "json"]
    result = run("select", "sales.csv", *LISTED, *numbers)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert {name: sorted(part) for name, part in answer.items() if isinstance(part, dict)} == {
        "question": ["listed_items", "score", "source", "threshold"],
        "plan": sorted({"overbar_plan", "kind", *RankedPlan.__dataclass_fields__}),
        "guarantee": [
            "delta",
            "epsilon",
            "plan_delta",
            "proved_about_the_plan",
            "statement",
            "unlisted_delta",
        ],
        "how_good": ["chance", "hardly", "sentence", "sure", "together"],
        "public_list": ["items", "name", "sha256"],
        "report": ["sections", "summary", "title"],
    }
    rest = {name for name, part in answer.items() if not isinstance(part, dict)}
    assert rest == {
        *("overbar_answer", "overbar", "released", "item", "labels", "spent", "spent_delta"),
        "ledger",
    }
    plan = overbar.Plan.from_json(json.dumps(answer["plan"]))
    assert Fraction(answer["guarantee"]["delta"]) == Fraction(1, 10**6)
    assert float(answer["guarantee"]["epsilon"]) == overbar.guarantee(plan).at("1e-6") <= 1
    assert answer["spent"] == answer["guarantee"]["epsilon"]  # nothing comes back beside a δ
    assert answer["spent_delta"] == float(answer["guarantee"]["delta"]) == 1e-6
    assert result.stderr.rstrip().endswith("δ = 1e-6; spent all of it")


def test_an_answer_that_cannot_be_written_is_on_the_screen(here, monkeypatch):
    """The disk fills up after the check: what was paid for is not lost."""
    from overbar.cli import answer_files

    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(answer_files, "write_whole", full)
    result = run("select", "sales.csv", *LISTED, "--out", "answer.csv")
    assert result.exit_code == 2
    assert set(labels(result.stdout)) == HIGH
    assert "answer.csv cannot be written: No space left on device" in result.stderr


def test_an_answer_survives_whatever_goes_wrong_with_a_file(here, monkeypatch):
    from overbar.cli import answer_files

    def broken(*_, **__):
        raise ZeroDivisionError("SECRET")

    monkeypatch.setattr(answer_files, "report_page", broken)
    result = run("select", "sales.csv", *LISTED, "--out", "a.csv", "--out", "a.html")
    assert result.exit_code == 2
    assert set(labels(result.stdout)) == set(labels(Path("a.csv").read_text())) == HIGH
    assert "a.html cannot be written: ZeroDivisionError; the answer is on" in result.stderr
    assert "SECRET" not in result.stderr


def test_an_answer_survives_a_ledger_that_is_gone(here, monkeypatch):
    """What is left is said by the receipt: nothing is read again once the answer is paid for."""
    overbar.Ledger("budget.db").open("sales", epsilon=1)

    def gone(*_):
        raise overbar.LedgerError("the disk is gone")

    monkeypatch.setattr(overbar.Ledger, "show", gone)
    result = run("select", "sales.csv", *PAID, "--out", "a.html")
    assert result.exit_code == 0, result.stderr
    assert set(labels(result.stdout)) == HIGH
    assert "0 are left for sales" in Path("a.html").read_text()


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_no_label_steers_a_terminal(here, monkeypatch, form):
    odd = "tea\x1b]0;x\x07\x9b31m"
    with duckdb.connect("odd.duckdb") as engine:
        engine.execute("create table t as select ? as what, range as who from range(3000)", [odd])
    ask = [
        "select", "odd.duckdb", "--table", "t", "--item", "what", "--person", "who",
        "--cutoff", "1", "--threshold", "800", "--epsilon", "1", "--delta", "1e-6",
        "--items-per-person", "1", "--candidates", "10", "--format", form,
    ]  # fmt: skip
    screen, other = os.openpty()
    done = subprocess.run([program(), *ask], stdout=other, stderr=subprocess.PIPE, check=True)
    os.close(other)
    shown = os.read(screen, 1 << 16).decode()
    os.close(screen)
    assert done.returncode == 0
    assert "tea" in shown
    assert "\x1b]" not in shown
    assert "\x9b" not in shown
    if form == "csv":  # into a pipe it goes as it is
        piped = subprocess.run([program(), *ask], capture_output=True, check=True)
        assert odd in piped.stdout.decode()


def test_unsigned_labels_go_into_parquet(here):
    with duckdb.connect("ids.duckdb") as engine:
        engine.execute(
            "create table t as select 18446744073709551615::ubigint as id, range as who "
            "from range(3000)"
        )
    result = run(
        "select", "ids.duckdb", "--table", "t", "--item", "id", "--person", "who",
        "--cutoff", "1", "--threshold", "800", "--epsilon", "1", "--delta", "1e-6",
        "--items-per-person", "1", "--candidates", "10", "--out", "a.parquet",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert pyarrow.parquet.read_table("a.parquet")["id"].to_pylist() == [2**64 - 1]


def test_a_ledger_pays_once(here):
    ledger = overbar.Ledger("budget.db")
    ledger.open("sales", epsilon=2)
    first = run("select", "sales.csv", *PAID, "--request", "monday", "--out", "a.html")
    assert first.exit_code == 0, first.output
    assert ledger.remaining("sales") == 1
    assert "This cost ε = 1 of 2; 1 are left for sales." in Path("a.html").read_text()
    assert "this cost ε = 1 of 2; 1 are left for sales" in first.stderr
    again = run("select", "sales.csv", *PAID, "--request", "monday")
    assert again.stdout == first.stdout
    assert "the stored answer again, nothing spent now" in again.stderr
    assert ledger.remaining("sales") == 1
    other = run("select", "sales.csv", *PAID, "--request", "monday", "--threshold", "1600")
    assert other.exit_code == 2
    assert "request 'monday' was made before with another threshold" in other.stderr
    dry = run("select", "no.csv", *PAID, "--dry-run")
    assert "Of the budget of ε = 2 for sales, ε = 1 is left." in dry.stdout
    much = run("select", "sales.csv", *PAID, "--epsilon", "1.5", "--out", "answer.csv")
    assert much.exit_code == 2
    assert "epsilon must be at most 1, what is left of the budget" in much.stderr
    assert not Path("answer.csv").exists()
    assert ledger.remaining("sales") == 1
    assert ledger.verify() == ledger.head


def test_what_is_refused_or_cannot_be_read_costs_nothing(here):
    ledger = overbar.Ledger("budget.db")
    ledger.open("sales", epsilon=2)
    Path("broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    for wrong in (
        ["no.csv", *PAID],
        ["broken.parquet", *PAID],
        ["sales.csv", "--item", "x", *PAID[2:]],
        ["sales.csv", *PAID, "--out", "no/a.csv"],
    ):
        result = run("select", *wrong)
        assert result.exit_code == 2, wrong
        assert result.stdout == ""
    result = run("select", "sales.csv", *PAID, "--memory", "1MB")
    assert result.exit_code == 2
    assert "--memory 8GB" in result.stderr
    assert ledger.show("sales").entries == ()
    unknown = run("select", "sales.csv", *PAID[:-1], "sale")
    assert unknown.exit_code == 2
    assert "dataset 'sale' is not in this ledger (it has: 'sales')" in unknown.stderr


class OutOfMemoryException(Exception):  # noqa: N818 (DuckDB names it so)
    """An error of another engine that has the name of DuckDB's."""


class Full(duckdb.OutOfMemoryException):
    """One of DuckDB with another name."""


@pytest.mark.parametrize(
    ("kind", "is_memory"),
    [(Full, True), (MemoryError, True), (OutOfMemoryException, False), (ValueError, False)],
)
def test_an_engine_out_of_memory_is_known_by_the_type_of_its_error(
    here, monkeypatch, kind, is_memory
):
    def raising(*_, **__):
        with discreetly():
            raise kind("OutOfMemoryException 104729")

    monkeypatch.setattr("overbar.frames.question.scored", raising)
    result = run("select", "sales.csv", *LISTED)
    assert result.exit_code == 2
    assert ("--memory 8GB" in result.stderr) is is_memory
    assert "104729" not in result.output


@pytest.mark.parametrize("named", [[], ["--encoding", "cp850"]])
def test_an_answer_says_how_text_is_read_whatever_is_in_it(here, named):
    """Once, in words for everybody; of a table with types there is nothing to say."""
    how = "text as cp850" if named else encodings.AS_UTF8
    for file in ("sales.csv", "sales.jsonl", "sales.parquet"):
        options = [] if file == "sales.parquet" else named
        targets = ["--out", "a.html", "--out", "a.json", "--force"]
        found = run("select", file, *LISTED, *options, *targets)
        assert found.exit_code == 0, found.output
        is_text = file != "sales.parquet"
        assert (how in Path("a.html").read_text()) == is_text
        question = json.loads(Path("a.json").read_text())["question"]
        assert question["source"] == (f"{file} ({how})" if is_text else file)
