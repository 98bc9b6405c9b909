"""Quantiles by `frames.quantile` and by others, at equal epsilon and on the same ladder.

Run with ``python -m benchmarks quantiles``. Each method has two numbers. "near" is the share of
runs whose answer is within a factor of ten of the true one (of days, within a year). "off" is the
mean distance of the answer in shares of all persons: how many would have to be moved for it to be
right. An answer far beyond everybody is off by only 1 - q, so "near" tells more of high shares.

Timestamps are days, on the ladder of days; all else is on the ladder of numbers. Ours are real
releases without intervals. OpenDP is its ``make_private_quantile``, itself. The exponential
mechanism is by ``-|rank - qn|``. The sparse vector run asks rung after rung whether a share q has
no more, from below or, for a high share, from above, with the correction that hides all rungs
before. ApproxBounds is the highest bin of powers of two whose noisy count is above what noise
reaches; it knows no shares and stands beside the highest one asked for. The last rows are means
over all columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from overbar.calibration.quantile_kind import quantile_plan
from overbar.frames.ladders import Ladder, ladder_of
from overbar.mechanism.quantile_draw import distances, drawn_quantiles
from overbar.sampling.entropy import system

SHARES = (Fraction(1, 2), Fraction(19, 20))
BUDGETS = ("0.02", "0.1", "0.3", "1")
#: Numbers of persons, and how often each method is run: others take long on many persons.
PERSONS = {100: 100, 1_000: 40, 100_000: 5}
Row = dict[str, object]
Numbers = NDArray[np.float64]
Draw = Callable[[], float]

COLUMNS: dict[str, Callable[[np.random.Generator, int], Numbers]] = {
    "grades": lambda draw, n: np.clip(np.round(draw.normal(68, 15, n)), 0, 100),
    "incomes": lambda draw, n: np.round(draw.lognormal(10.5, 0.7, n)),
    "ages": lambda draw, n: draw.integers(18, 90, n).astype(float),
    "heavy amounts": lambda draw, n: np.round(draw.pareto(1.2, n) * 20 + 1, 2),
    "timestamps": lambda draw, n: 19_675.0 + draw.integers(0, 365, n).astype(float),
}


def others(
    values: Numbers,
    ladder: Ladder,
    below: NDArray[np.int64],
    share: Fraction,
    epsilon: float,
    draw: np.random.Generator,
) -> Iterator[tuple[str, Draw]]:
    """Yield how other methods find a quantile."""
    q, n, rungs = float(share), len(values), np.array([float(rung) for rung in ladder.rungs])
    unit = max(q, 1 - q)

    def exponential() -> float:
        utility = -np.abs(below - q * n)
        noise = draw.gumbel(scale=2 * unit / epsilon, size=len(rungs))
        return float(rungs[np.argmax(utility + noise)])

    def sparse_vector() -> float:
        scale = (unit + 1) / epsilon
        level = scale * (math.log(len(rungs)) + draw.exponential())
        noise = draw.exponential(scale, len(rungs))
        if share <= Fraction(1, 2):
            above = np.flatnonzero(below - q * n + noise >= level)
            return float(rungs[above[0] if len(above) else -1])
        beyond = np.flatnonzero((n - below) - (1 - q) * n + noise >= level)
        return float(rungs[min(beyond[-1] + 1, len(rungs) - 1) if len(beyond) else 0])

    yield "exponential", exponential
    yield "sparse vector", sparse_vector
    private, listed = opendp(ladder.days, share, epsilon), values.tolist()
    if private is not None:
        yield "opendp", lambda: float(private(listed))
    if share == SHARES[-1]:
        bins = np.bincount(np.ceil(np.log2(np.maximum(values, 2.0**-16))).astype(int) + 16)
        bins = np.pad(bins, (0, 60 - len(bins)))

        def approximate_bounds() -> float:
            noisy = bins + draw.laplace(scale=1 / epsilon, size=len(bins))
            high = np.flatnonzero(noisy > math.log(len(bins) / 0.2) / epsilon)
            return 2.0 ** (int(high[-1]) - 16) if len(high) else 2.0**-16

        yield "approximate bounds", approximate_bounds


@cache
def opendp(days: bool, share: Fraction, epsilon: float) -> Callable[[list[float]], float] | None:
    """Return OpenDP's private quantile at the scale that its map asks for."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    space = (domain, dp.symmetric_distance())
    rungs = [float(rung) for rung in ladder_of("days" if days else None).rungs]

    def make(scale: float) -> object:
        return dp.m.make_private_quantile(*space, dp.max_divergence(), rungs, float(share), scale)

    scale = dp.binary_search_param(make, d_in=1, d_out=epsilon)
    release: Callable[[list[float]], float] = make(scale)  # type: ignore[assignment]  # OpenDP has no types
    return release


def measured(
    name: str, values: Numbers, share: Fraction, epsilon: str, runs: int, seed: int
) -> Row:
    ladder = ladder_of("days" if name == "timestamps" else None)
    rungs = np.array([float(rung) for rung in ladder.rungs])
    below = np.searchsorted(np.sort(values), rungs, side="right").astype(np.int64)
    plan = quantile_plan(epsilon, [share], len(rungs), intervals=False)
    away = distances(plan, share, below) * float(plan.grid) * float(max(share, 1 - share))
    truth = float(rungs[np.argmin(away)])
    row: Row = {
        "name": name, "persons": len(values), "q": float(share), "epsilon": float(epsilon)
    }  # fmt: skip

    def ours() -> float:
        drawn = drawn_quantiles(plan, ladder.rungs, ladder.levels, below, system)
        assert drawn.counts is not None
        return float(drawn.counts[1].value)

    ways = others(values, ladder, below, share, float(epsilon), np.random.default_rng(seed))
    for way, draw in (("ours", ours), *ways):
        given = np.array([draw() for _ in range(runs)])
        places = np.minimum(np.searchsorted(rungs, given), len(rungs) - 1)
        row[f"{way}: near"] = round(float(np.mean(_near(given, truth, ladder.days))), 2)
        row[f"{way}: off"] = round(float(np.mean(away[places]) / len(values)), 3)
    return row


def _near(values: Numbers, truth: float, days: bool) -> NDArray[np.bool_]:
    """Tell which answers are within a factor of ten, or a year."""
    if days:
        return np.abs(values - truth) <= 366
    ratio = np.maximum(values, 1e-9) / truth
    return (ratio >= 0.0999) & (ratio <= 10.001)


def _over_columns(found: list[Row]) -> Iterator[Row]:
    """Yield the mean over all columns of each number of persons, share and ε."""
    settings = ("persons", "q", "epsilon")
    for setting in dict.fromkeys(tuple(row[name] for name in settings) for row in found):
        same = [row for row in found if tuple(row[name] for name in settings) == setting]
        row: Row = {"name": "all columns", **dict(zip(settings, setting, strict=True))}
        for name in list(same[0])[len(row) :]:
            row[name] = round(float(np.mean([each[name] for each in same])), 3)
        yield row


def rows(check: bool) -> list[Row]:
    """Return accuracy by column, number of persons, share and ε."""
    generator, found = np.random.default_rng(20), list[Row]()
    for name, make in list(COLUMNS.items())[-2:] if check else COLUMNS.items():
        for persons in list(PERSONS)[:1] if check else PERSONS:
            values, runs = make(generator, persons), 2 if check else PERSONS[persons]
            for share in SHARES[-1:] if check else SHARES:
                for epsilon in BUDGETS[-1:] if check else BUDGETS:
                    found.append(measured(name, values, share, epsilon, runs, len(found)))
    return [*found, *_over_columns(found)]
