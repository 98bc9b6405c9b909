"""Let DuckDB look at every value, whatever the statistics of a file say about it.

A Parquet file may state the least and the greatest value of a column, and NaN is neither. DuckDB
believes it: where the two differ it takes ``isnan(v)`` for false and ``v > 5`` for what they are,
and never looks. So one person's row, which made the two differ, decides how everyone's NaN count.
Only some functions escape that (``isfinite`` does, ``isnan``, ``abs`` and comparisons do not), and
no one can say for each that is ever written here, or by Narwhals, whether it does.

No statistic passes through ``try``. So columns go through it once, where a table is opened and
before anything is asked about a value: all that is asked behind it is asked row by row. That needs
no setting of the connection, which may be the caller's.
"""

from __future__ import annotations


def row_by_row(column: str) -> str:
    """Write a column, quoted for SQL already, so that its values alone decide.

    >>> row_by_row('"amount"')
    'try("amount")'
    """
    return f"try({column})"
