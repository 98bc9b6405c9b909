"""Panels of lines with one legend below: what every figure is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overbar.paper.figures.style import GREY, ONE_COLUMN, TEXT, TWO_COLUMNS, Look, new_figure
from overbar.paper.study import Table, column

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class DrawnLine:
    """One line, with an interval around it if `low` and `high` are given; or a mark of the key."""

    x: Sequence[float]
    y: Sequence[float]
    look: Look
    label: str
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    every: int = 1

    @classmethod
    def of(
        cls, rows: Table, x: str, y: str, look: Look, label: str, *, every: int = 1
    ) -> DrawnLine:
        """Take it from two columns of a table."""
        return cls(column(rows, x), column(rows, y), look, label, every=every)

    def draw(self, axes: Any) -> None:
        """Draw it."""
        look = self.look
        axes.plot(
            self.x,
            self.y,
            color=look.color,
            marker=look.marker,
            markevery=self.every,
            linestyle=look.line,
            linewidth=look.width,
            markersize=4.5 if look.hollow else 3,
            markerfacecolor="none" if look.hollow else look.color,
            markeredgewidth=0.8,
            label=self.label,
            zorder=4 if look.hollow else 3 if look.width > 1.5 else 2,
        )
        if self.low:
            axes.fill_between(self.x, self.low, self.high, color=look.color, alpha=0.2, linewidth=0)


@dataclass(frozen=True)
class Panel:
    """Lines in one pair of axes.

    Attributes
    ----------
    lines, x_label, y_label, title
        What is drawn and said. The title names what is fixed.
    log
        The axes that are logarithmic, such as "xy".
    verticals, horizontals
        Dashed lines: places and colours.
    x_ticks, y_ticks
        Places with their labels, where the usual ones will not do.
    y_range
        Lowest and highest of the vertical axis.
    stamp
        Written inside, for figures that must not travel without it.
    """

    lines: Sequence[DrawnLine]
    x_label: str
    y_label: str
    title: str = ""
    log: str = ""
    verticals: Sequence[tuple[float, str]] = ()
    horizontals: Sequence[tuple[float, str]] = ()
    x_ticks: dict[float, str] | None = None
    y_ticks: dict[float, str] | None = None
    y_range: tuple[float, float] | None = None
    stamp: str = ""

    def draw(self, axes: Any) -> None:
        """Draw it."""
        for line in self.lines:
            line.draw(axes)
        for place, color in self.verticals:
            axes.axvline(place, color=color, ls="--", lw=0.7)
        for place, color in self.horizontals:
            axes.axhline(place, color=color, ls="--", lw=0.7)
        for axis in self.log:
            getattr(axes, f"set_{axis}scale")("log")
        for axis, ticks in (("x", self.x_ticks), ("y", self.y_ticks)):
            if ticks is not None:
                getattr(axes, f"set_{axis}ticks")(list(ticks), list(ticks.values()))
                getattr(axes, f"{axis}axis").set_minor_locator(_no_ticks())
        if self.y_range is not None:
            axes.set_ylim(*self.y_range)
        axes.set_xlabel(self.x_label)
        axes.set_ylabel(self.y_label)
        axes.set_title(self.title, fontsize=TEXT)
        if self.stamp:
            axes.text(
                0.99,
                0.99,
                self.stamp,
                transform=axes.transAxes,
                fontsize=TEXT - 1.5,
                ha="right",
                va="top",
                color=GREY,
                style="italic",
            )


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def chart(panels: Sequence[Panel], *, columns: int = 1, height: float = 1.75) -> Figure:
    """Draw panels in rows of so many columns; one panel fills a column of a page, more fill two.

    All lines of the figure share one legend below, where it covers nothing.
    """
    rows = math.ceil(len(panels) / columns)
    width = ONE_COLUMN if columns == 1 else TWO_COLUMNS
    labels = {line.label for panel in panels for line in panel.lines if line.label[0] != "_"}
    # So many labels fit beside each other: a letter is half as wide as it is high.
    room = (max(map(len, labels)) + 10) * TEXT / 72 * 0.52
    across = max(1, min(len(labels), int(width / room)))
    lines = math.ceil(len(labels) / across)
    across = math.ceil(len(labels) / lines)
    figure, axes = new_figure(width, height * rows + 0.16 * lines + 0.15, rows, columns)
    handles: dict[str, Any] = {}
    for number, one in enumerate(axes.flat):
        if number >= len(panels):
            one.set_visible(False)
            continue
        panels[number].draw(one)
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles.values(),
        [label.removesuffix(", paper's RDP") for label in handles],
        loc="outside lower center",
        ncols=across,
        fontsize=TEXT,
        frameon=False,
        handlelength=2.8,
        columnspacing=1.2,
        labelspacing=0.3,
    )
    # Once for all formats: finding the layout takes longer than drawing.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure
