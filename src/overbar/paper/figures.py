"""The figures: about formulas, one function each; and grids of panels, one for each dataset."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from overbar import _check
from overbar.paper.chart import GREY, NOISE_LOOKS, SERIES, DrawnLine, Look, Panel, chart, looks_of
from overbar.paper.study import Row, Table, Value, number, only, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOISE_LABELS = {
    "exponential": "exponential, optimal correction",
    "laplace": "Laplace",
    "gumbel": "Gumbel, mean correction",
    "gaussian": "Gaussian",
}
SCORE = "score units"
MEAN = DrawnLine([], [], Look(GREY, "", "--"), "mean of the query noise")
BUDGETS = {place: f"{place:g}" for place in (0.01, 0.05, 0.1, 0.5, 1.0)}


def draw_accuracy(table: Table) -> Figure:
    """Failure probability against tolerance, multiplied and with one shared ρ."""
    exponential, bound = only(table, noise="exponential"), Look(GREY, "", (0, (1, 1)))
    theorem = DrawnLine.of(
        exponential, "tolerance", "theorem_4", bound, "bound of Theorem 4 (r = 0)"
    )

    def panel(name: str, title: str) -> Panel:
        lines = [
            DrawnLine.of(only(table, noise=noise), "tolerance", name, look, label, every=4)
            for (noise, look), label in zip(NOISE_LOOKS.items(), NOISE_LABELS.values(), strict=True)
        ]
        x_label, fixed = f"tolerance α ({SCORE})", "(k = 50, ε = 1, c = 1)"
        return Panel([*lines, theorem], x_label, "failure probability β", f"{title} {fixed}")

    titles = {"failure": "multiplied, as printed", "failure_shared": "one ρ a run"}
    return chart([panel(*one) for one in titles.items()], columns=2, height=2.2)


def draw_variance(table: Table) -> Figure:
    """Variance of a comparison against the budget."""
    lines = [
        DrawnLine.of(only(table, noise=noise), "epsilon", "variance", look, noise.capitalize())
        for noise, look in NOISE_LOOKS.items()
    ]
    panel = Panel(
        lines,
        "privacy budget ε",
        f"variance of a comparison ({SCORE}²)",
        "c = 50, general queries; Gaussian at δ = 10⁻⁵",
        "xy",
        x_ticks=BUDGETS,
    )
    return chart([panel], height=2.2)


def draw_density(table: Table) -> Figure:
    """Density of Z for several budgets; dashed lines are the means of the query noise."""
    looks = list(zip(SERIES, values(table, "epsilon"), strict=False))
    lines = [
        DrawnLine.of(only(table, epsilon=value), "z", "density", _plain(look), f"ε = {value:g}")
        for look, value in looks
    ]
    means = [
        (number(only(table, epsilon=value)[0], "mean_of_noise"), look.color)
        for look, value in looks
    ]
    y_label = "density of Z = v − ρ"
    title = "exponential v, Laplace ρ, c = 1, general queries"
    panel = Panel([*lines, MEAN], f"z ({SCORE})", y_label, title, verticals=means)
    return chart([panel], height=2.2)


@dataclass(frozen=True)
class SuccessCurves:
    """p(r) for several values of one column; marks: summits, dashed: the mean of the noise."""

    varies: str
    label: str
    fixed: str

    def __call__(self, table: Table) -> Figure:
        """Draw the table."""
        lines, summits, means = [], [], {}
        for look, value in zip(SERIES, values(table, self.varies), strict=False):
            rows = only(table, **{self.varies: value})
            label = f"{self.label} = {value:g}"
            lines.append(DrawnLine.of(rows, "correction", "success", _plain(look), label))
            best = only(rows, correction=rows[0]["best_correction"])
            summits.append(
                DrawnLine.of(best, "correction", "success", Look(look.color, "o", ""), "_summit")
            )
            means[number(rows[0], "mean_of_noise")] = look.color
        if len(means) == 1:
            means = dict.fromkeys(means, GREY)
        keys = [DrawnLine([], [], Look(GREY, "o", ""), "optimal correction"), MEAN]
        panel = Panel(
            [*lines, *summits, *keys],
            f"correction r ({SCORE})",
            "success probability p(r)",
            f"{self.fixed}, c = 1, general queries",
            verticals=list(means.items()),
        )
        return chart([panel], height=2.2)


def draw_profile(table: Table) -> Figure:
    """Scores by rank; dashed lines are the thresholds."""
    lines, levels = [], []
    for look, name in zip(SERIES, values(table, "dataset"), strict=False):
        # On a logarithmic axis a score of zero has no place.
        rows = [row for row in only(table, dataset=name) if number(row, "score") > 0]
        lines.append(DrawnLine.of(rows, "rank", "score", look, str(name), every=12))
        levels.append((number(rows[0], "threshold"), look.color))
    key = DrawnLine([], [], Look(GREY, "", "--"), "threshold")
    panel = Panel(
        [*lines, key],
        "rank of the item (1 is the highest)",
        "score (records that hold the item)",
        log="xy",
        horizontals=levels,
    )
    return chart([panel], height=2.4)


def draw_agreement(table: Table) -> Figure:
    """Closed and numeric p(r), and beside it how far they are apart."""
    apart = [
        row
        | {
            "apart": abs(number(row, "numeric") - number(row, "analytic")),
            "proved": number(row, "numeric_most") - number(row, "numeric_least"),
        }
        for row in table
    ]

    def line(rows: Table, name: str, look: Look, label: str) -> DrawnLine:
        return DrawnLine.of(rows, "correction", name, look, label)

    colors = [look.color for look in SERIES]
    upper = [
        line(table, "analytic", Look(colors[1], "", "-", 2.8), "closed form"),
        line(table, "numeric", Look(colors[0], "", "--", 1.6), "numeric (FFT)"),
    ]
    lower = [
        line(apart, "proved", Look(colors[2], "", "-."), "width of the proof"),
        line(apart, "apart", Look(colors[4], "", "-"), "distance seen"),
    ]
    x_label = f"correction r ({SCORE})"
    fixed = "ε = 0.03, α = 0, k = 10, 20,001 buckets"
    panels = [
        Panel(upper, x_label, "success probability p(r)", fixed),
        Panel(lower, x_label, "distance in p", fixed, "y"),
    ]
    return chart(panels, columns=2, height=2.0)


def draw_efficiency(table: Table) -> Figure:
    """Error and running time against buckets."""
    errors = [
        DrawnLine.of(table, "buckets", "error_l2", SERIES[0], "error of p(r), l2 over 241 places"),
        DrawnLine.of(table, "buckets", "error_of_correction", SERIES[2], f"error of r ({SCORE})"),
    ]
    times = [
        DrawnLine.of(table, "buckets", "numeric_seconds", SERIES[1], "time, numeric (FFT)"),
        DrawnLine.of(table, "buckets", "analytic_seconds", SERIES[4], "time, closed form"),
    ]
    fixed = "ε = 0.03, α = 0, k = 10"
    panels = [
        Panel(errors, "buckets", "error of the numeric route", fixed, "xy"),
        Panel(times, "buckets", "processor time (seconds)", fixed, "xy"),
    ]
    return chart(panels, columns=2, height=2.0)


def draw_gain(table: Table) -> Figure:
    """How much less noise race accounting needs at equal (ε, δ)."""
    lines = []
    for look, cutoff in zip(SERIES, values(table, "cutoff"), strict=False):
        rows = only(table, cutoff=cutoff)
        bare = Look(look.color, look.marker, (0, (1, 2)), hollow=True)
        lines.append(DrawnLine.of(rows, "epsilon", "gain", look, f"c = {cutoff:g}"))
        lines.append(DrawnLine.of(rows, "epsilon", "gain_bare", bare, f"c = {cutoff:g}, bare"))
    panel = Panel(
        lines,
        "privacy budget ε",
        "pure noise scale / race noise scale",
        "δ = 10⁻⁶, counts; bare: no threshold noise",
        "xy",
        horizontals=[(1.0, GREY)],
        x_ticks={place: f"{place:g}" for place in (0.1, 0.3, 1, 3)},
        y_ticks={place: f"{place:g}" for place in (0.5, 1, 2, 4, 8)},
    )
    return chart([panel], height=2.2)


def _plain(look: Look) -> Look:
    """Return the look without its marker, for lines of many points."""
    return Look(look.color, "", look.line, look.width)


MEASURES = {"ncr": "NCR", "f1": "F1-score", "precision": "Precision", "recall": "Recall"}
#: Places whose labels would touch their neighbours' on a logarithmic axis.
CROWDED = {"rounds": (3, 4, 20), "epsilon": (0.02,)}
LINE_LABELS = {"tolerance": "α = {}", "threshold_drawn": "threshold noise drawn {}"}
X_LABELS = {"epsilon": "privacy budget ε", "rounds": "traverses"}


@dataclass(frozen=True)
class Panels:
    """One measure against one column, a line for each method or value, a panel for each dataset.

    Attributes
    ----------
    measure
        "ncr", "f1", "precision" or "recall".
    across
        The column that goes across: "epsilon" or "rounds".
    split
        The column whose values are the panels.
    lines
        The column whose values are the lines.
    against
        A line whose values are taken off all others: for curves that would coincide.
    stamp
        Written into every panel; for figures that must not travel without it.
    """

    measure: str = "ncr"
    across: str = "epsilon"
    split: str = "dataset"
    lines: str = "method"
    against: Value = None
    stamp: str = ""

    def __post_init__(self) -> None:
        _check.choice("measure", self.measure, MEASURES)
        _check.choice("across", self.across, X_LABELS)

    def __call__(self, table: Table) -> Figure:
        """Draw the table."""
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

    def _panel(self, rows: Table, names: list[Value], looks: dict[str, Look], first: bool) -> Panel:
        reference = {row[self.across]: row for row in rows if row[self.lines] == self.against}
        lines = [
            self._line([row for row in rows if row[self.lines] == name], reference, name, looks)
            for name in names
        ]
        places = sorted({self._place(row, rows) for row in rows})
        crowded = CROWDED.get(self.across, ())
        shown = [x for x in places if x == places[0] or x not in crowded]
        last = places[-1] if None in values(rows, self.across) else None
        what, differences = MEASURES[self.measure], self.against is not None
        if differences:
            what += f" − {LINE_LABELS.get(self.lines, '{}').format(self.against)}"
        return Panel(
            lines,
            f"{X_LABELS[self.across]} ({rows[0]['runs']:,} runs each)",
            what if first else "",
            self._title(rows[0]),
            log="x",
            x_ticks={x: "∞" if x == last else f"{x:g}" for x in shown},
            # Room above for a stamp, so that it covers no line.
            y_range=None if differences else (-0.03, 1.2 if self.stamp else 1.05),
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
        if self.across == "rounds" and self.split != "epsilon":
            fixed.append(f"ε = {row['epsilon']:g}")
        elif self.across == "epsilon" and row["rounds"] is not None:
            fixed.append(f"{row['rounds']} traverse{'s' * (row['rounds'] != 1)}")
        return f"{title} ({', '.join(fixed)})"
