"""What every figure is made of: panels of lines under a heading, with one legend below.

Sizes are those of print: text of 7 points in one column or in two.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from overbar_lab.paper.looks import GREY, Look, in_words
from overbar_lab.paper.study import Table, column

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What notes say of queries.
GENERAL = "general queries: one person may move some scores up and others down"
#: Widths in inches: one column of a printed page, and two.
ONE_COLUMN, TWO_COLUMNS = 3.35, 7.0
TEXT = 7
FORMATS = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Figure, Any]:
    """Return a figure and its axes, a grid of them as a two-dimensional array."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    for one in axes.flat:
        one.grid(True, color="#dddddd", linewidth=0.5)
        one.set_axisbelow(True)
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(labelsize=TEXT - 0.5, width=0.6, length=2.5)
        one.tick_params(which="minor", labelsize=TEXT - 1.5)  # of short logarithmic axes
        one.xaxis.label.set_size(TEXT)
        one.yaxis.label.set_size(TEXT)
    return figure, axes


def load_drawing() -> None:
    """Load all that draws and writes: once, before processes are forked that would each do it."""
    for form in FORMATS:
        import_module(f"matplotlib.backends.backend_{form.replace('png', 'agg')}")


@contextmanager
def own_settings() -> Iterator[None]:
    """Draw by what matplotlib comes with: a matplotlibrc in the working folder has no say."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        yield


#: Kinds of fonts in a PDF: what publishers take, and what is written three times as fast.
PRINTED_FONTS, FAST_FONTS = 42, 3


def saved(figure: Figure, form: str, fonts: int = PRINTED_FONTS) -> bytes:
    """Render as PNG, SVG or PDF; without a date, so that the same figure has the same bytes."""
    import matplotlib as mpl

    out = io.BytesIO()
    # A tenth smaller takes half as long again.
    how: Any = {"pil_kwargs": {"compress_level": 1}} if form == "png" else {}
    with mpl.rc_context({"svg.hashsalt": "overbar", "pdf.fonttype": fonts}):
        figure.savefig(out, format=form, dpi=220, metadata=FORMATS[form], **how)
    return out.getvalue()


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
            axes.fill_between(
                self.x, self.low, self.high, color=look.color, alpha=0.13, linewidth=0
            )


@dataclass(frozen=True)
class Panel:
    """Lines in one pair of axes.

    Attributes
    ----------
    lines, x_label, y_label, title
        What is drawn and said. The title names what is fixed.
    log
        The axes that are logarithmic, such as "xy".
    linear
        How far from zero the vertical axis is plain; beyond it is logarithmic, both ways.
    verticals, horizontals
        Dashed lines: places and colours.
    x_ticks, y_ticks
        Places with their labels, where the usual ones will not do.
    x_marks
        Places that have a small mark and no label.
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
    linear: float | None = None
    verticals: Sequence[tuple[float, str]] = ()
    horizontals: Sequence[tuple[float, str]] = ()
    x_ticks: dict[float, str] | None = None
    y_ticks: dict[float, str] | None = None
    x_marks: Sequence[float] = ()
    y_range: tuple[float, float] | None = None
    stamp: str = ""

    def draw(self, axes: Any) -> None:
        """Draw it."""
        for line in self.lines:
            line.draw(axes)
        for place, color in self.verticals:
            axes.axvline(place, color=color, ls=(0, (1, 1.5)), lw=0.9)
        for place, color in self.horizontals:
            axes.axhline(place, color=color, ls="--", lw=0.7)
        for axis in self.log:
            getattr(axes, f"set_{axis}scale")("log")
        if self.linear is not None:
            axes.set_yscale("symlog", linthresh=self.linear)
        for axis, ticks in (("x", self.x_ticks), ("y", self.y_ticks)):
            if ticks is not None:
                getattr(axes, f"set_{axis}ticks")(list(ticks), list(ticks.values()))
                getattr(axes, f"{axis}axis").set_minor_locator(_no_ticks())
        if self.x_marks:
            axes.set_xticks(list(self.x_marks), minor=True)
            axes.tick_params(axis="x", which="minor", length=1.5, width=0.5, labelbottom=False)
        if self.y_range is not None:
            axes.set_ylim(*self.y_range)
        axes.set_xlabel(self.x_label)
        axes.set_ylabel(self.y_label)
        # Nothing stands above a panel, and looking for it at every drawing takes long.
        axes.set_title(self.title, fontsize=TEXT, y=1.0)
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


def _even_lines(text: str, most: int) -> list[str]:
    """Break a text into lines of about the same length, as few as there can be."""
    if not text:
        return []
    lines = textwrap.wrap(text, most)
    return next(
        (
            even
            for size in range(len(text) // len(lines), most)
            if len(even := textwrap.wrap(text, size)) == len(lines)
        ),
        lines,
    )


def chart(
    panels: Sequence[Panel],
    *,
    columns: int = 1,
    height: float = 1.75,
    heading: str,
    note: str = "",
) -> Figure:
    """Draw panels in rows of so many columns; one panel fills a column of a page, more fill two.

    All lines of the figure share one legend below, where it covers nothing. The heading says
    what is shown to somebody who reads nothing else; a note explains marks and letters.
    """
    rows = math.ceil(len(panels) / columns)
    width = ONE_COLUMN if columns == 1 else TWO_COLUMNS
    labels = {
        in_words(line.label) for panel in panels for line in panel.lines if line.label[0] != "_"
    }
    # So many labels fit beside each other: a letter is half as wide as it is high.
    letter = TEXT / 72 * 0.52  # a bold one is a little wider
    room = (max(map(len, labels)) + 10) * letter
    across = max(1, min(len(labels), int(width / room)))
    lines = math.ceil(len(labels) / across)
    across = math.ceil(len(labels) / lines)
    wrapped = [
        _even_lines(text, int(width / letter * part)) for text, part in ((heading, 0.88), (note, 1))
    ]
    lines += sum(map(len, wrapped))
    figure, axes = new_figure(width, height * rows + 0.16 * lines + 0.15, rows, columns)
    figure.suptitle("\n".join(wrapped[0]), fontsize=TEXT, fontweight="bold")
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
        list(map(in_words, handles)),
        title="\n".join(wrapped[1]),
        title_fontproperties={"size": TEXT - 0.5, "style": "italic"},
        loc="outside lower center",
        ncols=across,
        fontsize=TEXT,
        frameon=False,
        handlelength=2.8,
        columnspacing=1.2,
        labelspacing=0.3,
    )
    # Once for all formats: finding the layout takes longer than drawing.
    layout = figure.get_layout_engine()
    assert layout is not None
    layout.execute(figure)
    figure.set_layout_engine(None)
    return figure
