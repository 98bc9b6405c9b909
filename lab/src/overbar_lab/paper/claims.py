"""What the paper says, and whether it holds: every claim, and the judges of formulas and times.

The sentences, with their places, rules and studies, are in claims.toml; the judges of what is
simulated are in simulated_claims.
"""

from __future__ import annotations

import itertools
import math
import statistics
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

from overbar_lab.paper import appendix_claims, open_claims, simulated_claims
from overbar_lab.paper.claim import (
    FAILS,
    UNKNOWN,
    JudgedClaim,
    Judgement,
    PaperClaim,
    Tables,
    graded,
    moved_tables,
)
from overbar_lab.paper.study import Table, Value, column, number, only, values

#: How a job is done for every group of claims: here in turn, or on all cores.
Each = Callable[
    [Callable[[list[PaperClaim]], list[Judgement]], Sequence[list[PaperClaim]]],
    Iterable[list[Judgement]],
]

#: The tolerance at which numbers are shown, and what is no difference.
AT, EQUAL = 16, 1e-3


def _more_noises(table: Table) -> Judgement:
    good = [str(row["noise"]) for row in only(table, where="query", condition_met=True)]
    measured = f"the condition on queries is met by: {', '.join(good)}"
    return graded({"exponential", "gumbel"} <= set(good)), measured


def _tight(table: Table) -> Judgement:
    slope = only(table, noise="exponential", where="query")[0]["steepest_slope"]
    return graded(slope == 1), f"steepest slope of ln S at scale one: {slope:g}, the constant is 1"


def _threshold_noises(table: Table) -> Judgement:
    private = [str(row["noise"]) for row in only(table, where="threshold", private=True)]
    new = {"exponential", "gumbel"} & set(private)
    return graded(not new, len(new) == 1), f"private on the threshold: {', '.join(private)}"


def _most_accurate(table: Table) -> Judgement:
    """Judge as printed, and with the best correction for every noise."""
    worst = {}
    for name in ("failure", "failure_shared", "failure_best"):
        ours = column(only(table, noise="exponential"), name)
        worst[name] = max(
            one - other
            for noise in ("laplace", "gumbel", "gaussian")
            for one, other in zip(ours, column(only(table, noise=noise), name), strict=True)
        )
    at = ", ".join(
        f"{row['noise']} {number(row, 'failure_none'):.3f} without, "
        f"{number(row, 'failure_best'):.3f} with its best correction"
        for row in only(table, tolerance=AT)
    )
    printed = max(worst["failure"], worst["failure_shared"]) <= EQUAL
    measured = (
        f"β of exponential minus β of any other is at most {max(worst.values()):.2g}; with one ρ "
        f"at α = {AT}: {at}"
    )
    return graded(printed and worst["failure_best"] <= EQUAL, printed), measured


def _once_and_again(table: Table) -> Judgement:
    """Judge the lead over Laplace noise, each with its best correction, once and asked again."""
    fewest, *_, most = values(table, "rounds")

    def lead(rounds: Value) -> float:
        ours, other = (
            column(only(table, noise=noise, rounds=rounds), "failure_best")
            for noise in ("exponential", "laplace")
        )
        return max(b - a for a, b in zip(ours, other, strict=True))

    once, again = lead(fewest), lead(most)
    measured = f"β of Laplace noise above that of exponential noise by {once:.3f} at most where "
    measured += f"each query is asked once, by {again:.1g} at {most} traverses"
    return graded(once > 10 * EQUAL and again <= EQUAL, once > 2 * again), measured


def _any_noise(table: Table) -> Judgement:
    """Judge whether the printed steps give the optimum, or at least the mended ones do."""
    good = [
        number(row, "proved_least") <= number(row, "as_printed") <= number(row, "proved_most")
        for row in table
    ]
    off = max(abs(number(row, "with_the_difference") - number(row, "exact")) for row in table)
    wrong = ", ".join(
        f"{row['query_noise']} and {row['threshold_noise']} {number(row, 'as_printed'):.2f} for "
        f"{number(row, 'exact'):.2f}"
        for row, right in zip(table, good, strict=True)
        if not right
    )
    measured = f"{sum(good)} of {len(good)} pairs; not {wrong}; with a difference off by {off:.1g}"
    return graded(all(good), any(good)), measured


def _records(name: str, table: Table) -> Judgement:
    row = only(table, dataset=name)[0]
    if not row["read"]:
        return UNKNOWN, f"{name} is not here"
    measured = f"{row['records']:,} records, printed {row['printed_records']:,}"
    return graded(row["records"] == row["printed_records"]), measured


def _least_variance(table: Table) -> Judgement:
    at = {str(row["noise"]): number(row, "variance") for row in only(table, epsilon=1.0)}
    measured = "at ε = 1, c = 50: " + ", ".join(
        f"{name} {value:,.0f}" for name, value in at.items()
    )
    return graded(min(at, key=lambda name: at[name]) == "exponential"), measured


def _optima(table: Table, varies: str) -> list[tuple[float, float, float]]:
    """Return value, best correction and success there, in order of the value."""
    return sorted(
        {
            (number(row, varies), number(row, "correction"), number(row, "success"))
            for row in table
            if row["correction"] == row["best_correction"]
        }
    )


def _by_negatives(table: Table) -> Judgement:
    optima = _optima(table, "negatives")
    off = max(abs(p - k**k / (k + 1) ** (k + 1)) for k, _, p in optima)
    measured = ", ".join(f"k = {k:g}: r = {r:.2f}" for k, r, _ in optima)
    rising = all(b[1] > a[1] for a, b in itertools.pairwise(optima))
    return graded(rising), f"{measured}; p there is k^k/(k+1)^(k+1), off by {off:.1g}"


def _by_tolerance(table: Table) -> Judgement:
    optima = _optima(table, "tolerance")
    success = all(b[2] > a[2] for a, b in itertools.pairwise(optima))
    smaller = all(b[1] < a[1] for a, b in itertools.pairwise(optima))
    measured = ", ".join(f"α = {a:g}: r = {r:.2f}, p = {p:.3f}" for a, r, p in optima)
    return graded(success and smaller, success), measured


def _by_budget(table: Table) -> Judgement:
    optima = _optima(table, "epsilon")
    falling = all(b[1] < a[1] for a, b in itertools.pairwise(optima))
    return graded(falling), ", ".join(f"ε = {e:g}: r = {r:.2f}" for e, r, _ in optima)


def _agreement(table: Table) -> Judgement:
    apart = max(abs(number(row, "numeric") - number(row, "analytic")) for row in table)
    inside = all(
        number(row, "numeric_least") <= number(row, "analytic") <= number(row, "numeric_most")
        for row in table
    )
    where = "everywhere" if inside else "not everywhere"
    measured = (
        f"largest distance {apart:.2g}; the closed form is inside the proved interval {where}"
    )
    return graded(apart < 1e-6 and inside), measured


def _linear_time(table: Table) -> Judgement:
    rows = [row for row in table if number(row, "buckets") >= 1000]
    logs = [(math.log(number(r, "buckets")), math.log(number(r, "numeric_seconds"))) for r in rows]
    power, _ = statistics.linear_regression(*zip(*logs, strict=True))
    steps = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(logs)]
    first, last = rows[0]["buckets"], rows[-1]["buckets"]
    even = 0.7 <= power <= 1.3 and all(0.3 <= step <= 1.7 for step in steps)
    measured = (
        f"from {first:,} to {last:,} buckets: processor time ~ buckets^{power:.2f}; from one size "
        f"to the next the power is {min(steps):.2f} to {max(steps):.2f}"
    )
    return graded(True) if even else UNKNOWN, measured


def _constant_time(table: Table) -> Judgement:
    times = column(table, "analytic_seconds")
    ratio = max(times) / min(times)
    return graded(ratio < 3, True), f"slowest over fastest closed form: {ratio:.2f}"


def _falling_error(table: Table) -> Judgement:
    errors = column(table, "error_l2")
    falling = all(b < a for a, b in itertools.pairwise(errors))
    first, last = table[0]["buckets"], table[-1]["buckets"]
    measured = f"l2 error {errors[0]:.2g} at {first:,} buckets, {errors[-1]:.2g} at {last:,}"
    return graded(falling and errors[-1] < errors[0] / 100), measured


def _small_enough(table: Table) -> Judgement:
    row = table[0]
    error, off = number(row, "error_l2"), number(row, "error_of_correction")
    measured = f"{row['buckets']} buckets: l2 error {error:.2g}, r off by {off:.2g}"
    return graded(error < 0.01 and off < 1, error < 0.01), measured


def _formulas(*tables: Table) -> Judgement:
    rows = [row for table in tables for row in table]
    off = max(abs(number(row, "ratio") / number(row, "ratio_by_search") - 1) for row in rows)
    return graded(off < 1e-6), f"largest relative distance to a search without formula: {off:.1g}"


def _datasets(table: Table) -> Judgement:
    read = [row for row in table if row["read"] and row["kind"] != "prefix"]
    wrong = [row for row in read if row["printed_records"] not in (None, row["records"])]
    absent = [str(row["dataset"]) for row in table if not row["read"]]
    text = ", ".join(
        f"{row['dataset']}: {row['records']:,} records, printed {row['printed_records']:,}"
        for row in wrong
    )
    measured = f"{len(read)} of 6 read; {text or 'records as printed'}"
    if absent:
        measured += f"; not here: {', '.join(absent)}"
    return graded(not wrong and not absent, bool(read)), measured


def _feasible(table: Table) -> Judgement:
    wrong = [row for row in table if row["noise"] == "gaussian" and not row["condition_met"]]
    return graded(not wrong), "ln S and ln f of Gaussian noise have no Lipschitz constant"


def judged(tables: Tables, each: Each = map) -> list[JudgedClaim]:
    """Judge the claims that the tables decide; those by the same tables together."""
    known = [claim for claim in CLAIMS if set(claim.needs) <= set(tables)]
    groups: dict[tuple[int, ...], list[PaperClaim]] = {}
    for claim in known:
        groups.setdefault(tuple(id(tables[name]) for name in claim.needs), []).append(claim)

    def together(group: list[PaperClaim]) -> list[Judgement]:
        moved = moved_tables([tables[name] for name in group[0].needs])
        verdicts = [claim.judged(tables, moved) for claim in group]
        return [(one.verdict, one.measured) for one in verdicts]

    largest_first = sorted(groups.values(), key=len, reverse=True)
    by_claim = {
        id(claim): JudgedClaim(claim, *judgement)
        for group, judgements in zip(largest_first, each(together, largest_first), strict=True)
        for claim, judgement in zip(group, judgements, strict=True)
    }
    return [by_claim[id(claim)] for claim in known]


def _reading(holds: str, table: Table) -> Judgement:
    """Judge what the text itself shows to be a slip."""
    return FAILS, holds.format(**{str(row["key"]): row["measured"] for row in table})


def _claim(row: dict[str, Any]) -> PaperClaim:
    judge = JUDGES[f"_{row.pop('judge')}"]
    first = [row.pop(name) for name in ("of", "instead") if name in row]
    if first and isinstance(first[0], list):
        first = first[0]
    return PaperClaim(judge=partial(judge, *first), **row | {"needs": tuple(row["needs"])})


JUDGES = {**vars(simulated_claims), **vars(appendix_claims), **vars(open_claims), **globals()}
SENTENCES = tomllib.loads(files("overbar_lab.paper").joinpath("claims.toml").read_text("utf-8"))
CLAIMS: tuple[PaperClaim, ...] = tuple(map(_claim, SENTENCES["claim"]))
