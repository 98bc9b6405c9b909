"""Figures about formulas: accuracy, variance, laws, corrections, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overbar.paper.figures.panels import legend_below
from overbar.paper.figures.style import NOISE_LOOKS, SERIES, Look, new_figure
from overbar.paper.study import Table, Value, column, only

if TYPE_CHECKING:
    from matplotlib.figure import Figure


NOISE_LABELS = {
    "exponential": "exponential, optimal correction",
    "laplace": "Laplace",
    "gumbel": "Gumbel, mean correction",
    "gaussian": "Gaussian",
}
SCORE = "score units"


def draw_accuracy(table: Table) -> Figure:
    """Failure probability against tolerance, multiplied and with one shared ρ."""
    figure, axes = new_figure(9.2, 4.1, 1, 2)
    for one, name, title in (
        (axes[0, 0], "failure", "as the paper multiplies"),
        (axes[0, 1], "failure_shared", "one ρ for all queries, as in a run"),
    ):
        for noise, look in NOISE_LOOKS.items():
            rows = only(table, noise=noise)
            _line(one, rows, "tolerance", name, look, NOISE_LABELS[noise], every=4)
        rows = only(table, noise="exponential")
        bound = Look("#777777", "", (0, (1, 1)))
        _line(one, rows, "tolerance", "theorem_3", bound, "bound of Theorem 3 (exponential, r = 0)")
        one.set_xlabel(f"tolerance α ({SCORE})")
        one.set_ylabel("failure probability β")
        one.set_title(title, fontsize=10)
    legend_below(figure, axes[0, 0], 3)
    return figure


def draw_variance(table: Table) -> Figure:
    """Variance of a comparison against the budget."""
    figure, axes = new_figure(6.2, 4.2)
    one = axes[0, 0]
    for noise, look in NOISE_LOOKS.items():
        _line(one, only(table, noise=noise), "epsilon", "variance", look, noise.capitalize())
    one.set(xscale="log", yscale="log", xlabel="privacy budget ε")
    one.set_ylabel(f"variance of a comparison ({SCORE}²)")
    legend_below(figure, one)
    return figure


def draw_density(table: Table) -> Figure:
    """Density of Z for several budgets; dashed lines are the means of the query noise."""
    figure, axes = new_figure(6.2, 4.0)
    one = axes[0, 0]
    for look, epsilon in zip(SERIES, _values(table, "epsilon"), strict=False):
        rows = only(table, epsilon=epsilon)
        _line(one, rows, "z", "density", Look(look.color, "", look.line), f"ε = {epsilon:g}")
        one.axvline(float(rows[0]["mean_of_noise"] or 0), color=look.color, ls="--", lw=0.8)
    one.set_xlabel(f"z ({SCORE})")
    one.set_ylabel(f"density of Z = v − ρ (per {SCORE[:-1]})")
    legend_below(figure, one)
    return figure


@dataclass(frozen=True)
class SuccessCurves:
    """p(r) for several values of one column; dots are the summits, dashed the mean of the noise."""

    varies: str
    label: str

    def __call__(self, table: Table) -> Figure:
        """Draw the table."""
        figure, axes = new_figure(6.2, 4.0)
        one = axes[0, 0]
        means = set()
        for look, value in zip(SERIES, _values(table, self.varies), strict=False):
            rows = only(table, **{self.varies: value})
            label = f"{self.label} = {value:g}"
            _line(one, rows, "correction", "success", Look(look.color, "", look.line), label)
            best = only(rows, correction=rows[0]["best_correction"])[0]
            one.plot(
                [float(best["correction"] or 0)],
                [float(best["success"] or 0)],
                marker=look.marker,
                color=look.color,
                markersize=6,
            )
            means.add((float(rows[0]["mean_of_noise"] or 0), look.color))
        shared = len({mean for mean, _ in means}) == 1
        for mean, color in sorted(means):
            one.axvline(mean, color="#777777" if shared else color, ls="--", lw=0.8)
        one.set_xlabel(f"correction r ({SCORE})")
        one.set_ylabel("success probability p(r)")
        legend_below(figure, one)
        return figure


def draw_profile(table: Table) -> Figure:
    """Scores by rank; dashed lines are the thresholds."""
    figure, axes = new_figure(7.2, 4.8)
    one = axes[0, 0]
    for look, name in zip(SERIES, _values(table, "dataset"), strict=False):
        # On a logarithmic axis a score of zero has no place.
        rows = [row for row in only(table, dataset=name) if float(row["score"] or 0) > 0]
        _line(one, rows, "rank", "score", look, str(name), every=12)
        one.axhline(float(rows[0]["threshold"] or 0), color=look.color, ls="--", lw=0.8)
    one.set(xscale="log", yscale="log", xlabel="rank of the item (1 is the highest)")
    one.set_ylabel("score (records that hold the item)")
    legend_below(figure, one, 3)
    return figure


def draw_agreement(table: Table) -> Figure:
    """Closed and numeric p(r), and below how far they are apart."""
    figure, axes = new_figure(6.4, 5.2, 2, 1)
    upper, lower = axes[0, 0], axes[1, 0]
    _line(upper, table, "correction", "analytic", Look("#0072B2", "", "-", 3.0), "closed form")
    _line(upper, table, "correction", "numeric", Look("#D55E00", "", "--"), "numeric (FFT)")
    upper.set_ylabel("success probability p(r)")
    apart = [
        row
        | {
            "apart": abs(float(row["numeric"] or 0) - float(row["analytic"] or 0)),
            "proved": float(row["numeric_most"] or 0) - float(row["numeric_least"] or 0),
        }
        for row in table
    ]
    _line(lower, apart, "correction", "proved", Look("#009E73", "", "-."), "proved interval, width")
    _line(lower, apart, "correction", "apart", Look("#000000", "", "-"), "distance seen")
    lower.set(yscale="log", xlabel=f"correction r ({SCORE})", ylabel="distance in p")
    for one in (upper, lower):
        one.legend(fontsize=9, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_efficiency(table: Table) -> Figure:
    """Error and running time against buckets."""
    figure, axes = new_figure(9.2, 3.9, 1, 2)
    left, right = axes[0]
    _line(left, table, "buckets", "error_l2", SERIES[0], "of p(r), l2 norm over 241 places")
    _line(left, table, "buckets", "error_of_correction", SERIES[1], f"of r ({SCORE})")
    left.set_ylabel("error of the numeric route")
    _line(right, table, "buckets", "numeric_seconds", SERIES[0], "numeric (FFT)")
    _line(right, table, "buckets", "analytic_seconds", SERIES[1], "closed form")
    right.set_ylabel("running time (seconds)")
    for one in (left, right):
        one.set(xscale="log", yscale="log", xlabel="buckets")
        one.legend(fontsize=9, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def draw_cost(table: Table) -> Figure:
    """Running time of one run against traverses."""
    figure, axes = new_figure(6.4, 4.0)
    one = axes[0, 0]
    loop = [row for row in table if row["loop_seconds"] is not None]
    _line(one, loop, "rounds", "loop_seconds", SERIES[1], "a loop over rounds")
    _line(one, table, "rounds", "race_seconds", SERIES[0], "the race: one draw per query")
    one.set(xscale="log", yscale="log", xlabel="traverses (times a query is asked at most)")
    one.set_ylabel("running time of one run (seconds)")
    legend_below(figure, one)
    return figure


def draw_gain(table: Table) -> Figure:
    """How much less noise race accounting needs at equal (ε, δ)."""
    figure, axes = new_figure(6.4, 4.2)
    one = axes[0, 0]
    for look, cutoff in zip(SERIES, _values(table, "cutoff"), strict=False):
        rows = only(table, cutoff=cutoff)
        _line(one, rows, "epsilon", "gain", look, f"c = {cutoff:g}")
        bare = Look(look.color, look.marker, (0, (1, 2)), 1.0)
        _line(one, rows, "epsilon", "gain_bare", bare, f"c = {cutoff:g}, bare threshold")
    one.axhline(1, color="#777777", lw=0.8)
    one.set(xscale="log", yscale="log", xlabel="privacy budget ε (δ = 1e-6)")
    one.set_xticks([0.1, 0.3, 1, 3], ["0.1", "0.3", "1", "3"])
    one.set_yticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    one.minorticks_off()
    one.set_ylabel("pure noise scale / race noise scale")
    legend_below(figure, one, 2)
    return figure


def _values(table: Table, name: str) -> list[Value]:
    return list(dict.fromkeys(row[name] for row in table))


def _line(
    axes: Any, rows: Table, x: str, y: str, look: Look, label: str, *, every: int = 1
) -> None:
    axes.plot(
        column(rows, x),
        column(rows, y),
        color=look.color,
        marker=look.marker,
        markevery=every,
        markersize=4.5,
        linestyle=look.line,
        linewidth=look.width,
        label=label,
    )
