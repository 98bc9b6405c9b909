"""Grids of panels, one for each dataset: what most figures of the evaluation are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overbar.paper.figures.style import SERIES, Look, look_of, new_figure
from overbar.paper.study import Table, column, only

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MEASURES = {"ncr": "NCR (0 to 1)", "f1": "F1-score (0 to 1)"}
#: Traverses whose labels would touch their neighbours' on a logarithmic axis.
CROWDED = (3, 4)
LINE_LABELS = {"tolerance": "α = {}", "threshold_drawn": "threshold noise drawn {}"}
X_LABELS = {
    "epsilon": "privacy budget ε of the whole run",
    "rounds": "traverses (times a query is asked at most)",
}


@dataclass(frozen=True)
class Panels:
    """One measure against one column, a line for each method or value, a panel for each dataset.

    Attributes
    ----------
    measure, across
        Columns of the table: up and across.
    split
        The column whose values are the panels.
    lines
        The column whose values are the lines.
    stamp
        Written into every panel; for figures that must not travel without it.
    """

    measure: str
    across: str = "epsilon"
    split: str = "dataset"
    lines: str = "method"
    stamp: str = ""

    def __call__(self, table: Table) -> Figure:
        """Draw the table."""
        panels = list(dict.fromkeys(row[self.split] for row in table))
        names = list(dict.fromkeys(row[self.lines] for row in table))
        columns = min(3, len(panels))
        height = math.ceil(len(panels) / columns)
        figure, axes = new_figure(max(3.7 * columns, 6.2), 2.9 * height + 0.9, height, columns)
        for number, one in enumerate(axes.flat):
            if number >= len(panels):
                one.set_visible(False)
                continue
            rows = only(table, **{self.split: panels[number]})
            for place, name in enumerate(names):
                look = look_of(str(name)) if self.lines == "method" else SERIES[place]
                label = LINE_LABELS.get(self.lines, "{}").format(name)
                band(one, only(rows, **{self.lines: name}), self.across, self.measure, look, label)
            self._dress(one, rows, number, columns, len(panels))
        legend_below(figure, axes.flat[0])
        return figure

    def _dress(self, one: Any, rows: Table, number: int, columns: int, panels: int) -> None:
        one.set_xscale("log")
        # Room above for a stamp, so that it covers no line.
        one.set_ylim(-0.03, 1.16 if self.stamp else 1.05)
        places = sorted(set(column(rows, self.across)))
        if self.across == "rounds":
            places = [x for x in places if x not in CROWDED]
        one.set_xticks(places, [f"{x:g}" for x in places], fontsize=8)
        one.minorticks_off()
        first = rows[0]
        title = str(first[self.split])
        if self.split == "threshold":
            title = f"threshold {first['threshold']:,}: {first['passing']} items pass"
        extra = f", c = {first['cutoff']}"
        if self.across == "rounds":
            extra += f", ε = {first['epsilon']:g}"
        one.set_title(title + extra, fontsize=10)
        if number % columns == 0:
            one.set_ylabel(MEASURES[self.measure])
        if number >= panels - columns:
            one.set_xlabel(X_LABELS[self.across])
        if self.stamp:
            one.text(
                0.99,
                0.99,
                self.stamp,
                transform=one.transAxes,
                fontsize=7,
                ha="right",
                va="top",
                color="#555555",
                style="italic",
            )


def band(axes: Any, rows: Table, across: str, measure: str, look: Look, label: object) -> None:
    """Draw a line with its 95 % interval."""
    x, y = column(rows, across), column(rows, measure)
    axes.plot(
        x,
        y,
        color=look.color,
        marker=look.marker,
        linestyle=look.line,
        linewidth=look.width,
        markersize=8 if look.hollow else 4.5,
        markerfacecolor="none" if look.hollow else look.color,
        label=str(label),
        zorder=3 if look.width > 2 else 2,
    )
    if f"{measure}_low" in rows[0]:
        low, high = column(rows, f"{measure}_low"), column(rows, f"{measure}_high")
        axes.fill_between(x, low, high, color=look.color, alpha=0.15, linewidth=0)


def legend_below(figure: Figure, axes: Any, columns: int = 4) -> None:
    """Put one legend under all panels, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    labels = [label.removesuffix(", paper's RDP") for label in labels]
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=min(columns, len(labels)),
        fontsize=9,
        frameon=False,
        handlelength=3.2,
    )
