"""Exact draws against float ones, and the race against one round, side by side in one run.

Run with ``python -m benchmarks sampling``. Only ratios mean anything: machines differ, and times on
a shared one differ by half from minute to minute. The float lines are what a release must not do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy import stats

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling.bernoulli import draw_positive, noise_table, positives_above
from overbar.sampling.on_grid import word_bounds
from overbar.sampling.race import race_above
from overbar.sampling.threshold import discrete_laplace

ONE = Fraction(1)
SCALE = Fraction(20)
THRESHOLD = 500
WINNERS = 50

Row = dict[str, object]


def best(function: Callable[[], object], repeats: int = 9) -> float:
    """Return the shortest of a few times, in seconds: what is least disturbed by other work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def float_pass(scores: np.ndarray) -> float:
    generator = np.random.default_rng(0)
    scale, count = float(SCALE), len(scores)
    return best(lambda: np.flatnonzero(scores + generator.exponential(scale, count) >= THRESHOLD))


def one_round_rows(scores: np.ndarray) -> list[Row]:
    """One pass over integer scores, exact and not."""
    count = len(scores)
    floats = float_pass(scores)
    rows: list[Row] = [
        {"name": f"one round, {count:,} scores, numpy float exponential (unsafe)",
         "seconds": floats, "per second": count / floats, "ratio": 1.0},
    ]  # fmt: skip
    for noise in (Exponential(SCALE), Laplace(SCALE), Gumbel(SCALE)):
        table = noise_table(noise, ONE)
        for base, what in ((THRESHOLD, "few pass"), (50, "many pass")):
            exact = best(lambda table=table, base=base: positives_above(scores, base, table))
            rows.append(
                {"name": f"one round, {count:,} scores, exact {noise.name}, {what}",
                 "seconds": exact, "per second": count / exact, "ratio": floats / exact}
            )  # fmt: skip
    return rows


def race_rows(scores: np.ndarray) -> list[Row]:
    """The first fifty of a race; the ratio is to one exact round over the same scores."""
    rows: list[Row] = []
    count = len(scores)
    for noise in (Exponential(SCALE), Gumbel(SCALE)):
        table = noise_table(noise, ONE)
        one = best(lambda table=table: positives_above(scores, THRESHOLD, table))
        for rounds, base in ((10**12, THRESHOLD), (None, THRESHOLD), (None, 100 * THRESHOLD)):
            seconds = best(
                lambda noise=noise, rounds=rounds, base=base: race_above(
                    scores, base, count=WINNERS, noise=noise, grid=ONE, rounds=rounds
                )
            )
            limit = "unlimited" if rounds is None else f"{rounds:.0e}"
            rows.append(
                {"name": f"race, {count:,} scores, {noise.name}, {limit} rounds, bar {base:,}",
                 "seconds": seconds, "per second": count / seconds, "ratio": seconds / one}
            )  # fmt: skip
    return rows


def scalar_rows(draws: int = 50_000) -> list[Row]:
    """One answer at a time, as a stream asks for them."""
    table = noise_table(Exponential(SCALE), ONE)
    generator = np.random.default_rng(0)

    def exact() -> None:
        for _ in range(draws):
            draw_positive(60, table)

    def floats() -> None:
        for _ in range(draws):
            generator.exponential(20.0) >= 60  # noqa: B015 - the comparison is what is timed

    unsafe, safe = best(floats, 3), best(exact, 3)
    return [
        {"name": "one answer, numpy float exponential (unsafe)", "seconds": unsafe / draws,
         "per second": draws / unsafe, "ratio": 1.0},
        {"name": "one answer, exact", "seconds": safe / draws,
         "per second": draws / safe, "ratio": unsafe / safe},
    ]  # fmt: skip


def threshold_rows(draws: int = 20_000) -> list[Row]:
    """Draws of the threshold's noise, and whether their time tells their value."""
    times, sizes = np.empty(draws), np.empty(draws)
    for place in range(draws):
        start = time.perf_counter_ns()
        value = discrete_laplace(Fraction(1000), ONE)
        times[place] = time.perf_counter_ns() - start
        sizes[place] = abs(value)
    # Interruptions by other programs are long and say nothing: compare ranks, not times.
    seconds = float(np.median(times)) * 1e-9
    return [
        {"name": "discrete Laplace, scale of 1,000 steps", "seconds": seconds,
         "per second": 1 / seconds},
        {"name": "  correlation of its time and its size",
         "value": float(np.corrcoef(times, sizes)[0, 1])},
        {"name": "  the same, of ranks",
         "value": float(stats.spearmanr(times, sizes).statistic)},
    ]  # fmt: skip


def table_rows(bits: int = 16) -> list[Row]:
    """Setting up, once per noise and grid."""

    def build(scale: Fraction) -> None:
        word_bounds.cache_clear()
        table = noise_table.__wrapped__(Gumbel(scale), ONE, bits)
        assert len(table.low) == len(table.highs) == 1 << bits

    usual = best(lambda: build(SCALE), 3)
    wide = best(lambda: build(Fraction(10) ** 25), 1)
    return [
        {"name": f"table of bounds, {2**bits:,} words, scale of 20 steps", "seconds": usual},
        {"name": "table of bounds, all by ball arithmetic, scale of 1e25 steps", "seconds": wide},
    ]


def rows(check: bool = False) -> list[Row]:
    """Return every measurement as a row."""
    generator = np.random.default_rng(1)
    found: list[Row] = []
    for count in (100,) if check else (1_000_000, 10_000):
        scores = np.floor(generator.exponential(50, count)).astype(np.int64)
        found += one_round_rows(scores)
        found += race_rows(scores)
    if check:
        return found + scalar_rows(10) + threshold_rows(10) + table_rows(4)
    return found + scalar_rows() + threshold_rows() + table_rows()
