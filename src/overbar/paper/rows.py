"""Tables as text: the same numbers always give the same bytes."""

from __future__ import annotations

import csv
import io
import json
import math

from overbar.paper.study import Table, Value

__all__ = ["SECONDS", "column", "csv_text", "from_json", "only", "to_json", "without_times"]

#: Columns that end so hold running times: true of one machine at one moment, and kept apart.
SECONDS = "_seconds"


def csv_text(table: Table) -> str:
    """Write a table as CSV, floats with ten significant digits."""
    if not table:
        return ""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table[0])
    writer.writerows([_cell(value) for value in row.values()] for row in table)
    return out.getvalue()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def without_times(table: Table) -> Table:
    """Return the table without running times, so that two computations can be compared."""
    return [{name: row[name] for name in row if not name.endswith(SECONDS)} for row in table]


def to_json(table: Table) -> str:
    """Write a table for the cache, exactly."""
    return json.dumps(table, indent=0, allow_nan=True)


def from_json(text: str) -> Table:
    """Read a table from the cache."""
    table: Table = json.loads(text)
    return table


def only(table: Table, **wanted: Value) -> Table:
    """Return the rows whose columns have the wanted values."""
    return [row for row in table if all(row[name] == value for name, value in wanted.items())]


def column(table: Table, name: str) -> list[float]:
    """Return a column of numbers; a missing one is not a number."""
    cells = (row[name] for row in table)
    return [math.nan if cell is None else float(cell) for cell in cells]
