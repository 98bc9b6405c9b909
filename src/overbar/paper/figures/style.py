"""How figures look: safe for colour-blind readers, and readable without colour.

Colours are those of Okabe and Ito (2008). Each method keeps its colour, marker and line everywhere,
and its noise has the same. Sizes are those of print: text of 7 points in one column or in two.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overbar.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#777777"
#: Widths in inches: one column of a printed page, and two.
ONE_COLUMN, TWO_COLUMNS = 3.35, 7.0
TEXT = 7
FORMATS = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class Look:
    """Colour, marker and line of one method; a hollow marker lets another show inside it."""

    color: str
    marker: str
    line: Any
    width: float = 1.0
    hollow: bool = False


LOOKS: dict[str, Look] = {
    "SVT-Exp (optimal)": Look(VERMILLION, "o", "-", 1.6),
    "SVT-Exp (mean)": Look(ORANGE, "s", "--"),
    "SVT-Exp (no)": Look(PURPLE, "v", ":"),
    "SVT-Gum": Look(GREEN, "^", "-."),
    "SVT-Gum (optimal)": Look(GREEN, "^", "-", hollow=True),
    "SVT-Lap": Look(BLUE, "D", "--"),
    "SVT-Lap (optimal)": Look(BLUE, "D", "-", hollow=True),
    "SVT-Gau": Look(SKY, "X", "-."),
    "upper bound (as printed)": Look(GREY, "", ":"),
    "upper bound (comparable)": Look(BLACK, "", "--"),
    "top": Look(ORANGE, "o", "-", 2.2),
    "top, δ = 10⁻⁶": Look(GREEN, "D", "-", 2.2),
    "top with δ": Look(GREEN, "P", "-", 2.2),
    "select": Look(SKY, "s", "-", 2.2),
    "SVT-Exp (halfway)": Look(PURPLE, "^", "--"),
    "joint exponential": Look(PURPLE, "P", "-.", hollow=True),
    "appending": Look(BLUE, "s", "-", hollow=True),
    "race-accounted": Look(SKY, "o", "--", hollow=True),
    "race-accounted, bare threshold": Look(SKY, "^", "-."),
    "peeling": Look(BLACK, "x", "--"),
    "permute-and-flip": Look(ORANGE, "o", ":", hollow=True),
    "one-shot Laplace": Look(BLUE, "s", "-.", hollow=True),
    "peeling with δ": Look(PURPLE, "D", ":", hollow=True),
}
#: Noises look like the methods of the paper that are named after them.
NOISE_LOOKS = {
    "exponential": LOOKS["SVT-Exp (optimal)"],
    "laplace": LOOKS["SVT-Lap"],
    "gumbel": LOOKS["SVT-Gum"],
    "gaussian": LOOKS["SVT-Gau"],
}
#: For methods that nobody has given a look yet, in the order in which they come.
NEW = tuple(
    Look(color, marker, (0, dashes), 1.6)
    for color, marker, dashes in (
        (PURPLE, "P", (5, 1)),
        (BLACK, "*", (3, 1, 1, 1)),
        (ORANGE, "p", (1, 1)),
        (SKY, "h", (7, 2)),
        (GREEN, "<", (5, 1, 1, 1)),
        (BLUE, ">", (2, 2)),
    )
)
#: For lines that stand for numbers.
SERIES: tuple[Look, ...] = (
    Look(VERMILLION, "o", "-"),
    Look(BLUE, "s", "--"),
    Look(GREEN, "^", "-."),
    Look(PURPLE, "D", ":"),
    Look(BLACK, "v", (0, (5, 1))),
    Look(ORANGE, "X", (0, (3, 1, 1, 1))),
)


def looks_of(methods: Iterable[str]) -> dict[str, Look]:
    """Return a look for each method; those under the paper's RDP convention keep their own."""
    looks: dict[str, Look] = {}
    new = 0
    for name in methods:
        known = LOOKS.get(name.removesuffix(", paper's RDP"))
        looks[name] = known or NEW[new % len(NEW)]
        new += known is None
    return looks


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Figure, Any]:
    """Return a figure and its axes, a grid of them as a two-dimensional array."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(
            "figures need matplotlib; install it: pip install 'overbar[paper]'"
        ) from None
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    for one in axes.flat:
        one.grid(True, color="#dddddd", linewidth=0.5)
        one.set_axisbelow(True)
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(labelsize=TEXT - 0.5, width=0.6, length=2.5)
        one.xaxis.label.set_size(TEXT)
        one.yaxis.label.set_size(TEXT)
    return figure, axes


@contextmanager
def own_settings() -> Iterator[None]:
    """Draw by what matplotlib comes with: a matplotlibrc in the working folder has no say."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        yield


def saved(figure: Figure, form: str) -> bytes:
    """Render as PNG, SVG or PDF; without a date, so that the same figure has the same bytes."""
    import matplotlib as mpl

    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "overbar", "pdf.fonttype": 42}):
        figure.savefig(out, format=form, dpi=220, metadata=FORMATS[form])
    return out.getvalue()
