"""The figures under RDP composition, on tolerance, and beyond the paper."""

from __future__ import annotations

from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN, Judgement, graded
from overbar.paper.claims.pairs import (
    OURS,
    RIVALS,
    MethodPair,
    mean_difference,
    named,
    pairs,
    told,
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
    rest = pairs(table, "SVT-Lap", "SVT-Gau")
    ahead, behind = sum(p.ahead for p in rest), sum(p.behind for p in rest)
    mean, reach = mean_difference(rest)
    verdict = graded(ahead > 0 and not behind, mean > reach)
    measured = f"SVT-Lap ahead of SVT-Gau at {ahead} of {len(rest)} points, behind at {behind}; on "
    return verdict, f"{measured}average {told(rest)}"


def _robust(table: Table) -> Judgement:
    spread = {}
    for epsilon in values(table, "epsilon"):
        found = [number(row, "ncr") for row in only(table, epsilon=epsilon)]
        spread[epsilon] = max(found) - min(found)
    worst = max(spread, key=lambda key: spread[key])
    measured = f"NCR differs by {spread[worst]:.3f} at most over all α (at ε = {worst:g})"
    return graded(spread[worst] <= 0.1), measured


def _best_tolerance(table: Table) -> Judgement:
    texts, signs = [], []
    for tolerance in values(table, "tolerance"):
        if tolerance != 500:
            both = zip(only(table, tolerance=500), only(table, tolerance=tolerance), strict=True)
            of = [MethodPair(one, other) for one, other in both]
            mean, reach = mean_difference(of)
            texts.append(f"over α = {tolerance}: {told(of)}")
            signs.append((mean > reach) - (mean < -reach))
    verdict = HOLDS if min(signs) > 0 else FAILS if min(signs) < 0 else PARTLY
    return verdict, f"α = 500, mean NCR over all ε {', '.join(texts)}"


def _peeling(table: Table) -> Judgement:
    rest = pairs(table, "appending", "peeling")
    worst = max(rest, key=lambda pair: abs(pair.difference))
    measured = f"largest distance {worst.difference:+.4f} ± {worst.reach:.4f} ({worst}) over "
    measured += f"{len(rest)} points, {worst.one['runs']:,} runs each"
    return graded(abs(worst.difference) <= NEAR), measured


def _exponential_mechanism(table: Table) -> Judgement:
    of = pairs(without_adult(table), "peeling", OURS)
    mean, reach = mean_difference(of)
    near = pairs(without_adult(table), "peeling", "appending")
    measured = f"peeling over {OURS} {told(of)} on average; over appending {told(near)}"
    return graded(mean > reach), measured


def _race(table: Table) -> Judgement:
    everywhere = pairs(table, "race-accounted", "peeling")
    rest = [pair for pair in everywhere if number(pair.other, "ncr") < SATURATED]
    if not rest:
        return UNKNOWN, "peeling finds nearly everything at every point"
    ahead, behind = sum(pair.ahead for pair in rest), sum(pair.behind for pair in rest)
    least = min(rest, key=lambda pair: pair.difference)
    measured = f"ahead at {ahead} of {len(rest)} points, behind at {behind}; least: {least}"
    # Where both are at chance there is nothing to tell apart.
    return graded(4 * ahead >= 3 * len(rest) and behind <= len(rest) / 20), measured


def _resampling(table: Table) -> Judgement:
    once, anew = (only(table, threshold_drawn=how) for how in ("once", "anew after each positive"))
    of = [MethodPair(one, other) for one, other in zip(anew, once, strict=True)]
    ahead, behind = sum(pair.ahead for pair in of), sum(pair.behind for pair in of)
    return graded(not behind, ahead > behind), f"anew against once: {'; '.join(map(str, of))}"


def _passing(name: str, table: Table) -> Judgement:
    row = only(table, dataset=name)[0]
    if row["passing"] is None:
        return UNKNOWN, f"{name} is not here"
    count, cutoff = int(number(row, "passing")), int(number(row, "cutoff"))
    return graded(count == cutoff), f"{count} items reach {row['threshold']:,}, c = {cutoff}"
