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

**Groups.** Where items stand in groups, a person with more groups than the limit keeps those with
the smallest MD5(key|person|group), of which the limit of items holds in each by itself. The claim
holds as it stands, and one person moves scores in at most so many groups.

Rows whose item is not in the catalogue are dropped before, inside the engine. Where nothing is
chosen they are ignored when their scores come back; but a person's items are chosen among those on
the catalogue, and on a cluster what is dropped early need not travel.

**A table of DuckDB** is read once, sorted by person, a part at a time. The items of a person stand
together, so one pass tells how many there are. Who is within the limit keeps them all. Only the
others need lots, which a DuckDB of our own draws, part by part, on all cores. Rows that say the
same stand side by side too, and count once.

What takes memory is a part, the items of one person (nobody is cut in two), and the sort, for which
the engine that holds the table has a limit and a folder of its own.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from overbar.frames.arrow_words import BATCH_ROWS, in_words
from overbar.frames.catalogue import OUTSIDE, Catalogue
from overbar.frames.columns import group_of, plain_text
from overbar.frames.texts import is_spark, values_of
from overbar.sampling.entropy import system

#: Rows of a part, about; and bytes, if its labels are long.
ROWS_AT_ONCE = 1_000_000
BYTES_AT_ONCE = 2**30


def bounded_duckdb(rows: Lazy, most: int | None, key: str, groups: int | None) -> Iterator[Lazy]:
    """Do what :func:`overbar.frames.contributions.bounded` says."""
    import duckdb

    # A part has only whole persons because SQL keeps to the order that a query ends with.
    batch = min(BATCH_ROWS, ROWS_AT_ONCE)
    there = rows.to_native()
    if groups is not None:
        there = there.project("*, split_part(item, '/', 1) as \"group\"")
    ordered = there.order("person, item").to_arrow_reader(batch)
    # The engine of the lots writes nothing to disk. Whatever happens, the table is let go of.
    with ordered, duckdb.connect(config={"temp_directory": ""}) as engine:
        engine.execute("set enable_progress_bar = false")
        for pairs in _whole_persons(ordered):
            yield in_words(_kept(pairs, most, key, engine, groups)).lazy()


def _whole_persons(ordered: Any) -> Iterator[Any]:
    """Yield each pair once, in Arrow tables that have all pairs of a person or none."""
    import pyarrow

    left = ordered.schema.empty_table()
    while batches := list(_some(ordered)):
        rows = pyarrow.concat_tables([left, pyarrow.Table.from_batches(batches)])
        persons = _starts(rows["person"])
        rows = rows.filter(pyarrow.array(persons | _starts(rows["item"])))
        last = int(np.flatnonzero(_starts(rows["person"]))[-1])
        yield rows.slice(0, last)
        left = rows.slice(last)
    yield left


def _some(ordered: Any) -> Iterator[Any]:
    """Yield the next batches, of about a part together: an engine has its own size for them."""
    rows = size = 0
    while rows < ROWS_AT_ONCE and size < BYTES_AT_ONCE:
        if (batch := next(ordered, None)) is None:
            return
        rows, size = rows + len(batch), size + batch.nbytes
        if len(batch):
            yield batch


def _starts(column: Any) -> NDArray[np.bool_]:
    """Tell of each value whether it differs from the one before."""
    import pyarrow.compute

    before = column.slice(0, max(0, len(column) - 1))
    changes = pyarrow.compute.not_equal(column.slice(1), before)
    starts = np.zeros(len(column), dtype=bool)
    starts[:1] = True
    starts[np.from_dlpack(pyarrow.compute.indices_nonzero(changes)) + 1] = True
    return starts


def _kept(pairs: Any, most: int | None, key: str, engine: Any, groups: int | None) -> Any:
    """Return the pairs within each person's limits, with how many the person kept.

    By their bytes, the items of a group stand together as well: they begin alike.
    """
    import pyarrow

    starts = _starts(pairs["person"])
    if groups is not None:
        starts |= _starts(pairs["group"])
        there = pyarrow.table({"person": pairs["person"], "item": pairs["group"]})
        there = there.filter(pyarrow.array(starts))
        chosen, _ = _chosen(there, _starts(there["person"]), groups, key, engine)
        keep = chosen[np.cumsum(starts) - 1]
        pairs, starts = pairs.filter(pyarrow.array(keep)), starts[keep]
    if most is not None:
        keep, held = _chosen(pairs, starts, most, key, engine)
        kept = pyarrow.array(np.minimum(held, most))
        pairs = pairs.append_column("kept", kept).filter(pyarrow.array(keep))
    return pairs.drop_columns(["person"] if groups is None else ["person", "group"])


def _chosen(
    pairs: Any, starts: NDArray[np.bool_], most: int, key: str, engine: Any
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Tell of each pair whether it is kept, and how many there are where it stands."""
    import pyarrow

    first = np.flatnonzero(starts)
    held = np.diff(np.append(first, len(pairs)))
    place = np.arange(len(pairs)) - np.repeat(first, held)
    person = np.repeat(np.arange(len(first)), held)
    held = np.repeat(held, held)
    keep = held <= most
    if not keep.all():
        over = np.flatnonzero(~keep)
        crowded = pairs.select(["person", "item"]).filter(pyarrow.array(~keep))
        crowded = crowded.append_column("place", pyarrow.array(person[over]))
        # Only numbers of rows come back: text has types of Arrow by the settings of an engine.
        drawn = engine.from_arrow(crowded.append_column("number", pyarrow.array(over))).query(
            "crowded",
            "select number from crowded "
            f"order by place, md5_number(concat('{key}', '|', person, '|', item)), number",
        )
        # Sorted by person again, each has as many rows in the same places, in the order of lots.
        keep[drawn.fetchnumpy()["number"][place[over] < most]] = True
    return keep, held


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


def totals(
    pairs: Lazy, most: int | None, key: str, *by: str, groups: int | None = None
) -> nw.DataFrame[Any]:
    """Return `persons`, and `total` where there are shares, for each item or item and `kept`.

    Precondition: columns item, person and perhaps share, no nulls; each pair of person and item
    once, but for DuckDB without shares. With `groups`, the first of several columns that name an
    item is its group.
    """
    added: list[nw.DataFrame[Any]] = []
    for part in bounded(pairs, most, key, groups):
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
    whole = nw.concat(added)
    if whole.implementation.is_pyarrow():  # whose parts have words of their own
        whole = in_words(whole.to_native()).lazy().collect()
    return whole.group_by(*by).agg(nw.exclude(*by).sum())


def bounded(pairs: Lazy, most: int | None, key: str, groups: int | None = None) -> Iterator[Lazy]:
    """Yield items and shares of the pairs within each person's limit, and how many they kept.

    With `groups`, within the limit of each person in each of so many groups.

    All pairs of a person are in one part, and all are from one reading: a view may draw a sample.
    How many parts there are makes no difference to what a person keeps.
    """
    if pairs.implementation.is_duckdb():
        yield from bounded_duckdb(pairs, most, key, groups)
    elif is_spark(pairs):
        yield _bounded_spark(pairs, most, key, groups)
    else:
        yield _bounded_here(pairs.collect(), most, key, groups).lazy()


def _bounded_spark(pairs: Lazy, most: int | None, key: str, groups: int | None) -> Lazy:
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    def lot(name: str) -> Any:
        names = (F.lit(key), F.col("person").cast("string"), F.col(name).cast("string"))
        digest = F.md5(F.concat_ws("|", *names))
        return F.concat(*(F.substring(digest, place, 2) for place in range(31, 0, -2)))

    held, units = pairs.to_native(), ["person"]
    if groups is not None:
        held, units = held.withColumn("group", F.substring_index("item", "/", 1)), [*units, "group"]
        window = Window.partitionBy("person").orderBy(lot("group"), "group")
        held = held.withColumn("place", F.dense_rank().over(window)).filter(
            F.col("place") <= groups
        )
    if most is not None:
        window = Window.partitionBy(*units).orderBy(lot("item"), "item")
        many = F.count(F.lit(1)).over(Window.partitionBy(*units))
        held = held.withColumn("place", F.row_number().over(window))
        held = held.withColumn("kept", F.least(many, F.lit(most))).filter(F.col("place") <= most)
    kept: Lazy = nw.from_native(held.drop("person", "group", "place"))
    return kept


def _bounded_here(
    pairs: nw.DataFrame[Any], most: int | None, key: str, groups: int | None
) -> nw.DataFrame[Any]:
    units = ["person"]
    if groups is not None:
        names = [group_of(item) for item in values_of(pairs["item"])]
        group = nw.new_series("group", names, nw.String, backend=pairs.implementation)
        pairs, units = pairs.with_columns(group), ["person", "group"]
        there = pairs.group_by(*units).agg(nw.len().alias("kept")).select(*units)
        chosen = _kept_here(there, groups, key, ["person"], "group").select(*units)
        pairs = pairs.join(chosen, on=units, how="inner")
    if most is not None:
        pairs = _kept_here(pairs, most, key, units, "item")
    return pairs.drop("person", "group", strict=False)


def _kept_here(
    pairs: nw.DataFrame[Any], most: int, key: str, units: list[str], what: str
) -> nw.DataFrame[Any]:
    """Keep at most so many rows of each unit, by lots of the person and what is kept."""
    # Joined and not by a window of Narwhals, which gave persons of large tables others' numbers.
    held = pairs.group_by(*units).agg(nw.len().alias("kept"))
    pairs = pairs.join(held.with_columns(nw.col("kept").cast(nw.Int64)), on=units, how="inner")
    within = pairs.filter(nw.col("kept") <= most)
    crowded = pairs.filter(nw.col("kept") > most)
    texts = {
        name: [plain_text(label) for label in values_of(crowded[name])] for name in {*units, what}
    }
    persons, things = texts["person"], texts[what]
    places = list(zip(*(texts[name] for name in units), strict=True))

    def number(row: int) -> tuple[bytes, str]:
        text = f"{key}|{persons[row]}|{things[row]}".encode(errors="surrogatepass")
        return hashlib.md5(text, usedforsecurity=False).digest()[::-1], things[row]

    keep = [False] * len(persons)
    kept: Counter[tuple[str, ...]] = Counter()
    for row in sorted(range(len(persons)), key=number):
        kept[places[row]] += 1
        keep[row] = kept[places[row]] <= most
    drawn = masked(crowded.with_columns(nw.lit(most, nw.Int64).alias("kept")), keep)
    return nw.concat([within, drawn])


def only_listed(rows: Lazy, catalogue: Catalogue, *, inside: bool = True) -> Lazy:
    """Return the rows whose item is on the catalogue, or those whose item is not."""
    if not (rows.implementation.is_duckdb() or is_spark(rows)):
        here = rows.collect()
        listed = catalogue.places(here["item"]) != OUTSIDE
        return masked(here, (listed == inside).tolist()).lazy()
    if inside and catalogue.ends is not None:
        rows = rows.filter(nw.col("item").is_between(*catalogue.ends))
        if catalogue.contiguous:
            return rows
    return (_listed_spark if is_spark(rows) else _listed_duckdb)(rows, catalogue, inside)


def not_too_long(rows: Lazy, catalogue: Catalogue) -> Lazy:
    """Return rows of DuckDB without texts longer than any on the catalogue.

    Nobody's long texts are gathered then only to be left aside.
    """
    if catalogue.kind != "text":
        return rows
    most = max(len(str(text).encode()) for text in catalogue.written)
    kept: Lazy = nw.from_native(rows.to_native().filter(f"strlen(item) <= {most}"))
    return kept


def masked(rows: nw.DataFrame[Any], keep: list[bool]) -> nw.DataFrame[Any]:
    """Return the rows that are to be kept, of which there may be none to begin with."""
    return rows.filter(nw.new_series("keep", keep, nw.Boolean, backend=rows.implementation))


def _listed_duckdb(rows: Lazy, catalogue: Catalogue, inside: bool) -> Lazy:
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
    chosen = f"item {'in' if inside else 'not in'} (select {back} from ({listed}))"
    kept: Lazy = nw.from_native(rows.to_native().filter(chosen))
    return kept


def _listed_spark(rows: Lazy, catalogue: Catalogue, inside: bool) -> Lazy:
    import pyarrow
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    native = rows.to_native()
    table = pyarrow.table({"item": list(catalogue.written)})
    listed = F.broadcast(native.sparkSession.createDataFrame(table))
    kept: Lazy = nw.from_native(
        native.join(listed, on="item", how="left_semi" if inside else "left_anti")
    )
    return kept
