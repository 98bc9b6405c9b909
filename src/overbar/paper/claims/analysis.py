"""Claims about formulas and running times."""

from __future__ import annotations

import itertools
import math
import statistics

from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN, Judgement, PaperClaim
from overbar.paper.claims.method_pairs import number
from overbar.paper.study import Table, column, only


def _most_accurate(table: Table) -> Judgement:
    worst = -math.inf
    for name in ("failure", "failure_shared"):
        best = column(only(table, noise="exponential"), name)
        for other in ("laplace", "gumbel", "gaussian"):
            rest = column(only(table, noise=other), name)
            worst = max(worst, *(ours - theirs for ours, theirs in zip(best, rest, strict=True)))
    at = only(table, tolerance=16)
    values = ", ".join(f"{row['noise']} {number(row, 'failure_shared'):.3f}" for row in at)
    return Judgement(
        HOLDS if worst <= 1e-12 else FAILS,
        f"β of exponential noise minus β of any other is {worst:.2g} at most; at α = 16 (one ρ): "
        f"{values}",
        "k = 50, ε = 1, c = 1; Gaussian noise at δ = 1e-5, which the paper does not print",
    )


def _least_variance(table: Table) -> Judgement:
    at = {str(row["noise"]): number(row, "variance") for row in only(table, epsilon=1.0)}
    return Judgement(
        HOLDS if min(at, key=lambda name: at[name]) == "exponential" else FAILS,
        "at ε = 1, c = 50: " + ", ".join(f"{name} {value:,.0f}" for name, value in at.items()),
        "general queries; every variance scales as 1/ε², so the order is the same at every ε",
    )


def _optima(table: Table, varies: str) -> list[tuple[float, float, float]]:
    """Return value, best correction and success there, in order of the value."""
    seen = {}
    for row in table:
        if row["correction"] == row["best_correction"]:
            value = number(row, varies)
            seen[value] = (value, number(row, "correction"), number(row, "success"))
    return [seen[value] for value in sorted(seen)]


def _by_negatives(table: Table) -> Judgement:
    found = _optima(table, "negatives")
    rising = all(b[1] > a[1] for a, b in itertools.pairwise(found))
    off = max(abs(p - k**k / (k + 1) ** (k + 1)) for k, _, p in found)
    return Judgement(
        HOLDS if rising else FAILS,
        ", ".join(f"k = {k:g}: r = {r:.2f}" for k, r, _ in found),
        f"the best r is the k/(k+1) quantile of Z; p there is k^k/(k+1)^(k+1) (off by {off:.1g})",
    )


def _by_tolerance(table: Table) -> Judgement:
    found = _optima(table, "tolerance")
    success = all(b[2] > a[2] for a, b in itertools.pairwise(found))
    smaller = all(b[1] < a[1] for a, b in itertools.pairwise(found))
    return Judgement(
        HOLDS if success and smaller else PARTLY if success else FAILS,
        ", ".join(f"α = {a:g}: r = {r:.2f}, p = {p:.3f}" for a, r, p in found),
        "success rises with α; the correction falls at first and rises again for large α, where "
        "the true query is found anyway"
        if not smaller
        else "both as stated",
    )


def _by_budget(table: Table) -> Judgement:
    found = _optima(table, "epsilon")
    falling = all(b[1] < a[1] for a, b in itertools.pairwise(found))
    return Judgement(
        HOLDS if falling else FAILS,
        ", ".join(f"ε = {e:g}: r = {r:.2f}" for e, r, _ in found),
        "r·ε is constant, and p at the best r does not depend on ε",
    )


def _agreement(table: Table) -> Judgement:
    apart = max(abs(number(row, "numeric") - number(row, "analytic")) for row in table)
    inside = all(
        number(row, "numeric_least") <= number(row, "analytic") <= number(row, "numeric_most")
        for row in table
    )
    return Judgement(
        HOLDS if apart < 1e-6 and inside else FAILS,
        f"largest distance {apart:.2g}; the closed form lies inside the proved interval "
        f"{'everywhere' if inside else 'not everywhere'}",
        "20,001 buckets, ε = 0.03, k = 10",
    )


def _linear_time(table: Table) -> Judgement:
    rows = [row for row in table if number(row, "buckets") >= 1000]
    logs = [(math.log(number(r, "buckets")), math.log(number(r, "numeric_seconds"))) for r in rows]
    power, _ = statistics.linear_regression(*zip(*logs, strict=True))
    return Judgement(
        HOLDS if 0.7 <= power <= 1.3 else UNKNOWN,
        f"least squares from {rows[0]['buckets']:,} to {rows[-1]['buckets']:,} buckets: "
        f"time ~ buckets^{power:.2f}",
        "a convolution by FFT costs m·log m; a fit over few points on a shared machine is rough. "
        "The paper writes o(m log m) for O(m log m)",
    )


def _constant_time(table: Table) -> Judgement:
    times = column(table, "analytic_seconds")
    ratio = max(times) / min(times)
    return Judgement(
        HOLDS if ratio < 3 else PARTLY,
        f"slowest over fastest closed form: {ratio:.2f}",
        "the closed form does not know about buckets",
    )


def _falling_error(table: Table) -> Judgement:
    errors = column(table, "error_l2")
    falling = all(b < a for a, b in itertools.pairwise(errors))
    return Judgement(
        HOLDS if falling and errors[-1] < errors[0] / 100 else FAILS,
        f"l2 error {errors[0]:.2g} at {table[0]['buckets']:,} buckets, {errors[-1]:.2g} at "
        f"{table[-1]['buckets']:,}",
        "the error falls with the square of the number of buckets",
    )


def _formulas(*tables: Table) -> Judgement:
    off = max(
        abs(number(row, "ratio") / number(row, "ratio_by_search") - 1)
        for table in tables
        for row in table
    )
    return Judgement(
        HOLDS if off < 1e-6 else FAILS,
        f"largest relative distance to a search without the formula: {off:.1g}",
        "eight formulas at c = 1, 5, 50",
    )


def _datasets(table: Table) -> Judgement:
    read = [row for row in table if row["read"] and row["kind"] != "prefix"]
    wrong = [row for row in read if row["printed_records"] not in (None, row["records"])]
    absent = [str(row["dataset"]) for row in table if not row["read"]]
    text = ", ".join(
        f"{row['dataset']}: {row['records']:,} records, printed {row['printed_records']:,}"
        for row in wrong
    )
    return Judgement(
        PARTLY if wrong or absent else HOLDS,
        f"{len(read)} of 6 read; {text or 'records as printed'}",
        f"not here and not judged: {', '.join(absent)}" if absent else "all files were read",
    )


CLAIMS = (
    PaperClaim(
        "overview",
        "SVT with exponential noise and optimal correction is the most (α, β)-accurate of the four",
        ("accuracy-by-noise",),
        _most_accurate,
    ),
    PaperClaim(
        "exponential noise",
        "exponential noise yields the smallest private comparison variance",
        ("variance-by-budget",),
        _least_variance,
    ),
    PaperClaim(
        "methodology",
        "an increasing number of negative queries leads to a larger correction",
        ("success-by-negatives",),
        _by_negatives,
    ),
    PaperClaim(
        "methodology",
        "a larger α results in a higher success probability and a smaller correction",
        ("success-by-tolerance",),
        _by_tolerance,
    ),
    PaperClaim(
        "methodology",
        "an increase in the privacy budget results in a smaller correction",
        ("success-by-budget",),
        _by_budget,
    ),
    PaperClaim("datasets", "the table of datasets", ("dataset-table",), _datasets),
    PaperClaim(
        "parameters",
        "the printed splits of the budget minimise the variance",
        ("allocation-general", "allocation-monotonic"),
        _formulas,
    ),
    PaperClaim(
        "appendix, p(r)",
        "the numerical result aligns with the analytical expression",
        ("analytic-against-numeric",),
        _agreement,
    ),
    PaperClaim(
        "appendix, efficiency",
        "the running time of the numerical framework increases linearly with the bucket size",
        ("numeric-efficiency",),
        _linear_time,
        timed=True,
    ),
    PaperClaim(
        "appendix, efficiency",
        "the analytical computation time remains constant",
        ("numeric-efficiency",),
        _constant_time,
        timed=True,
    ),
    PaperClaim(
        "appendix, efficiency",
        "the l2 norm of the error of p(r) decreases drastically as the bucket size increases",
        ("numeric-efficiency",),
        _falling_error,
    ),
)
