"""A folder with a shop's tables and a ledger, for the tests of the page."""

from __future__ import annotations

import csv
import re
from urllib.parse import urlencode

import duckdb

from overbar import Ledger

#: How many of 2,500 customers bought what. Three are far above the rest.
BOUGHT = {"tea": 2417, "rum": 1823, "ale": 1511, "gin": 90}
HIGH = {"tea", "rum", "ale"}
#: The true counts, which are nobody's business.
PRIVATE = re.compile("|".join(f"{n}|{n:,}" for n in BOUGHT.values() if n > 999))
ASKED = {
    "station": "ask", "question": "top", "cutoff": "3", "epsilon": "1", "delta": "0",
    "candidates": "6", "dataset": "sales", "file": "sales.csv", "item": "product",
    "person": "customer", "catalogue": "products.txt",
}  # fmt: skip


def query(**changes):
    return "?" + urlencode({**ASKED, **changes})


def furnish(folder):
    """Put the tables and a ledger of ε = 50 into a folder."""
    with (folder / "sales.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["customer", "product"])
        writer.writerows((f"c{c}", item) for item, n in BOUGHT.items() for c in range(n))
    with duckdb.connect(str(folder / "shop.duckdb")) as engine:
        engine.execute(f"create table sales as from read_csv('{folder}/sales.csv', header=true)")
        engine.execute(f"copy sales to '{folder}/sales.parquet' (format parquet)")
    (folder / "products.txt").write_text("\n".join([*BOUGHT, "port", "sake"]) + "\n")
    Ledger(folder / "budget.db").open("sales", epsilon=50)
    return folder


def spent(folder, dataset="sales"):
    return Ledger(folder / "budget.db", create=False).show(dataset)
