"""`--counts` from outside: tables, files, reports, plans, ledgers, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest

from tests.cli.shop import ASK, BOUGHT, LISTED, PAID, UNLISTED, run

TOP = [*ASK, "--catalogue", "products.txt", "--counts"]
#: Noise beyond 1,000 has a chance below e^-90 at ε = 1.
FAR = 1000


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def near(row):
    return abs(float(row["count"]) - BOUGHT[row["product"]]) < FAR


@pytest.mark.parametrize("more", [[], ["--items-per-person", "6"]])
def test_each_item_has_its_count(here, more):
    result = run("top", "sales.csv", *TOP, *more)
    assert result.exit_code == 0, result.output
    found = rows(result.stdout)
    assert list(found[0]) == ["found", "product", "count", "low", "high"]
    assert len(found) == 3
    for row in found:
        assert near(row)
        assert 0 <= int(row["low"]) <= int(row["count"]) <= int(row["high"])


def test_a_share_is_a_number_of_the_plan(here):
    typed = ["--top", *TOP[4:], "--counts-share", "0.5", "--out", "p.json"]
    typed = [word for word in typed if word not in ("--catalogue", "products.txt")]
    assert run("plan", *typed).exit_code == 0
    columns = [*TOP[:4], "--catalogue", "products.txt"]
    result = run("top", "sales.csv", *columns, "--plan", "p.json")
    assert result.exit_code == 0, result.output
    assert all(map(near, rows(result.stdout)))


def test_files_and_the_screen_hold_them(here):
    names = ["answer.csv", "answer.json", "answer.parquet", "answer.html"]
    outs = [part for name in names for part in ("--out", name)]
    result = run("select", "sales.parquet", *LISTED, "--counts", *outs, "--format", "table")
    assert result.exit_code == 0, result.output
    assert "95 % interval" in result.output
    found = rows(Path("answer.csv").read_text())
    answer = json.loads(Path("answer.json").read_text())
    assert [row["count"] for row in found] == [one["count"] for one in answer["counts"]]
    assert answer["plan"]["counts"]["name"] == "laplace"
    stored = duckdb.sql("select product, count, low, high from 'answer.parquet'").fetchall()
    assert [[str(part) for part in row] for row in stored] == [
        [row[name] for name in ("product", "count", "low", "high")] for row in found
    ]
    page = Path("answer.html").read_text()
    assert page.count('aria-label="bar with its interval"') == 3
    assert "Counts are noisy." in page
    for line in found:
        assert f"{int(line['count']):,}" in result.output
        assert f"{int(line['count']):,}" in page


def test_a_column_with_the_name_of_a_count_is_no_trouble(here):
    Path("odd.csv").write_text("customer,count\n" + "".join(f"{c},tea\n" for c in range(900)))
    Path("odd.txt").write_text("tea\nrum\n")
    asked = ["--item", "count", "--person", "customer", "--cutoff", "1", "--epsilon", "9"]
    outs = ["--out", "odd.parquet"]
    result = run("top", "odd.csv", *asked, "--catalogue", "odd.txt", "--counts", *outs)
    assert result.exit_code == 0, result.output
    assert duckdb.sql("select item from 'odd.parquet'").fetchall() == [("tea",)]


def test_without_a_catalogue(here):
    result = run("select", "sales.csv", *UNLISTED, "--counts", "--format", "json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    for label, count in zip(answer["labels"], answer["counts"], strict=True):
        assert near({"product": label, **count})


def test_a_request_made_again_gives_the_same_counts(here):
    assert run("ledger", "open", "budget.db", "sales", "--epsilon", "1").exit_code == 0
    again = [*PAID, "--counts", "--request", "monday"]
    first, second = run("select", "sales.csv", *again), run("select", "sales.csv", *again)
    assert first.exit_code == second.exit_code == 0, second.output
    assert rows(first.stdout) == rows(second.stdout)
    assert "nothing spent now" in second.output
    assert run("ledger", "verify", "budget.db").exit_code == 0


def test_a_plan_shows_what_they_cost_and_carries_them(here):
    asked = ["--epsilon", "1", "--cutoff", "3", "--candidates", "8"]
    result = run("plan", *asked, "--counts", "--out", "plan.json")
    assert result.exit_code == 0, result.output
    assert "within 30 of the truth, 95 % of the time" in " ".join(result.output.split())
    columns = ["--item", "product", "--person", "customer", "--catalogue", "products.txt"]
    used = run("select", "sales.csv", *columns, "--threshold", "1500", "--plan", "plan.json")
    assert used.exit_code == 0, used.output
    assert all(map(near, rows(used.stdout)))
    free = run("plan", *asked, "--counts", "--items-per-person", "1")
    assert "free: the noisy scores themselves" in " ".join(free.output.split())


def test_values_cost_a_little_and_fall_in_order(here):
    """One more place and a noise that the top would not need: that is not free."""
    asked = ["--epsilon", "1", "--delta", "1e-6", "--cutoff", "5", "--counts"]
    shown = " ".join(run("plan", *asked, "--candidates", "900", "--threshold", "9").output.split())
    assert "nearly free: the noisy scores themselves, less Gaussian noise" in shown
    assert shown.count("(this plan)") == 1
    result = run("top", "sales.csv", *TOP, "--delta", "1e-6", "--out", "values.html")
    assert result.exit_code == 0, result.output
    counts = [int(row["count"]) for row in rows(result.stdout)]
    assert counts == sorted(counts, reverse=True)
    assert "need not fall line by line" not in Path("values.html").read_text()
    assert "They share some noise" in Path("values.html").read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--counts-share", "1"], "--counts-share must be the share of epsilon"),
        (["--counts-share", "much"], "--counts-share must be a number"),
    ],
)
def test_what_makes_no_sense_is_refused(here, more, said):
    result = run("plan", "--epsilon", "1", "--cutoff", "3", "--candidates", "9", *more)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_items_of_two_columns_have_counts(here):
    rows_ = "".join(f"c{c},north,{item}\n" for item in ("tea", "rum") for c in range(900))
    Path("two.csv").write_text("customer,low,product\n" + rows_)
    asked = ["--item", "low", "--item", "product", "--person", "customer", "--cutoff", "2"]
    asked += ["--threshold", "400", "--epsilon", "9", "--delta", "1e-9", "--items-per-person", "2"]
    outs = ["--candidates", "5", "--counts", "--out", "two.parquet", "--out", "two.html"]
    result = run("select", "two.csv", *asked, *outs)
    assert result.exit_code == 0, result.output
    head, *found = result.stdout.splitlines()
    assert head == "found,low,product,count,low,high"
    assert len(found) == 2
    stored = duckdb.sql("select item, product, count from 'two.parquet'").fetchall()
    assert {row[:2] for row in stored} == {("north", "tea"), ("north", "rum")}
    assert all(abs(row[2] - 900) < 300 for row in stored)
    assert "north / tea" in Path("two.html").read_text()
