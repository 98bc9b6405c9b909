"""What tests of commands share."""

from __future__ import annotations

import csv
import sqlite3

import duckdb
import pytest

from tests.cli.shop import BOUGHT, CATALOGUE


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The same purchases in every kind of table."""
    folder = tmp_path_factory.mktemp("tables")
    rows = [(f"c{c}", item, 2 + c % 3) for item, n in BOUGHT.items() for c in range(n)]
    with (folder / "sales.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["customer", "product", "amount"])
        writer.writerows(rows)
    with duckdb.connect(str(folder / "shop.duckdb")) as engine:
        engine.execute(
            f"create table sales as select * from read_csv('{folder}/sales.csv', header=true)"
        )
        engine.execute(f"copy sales to '{folder}/sales.parquet' (format parquet)")
        engine.execute(f"copy sales to '{folder}/sales.jsonl' (format json)")
        engine.execute(
            f"copy (select product, count(*) as n from sales group by all) to '{folder}/n.csv'"
        )
    connection = sqlite3.connect(folder / "shop.db")
    connection.execute("create table sales (customer, product, amount)")
    connection.executemany("insert into sales values (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    (folder / "products.txt").write_text("\n".join(CATALOGUE) + "\n")
    return folder


@pytest.fixture
def here(tables, tmp_path, monkeypatch):
    """An empty folder with links to the tables."""
    for path in tables.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path
