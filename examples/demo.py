"""The best-selling products of a market, privately, from a table of a million purchases.

Run it with `make demo`. It writes a Parquet file of made-up baskets, runs the real `overbar select`
on it, and shows the truth beside the answer, which only made-up data may show.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
from market_baskets import market_baskets

CUSTOMERS, PRODUCTS = 101_000, 1_000
CUTOFF, THRESHOLD = 12, 3_000
FOLDER = Path("build/demo")
TABLE, REPORT, ANSWER = (FOLDER / n for n in ("baskets.parquet", "report.html", "answer.json"))

bold, soft, plain = ("\033[1m", "\033[2m", "\033[0m")
if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
    bold = soft = plain = ""


def make_table() -> duckdb.DuckDBPyRelation:
    """Write who bought what, one purchase a row."""
    duckdb.sql("set enable_progress_bar = false")
    baskets = market_baskets(CUSTOMERS, items=PRODUCTS, average_size=10, seed=2024)
    bought = {"row": baskets.row, "item": baskets.item}
    duckdb.register("bought", bought)
    FOLDER.mkdir(parents=True, exist_ok=True)
    duckdb.sql(
        "select row as customer, format('product {:03d}', item) as product from bought"
    ).write_parquet(str(TABLE))
    return duckdb.read_parquet(str(TABLE))


def ask() -> None:
    """Run the command that anyone would type."""
    (FOLDER / "products.txt").write_text("".join(f"product {i:03d}\n" for i in range(PRODUCTS)))
    table = ["select", TABLE.name, "--item", "product", "--person", "customer"]
    numbers = ["--cutoff", str(CUTOFF), "--threshold", str(THRESHOLD), "--epsilon", "1"]
    catalogue = ["--catalogue", "products.txt"]
    files = ["--out", ANSWER.name, "--out", REPORT.name, "--force"]
    print(f"{bold}$ overbar {' '.join(table)} \\\n      {' '.join(numbers + catalogue)} \\")
    print(f"      {' '.join(files)}{plain}\n", flush=True)
    command = [*table, *numbers, *catalogue, *files, "--format", "table"]
    subprocess.run([sys.executable, "-P", "-m", "overbar", *command], cwd=FOLDER, check=True)


table = make_table()
((rows,),) = table.aggregate("count(*)").fetchall()
print(f"{rows:,} purchases of {CUSTOMERS:,} customers, all made up: {TABLE}\n")
ask()

found = json.loads(ANSWER.read_text())["labels"]
counts = dict(table.aggregate("product, count(distinct customer) as n", "product").fetchall())
above = sorted((name for name in counts if counts[name] > THRESHOLD), key=lambda n: -counts[n])
right = sum(name in above for name in found)

print(f"\n{bold}The truth, which only made-up data may show{plain}")
for name in above:
    print(f"  {counts[name]:>6,} customers  {name}  {'found' if name in found else '–'}")
for name in sorted(set(found) - set(above)):
    print(f"  {counts.get(name, 0):>6,} customers  {name}  found, but not above {THRESHOLD:,}")
print(f"{soft}{right} of the {len(above)} products above {THRESHOLD:,} were found.{plain}")
print(f"\nThe HTML report: {REPORT}")
