"""The figures under RDP composition, on tolerance, and beyond the paper."""

from __future__ import annotations

from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN, Judgement, graded
from overbar.paper.claims.pairs import (
    OURS,
    RIVALS,
    MethodPair,
    Pairs,
    named,
    pairs,
    without_adult,
)
from overbar.paper.study import Table, number, only, values

#: From here on a method has nothing left to gain.
SATURATED = 0.99
NEAR = 0.02


def _gains(before: Table, after: Table) -> tuple[dict[str, float], str]:
    """Return by how much NCR rose on average, for each method, and that in words."""
    gains = {}
    for method in (OURS, *RIVALS):
        old = {
            (row["dataset"], row["epsilon"]): number(row, "ncr") for row in named(before, method)
        }
        rises = [
            number(row, "ncr") - old[row["dataset"], row["epsilon"]] for row in named(after, method)
        ]
        gains[method] = sum(rises) / len(rises)
    return gains, "mean gain: " + ", ".join(f"{m} {gain:+.3f}" for m, gain in gains.items())


def _improves(before: Table, after: Table) -> Judgement:
    gains, text = _gains(before, after)
    return graded(min(gains.values()) > 0, max(gains.values()) > 0), text


def _gaussian_most(before: Table, after: Table) -> Judgement:
    gains, text = _gains(before, after)
    return graded(max(gains, key=lambda name: gains[name]) == "SVT-Gau"), text


def _laplace_over_gaussian(table: Table) -> Judgement:
    of = pairs(table, "SVT-Lap", "SVT-Gau")
    measured = f"SVT-Lap ahead of SVT-Gau at {of.ahead} of {len(of)} points, behind at {of.behind}"
    return graded(of.ahead > 0 and not of.behind, of.sign > 0), f"{measured}; on average {of}"


def _robust(table: Table) -> Judgement:
    spread = {}
    for epsilon in values(table, "epsilon"):
        means = [number(row, "ncr") for row in only(table, epsilon=epsilon)]
        spread[epsilon] = max(means) - min(means)
    worst = max(spread, key=lambda key: spread[key])
    measured = f"NCR differs by {spread[worst]:.3f} at most over all α (at ε = {worst:g})"
    return graded(spread[worst] <= 0.1), measured


def _best_tolerance(table: Table) -> Judgement:
    over = {
        tolerance: _in_turn(only(table, tolerance=500), only(table, tolerance=tolerance))
        for tolerance in values(table, "tolerance")
        if tolerance != 500
    }
    least = min(of.sign for of in over.values())
    texts = ", ".join(f"over α = {tolerance}: {of}" for tolerance, of in over.items())
    verdict = HOLDS if least > 0 else FAILS if least < 0 else PARTLY
    return verdict, f"α = 500, mean NCR over all ε {texts}"


def _in_turn(ones: Table, others: Table) -> Pairs:
    """Pair the rows of two tables, in their order."""
    return Pairs(MethodPair(one, other) for one, other in zip(ones, others, strict=True))


def _peeling(table: Table) -> Judgement:
    of = pairs(table, "appending", "peeling")
    worst = max(of, key=lambda pair: abs(pair.difference))
    measured = f"largest distance {worst.difference:+.4f} ± {worst.reach:.4f} ({worst}) over "
    measured += f"{len(of)} points, {worst.one['runs']:,} runs each"
    return graded(abs(worst.difference) <= NEAR), measured


def _exponential_mechanism(table: Table) -> Judgement:
    of, near = (pairs(without_adult(table), "peeling", other) for other in (OURS, "appending"))
    measured = f"peeling over {OURS} {of} on average; over appending {near}"
    return graded(of.sign > 0), measured


def _race(table: Table) -> Judgement:
    of = pairs(table, "race-accounted", "peeling").where(
        lambda pair: number(pair.other, "ncr") < SATURATED
    )
    if not of:
        return UNKNOWN, "peeling finds nearly everything at every point"
    measured = f"ahead at {of.ahead} of {len(of)} points, behind at {of.behind}; least: {of.least}"
    # Where both are at chance there is nothing to tell apart.
    return graded(4 * of.ahead >= 3 * len(of) and of.behind <= len(of) / 20), measured


def _resampling(table: Table) -> Judgement:
    once, anew = (only(table, threshold_drawn=how) for how in ("once", "anew after each positive"))
    of = _in_turn(anew, once)
    measured = f"anew against once: {'; '.join(map(str, list(of)))}"
    return graded(not of.behind, of.ahead > of.behind), measured


def _passing(name: str, table: Table) -> Judgement:
    row = only(table, dataset=name)[0]
    if row["passing"] is None:
        return UNKNOWN, f"{name} is not here"
    count, cutoff = int(number(row, "passing")), int(number(row, "cutoff"))
    return graded(count == cutoff), f"{count} items reach {row['threshold']:,}, c = {cutoff}"
