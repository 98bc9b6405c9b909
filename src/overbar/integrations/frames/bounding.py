"""Each person keeps at most so many items, chosen by a fresh secret key.

For every pair of person and item the key gives a number, MD5(key|person|item), and a person keeps
the items with the smallest numbers. What one person keeps depends on that person's own items and
on the key, and on nothing else, so taking a person out of a table changes what nobody else keeps:
one person still moves each score by at most the sensitivity, and at most so many scores at all,
for every value of the key. That holds for any function in the place of MD5, so nothing rests on
its strength; it is there because every engine has it and it spreads evenly. Numbers belong to
pairs and not to items, because with one number for each item an unlucky item would lose nearly
everyone who holds more than the limit.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import narwhals as nw

from overbar.integrations.frames.columns import plain_text
from overbar.sampling import system

KEY_BYTES = 16

Lazy = nw.LazyFrame[Any]


def bounded(pairs: Lazy, most: int) -> Lazy:
    """Return the pairs of person and item, each once, without those beyond a person's limit."""
    key = system(KEY_BYTES).hex()
    if pairs.implementation.is_duckdb():
        return _bounded_duckdb(pairs, most, key)
    if pairs.implementation.is_pyspark() or pairs.implementation.is_pyspark_connect():
        return _bounded_spark(pairs, most, key)
    return _bounded_here(pairs.collect(), most, key).lazy()


def _bounded_duckdb(pairs: Lazy, most: int, key: str) -> Lazy:
    number = f"md5(concat('{key}', '|', person, '|', item))"
    place = f"row_number() over (partition by person order by {number})"
    ranked = pairs.to_native().project(f"*, {place} as place")
    kept: Lazy = nw.from_native(ranked.filter(f"place <= {most}"))
    return kept.drop("place")


def _bounded_spark(pairs: Lazy, most: int, key: str) -> Lazy:
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    columns = (F.lit(key), F.col("person").cast("string"), F.col("item").cast("string"))
    window = Window.partitionBy("person").orderBy(F.md5(F.concat_ws("|", *columns)))
    ranked = pairs.to_native().withColumn("place", F.row_number().over(window))
    kept: Lazy = nw.from_native(ranked.filter(F.col("place") <= most))
    return kept.drop("place")


def _bounded_here(pairs: nw.DataFrame[Any], most: int, key: str) -> nw.DataFrame[Any]:
    persons = [plain_text(person) for person in pairs["person"].to_list()]
    items = pairs["item"].to_list()
    held = Counter(persons)
    crowded = [row for row, person in enumerate(persons) if held[person] > most]

    def number(row: int) -> bytes:
        text = f"{key}|{persons[row]}|{plain_text(items[row])}"
        return hashlib.md5(text.encode(), usedforsecurity=False).digest()

    keep = [True] * len(persons)
    kept: Counter[str] = Counter()
    for row in sorted(crowded, key=number):
        kept[persons[row]] += 1
        keep[row] = kept[persons[row]] <= most
    return pairs.filter(keep)
