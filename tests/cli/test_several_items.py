"""`--item` more than once: what comes in, what comes out, what is refused."""

from __future__ import annotations

import csv
import io
import json

import duckdb
import pytest
from pyarrow import parquet

import overbar
from tests.cli.shop import run

ROWS = """
select 'north' as region, 'tea' as product, range as customer, 2020 as year from range(4000)
union all select 'south', 'rum', range, 2021 from range(4000)
union all select 'south', 'a/b', range, 2021 from range(3)
"""
LIST = "region,product\nnorth,tea\nnorth,rum\nsouth,rum\nsouth,tea\n"
ITEM = ["--item", "region", "--item", "product"]
NUMBERS = ["--person", "customer", "--threshold", "2000", "--cutoff", "2", "--epsilon", "4"]
WANTED = {("north", "tea"), ("south", "rum")}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("shop.duckdb") as engine:
        engine.execute(f"create table sales as {ROWS}")
        engine.sql("from sales").write_parquet("sales.parquet")
        engine.sql("from sales").write_csv("sales.csv")
        engine.sql("select 2019 + range as year, 'tea' as product from range(4)").write_csv("y.csv")
    (tmp_path / "list.csv").write_text(LIST)
    return tmp_path


@pytest.mark.parametrize("source", [["sales.csv"], ["shop.duckdb", "--table", "sales"]], ids=str)
def test_each_column_has_its_own_in_csv(here, source):
    result = run("select", *source, *ITEM, *NUMBERS, "--catalogue", "list.csv")
    assert result.exit_code == 0, result.output
    lines = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(lines[0]) == ["found", "region", "product"]
    assert {(line["region"], line["product"]) for line in lines} == WANTED


def test_files_the_page_and_the_screen(here):
    files = ["--out", "a.json", "--out", "a.parquet", "--out", "a.html", "--format", "table"]
    unlisted = ["--items-per-person", "3", "--delta", "1e-6", "--candidates", "9"]
    result = run("select", "sales.parquet", *ITEM, *NUMBERS, *unlisted, *files)
    assert result.exit_code == 0, result.output
    assert "region" in result.stdout
    assert "product" in result.stdout
    answer = json.loads((here / "a.json").read_text())
    assert answer["item"] == ["region", "product"]
    assert set(map(tuple, answer["labels"])) == WANTED
    assert answer["question"]["score"].startswith("number of customer for each region and product")
    table = parquet.read_table(here / "a.parquet").to_pydict()
    assert set(zip(table["region"], table["product"], strict=True)) == WANTED
    page = (here / "a.html").read_text()
    assert "<li>north / tea</li>" in page
    assert "a/b" not in page


def test_no_column_takes_the_place_of_another_in_parquet(here):
    with duckdb.connect() as engine:
        rows = "select region as found, product as item, customer from read_csv('sales.csv')"
        engine.sql(rows).write_csv("odd.csv")
    (here / "odd_list.csv").write_text(LIST.replace("region,product", "found,item"))
    asked = ["--item", "found", "--item", "item", *NUMBERS, "--catalogue", "odd_list.csv"]
    result = run("select", "odd.csv", *asked, "--out", "a.parquet")
    assert result.exit_code == 0, result.output
    table = parquet.read_table(here / "a.parquet").to_pydict()
    assert list(table) == ["found", "item_", "item"]
    assert set(zip(table["item_"], table["item"], strict=True)) == WANTED


def test_a_catalogue_is_fitted_to_each_column(here):
    """Of CSV all is text, and the column of years is whole numbers."""
    asked = ["--item", "year", "--item", "product", *NUMBERS, "--catalogue", "y.csv"]
    result = run("select", "sales.parquet", *asked, "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["labels"] == [[2020, "tea"]]


def test_a_request_gives_the_same_answer_again(here):
    overbar.Ledger(here / "b.db").open("sales", epsilon=10)
    paid = ["--ledger", "b.db", "--dataset", "sales", "--request", "one", "--format", "json"]
    first, again = (
        run("top", "sales.csv", *ITEM, *NUMBERS[:2], *NUMBERS[4:], "--catalogue", "list.csv", *paid)
        for _ in range(2)
    )
    assert first.exit_code == again.exit_code == 0, first.output
    told = [json.loads(result.stdout) for result in (first, again)]
    assert told[0]["labels"] == told[1]["labels"]
    assert [answer["ledger"]["repeated"] for answer in told] == [False, True]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--catalogue", "0..9"], "must be a table with the columns region and product of --item"),
        (["--catalogue", "list.csv:region"], "must be a table with the columns region and product"),
        (["--catalogue", "y.csv"], "--item"),
        (["--item", "region"], "each option needs a column of its own"),
    ],
)
def test_what_is_refused(here, asked, message):
    result = run("select", "sales.csv", *ITEM, *NUMBERS, *asked)
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.stderr.split())


def test_keys_take_one_column(here):
    asked = ["--person", "customer", "--epsilon", "1", "--delta", "1e-6"]
    result = run("keys", "sales.csv", *ITEM, *asked)
    assert result.exit_code == 2
    assert "--item must be one column for keys" in result.stderr
