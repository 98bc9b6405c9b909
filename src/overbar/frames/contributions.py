"""Keep at most so many items of each person, chosen by a fresh secret key.

For every pair of person and item the key gives a number: MD5(key|person|item), read from its last
byte to its first. A person with more items than the limit keeps those with the smallest numbers,
of equal ones the first items, and everyone else keeps all: only the first need numbers.

**Claim.** For every key, taking a person out of a table changes what nobody else keeps. So one
person moves each score by at most the sensitivity, in the direction that they would without a
limit, and moves at most so many scores at all. **Proof.** How many items a person has, and which
are kept, are functions of that person's own items and of the key; no lot is drawn in an order. ∎

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
from overbar.frames.sorted_persons import bounded_duckdb
from overbar.frames.texts import is_spark
from overbar.sampling.entropy import system

KEY_BYTES = 16
#: Totals of parts are added up when there are more than so many.
TOTALS_AT_ONCE = 4_000_000
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


def distinct(rows: Lazy) -> Lazy:
    """Return who has what, each pair once; on DuckDB as it stands, which is sorted later anyway."""
    if rows.implementation.is_duckdb():
        return rows
    return rows.group_by("item", "person").agg(nw.len()).select("item", "person")


def totals(pairs: Lazy, most: int, key: str, *by: str) -> nw.DataFrame[Any]:
    """Return `persons`, and `total` where there are shares, for each item or item and `kept`.

    Precondition: columns item, person and perhaps share, no nulls; each pair of person and item
    once, but for DuckDB without shares.
    """
    added: list[nw.DataFrame[Any]] = []
    for part in bounded(pairs, most, key):
        sums = [nw.len().alias("persons")]
        if "share" in part.collect_schema().names():
            sums.append(nw.col("share").sum().alias("total"))
        added.append(part.group_by(*by).agg(*sums).collect())
        if sum(map(len, added[1:])) > TOTALS_AT_ONCE:
            added = [_together(added, *by)]
    return _together(added, *by)


def _together(added: list[nw.DataFrame[Any]], *by: str) -> nw.DataFrame[Any]:
    if len(added) == 1:
        return added[0]
    return nw.concat(added).group_by(*by).agg(nw.exclude(*by).sum())


def bounded(pairs: Lazy, most: int, key: str) -> Iterator[Lazy]:
    """Yield items and shares of the pairs within each person's limit, and how many they kept.

    All pairs of a person are in one part, and all are from one reading: a view may draw a sample.
    How many parts there are makes no difference to what a person keeps.
    """
    if pairs.implementation.is_duckdb():
        yield from bounded_duckdb(pairs, most, key)
    elif is_spark(pairs):
        yield _bounded_spark(pairs, most, key)
    else:
        yield _bounded_here(pairs.collect(), most, key).lazy()


def _bounded_spark(pairs: Lazy, most: int, key: str) -> Lazy:
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    names = (F.lit(key), F.col("person").cast("string"), F.col("item").cast("string"))
    digest = F.md5(F.concat_ws("|", *names))
    number = F.concat(*(F.substring(digest, place, 2) for place in range(31, 0, -2)))
    window = Window.partitionBy("person").orderBy(number, "item")
    held = F.count(F.lit(1)).over(Window.partitionBy("person"))
    ranked = pairs.to_native().withColumn("place", F.row_number().over(window))
    ranked = ranked.withColumn("kept", F.least(held, F.lit(most)))
    kept: Lazy = nw.from_native(ranked.filter(F.col("place") <= most).drop("person", "place"))
    return kept


def _bounded_here(pairs: nw.DataFrame[Any], most: int, key: str) -> nw.DataFrame[Any]:
    # Joined and not by a window of Narwhals, which gave persons of large tables others' numbers.
    held = pairs.group_by("person").agg(nw.len().alias("kept"))
    pairs = pairs.join(held.with_columns(nw.col("kept").cast(nw.Int64)), on="person", how="inner")
    named = [nw.col(name) for name in pairs.columns if name not in ("person", "kept")]
    within = pairs.filter(nw.col("kept") <= most).select(*named, "kept")
    crowded = pairs.filter(nw.col("kept") > most)
    persons = [plain_text(person) for person in crowded["person"].to_list()]
    items = [plain_text(item) for item in crowded["item"].to_list()]

    def number(row: int) -> tuple[bytes, str]:
        text = f"{key}|{persons[row]}|{items[row]}".encode(errors="surrogatepass")
        return hashlib.md5(text, usedforsecurity=False).digest()[::-1], items[row]

    keep = [False] * len(persons)
    kept: Counter[str] = Counter()
    for row in sorted(range(len(persons)), key=number):
        kept[persons[row]] += 1
        keep[row] = kept[persons[row]] <= most
    drawn = masked(crowded.select(*named, nw.lit(most, nw.Int64).alias("kept")), keep)
    return nw.concat([within, drawn])


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
        items = ",".join(str(text).encode().hex() for text in catalogue.written)
    else:
        items = ",".join(map(str, catalogue.labels))
    listed = f"select unnest(string_split('{items}', ',')) as x"
    large = catalogue.kind == "whole" and catalogue.ends is None
    back = "x::hugeint" if large else READ_BACK[catalogue.kind]
    chosen = f"item in (select {back} from ({listed}))"
    kept: Lazy = nw.from_native(rows.to_native().filter(chosen))
    return kept


def _listed_spark(rows: Lazy, catalogue: Catalogue) -> Lazy:
    import pyarrow
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    native = rows.to_native()
    table = pyarrow.table({"item": list(catalogue.written)})
    listed = F.broadcast(native.sparkSession.createDataFrame(table))
    kept: Lazy = nw.from_native(native.join(listed, on="item", how="left_semi"))
    return kept
