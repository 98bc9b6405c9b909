"""What a study is: a declaration of what to compute, and how to draw what came out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from overbar.paper.sources import Data

__all__ = ["Computation", "Conditions", "Row", "Study", "Table", "Value", "text_of"]

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
        """What draws it, with its settings: a function's name or a frozen value's repr."""
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
