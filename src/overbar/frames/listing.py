"""Drop rows whose item is not in the catalogue, inside the engine, before anything else.

Everywhere else such items are ignored when their scores come back. But a person's items are chosen
among those on the catalogue, and on a cluster what is dropped early need not travel.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw

from overbar.frames.catalogue import OUTSIDE, Catalogue
from overbar.frames.texts import is_spark

Lazy = nw.LazyFrame[Any]

#: How DuckDB reads the items of each kind back from text.
READ_BACK = {
    "text": "decode(unhex(x))",
    "whole": "x::bigint",
    "boolean": "x::boolean",
    "date": "x::date",
}


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
