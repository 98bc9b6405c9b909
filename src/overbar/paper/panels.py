"""Figures of simulations: a grid of panels, one for each dataset, and a line for each method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from overbar import _check
from overbar.errors import ParameterError
from overbar.paper.chart import GREY, SERIES, DrawnLine, Look, Panel, chart, looks_of
from overbar.paper.study import Row, Table, Value, number, only, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURES = {
    "ncr": "NCR",
    "f1": "F1-score",
    "precision": "Precision",
    "recall": "Recall",
    "passes": "passes over all queries",
    "delay": "delay / length of event",
    "false_alarms": "false alarms in a run",
    "accuracy": "accuracy of the model",
    "worth": "gain on average",
}
#: Measures that have no largest value, drawn on a logarithmic axis; and on a plain one.
UNBOUNDED, PLAIN_AXIS = ("passes",), ("false_alarms", "accuracy", "worth")
#: Labels stand so far apart on a logarithmic axis that they do not touch.
APART = 2.4
LINE_LABELS = {"tolerance": "α = {}", "threshold_drawn": "threshold noise drawn {}"}
#: Columns that tell points apart.
PARAMETERS = ("dataset", "method", "epsilon", "rounds", "tolerance", "threshold_drawn", "threshold")
X_LABELS = {
    "epsilon": "privacy budget ε",
    "rounds": "traverses",
    "off": "threshold off by (%)",
}
#: What goes across a plain axis.
EVEN = ("off",)
#: A label there would touch that at zero.
CLOSE = 10


@dataclass(frozen=True)
class Panels:
    """One measure against one column, a line for each method or value, a panel for each dataset.

    Attributes
    ----------
    measure
        "ncr", "f1", "precision", "recall", or another column of numbers with intervals.
    across
        The column that goes across: "epsilon", "rounds" or "off".
    split
        The column whose values are the panels.
    lines
        The column whose values are the lines.
    against
        A line whose values are taken off all others: for curves that would coincide.
    stamp
        Written into every panel; for figures that must not travel without it.
    limits
        Lowest and highest of the vertical axis, where the usual ones will not do.
    """

    measure: str = "ncr"
    across: str = "epsilon"
    split: str = "dataset"
    lines: str = "method"
    against: Value = None
    stamp: str = ""
    limits: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check.choice("measure", self.measure, MEASURES)
        _check.choice("across", self.across, X_LABELS)

    def __call__(self, table: Table) -> Figure:
        """Draw the table."""
        # What a method does not have is not drawn.
        table = [row for row in table if row[self.measure] is not None]
        self._check_one_panel_each(table)
        names = [name for name in values(table, self.lines) if name != self.against]
        looks = dict(zip(map(str, names), SERIES, strict=False))
        if self.lines == "method":
            looks = looks_of(map(str, values(table, "method")))
        places = values(table, self.split)
        columns = 2 if len(places) in (2, 4) else min(3, len(places))
        panels = [
            self._panel(only(table, **{self.split: place}), names, looks, at % columns == 0)
            for at, place in enumerate(places)
        ]
        return chart(panels, columns=columns, height=1.75 if columns > 1 else 2.2)

    @property
    def _of(self) -> str:
        """How a line is spoken of: that of a method, that at a number."""
        return "of " if self.lines == "method" else "at "

    def _check_one_panel_each(self, table: Table) -> None:
        """Refuse a table that has two points where a line has one place.

        Two datasets in one panel would be one line that goes back and forth between them.
        """
        keys = (self.split, self.lines, self.across)
        places = [tuple(row[name] for name in keys) for row in table]
        if len(set(places)) == len(places):
            return
        others = [
            name
            for name in PARAMETERS
            if name not in keys and name in table[0] and len(values(table, name)) > 1
        ]
        raise ParameterError(
            f"split={self.split!r} puts several points in one place: {' and '.join(others)} "
            f"differ too. Write split={others[0] if others else 'dataset'!r}, or draw one "
            f"{others[0] if others else 'dataset'} at a time"
        )

    def _panel(self, rows: Table, names: list[Value], looks: dict[str, Look], first: bool) -> Panel:
        reference = {row[self.across]: row for row in rows if row[self.lines] == self.against}
        lines = [
            self._line(own, reference, name, looks)
            for name in names
            if (own := [row for row in rows if row[self.lines] == name])
        ]
        places = sorted({self._place(row, rows) for row in rows})
        last = places[-1] if None in values(rows, self.across) else None
        what, differences = MEASURES[self.measure], self.against is not None
        if differences:
            what += (
                f" minus that\n{self._of}{LINE_LABELS.get(self.lines, '{}').format(self.against)}"
            )
        unbounded, even = self.measure in UNBOUNDED, self.across in EVEN
        free = differences or unbounded or self.measure in PLAIN_AXIS
        return Panel(
            lines,
            f"{X_LABELS[self.across]} ({rows[0]['runs']:,} runs each)",
            what if first else "",
            self._title(rows[0]),
            log="" if even else "xy" if unbounded else "x",
            x_ticks={
                x: f"{x:+g}" if x else "0" for x in places if abs(x) != 10
            }  # labels would touch
            if even
            else {x: "∞" if x == last else f"{x:g}" for x in labelled(places)},
            x_marks=places,
            # Room above for a stamp, so that it covers no line.
            y_range=self.limits or (None if free else (-0.03, 1.2 if self.stamp else 1.05)),
            horizontals=[(0.0, GREY)] if differences else (),
            stamp=self.stamp,
        )

    def _line(
        self, rows: Table, reference: dict[Value, Row], name: Value, looks: dict[str, Look]
    ) -> DrawnLine:
        y, reach = [], []
        for row in rows:
            off = reference.get(row[self.across])
            y.append(number(row, self.measure) - (number(off, self.measure) if off else 0.0))
            reach.append(math.hypot(*(self._reach(one) for one in (row, off) if one)))
        return DrawnLine(
            [self._place(row, rows) for row in rows],
            y,
            looks[str(name)],
            LINE_LABELS.get(self.lines, "{}").format(name),
            [a - b for a, b in zip(y, reach, strict=True)],
            [a + b for a, b in zip(y, reach, strict=True)],
        )

    def _reach(self, row: Row) -> float:
        return (number(row, f"{self.measure}_high") - number(row, f"{self.measure}_low")) / 2

    def _place(self, row: Row, rows: Table) -> float:
        """Return where a row goes; no limit stands to the right of all numbers."""
        if row[self.across] is not None:
            return number(row, self.across)
        return 10 * max([number(one, self.across) for one in rows if one[self.across]], default=1)

    def _title(self, row: Row) -> str:
        title = str(row[self.split])
        if self.split == "threshold":
            title = f"threshold {row['threshold']:,}: {row['passing']} pass"
        elif self.split == "epsilon":
            title = f"{row['dataset']}, ε = {title}"
        fixed = [f"c = {row['cutoff']}"]
        if row.get("queries") == "general":
            fixed.append("general queries")
        if self.across != "epsilon" and self.split != "epsilon":
            fixed.append(f"ε = {row['epsilon']:g}")
        elif self.across == "epsilon" and row["rounds"] is not None:
            fixed.append(f"{row['rounds']} traverse{'s' * (row['rounds'] != 1)}")
        return f"{title} ({', '.join(fixed)})"


def labelled(places: list[float]) -> list[float]:
    """Return the places whose labels do not touch: the last, and from it on those far enough."""
    shown: list[float] = []
    for place in reversed(places):
        if not shown or shown[-1] >= APART * place or place == places[0]:
            shown.append(place)
    if len(shown) > 2 and shown[-2] < APART * shown[-1]:
        del shown[-2]
    return shown[::-1]
