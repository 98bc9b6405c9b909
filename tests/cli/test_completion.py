"""What Tab offers: public names, never a line of someone's table."""

from __future__ import annotations

import sqlite3
from types import SimpleNamespace

import duckdb
import pytest

from overbar.cli import completion
from overbar.ledger import Ledger
from overbar.paper import STUDIES


def offered(complete, incomplete="", **typed):
    return complete(SimpleNamespace(params=typed), incomplete)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as engine:
        engine.execute("create table sales as select 'Ann' as customer, 'tea' as product")
        engine.execute("copy sales to 'sales.parquet'")
        engine.execute("copy sales to 'sales.csv'")
        engine.execute("attach 'shop.duckdb' as shop")
        engine.execute("create table shop.sales as from sales")
        engine.execute('create table shop."rows\x1b[31m" as from sales')
        engine.execute("create schema shop.old")
        engine.execute("create table shop.old.sold as from sales")
    with sqlite3.connect("shop.db") as file:
        file.execute("create table baskets (customer, product)")
        file.execute("create view latest as select product from baskets")
    file.close()
    return tmp_path


@pytest.mark.parametrize(
    ("complete", "incomplete", "names"),
    [
        (completion.noises, "", ["auto", "exponential", "gumbel", "laplace", "gaussian"]),
        (completion.noises, "g", ["gumbel", "gaussian"]),
        (completion.threshold_noises, "n", ["none"]),
        (completion.allocations, "", ["variance", "appending"]),
        (completion.corrections, "opt", ["optimal", "optimal-shared"]),
        (completion.rounds, "u", ["unlimited"]),
        (completion.orders, "", ["random", "given"]),
        (completion.formats, "", ["table", "csv", "json"]),
        (completion.input_formats, "p", ["parquet"]),
        (completion.studies, "", [study.name for study in STUDIES]),
    ],
)
def test_choices(complete, incomplete, names):
    assert sorted(offered(complete, incomplete)) == sorted(names)


def test_a_study_is_offered_once():
    first = STUDIES[0].name
    assert first not in offered(completion.studies, names=[first])


def test_tables_of_a_database(files):
    """A name that could steer the terminal is not offered."""
    assert offered(completion.tables, sources=["shop.duckdb"]) == ["sales", "old.sold"]
    assert offered(completion.tables, sources=["shop.db"]) == ["baskets", "latest"]
    assert offered(completion.tables, sources=["sales.parquet"]) == []


def test_columns_of_a_schema(files):
    both = ["customer", "product"]
    assert offered(completion.columns, sources=["sales.parquet"]) == both
    assert offered(completion.columns, "p", sources=["sales.parquet"]) == ["product"]
    assert offered(completion.columns, sources=["shop.duckdb"], table="sales") == both
    assert offered(completion.columns, sources=["shop.duckdb"], table="old.sold") == both
    assert offered(completion.columns, sources=["shop.db"], table="baskets") == both
    assert offered(completion.columns, sources=["shop.db"], table="latest") == ["product"]
    assert offered(completion.columns, sources=["shop.db"]) == []


@pytest.mark.parametrize("form", [None, "csv", "tsv"])
def test_the_first_line_of_a_text_file_is_never_offered(files, form):
    """It may be someone's row; the control is Parquet above, which states its columns."""
    assert "customer" in (files / "sales.csv").read_text()
    assert offered(completion.columns, sources=["sales.csv"], input_format=form) == []


def test_datasets_of_a_ledger(files):
    Ledger("budget.db").open("sales", epsilon=1)
    assert offered(completion.datasets, ledger="budget.db") == ["sales"]
    assert offered(completion.datasets, path="budget.db") == ["sales"]
    assert offered(completion.datasets, "x", ledger="budget.db") == []


@pytest.mark.parametrize("typed", [{}, {"sources": ["no.parquet"]}, {"sources": ["shop.txt"]}])
def test_what_goes_wrong_offers_nothing_and_makes_nothing(files, typed):
    before = sorted(files.iterdir())
    for complete in (completion.columns, completion.tables, completion.datasets):
        assert offered(complete, **typed, ledger="none.db") == []
    assert sorted(files.iterdir()) == before
