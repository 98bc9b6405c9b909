"""The figures about formulas, one function each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from overbar_lab.paper.chart import GENERAL, DrawnLine, Panel, chart
from overbar_lab.paper.looks import GREY, LOOKS, NOISE_LOOKS, SERIES, Look
from overbar_lab.paper.study import Table, column, number, only, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOISE_NAMES = {"Exp": "exponential", "Gum": "Gumbel", "Lap": "Laplace"}
SCORE = "score units"
MEAN = "vertical: the mean of the query noise, in the colour of its line"
MISTAKE = "Chance that a run makes a mistake larger than α"
TASK = "k = 50 queries below the threshold and one above it, ε = 1, c = 1"
BUDGETS = {place: f"{place:g}" for place in (0.01, 0.05, 0.1, 0.5, 1.0)}


def draw_accuracy(table: Table) -> Figure:
    """Failure probability against tolerance: as printed, and with one ρ by three corrections."""
    exponential = only(table, noise="exponential")
    bounds = [
        DrawnLine.of(exponential, "tolerance", name, Look(GREY, "", dashes), label)
        for name, dashes, label in (
            ("theorem_4", (0, (1, 1)), "bound of Theorem 4, exponential or Laplace noise"),
            ("dwork_roth", (0, (4, 2)), "bound of Dwork and Roth, Laplace noise"),
        )
    ]

    titles = {
        "failure": "the paper's formula: queries as if independent",
        "failure_shared": "the paper's corrections, one threshold noise a run",
        "failure_none": "no correction, one threshold noise a run",
        "failure_best": "best correction for each, one threshold noise a run",
    }
    panels = [_failures(table, *one, every=4) for one in titles.items()]
    both = [replace(panel, lines=[*panel.lines, *bounds]) for panel in panels]
    note = (
        "the paper's corrections: optimal for exponential noise, mean for Gumbel, none for others; "
        "correction: how far the threshold is raised"
    )
    return chart(
        both,
        columns=2,
        height=1.9,
        heading=f"{MISTAKE}, for four noises with and without corrections; {TASK}",
        note=note,
    )


def draw_traverses(table: Table) -> Figure:
    """Failure probability against tolerance by traverses, without correction and with the best."""
    panels = [
        _failures(
            only(table, rounds=rounds),
            name,
            f"{'asked once' if rounds == 1 else f'asked up to {rounds} times'}, {how} correction",
        )
        for name, how in (("failure_none", "no"), ("failure_best", "best"))
        for rounds in values(table, "rounds")
    ]
    heading = f"{MISTAKE}, where queries may be asked again; {TASK}"
    return chart(panels, columns=2, height=1.9, heading=heading)


def _failures(table: Table, name: str, title: str, every: int = 1) -> Panel:
    """Return a panel with a line for each noise."""
    lines = [
        DrawnLine.of(only(table, noise=noise), "tolerance", name, look, _named(noise), every=every)
        for noise, look in NOISE_LOOKS.items()
    ]
    x_label, y_label = f"tolerance α ({SCORE})", "failure probability β"
    return Panel(lines, x_label, y_label, title, y_range=(-0.05, 1.05))


def draw_variance(table: Table) -> Figure:
    """Variance of a comparison against the budget."""
    lines = [
        DrawnLine.of(only(table, noise=noise), "epsilon", "variance", look, _named(noise))
        for noise, look in NOISE_LOOKS.items()
    ]
    panel = Panel(
        lines,
        "privacy budget ε",
        f"variance of query plus\nthreshold noise ({SCORE}²)",
        "c = 50, general queries; Gaussian at δ = 10⁻⁵",
        "xy",
        x_ticks=BUDGETS,
    )
    heading = "How much noise decides one comparison, by kind of noise and privacy budget"
    return chart([panel], height=2.2, heading=heading, note=GENERAL)


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
    title = "query noise v: exponential; threshold noise ρ: Laplace\nc = 1, general queries"
    panel = Panel(lines, f"z ({SCORE})", y_label, title, verticals=means)
    heading = "The noise Z that decides one comparison: how likely each value is, by ε"
    return chart([panel], height=2.2, heading=heading, note=f"{GENERAL}; {MEAN}")


@dataclass(frozen=True)
class SuccessCurves:
    """p(r) for several values of one column; marks: summits, dashed: the mean of the noise."""

    varies: str
    label: str
    words: str
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
        mean = MEAN
        if len(means) == 1:
            means, mean = dict.fromkeys(means, GREY), MEAN.split(",", maxsplit=1)[0]
        panel = Panel(
            [*lines, *summits],
            f"correction r ({SCORE})",
            "success probability p(r)",
            f"{self.fixed}, c = 1, general queries",
            verticals=list(means.items()),
        )
        note = (
            "success: k queries that are α below the threshold and one that is α above it are all "
            f"answered correctly; dot: the optimal correction; {mean}"
        )
        heading = (
            "Chance that a run makes no mistake, by how far the threshold is raised (r) and "
            f"by {self.words}"
        )
        return chart([panel], height=2.2, heading=heading, note=note)


def draw_profile(table: Table) -> Figure:
    """Scores by rank; dashed lines are the thresholds."""
    lines, levels = [], []
    for look, name in zip(SERIES, values(table, "dataset"), strict=False):
        # On a logarithmic axis a score of zero has no place.
        rows = [row for row in only(table, dataset=name) if number(row, "score") > 0]
        lines.append(DrawnLine.of(rows, "rank", "score", look, str(name), every=12))
        levels.append((number(rows[0], "threshold"), look.color))
    panel = Panel(
        lines,
        "rank of the item (1 is the highest)",
        "score (records that hold the item)",
        log="xy",
        horizontals=levels,
    )
    return chart(
        [panel],
        height=2.4,
        heading="The scores of each dataset, from the highest to the lowest",
        note="horizontal: the threshold of each dataset, in its colour (Zipf has that of Adult); "
        "scores of 0 are not drawn",
    )


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
        line(apart, "proved", Look(colors[2], "", "-."), "largest distance possible (proved)"),
        line(apart, "apart", Look(colors[4], "", "-"), "distance found"),
    ]
    x_label = f"correction r ({SCORE})"
    panels = [
        Panel(upper, x_label, "success probability p(r)", "both, one over the other"),
        Panel(lower, x_label, "distance in p", "how far they are apart", "y"),
    ]
    return chart(
        panels,
        columns=2,
        height=2.0,
        heading="The chance p(r) that a run makes no mistake: a closed form and a numeric "
        "computation agree; ε = 0.03, α = 0, k = 10, 20,001 buckets",
    )


def draw_efficiency(table: Table) -> Figure:
    """Error and running time against buckets."""
    errors = [
        DrawnLine.of(
            table,
            "buckets",
            "error_l2",
            SERIES[0],
            "error of p(r), the chance of no mistake (l2 over 241 values of r)",
        ),
        DrawnLine.of(
            table,
            "buckets",
            "error_of_correction",
            SERIES[2],
            f"error of the correction r ({SCORE})",
        ),
    ]
    times = [
        DrawnLine.of(table, "buckets", "numeric_seconds", SERIES[1], "time, numeric (FFT)"),
        _slope_one(table),
        DrawnLine.of(table, "buckets", "analytic_seconds", SERIES[4], "time, closed form"),
    ]
    panels = [
        Panel(errors, "buckets m", "error", "how wrong it is", "xy"),
        Panel(times, "buckets m", "processor time (seconds)", "how long it takes", "xy"),
    ]
    return chart(
        panels,
        columns=2,
        height=2.0,
        heading="Computing the best correction r numerically: more buckets make it more exact and "
        "slower; ε = 0.03, α = 0, k = 10",
    )


def _slope_one(table: Table) -> DrawnLine:
    """Return the line of m·log m through the last point, to compare with."""
    m, last = column(table, "buckets"), table[-1]
    unit = number(last, "numeric_seconds") / (m[-1] * math.log(m[-1]))
    times = [unit * one * math.log(one) for one in m]
    return DrawnLine(m, times, Look(GREY, "", ":"), "growth as m·log m, to compare")


def draw_gap(table: Table) -> Figure:
    """Gap of a positive against where its score is: what was drawn, and what exponential gives."""
    places = column(table, "score_over_bar")
    ends = [min(places), 0.0, max(places)]
    gaps = [1 + max(0.0, x) for x in ends]
    law = DrawnLine(ends, gaps, Look(GREY, "", "--"), "what exponential noise gives: 1 + max(0, x)")
    panels: list[Panel] = []
    for dataset in values(table, "dataset"):
        rows = only(table, dataset=dataset)
        lines = []
        for method, look in GAP_LOOKS.items():
            own = only(rows, method=method)
            line = DrawnLine.of(own, "score_over_bar", "gap", look, GAP_LABELS[method])
            low, high = (column(own, f"gap_{end}") for end in ("low", "high"))
            lines.append(replace(line, low=low, high=high))
        below = number(only(rows, method="SVT-Exp (optimal)")[0], "share_below")
        panels.append(
            Panel(
                [law, *lines],
                "(score − noisy threshold) / noise scale",
                "mean gap / noise scale" if len(panels) % 3 == 0 else "",
                f"{dataset} (ε = {rows[0]['epsilon']:g}, {100 * below:.0f} % truly below)",
                verticals=[(0.0, GREY)],
                y_range=(0.0, 3.2),
            )
        )
    return chart(
        panels,
        columns=min(3, len(panels)),
        heading="What the gap of a positive tells of its score: right of 0 it rises with it, left "
        "of 0 it tells nothing; gap: how far the noisy score is above the noisy threshold",
        note="“truly below”: so many of the positives (exponential noise) have a true score below "
        "the noisy threshold; bands: 95 % intervals",
    )


GAP_LABELS = {f"SVT-{name} (optimal)": f"{noise} noise" for name, noise in NOISE_NAMES.items()}
GAP_LOOKS = {name: LOOKS[name] for name in GAP_LABELS}


def draw_gain(table: Table) -> Figure:
    """How much less noise race accounting needs at equal (ε, δ)."""
    lines = []
    for look, cutoff in zip(SERIES, values(table, "cutoff"), strict=False):
        rows = only(table, cutoff=cutoff)
        bare = Look(look.color, look.marker, (0, (1, 2)), hollow=True)
        lines.append(DrawnLine.of(rows, "epsilon", "gain", look, f"c = {cutoff:g}"))
        lines.append(
            DrawnLine.of(rows, "epsilon", "gain_bare", bare, f"c = {cutoff:g}, exact threshold")
        )
    panel = Panel(
        lines,
        "privacy budget ε",
        "noise scale at δ = 0 over\nthat at δ = 10⁻⁶",
        "SVT on counts, asked until c are found",
        "xy",
        horizontals=[(1.0, GREY)],
        x_ticks={place: f"{place:g}" for place in (0.1, 0.3, 1, 3)},
        y_ticks={place: f"{place:g}" for place in (0.5, 1, 2, 4, 8)},
    )
    return chart(
        [panel],
        height=2.2,
        heading="How much wider the noise of a run is without δ than with δ = 10⁻⁶",
        note="above 1: δ helps; exact threshold: the run with δ has no noise on its threshold",
    )


def _named(noise: str) -> str:
    return f"{noise.capitalize()} noise"


def _plain(look: Look) -> Look:
    """Return the look without its marker, for lines of many points."""
    return Look(look.color, "", look.line, look.width)
