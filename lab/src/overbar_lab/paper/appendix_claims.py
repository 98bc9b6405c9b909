"""Judges of the appendix: the convention about Rényi costs, and the tolerance of the correction.

How Gaussian noise is set under that convention can be read in two ways, and both are judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from overbar_lab.paper.claim import (
    FAILS,
    HOLDS,
    OURS,
    PARTLY,
    RIVALS,
    Judgement,
    graded,
    in_turn,
    named,
    pairs,
)
from overbar_lab.paper.simulated_claims import NEAR, _most_datasets, _outperforms, _soon_ahead
from overbar_lab.paper.study import CONVENTION, Table, number, only, values

#: The method of the second reading, and what it is called where it alone is looked at.
LITERAL, GAUSSIAN = f"SVT-Gau (each at ε₂′){CONVENTION}", f"SVT-Gau{CONVENTION}"


def _readings_of_gaussian(tables: tuple[Table, ...]) -> Iterator[tuple[str, list[Table]]]:
    """Go through both readings; under each there is one SVT-Gau."""
    for reading, unused in (("each query at ε₂′", GAUSSIAN), ("its own Rényi curve", LITERAL)):
        yield (
            reading,
            [
                [
                    row | {"method": GAUSSIAN} if row["method"] == LITERAL else row
                    for row in table
                    if row["method"] != unused
                ]
                for table in tables
            ],
        )


def _renyi(of: str, *tables: Table) -> Judgement:
    """Judge under both readings; a verdict that depends on the reading holds in part."""
    name, measure = of.split()
    found = {
        reading: UNDER_RENYI[name](measure, *some)
        for reading, some in _readings_of_gaussian(tables)
    }
    verdicts = {verdict for verdict, _ in found.values()}
    text = "; ".join(
        f"Gaussian noise by {reading}: {verdict} ({measured})"
        for reading, (verdict, measured) in found.items()
    )
    return verdicts.pop() if len(verdicts) == 1 else PARTLY, text


def _gains(measure: str, before: Table, after: Table) -> tuple[dict[str, float], str]:
    """Return by how much a measure rose on average, for each method, and that in words."""
    gains = {}
    for method in (OURS, *RIVALS):
        old = {
            (row["dataset"], row["epsilon"]): number(row, measure) for row in named(before, method)
        }
        rises = [
            number(row, measure) - old[row["dataset"], row["epsilon"]]
            for row in named(after, method)
        ]
        gains[method] = sum(rises) / len(rises)
    return gains, "mean gain: " + ", ".join(f"{m} {gain:+.3f}" for m, gain in gains.items())


def _improves(measure: str, before: Table, after: Table) -> Judgement:
    gains, text = _gains(measure, before, after)
    return graded(min(gains.values()) > 0, max(gains.values()) > 0), text


def _gaussian_most(measure: str, before: Table, after: Table) -> Judgement:
    gains, text = _gains(measure, before, after)
    return graded(max(gains, key=lambda name: gains[name]) == "SVT-Gau"), text


def _laplace_over_gaussian(measure: str, table: Table) -> Judgement:
    of = pairs(table, "SVT-Lap", "SVT-Gau", measure)
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
        tolerance: in_turn(only(table, tolerance=500), only(table, tolerance=tolerance))
        for tolerance in values(table, "tolerance")
        if tolerance != 500
    }
    least = min(of.sign for of in over.values())
    texts = ", ".join(f"over α = {tolerance}: {of}" for tolerance, of in over.items())
    verdict = HOLDS if least > 0 else FAILS if least < 0 else PARTLY
    return verdict, f"α = 500, mean NCR over all ε {texts}"


def _larger_may_fall(table: Table) -> Judgement:
    """Judge whether some larger tolerance lowers NCR somewhere."""
    none = only(table, tolerance=0)
    over = {
        tolerance: in_turn(only(table, tolerance=tolerance), none)
        for tolerance in values(table, "tolerance")
        if tolerance != 0
    }
    lower = any(pair.difference < -NEAR - pair.reach for of in over.values() for pair in of)
    texts = ", ".join(
        f"α = {tolerance}: {of.least.difference:+.3f} (ε = {of.least.one['epsilon']:g}), "
        f"{of} on average"
        for tolerance, of in over.items()
    )
    return graded(lower), f"NCR over α = 0, least over ε: {texts}"


#: What is judged under the convention.
UNDER_RENYI: dict[str, Callable[..., Judgement]] = {
    "outperforms": _outperforms,
    "improves": _improves,
    "gaussian_most": _gaussian_most,
    "laplace_over_gaussian": _laplace_over_gaussian,
    "most_datasets": _most_datasets,
    "soon_ahead": _soon_ahead,
}
