"""Each person keeps at most so many items, chosen by a fresh secret key.

For every pair of person and item the key gives a number: MD5(key|person|item), read from its last
byte to its first. A person keeps the items with the smallest numbers.

**Claim.** For every key, taking a person out of a table changes what nobody else keeps. So one
person moves each score by at most the sensitivity, in the direction that they would without a
limit, and moves at most so many scores at all. **Proof.** What a person keeps is a function of that
person's own items and of the key. ∎

That holds for any function in the place of MD5, so nothing rests on its strength; it is there
because every engine has it and it spreads evenly. Numbers belong to pairs and not to items: with
one number for each item, an unlucky item would lose nearly everyone who holds more than the limit.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import narwhals as nw

from overbar.integrations.frames.columns import plain_text
from overbar.integrations.frames.listing import is_spark, masked
from overbar.sampling import system

KEY_BYTES = 16

Lazy = nw.LazyFrame[Any]


def bounded(pairs: Lazy, most: int) -> Lazy:
    """Return the pairs of person and item, each once, without those beyond a person's limit.

    Precondition: columns item, person and share; each pair of person and item once, no nulls.
    """
    key = system(KEY_BYTES).hex()
    if pairs.implementation.is_duckdb():
        return _bounded_duckdb(pairs, most, key)
    if is_spark(pairs):
        return _bounded_spark(pairs, most, key)
    return _bounded_here(pairs.collect(), most, key).lazy()


def _bounded_duckdb(pairs: Lazy, most: int, key: str) -> Lazy:
    """Keep a short list for each person: a window function would sort all pairs in memory."""
    number = f"md5_number(concat('{key}', '|', person, '|', item))"
    pair = "{item: item, share: share}"
    short = pairs.to_native().aggregate(f"person, arg_min({pair}, {number}, {most}) as pairs")
    kept = short.project("unnest(pairs) as pair").project("pair.item as item, pair.share as share")
    result: Lazy = nw.from_native(kept)
    return result


def _bounded_spark(pairs: Lazy, most: int, key: str) -> Lazy:
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    names = (F.lit(key), F.col("person").cast("string"), F.col("item").cast("string"))
    digest = F.md5(F.concat_ws("|", *names))
    number = F.concat(*(F.substring(digest, place, 2) for place in range(31, 0, -2)))
    window = Window.partitionBy("person").orderBy(number)
    ranked = pairs.to_native().withColumn("place", F.row_number().over(window))
    kept: Lazy = nw.from_native(ranked.filter(F.col("place") <= most).select("item", "share"))
    return kept


def _bounded_here(pairs: nw.DataFrame[Any], most: int, key: str) -> nw.DataFrame[Any]:
    persons = [plain_text(person) for person in pairs["person"].to_list()]
    items = pairs["item"].to_list()
    held = Counter(persons)
    crowded = [row for row, person in enumerate(persons) if held[person] > most]

    def number(row: int) -> bytes:
        text = f"{key}|{persons[row]}|{plain_text(items[row])}"
        return hashlib.md5(text.encode(), usedforsecurity=False).digest()[::-1]

    keep = [True] * len(persons)
    kept: Counter[str] = Counter()
    for row in sorted(crowded, key=number):
        kept[persons[row]] += 1
        keep[row] = kept[persons[row]] <= most
    return masked(pairs.select("item", "share"), keep)
