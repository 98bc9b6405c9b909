"""What a study is: a declaration of what to compute, and how to draw what came out.

Tables are rows of plain values; written as text, the same numbers always give the same bytes.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from overbar.paper.data import Data


Value = str | int | float | bool | None
Row = dict[str, Value]
#: Rows of plain values with the same columns: what a CSV file holds.
Table = list[Row]


@dataclass(frozen=True)
class Conditions:
    """What a user decides about a whole report: runs for each point, the seed, and the data."""

    runs: int
    seed: int
    data: Data


class Computation(Protocol):
    """A frozen dataclass: its fields are all the parameters of a study, and calling it computes.

    ``datasets``, if it is among the fields, names what the study needs.
    """

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""


@dataclass(frozen=True)
class Study:
    """One figure or table.

    Attributes
    ----------
    name, title
        What to ask for it by, and its heading.
    shows
        What a reader sees, in a sentence or two.
    compute
        From conditions to a table. Its fields are the parameters.
    draw
        From a table to a figure; None for a table that is shown as it is.
    place
        Where the paper has it; empty for ours.
    simulated
        Whether runs and seed matter.
    warning
        What must be said beside the figure wherever it goes.
    """

    name: str
    title: str
    shows: str
    compute: Computation
    draw: Callable[[Table], Figure] | None = None
    place: str = ""
    simulated: bool = False
    warning: str = ""

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """The parameters, for people and for the cache."""
        fields = dataclasses.fields(self.compute)  # type: ignore[arg-type]  # every one is a dataclass
        return tuple(
            (field.name.replace("_", " "), text_of(getattr(self.compute, field.name)))
            for field in fields
        )

    @property
    def datasets(self) -> tuple[str, ...]:
        """The datasets it asks for."""
        names: tuple[str, ...] = getattr(self.compute, "datasets", ())
        return names

    @property
    def draw_name(self) -> str:
        """What draws it, with its settings, as a function's name or a frozen value's repr."""
        return str(getattr(self.draw, "__qualname__", repr(self.draw)))


def text_of(value: Any) -> str:
    """Write a parameter for people; nothing in it depends on the machine."""
    if isinstance(value, tuple):
        return ", ".join(text_of(one) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


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
