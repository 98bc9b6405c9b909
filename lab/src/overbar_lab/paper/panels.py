"""Figures of simulations: a grid of panels, one for each dataset, and a line for each method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from overbar.errors import ParameterError
from overbar_lab import checks
from overbar_lab.paper.chart import GENERAL, ONE_COLUMN, TWO_COLUMNS, DrawnLine, Panel, chart
from overbar_lab.paper.looks import GREY, SERIES, Look, in_words, looks_of
from overbar_lab.paper.study import Row, Table, Value, number, only, values

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
    "precision": "What share of those found is in the top c (precision)",
    "recall": "What share of the top c is found (recall)",
    "passes": "Passes over all queries until there are c positives",
    "delay": "How late an event on a stream is found",
    "false_alarms": "False alarms on a stream",
    "accuracy": "Accuracy of a model after private selection of its features",
    "worth": "What each choice adds on average",
}
BY = {
    "epsilon": "by privacy budget",
    "rounds": "by how often each query may be asked (traverses)",
    "off": "by how far the threshold is off",
    "cutoff": "by how many are sought",
    "candidates": "by how many candidates there are",
}
#: What is said below about a measure, or about what goes across.
NOTES = {
    "ncr": "NCR: normalised cumulative rank, 0 if none and 1 if all of the top c are found",
    "passes": "median over runs; one pass: all queries are asked once",
    "delay": "an event that is never found counts as 1",
    "false_alarms": "a false alarm finds no new event; SVT gives at most c alarms in all",
    "accuracy": "accuracy on records that were held back; training is not private",
    "worth": "gain in the measure that a panel names, all other choices being the same",
}
#: Measures that have no largest value, drawn on a logarithmic axis; and on a plain one.
UNBOUNDED, PLAIN_AXIS = ("passes",), ("false_alarms", "accuracy", "worth")
#: Inches that a letter of a label takes, and the margins of a panel.
LETTER, MARGINS = 0.056, 0.5
LINE_LABELS = {"tolerance": "tolerance α = {}", "threshold_drawn": "threshold noise drawn {}"}
#: Columns that tell points apart.
PARAMETERS = (
    "dataset",
    "method",
    "epsilon",
    "rounds",
    "tolerance",
    "threshold_drawn",
    "threshold",
    "cutoff",
    "candidates",
)
X_LABELS = {
    "epsilon": "privacy budget ε",
    "rounds": "traverses (how often asked at most)",
    "off": "threshold too low (−) or too high (+), in %",
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
        checks.choice("measure", self.measure, MEASURES)
        checks.choice("across", self.across, X_LABELS)

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
            self._panel(only(table, **{self.split: place}), names, looks, at, columns)
            for at, place in enumerate(places)
        ]
        return chart(
            panels,
            columns=columns,
            height=1.75 if columns > 1 else 2.2,
            heading=self._heading,
            note=self._note(table),
        )

    @property
    def _level(self) -> float | None:
        """A height to compare with: no difference, or one pass."""
        if self.against is not None or self.measure == "worth":
            return 0.0
        return 1.0 if self.measure == "passes" else None

    @property
    def _y_ticks(self) -> dict[float, str] | None:
        if self.linear is not None:
            return {place: f"{place:g}" for place in (-1, -self.linear, 0, self.linear, 1)}
        return {tenths / 10: f"{tenths / 10}" for tenths in range(0, 11, 2)} if self.stamp else None

    @property
    def _heading(self) -> str:
        subject = f"{SUBJECTS[self.measure]}, {BY[self.across]}"
        if self.against is not None:
            line = in_words(self._line_label(self.against)).split(" (")[0]
            subject = f"{MEASURES[self.measure]} minus that of {line}, {BY[self.across]}"
        return "; ".join(filter(None, (subject, self.heading)))

    def _note(self, table: Table) -> str:
        """Explain what is drawn, and what is odd about a dataset."""
        notes = [NOTES.get(self.measure, "")]
        if self.against is not None:
            own = ", and panels have their own scales"
            several = len(values(table, self.split)) > 1 and self.linear is None
            notes.append(f"above 0 is better{own * several}")
        if self.linear is not None:
            notes.append(f"axis logarithmic beyond ±{self.linear:g}")
        if any("correction" in in_words(str(one)) for one in values(table, self.lines)):
            notes.append("correction: how far the threshold is raised")
        if any(row.get("queries") == "general" for row in table):
            notes.append(GENERAL)
        if self.split == "dataset" and self.across != "off":
            notes += dict.fromkeys(
                f"{row['dataset']}: {row['passing']} pass the threshold, {row['cutoff']} are sought"
                for row in filter(_far_too_low, table)
            )
        return "; ".join(filter(None, [*notes, f"{_runs(table)}, bands: 95 % intervals"]))

    def _line_label(self, name: Value) -> str:
        return LINE_LABELS.get(self.lines, "{}").format(name)

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

    def _panel(
        self, rows: Table, names: list[Value], looks: dict[str, Look], at: int, columns: int
    ) -> Panel:
        width = (TWO_COLUMNS / columns if columns > 1 else ONE_COLUMN) - MARGINS
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
            what += f" minus that\nof {self._line_label(self.against).split(' (')[0]}"
        unbounded, even = self.measure in UNBOUNDED, self.across in EVEN
        free = differences or unbounded or self.measure in PLAIN_AXIS
        return Panel(
            lines,
            X_LABELS[self.across],
            what if at % columns == 0 else "",
            self._title(rows[0]),
            log="" if even else "xy" if unbounded else "x",
            x_ticks={
                x: f"{x:+g}" if x else "0" for x in places if abs(x) != 10
            }  # labels would touch
            if even
            else {x: "∞" if x == last else f"{x:,g}" for x in labelled(places, width)},
            x_marks=places,
            # Room above for a stamp, so that it covers no line.
            y_range=None if free else (-0.03, 1.2 if self.stamp else 1.05),
            y_ticks=self._y_ticks,
            linear=self.linear,
            horizontals=[(place, GREY)] if (place := self._level) is not None else (),
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
            self._line_label(name),
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
    runs = [int(number(row, "runs")) for row in rows]
    least, most = min(runs), max(runs)
    return f"{most:,} runs a point" if least == most else f"{least:,} to {most:,} runs a point"


def _far_too_low(row: Row) -> bool:
    """Whether so many pass the threshold that chance decides who is found."""
    passing = row.get("passing")
    return passing is not None and number(row, "passing") > 2 * number(row, "cutoff")


def labelled(places: list[float], width: float) -> list[float]:
    """Return the places whose labels do not touch on a logarithmic axis of so many inches.

    Powers of ten come first, then both ends, then others between.
    """
    decades = math.log10(places[-1] / places[0]) or 1
    shown: list[float] = []
    for place in (
        *(place for place in places if math.log10(place).is_integer()),
        places[-1],
        places[0],
        *places,
    ):
        if all(_apart(place, one) * width / decades > _room(place, one) for one in shown):
            shown.append(place)
    return sorted(shown)


def _apart(one: float, other: float) -> float:
    return abs(math.log10(one / other))


def _room(one: float, other: float) -> float:
    """Return how many inches two labels need from middle to middle."""
    return LETTER * (len(f"{one:,g}") + len(f"{other:,g}") + 1.5) / 2
