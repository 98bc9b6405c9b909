"""The best-selling products of a table, without telling on any customer.

Needs `pip install '.[cli]'`. Any other table will do as well: a pandas or Polars
frame, a PyArrow table, a Spark frame.
"""

import random
from pathlib import Path

import duckdb

from overbar import frames

# Made-up purchases: a few products that many buy, and many that few buy. Replace this by your file.
CATALOGUE = [f"product {number:03d}" for number in range(200)]
dice = random.Random(1)
with Path("sales.csv").open("w") as file:
    print("customer,product", file=file)
    for customer in range(5_000):
        for number in {min(int(dice.expovariate(0.1)), 199) for _ in range(8)}:
            print(f"customer {customer},{CATALOGUE[number]}", file=file)

sales = duckdb.read_csv("sales.csv")

# The catalogue is public: it says what could be an answer, whether anyone bought it or not.
# Customers are counted, not purchases, so one customer moves each count by one at most.
best = frames.top(
    sales,
    item="product",
    person="customer",
    catalogue=CATALOGUE,
    cutoff=5,
    epsilon=1,
)
print(best)

# Above a bar instead of the top five: may find fewer, and pays only for what it finds.
popular = frames.select(
    sales,
    item="product",
    person="customer",
    catalogue=CATALOGUE,
    threshold=1_500,
    cutoff=20,
    epsilon=1,
)
print(popular)

# Both answers are about the same customers, so what they cost adds up.
print(f"Spent in all: epsilon = {float(best.spent + popular.spent):.3f}")
