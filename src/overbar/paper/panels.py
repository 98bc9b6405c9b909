"""Figures of simulations: a grid of panels, one for each dataset, and a line for each method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from overbar import _check
from overbar.errors import ParameterError
from overbar.paper.chart import GREY, SERIES, DrawnLine, Look, Panel, chart, in_words, looks_of
from overbar.paper.study import Row, Table, Value, number, only, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURES = {
    "ncr": "NCR",
    "f1": "F1-score",
    "precision": "Precision",
    "recall": "Recall",
    "passes": "passes over all queries",
    "delay": "mean delay / event length",
    "false_alarms": "false alarms in a run",
    "accuracy": "accuracy of the model",
    "worth": "gain on average",
}
#: What a figure is about, by its measure, and by what goes across.
SUBJECTS = {
    "ncr": "How much of the top c is found (NCR)",
    "f1": "How well the top c are found (F1-score)",
    "precision": "How many of those found are in the top c (precision)",
    "recall": "How many of the top c are found (recall)",
    "passes": "How often all queries are asked until c are found",
    "delay": "How late an event is found",
    "false_alarms": "How many alarms are false",
    "accuracy": "How good a model is whose features were chosen in private",
    "worth": "What one choice adds, all others being equal",
}
BY = {
    "epsilon": "by privacy budget",
    "rounds": "by how often each query may be asked",
    "off": "by how far the threshold is off",
    "cutoff": "by how many are sought",
    "candidates": "by how many candidates there are",
}
#: What is said below about a measure, or about what goes across.
NOTES = {
    "ncr": "NCR: normalised cumulative rank, 1 if all of the top c are found",
    "passes": "median over runs; one pass: all queries are asked once",
    "delay": "an event that is never found counts as 1",
    "false_alarms": "alarms that find no new event; an event that is missed does not count here",
    "accuracy": "accuracy on records that were held back",
    "worth": "gain: in the measure that the panel names",
    "rounds": "traverses: how often each query is asked at most",
}
#: Measures that have no largest value, drawn on a logarithmic axis; and on a plain one.
UNBOUNDED, PLAIN_AXIS = ("passes",), ("false_alarms", "accuracy", "worth")
#: Labels stand so far apart on a logarithmic axis that they do not touch.
APART, ENDS_APART = 2.4, 2
LINE_LABELS = {"tolerance": "tolerance α = {}", "threshold_drawn": "threshold noise drawn {}"}
#: Columns that tell points apart.
PARAMETERS = ("dataset", "method", "epsilon", "rounds", "tolerance", "threshold_drawn", "threshold")
X_LABELS = {
    "epsilon": "privacy budget ε",
    "rounds": "traverses",
    "off": "threshold off by (%)",
    "cutoff": "c, how many are sought",
    "candidates": "n, how many candidates",
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
        The column that goes across: "epsilon", "rounds", "off", "cutoff" or "candidates".
    split
        The column whose values are the panels.
    lines
        The column whose values are the lines.
    against
        A line whose values are taken off all others: for curves that would coincide.
    stamp
        Written into every panel; for figures that must not travel without it.
    linear
        How far from zero the vertical axis is plain, where it must be logarithmic beyond.
    heading
        Said above the panels after what the figure is about: what tells it from another.
    """

    measure: str = "ncr"
    across: str = "epsilon"
    split: str = "dataset"
    lines: str = "method"
    against: Value = None
    stamp: str = ""
    linear: float | None = None
    heading: str = ""

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
        return chart(
            panels,
            columns=columns,
            height=1.75 if columns > 1 else 2.2,
            heading=self._heading,
            note=self._note,
        )

    @property
    def _y_ticks(self) -> dict[float, str] | None:
        if self.linear is not None:
            return {place: f"{place:g}" for place in (-1, -self.linear, 0, self.linear, 1)}
        return {tenths / 10: f"{tenths / 10}" for tenths in range(0, 11, 2)} if self.stamp else None

    @property
    def _heading(self) -> str:
        subject = f"{SUBJECTS[self.measure]}, {BY[self.across]}"
        if self.against is not None and self.lines == "method":
            subject += f", compared with {in_words(str(self.against))}"
        return "; ".join(filter(None, (subject, self.heading)))

    @property
    def _note(self) -> str:
        notes = [NOTES.get(name, "") for name in (self.measure, self.across)]
        if self.against is not None and self.lines == "method":
            notes.append(f"line at 0: {in_words(str(self.against))}")
        if self.linear is not None:
            notes.append(f"axis logarithmic beyond ±{self.linear:g}")
        return "; ".join(filter(None, [*notes, "bands: 95 %"]))

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
            line = LINE_LABELS.get(self.lines, "{}").format(self.against)
            what += " minus that\n"
            what += f"of {line.split(' (')[0]}" if self.lines == "method" else f"at {line}"
        unbounded, even = self.measure in UNBOUNDED, self.across in EVEN
        free = differences or unbounded or self.measure in PLAIN_AXIS
        return Panel(
            lines,
            f"{X_LABELS[self.across]} ({_runs(rows)})",
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
            y_range=None if free else (-0.03, 1.2 if self.stamp else 1.05),
            y_ticks=self._y_ticks,
            linear=self.linear,
            horizontals=[(0.0, GREY)] if differences else (),
            stamp=self.stamp,
        )

    def _line(
        self, rows: Table, reference: dict[Value, Row], name: Value, looks: dict[str, Look]
    ) -> DrawnLine:
        y, ends = [], []
        for row in rows:
            off = reference.get(row[self.across])
            y.append(number(row, self.measure) - (number(off, self.measure) if off else 0.0))
            reach = math.hypot(*(self._reach(one) for one in (row, off) if one))
            low, high = (number(row, f"{self.measure}_{end}") for end in ("low", "high"))
            ends.append((y[-1] - reach, y[-1] + reach) if off else (low, high))
        return DrawnLine(
            [self._place(row, rows) for row in rows],
            y,
            looks[str(name)],
            LINE_LABELS.get(self.lines, "{}").format(name),
            [low for low, _ in ends],
            [high for _, high in ends],
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
            title = f"threshold {row['threshold']:,}, {row['passing']} items above"
        elif self.split == "epsilon":
            title = f"{row['dataset']}, ε = {title}"
        fixed = [] if self.across == "cutoff" else [f"c = {row['cutoff']}"]
        if row.get("queries") == "general":
            fixed.append("general queries")
        if self.across != "epsilon" and self.split != "epsilon":
            fixed.append(f"ε = {row['epsilon']:g}")
        elif self.across == "epsilon" and row["rounds"] is not None:
            once = row["rounds"] == 1
            fixed.append("asked once" if once else f"{row['rounds']} traverses")
        return f"{title} ({', '.join(fixed)})"


def _runs(rows: Table) -> str:
    """Say how many runs there are a point."""
    runs = sorted(int(number(row, "runs")) for row in rows)
    return f"{runs[0]:,} runs each" if runs[0] == runs[-1] else f"{runs[0]:,} to {runs[-1]:,} runs"


def labelled(places: list[float]) -> list[float]:
    """Return the places whose labels do not touch: powers of ten, both ends, others between."""
    shown = [place for place in places if math.log10(place).is_integer()]
    for place in (places[-1], places[0], *places):
        apart = ENDS_APART if place in (places[0], places[-1]) else APART
        if all(max(place / one, one / place) >= apart for one in shown):
            shown.append(place)
    return sorted(shown)
