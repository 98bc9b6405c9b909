"""The same rows as a table of every engine that runs in this process."""

from __future__ import annotations

import duckdb
import polars
import pyarrow

TYPES = {"text": pyarrow.string(), "whole": pyarrow.int64()}


def table_of(rows, item="text", person="whole"):
    """Return rows of (item, person, value) as an Arrow table."""
    padded = [(*row, None)[:3] for row in rows]
    items, persons, values = zip(*padded, strict=True) if padded else ((), (), ())
    return pyarrow.table(
        {
            "what": pyarrow.array(items, TYPES[item]),
            "who": pyarrow.array(persons, TYPES[person]),
            "much": pyarrow.array(values, pyarrow.float64()),
        }
    )


def duckdb_of(table):
    return duckdb.connect().from_arrow(table)


#: Pandas makes floats of whole numbers where one is missing, unless it is told to use Int64.
ENGINES = {
    "pyarrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "pandas, nullable": lambda table: table.to_pandas().convert_dtypes(),
    "polars": polars.from_arrow,
    "polars, lazy": lambda table: polars.from_arrow(table).lazy(),
    "duckdb": duckdb_of,
}
