"""Keep at most so many items of each person, chosen by a fresh secret key.

For every pair of person and item the key gives a number: MD5(key|person|item), read from its last
byte to its first. A person keeps the items with the smallest numbers.

**Claim.** For every key, taking a person out of a table changes what nobody else keeps. So one
person moves each score by at most the sensitivity, in the direction that they would without a
limit, and moves at most so many scores at all. **Proof.** What a person keeps is a function of that
person's own items and of the key. ∎

That holds for any function in the place of MD5, so nothing rests on its strength; it is there
because every engine has it and it spreads evenly. It needs a person's label to be that person's
own. Where persons are numbered line by line, as in a basket file, taking one out renumbers those
behind; then it holds in law, as far as MD5 with a fresh key is a random function, because such a
function gives any numbering the same law. Numbers belong to pairs and not to items: with
one number for each item, an unlucky item would lose nearly everyone who holds more than the limit.

Rows whose item is not in the catalogue are dropped before, inside the engine. Where nothing is
chosen they are ignored when their scores come back; but a person's items are chosen among those on
the catalogue, and on a cluster what is dropped early need not travel.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import narwhals as nw

from overbar.frames.catalogue import OUTSIDE, Catalogue
from overbar.frames.columns import plain_text
from overbar.frames.texts import is_spark
from overbar.sampling import system

KEY_BYTES = 16
#: DuckDB sorts so many pairs at a time: about half a gigabyte, where it would not spill to disk.
PAIRS_AT_ONCE = 4_000_000
#: How DuckDB reads the items of each kind back from text.
READ_BACK = {
    "text": "decode(unhex(x))",
    "whole": "x::bigint",
    "boolean": "x::boolean",
    "date": "x::date",
}

Lazy = nw.LazyFrame[Any]


def fresh_key() -> str:
    """Return a key for one release."""
    return system(KEY_BYTES).hex()


def in_parts(pairs: Lazy) -> Iterator[Lazy]:
    """Yield the pairs in parts that fit in memory, all pairs of a person in one part.

    How many parts there are depends on the data, and what comes out does not depend on it. That
    rests on a query that gives the same rows each time, because each part asks it again. Lines
    that are numbered by ``row_number() over ()`` are: DuckDB reads them in their fixed order, by
    one thread, whatever is said about keeping an order.
    """
    if not pairs.implementation.is_duckdb():
        yield pairs
        return
    native = pairs.to_native()
    total = native.aggregate("count(*) as total").to_arrow_table()["total"][0].as_py()
    parts = 1 + total // PAIRS_AT_ONCE
    for part in range(parts):
        some: Lazy = nw.from_native(native.filter(f"hash(person) % {parts} = {part}"))
        yield some


def bounded(pairs: Lazy, most: int, key: str) -> Lazy:
    """Return items and shares of the pairs within each person's limit, and how many they kept.

    Precondition: columns item, person and share; each pair of person and item once, no nulls.
    Postcondition: columns item, share and kept, all from one reading: a view may draw a sample.
    """
    if pairs.implementation.is_duckdb():
        return _bounded_duckdb(pairs, most, key)
    if is_spark(pairs):
        return _bounded_spark(pairs, most, key)
    return _bounded_here(pairs.collect(), most, key).lazy()


def _bounded_duckdb(pairs: Lazy, most: int, key: str) -> Lazy:
    """Sort a list for each person: half the memory of a window function."""
    number = f"md5_number(concat('{key}', '|', person, '|', item))"
    pair = f"{{number: {number}, item: item, share: share}}"
    lists = pairs.to_native().aggregate(f"person, list({pair}) as pairs")
    kept = lists.project(
        f"unnest(list_sort(pairs)[:{most}]) as pair, least(len(pairs), {most}) as kept"
    )
    result: Lazy = nw.from_native(kept.project("pair.item as item, pair.share as share, kept"))
    return result


def _bounded_spark(pairs: Lazy, most: int, key: str) -> Lazy:
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    names = (F.lit(key), F.col("person").cast("string"), F.col("item").cast("string"))
    digest = F.md5(F.concat_ws("|", *names))
    number = F.concat(*(F.substring(digest, place, 2) for place in range(31, 0, -2)))
    window = Window.partitionBy("person").orderBy(number)
    held = F.count(F.lit(1)).over(Window.partitionBy("person"))
    ranked = pairs.to_native().withColumn("place", F.row_number().over(window))
    ranked = ranked.withColumn("kept", F.least(held, F.lit(most)))
    kept: Lazy = nw.from_native(
        ranked.filter(F.col("place") <= most).select("item", "share", "kept")
    )
    return kept


def _bounded_here(pairs: nw.DataFrame[Any], most: int, key: str) -> nw.DataFrame[Any]:
    persons = [plain_text(person) for person in pairs["person"].to_list()]
    items = pairs["item"].to_list()
    held = Counter(persons)
    crowded = [row for row, person in enumerate(persons) if held[person] > most]

    def number(row: int) -> bytes:
        text = f"{key}|{persons[row]}|{plain_text(items[row])}"
        return hashlib.md5(text.encode(errors="surrogatepass"), usedforsecurity=False).digest()[
            ::-1
        ]

    keep = [True] * len(persons)
    kept: Counter[str] = Counter()
    for row in sorted(crowded, key=number):
        kept[persons[row]] += 1
        keep[row] = kept[persons[row]] <= most
    numbers = [min(held[person], most) for person in persons]
    column = nw.new_series("kept", numbers, nw.Int64, backend=pairs.implementation)
    return masked(pairs.select("item", "share").with_columns(column), keep)


def only_listed(rows: Lazy, catalogue: Catalogue) -> Lazy:
    """Return the rows whose item is on the catalogue."""
    if not (rows.implementation.is_duckdb() or is_spark(rows)):
        here = rows.collect()
        return masked(here, (catalogue.places(here["item"]) != OUTSIDE).tolist()).lazy()
    if catalogue.ends is not None:
        rows = rows.filter(nw.col("item").is_between(*catalogue.ends))
        if catalogue.contiguous:
            return rows
    return (_listed_spark if is_spark(rows) else _listed_duckdb)(rows, catalogue)


def masked(rows: nw.DataFrame[Any], keep: list[bool]) -> nw.DataFrame[Any]:
    """Return the rows that are to be kept, of which there may be none to begin with."""
    return rows.filter(nw.new_series("keep", keep, nw.Boolean, backend=rows.implementation))


def _listed_duckdb(rows: Lazy, catalogue: Catalogue) -> Lazy:
    """Send the catalogue along as one literal.

    A relation does not tell its connection, so no table can be put beside it; and a list of
    literals takes DuckDB far longer to read. Text goes as hexadecimal digits: nothing to escape.
    """
    if catalogue.kind == "text":
        items = ",".join(str(label).encode().hex() for label in catalogue.labels)
    else:
        items = ",".join(map(str, catalogue.labels))
    listed = f"select unnest(string_split('{items}', ',')) as x"
    chosen = f"item in (select {READ_BACK[catalogue.kind]} from ({listed}))"
    kept: Lazy = nw.from_native(rows.to_native().filter(chosen))
    return kept


def _listed_spark(rows: Lazy, catalogue: Catalogue) -> Lazy:
    import pyarrow
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    native = rows.to_native()
    table = pyarrow.table({"item": list(catalogue.labels)})
    listed = F.broadcast(native.sparkSession.createDataFrame(table))
    kept: Lazy = nw.from_native(native.join(listed, on="item", how="left_semi"))
    return kept
