"""How figures look: safe for colour-blind readers, and readable without colour.

Colours are those of Okabe and Ito (2008). Each method keeps its colour, marker and line everywhere.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overbar.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#777777"


@dataclass(frozen=True)
class Look:
    """Colour, marker and line of one method; a hollow marker lets another show inside it."""

    color: str
    marker: str
    line: Any
    width: float = 1.4
    hollow: bool = False


LOOKS: dict[str, Look] = {
    "SVT-Exp (optimal)": Look(VERMILLION, "o", "-", 2.2),
    "SVT-Exp (mean)": Look(ORANGE, "s", "--"),
    "SVT-Exp (no)": Look(PURPLE, "v", ":"),
    "SVT-Gum": Look(GREEN, "^", "-."),
    "SVT-Lap": Look(BLUE, "D", "--"),
    "SVT-Gau": Look(SKY, "X", "-."),
    "upper bound (as printed)": Look(GREY, "", ":"),
    "upper bound (comparable)": Look(BLACK, "", "--"),
    "SVT-Exp (round-aware)": Look(BLACK, "*", "-"),
    "top": Look(ORANGE, "o", "-", 2.2),
    "top, δ = 10⁻⁶": Look(GREEN, "D", "-", 2.2),
    "appending": Look(BLUE, "s", "-", hollow=True),
    "race-accounted": Look(GREEN, "o", "-", 2.2),
    "race-accounted, δ = 10⁻⁶": Look(GREEN, "s", "-", 2.2),
    "race-accounted, bare threshold": Look(SKY, "^", "-."),
    "peeling": Look(BLACK, "x", "--"),
    "permute-and-flip": Look(ORANGE, "o", ":", hollow=True),
    "one-shot Laplace": Look(BLUE, "s", "-.", hollow=True),
    "peeling with δ": Look(PURPLE, "D", ":"),
}
#: A method that nobody has given a look yet.
NEW = Look(PURPLE, "P", (0, (5, 1)), 2.2)
NOISE_LOOKS: dict[str, Look] = {
    "exponential": Look(VERMILLION, "o", "-", 2.2),
    "laplace": Look(BLUE, "D", "--"),
    "gumbel": Look(GREEN, "^", "-."),
    "gaussian": Look(SKY, "X", ":"),
}
#: For lines that stand for numbers.
SERIES: tuple[Look, ...] = (
    Look(VERMILLION, "o", "-"),
    Look(BLUE, "s", "--"),
    Look(GREEN, "^", "-."),
    Look(PURPLE, "D", ":"),
    Look(BLACK, "v", (0, (5, 1))),
    Look(ORANGE, "X", (0, (3, 1, 1, 1))),
)


def look_of(method: str) -> Look:
    """Return the look of a method; those under the paper's RDP convention keep their own."""
    return LOOKS.get(method.removesuffix(", paper's RDP"), NEW)


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
        one.grid(True, color="#dddddd", linewidth=0.6)
        one.set_axisbelow(True)
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(labelsize=9)
    return figure, axes


def png_of(figure: Figure) -> bytes:
    """Render as PNG."""
    return _saved(figure, "png", {"Software": None})


def svg_of(figure: Figure) -> bytes:
    """Render as SVG; without a date, so that the same figure has the same bytes."""
    return _saved(figure, "svg", {"Date": None})


def _saved(figure: Figure, form: str, metadata: dict[str, Any]) -> bytes:
    import matplotlib as mpl

    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "overbar"}):
        figure.savefig(out, format=form, dpi=160, metadata=metadata)
    return out.getvalue()
