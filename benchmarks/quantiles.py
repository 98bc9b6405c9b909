"""Quantiles by `frames.quantile` and by others, at equal epsilon and on the same ladder.

Run with ``python -m benchmarks quantiles``. Each row has the share of runs that give the right
power of ten (of days, the right year), and the mean distance of the answer in shares of all
persons: how many would have to be moved for it to be right. Timestamps are days, on the ladder of
days; all else is on the ladder of numbers. Ours are real releases without intervals; "with ends"
has those too, and so a third of the budget. OpenDP is its ``make_private_quantile``, itself. The
exponential mechanism is by ``-|rank - qn|``. The sparse vector run asks rung after rung whether a
share q has no more, from below or, for a high share, from above, with the correction that hides all
rungs before. ApproxBounds is the highest bin of powers of two whose noisy count is above what noise
reaches; it knows no shares and stands beside the highest one asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar.calibration.quantile_kind import quantile_plan
from overbar.frames.ladders import Ladder, ladder_of
from overbar.mechanism.quantiles import distances, drawn_quantiles
from overbar.sampling.entropy import system

SHARES = (Fraction(1, 2), Fraction(19, 20))
BUDGETS = ("0.02", "0.1", "0.3", "1")
PERSONS = (100, 1_000, 100_000)
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
    private, listed = opendp(rungs, share, epsilon), values.tolist()
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


def opendp(
    rungs: Numbers, share: Fraction, epsilon: float
) -> Callable[[list[float]], float] | None:
    """Return OpenDP's private quantile at the scale that its map asks for."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    space = (domain, dp.symmetric_distance())

    def make(scale: float) -> object:
        return dp.m.make_private_quantile(
            *space, dp.max_divergence(), rungs.tolist(), float(share), scale
        )

    scale = dp.binary_search_param(make, d_in=1, d_out=epsilon)
    release: Callable[[list[float]], float] = make(scale)  # type: ignore[assignment]
    return release


def measured(
    name: str, values: Numbers, share: Fraction, epsilon: str, runs: int, seed: int
) -> Row:
    ladder = ladder_of("days" if name == "timestamps" else None)
    coarse = _year if ladder.days else _decade
    rungs = np.array([float(rung) for rung in ladder.rungs])
    below = np.searchsorted(np.sort(values), rungs, side="right").astype(np.int64)
    plan = quantile_plan(epsilon, [share], len(rungs), intervals=False)
    away = distances(plan, share, below) * float(plan.grid) * float(max(share, 1 - share))
    truth = rungs[np.argmin(away)]
    row: Row = {"name": f"{name}, {len(values):,}", "q": float(share), "epsilon": float(epsilon)}

    def ours(intervals: bool) -> Draw:
        own = quantile_plan(epsilon, [share], len(rungs), intervals=intervals)
        draw = lambda: drawn_quantiles(own, ladder.rungs, ladder.levels, below, system)  # noqa: E731
        return lambda: float(draw().counts[1].value)  # type: ignore[index]

    ways = [("ours", ours(False)), ("with ends", ours(True))]
    ways += others(values, ladder, below, share, float(epsilon), np.random.default_rng(seed))
    for way, draw in ways:
        given = np.array([draw() for _ in range(runs)])
        places = np.minimum(np.searchsorted(rungs, given), len(rungs) - 1)
        row[f"{way}: decade"] = round(float(np.mean(coarse(given) == coarse(truth))), 2)
        row[f"{way}: off"] = round(float(np.mean(away[places]) / len(values)), 3)
    return row


def _year(values: object) -> NDArray[np.float64]:
    """Return in which year days are, about."""
    years: NDArray[np.float64] = np.floor(np.asarray(values, dtype=float) / 365.2425)
    return years


def _decade(values: object) -> NDArray[np.float64]:
    """Return which power of ten is no less, with a sign."""
    numbers = np.asarray(values, dtype=float)
    powers = np.ceil(np.log10(np.maximum(np.abs(numbers), 1e-6)) - 1e-9) + 10
    return np.sign(numbers) * powers


def rows(check: bool) -> list[Row]:
    """Return accuracy by column, number of persons, share and ε."""
    generator, found = np.random.default_rng(20), []
    runs = 2 if check else 20
    for name, make in COLUMNS.items():
        for persons in PERSONS[:1] if check else PERSONS:
            values = make(generator, persons)
            for share in SHARES:
                for epsilon in BUDGETS[-1:] if check else BUDGETS:
                    found.append(measured(name, values, share, epsilon, runs, len(found)))
    return found
