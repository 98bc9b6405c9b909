"""`overbar keys` from outside: what comes out, what is refused, and what it says."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet
import pytest

import overbar
from overbar.report.report import report_of
from tests.cli.shop import HIGH, labels, run

pytestmark = pytest.mark.one_in(2)

#: With these three keys come out and the others do not, but for a chance of 1e-12.
ASK = ["--item", "product", "--person", "customer", "--epsilon", "1/10", "--delta", "1e-15"]
PAID = [*ASK, "--ledger", "budget.db", "--dataset", "sales"]


@pytest.mark.parametrize(
    "source",
    [
        ["sales.csv"],
        ["sales.parquet"],
        ["sales.jsonl"],
        ["shop.duckdb", "--table", "sales"],
        ["shop.db", "--table", "sales"],
    ],
    ids=lambda source: source[0],
)
def test_every_kind_of_table_gives_its_keys_sorted(here, source):
    result = run("keys", *source, *ASK)
    assert result.exit_code == 0, result.output
    found = labels(result.stdout)
    assert set(found) == HIGH
    assert found == sorted(found)
    assert (
        "3 keys found; (ε, δ)-differential privacy with ε = 0.1 and δ = 1e-15; spent all of it"
        in (result.stderr)
    )


def test_files_of_an_answer(here):
    files = ["keys.csv", "keys.json", "keys.parquet"]
    result = run("keys", "sales.parquet", *ASK, *(x for f in files for x in ("--out", f)))
    assert result.exit_code == 0, result.output
    answer = json.loads(Path("keys.json").read_text())
    assert set(answer["labels"]) == HIGH
    assert answer["guarantee"]["epsilon"] == "0.1"
    assert Fraction(answer["guarantee"]["delta"]) == Fraction("1e-15")
    assert len(answer["rounds"]) == 3
    assert answer["ledger"] is None
    assert labels(Path("keys.csv").read_text()) == answer["labels"]
    assert pyarrow.parquet.read_table("keys.parquet")["product"].to_pylist() == answer["labels"]


def test_a_dry_run_says_which_keys_would_come_out(here):
    asked = [*ASK[:6], "--delta", "1e-6", "--items-per-person", "4"]
    result = run("keys", "no-such-file.csv", *asked, "--dry-run")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert re.search(
        r"Keys held by about \d{3} persons or more come out if these hold no other key, and by "
        r"about \d{3,4} if they hold 4 keys or more\.",
        said,
    )
    assert "no data was touched and nothing was spent" in said


def test_a_plan_for_keys_says_what_a_dry_run_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = [*ASK[4:], "--items-per-person", "4", "--counts"]
    told = run("plan", "--keys", *asked)
    assert told.exit_code == 0, told.output
    dry = run("keys", "no.csv", "--item", "item", "--person", "person", *asked, "--dry-run").stdout
    assert dry.startswith(told.stdout)  # what is left, and that it was a dry run, comes on top
    fields = json.loads(run("plan", "--keys", *asked, "--format", "json").stdout)
    question = overbar.frames.Question.keys(
        item="item", person="person", epsilon="1/10", delta="1e-15", items_per_person=4, counts=True
    )
    assert fields["how_good"]["sentence"] == question.forecast
    assert fields["guarantee"]["epsilon"] == "0.1"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ([], "these must be given: --epsilon (the privacy budget, such as 1), --delta ("),
        ([*ASK[4:], "--cutoff", "3"], "--cutoff does not go with --keys: leave it out"),
        ([*ASK[4:], "--top"], "--top does not go with --keys"),
        ([*ASK[4:], "--out", "plan.json"], "--out does not go with --keys"),
        ([*ASK[4:], "--rounds", "unlimited"], "--rounds must be a number"),
    ],
)
def test_a_plan_for_keys_drops_nothing(tmp_path, monkeypatch, typed, said):
    monkeypatch.chdir(tmp_path)
    result = run("plan", "--keys", *typed)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stdout == ""


def test_a_table_on_the_screen_says_how_good_it_is(here):
    result = run("keys", "sales.parquet", *ASK, "--format", "table")
    said = " ".join(result.stdout.split())
    assert "At least 95 times of 100, " in said
    assert "Keys held by about" in said


def test_a_ledger_pays_and_a_request_is_answered_again(here):
    overbar.Ledger("budget.db").open("sales", epsilon="1/10", delta="1e-15")
    first = run("keys", "sales.parquet", *PAID, "--request", "one", "--format", "json")
    assert first.exit_code == 0, first.output
    again = run("keys", "sales.parquet", *PAID, "--request", "one", "--format", "json")
    assert json.loads(again.stdout)["labels"] == json.loads(first.stdout)["labels"]
    assert "the stored answer again, nothing spent now" in again.stderr
    refused = run("keys", "sales.parquet", *PAID)
    assert refused.exit_code == 2
    assert refused.stdout == ""
    shown = run("ledger", "show", "budget.db", "sales")
    assert shown.exit_code == 0
    assert "customer for each product" in " ".join(shown.stdout.split())
    assert run("ledger", "verify", "budget.db").exit_code == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (ASK[:4], "these must be given: --epsilon (the privacy budget, such as 1), --delta ("),
        (ASK[:6], "--delta must be given: a small number such as 1e-6"),
        ([*ASK[:6], "--delta", "0"], "--delta must be positive: a key that only one person holds"),
        (ASK[:2] + ASK[4:], "--person must name the column that says whose row it is"),
        ([*ASK, "--rounds", "11"], "--rounds must be at most 10, got 11"),
        ([*ASK, "--rounds", "some"], "--rounds must be a number"),
        ([*ASK, "--items-per-person", "0"], "--items-per-person must be a positive whole number"),
        ([*ASK, "--at-least", "1/2"], "--at-least must be a positive whole number"),
        ([*ASK, "--out", "keys.pdf"], "--out must end in one of"),
        ([*ASK, "--counts-share", "1/2"], "No such option"),
        ([*ASK, "--out", "sales.csv", "--force"], "would be lost"),
        ([*ASK, "--dataset", "sales"], "--dataset goes with --ledger FILE"),
        (["--item", "thing", *ASK[2:]], "'thing'"),
    ],
)
def test_bad_use_is_refused_in_one_line(here, typed, said):
    result = run("keys", "sales.csv", *typed)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_counts_come_with_intervals_and_everything_else(here):
    files = ["keys.csv", "keys.json", "keys.parquet"]
    out = (x for f in files for x in ("--out", f))
    result = run("keys", "sales.parquet", *ASK, "--counts", "--out", "keys.html", *out)
    assert result.exit_code == 0, result.output
    *rows, rest = csv.DictReader(io.StringIO(result.stdout))
    assert {row["product"] for row in rows} >= HIGH
    assert rest["found"] == ""
    assert rest["product"] == "everything else"
    answer = json.loads(Path("keys.json").read_text())
    assert [row["count"] for row in rows] == [count["count"] for count in answer["counts"]]
    assert {name: rest[name] for name in ("count", "low", "high")} == answer["everything_else"]
    total = int(answer["total"]["count"])
    assert f"everything else: {int(rest['count']):,} (" in result.stderr
    assert f"in all: {total:,} (" in result.stderr
    assert Path("keys.csv").read_text() == result.stdout
    table = pyarrow.parquet.read_table("keys.parquet")
    assert table["count"].to_pylist() == [int(row["count"]) for row in (*rows, rest)]
    assert table["product"].to_pylist()[-1] is None
    page = " ".join(Path("keys.html").read_text().split())
    assert "persons or more come out" in page
    assert f"<td>everything else</td><td class=number>{int(rest['count']):,}</td>" in page
    assert f"in all: {total:,} (" in page
    shown = run("keys", "sales.parquet", *ASK, "--counts", "--format", "table")
    assert "everything else" in shown.stdout
    assert "95 % interval" in shown.stdout


def test_a_page_without_counts_lists_the_keys(here):
    overbar.Ledger("budget.db").open("sales", epsilon="1/20", delta="1e-6")
    result = run("keys", "sales.parquet", *PAID, "--out", "keys.html")
    assert result.exit_code == 0, result.output
    page = Path("keys.html").read_text()
    assert " keys found, sorted. How many others there are stays hidden." in page
    assert "<li>tea</li>" in page
    assert "one more run for sales may cost" in page
    assert "everything else" not in page
    assert "<script" not in page
    assert "persons or more come out" in page


def test_a_dry_run_says_how_far_counts_are_off(here):
    asked = ("keys", "no-such-file.csv", *ASK, "--counts", "--dry-run")
    result = run(*asked, "--items-per-person", "100")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert re.search(
        r"In 95 of 100 cases a count is off by at most [\d,]+ and everything else by at most "
        r"[\d,]+; of each person at most 100 keys count\.",
        said,
    )


def noise_by_items(*typed):
    """The table of a dry run: for so many keys of each person, what noise is needed."""
    result = run("keys", "no-such-file.csv", *ASK, *typed, "--dry-run", "--format", "json")
    assert result.exit_code == 0, result.output
    report = report_of(result.stdout)
    table = report.section("items").table
    rows = {int(row[0]): [int(cell.replace(",", "")) for cell in row[1:]] for row in table.rows}
    return rows, table.looks, report.section("good").lead


def said_of(items, *typed):
    """The same numbers out of the sentence of a dry run that asks for so many keys."""
    _, _, lead = noise_by_items(*typed, "--items-per-person", str(items))
    lead = lead.replace(",", "")
    alone = re.search(r"held by about (\d+) persons", lead)[1]
    crowded = re.search(r"by about (\d+) if they hold", lead)
    off = re.findall(r"count is off by at most (\d+)", lead)
    return [int(alone), int(crowded[1] if crowded else alone), *map(int, off)]


@pytest.mark.parametrize("counts", [[], ["--counts"]], ids=["keys", "counts"])
def test_a_dry_run_shows_the_noise_by_how_many_keys_of_each_person_count(counts):
    """Each row says what a dry run for that number says; noise grows, and 10 is the default."""
    rows, looks, _ = noise_by_items(*counts)
    assert list(rows) == [1, 3, 10, 30, 100]
    assert looks == ("", "", "chosen", "", "")
    for items in (1, 3, 100):
        assert rows[items] == said_of(items, *counts)
    assert rows[3] != said_of(4, *counts)  # the control: another number has other noise
    for few, many in pairwise(rows.values()):
        assert few[1] < many[1]
        assert not counts or few[2] < many[2]
    chosen, looks, _ = noise_by_items(*counts, "--items-per-person", "5")
    assert list(chosen) == [1, 3, 5, 10, 30, 100]
    assert looks[2] == "chosen"
    assert {items: chosen[items] for items in rows} == rows


def test_what_is_asked_beside_that_holds_for_each_number():
    """A key of fewer than 5,000 persons never comes out, however many keys count."""
    rows, _, _ = noise_by_items("--at-least", "5000", "--rounds", "1", "--counts")
    usual, _, _ = noise_by_items("--counts")
    assert all(row[0] >= 5000 for row in rows.values())
    assert all(row[0] < 5000 for row in usual.values())
