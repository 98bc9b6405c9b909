"""The correction of the paper: its printed terms, and the numeric route for any pair of noises."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from overbar.accuracy import correction_term, success_probability
from overbar.noise import Laplace, Noise
from overbar.planning import budget_ratio
from overbar_lab.paper.discretised import BUCKETS, Array, discretised_difference
from overbar_lab.paper.formulas import pair
from overbar_lab.paper.numeric_correction import numeric_optimum
from overbar_lab.paper.setting import NOISES
from overbar_lab.paper.study import Conditions, Row, Table, rows_of

#: Share of the mass outside the grid of the discretised law.
TAIL = 1e-9
#: ε, the printed optimal term, the printed mean.
PRINTED = (
    (0.01, 35450.45, 5332.08),
    (0.05, 7147.15, 1046.42),
    (0.1, 2803.30, 523.21),
    (1.0, 280.78, 52.32),
    (2.0, 138.89, 26.16),
)


def correction_terms(
    conditions: Conditions, *, cutoff: int = 50, negatives: tuple[int, int] = (200, 825)
) -> Table:
    """The printed table of corrections beside the exact numbers.

    The printed mean row is c/ε₂ with the split of Laplace noise and general queries at the scale
    of monotonic ones. "printed split" columns use that; the others use the split of Exp and Lap.
    10,000 items make 200 negatives for each positive, Kosarak's 41,270 make 825.
    """
    del conditions
    mixed = budget_ratio(Laplace, Laplace, cutoff=cutoff, back=Fraction(1), resample=False)
    rows: Table = []
    few, many = negatives
    for epsilon, optimal, mean in PRINTED:
        here = pair("exponential", epsilon=epsilon, cutoff=cutoff, monotonic=True)
        there = pair("exponential", epsilon=epsilon, cutoff=cutoff, monotonic=True, ratio=mixed)
        exact = correction_term("optimal", *here, negatives=few)
        at_few, at_many = (correction_term("optimal", *there, negatives=k) for k in (few, many))
        rows.append(
            {
                "epsilon": epsilon,
                "printed_optimal": optimal,
                "printed_optimal_times_epsilon": optimal * epsilon,
                "at_printed_split_times_epsilon": at_few * epsilon,
                "same_for_k_825": at_many * epsilon,
                "printed_mean": mean,
                "mean_at_printed_split": there[0].mean,
                "optimal": exact,
                "optimal_times_epsilon": exact * epsilon,
                "optimal_shared": correction_term("optimal-shared", *here, negatives=few),
                "mean": here[0].mean,
            }
        )
    return rows


def analytic_against_numeric(
    conditions: Conditions,
    *,
    epsilon: float = 0.03,
    negatives: int = 10,
    buckets: int = BUCKETS,
    reach: float = 1200.0,
    places: int = 241,
) -> Table:
    """p(r) from the closed law and from the discretised one, and how far apart they may be."""
    del conditions
    noises = pair("exponential", epsilon=epsilon)
    law = discretised_difference(*noises, buckets=buckets, tail=TAIL)
    r = np.linspace(0, reach, places)
    closed = success_probability(r, *noises, negatives=negatives)
    low, high = law.bounds(r)
    return rows_of(
        {
            "correction": r,
            "analytic": closed,
            "numeric": law.cdf(r) ** negatives * (1 - law.cdf(r)),
            "numeric_least": low**negatives * (1 - high),
            "numeric_most": high**negatives * (1 - low),
        }
    )


def numeric_efficiency(
    conditions: Conditions,
    *,
    buckets: tuple[int, ...] = (101, 301, 1001, 3001, 10001, 20001, 50001, 100001),
    epsilon: float = 0.03,
    negatives: int = 10,
    places: int = 241,
    reach: float = 1200.0,
    repeats: int = 5,
) -> Table:
    """Error and processor time of the numeric route against the number of buckets."""
    del conditions
    noises = pair("exponential", epsilon=epsilon)
    r = np.linspace(0, reach, places)
    closed = success_probability(r, *noises, negatives=negatives)
    best = correction_term("optimal", *noises, negatives=negatives)

    def at(count: int) -> Row:
        law = discretised_difference(*noises, buckets=count, tail=TAIL)
        route = partial(numeric_optimum, *noises, negatives=negatives, buckets=count)
        closed_route = partial(correction_term, "optimal", *noises, negatives=negatives)
        numeric = route()
        error = law.cdf(r) ** negatives * (1 - law.cdf(r)) - closed
        return {
            "buckets": count,
            # Below this the sum is rounding, which differs between machines.
            "error_l2": max(float(np.sqrt(np.sum(error**2))), 1e-12),
            "error_of_correction": abs(numeric.term - best),
            "proved_width": numeric.highest - numeric.lowest,
            "numeric_seconds": fastest(route, repeats),
            "analytic_seconds": fastest(closed_route, repeats),
        }

    return [at(count) for count in buckets]


@dataclass(frozen=True, repr=False)
class Mirrored(Noise):
    """A noise seen in a mirror: a sum with it is a difference with the noise itself."""

    scale: Fraction
    noise: Noise

    name = "mirrored"

    def unit_logpdf(self, z: Array) -> Array:
        """Log-density of the noise at -z."""
        return self.noise.unit_logpdf(-z)

    def unit_logcdf(self, z: Array) -> Array:
        """P(-V < z) is the chance that V is above -z."""
        return self.noise.unit_logsf(-z)

    def unit_logsf(self, z: Array) -> Array:
        """And the other way round."""
        return self.noise.unit_logcdf(-z)


#: Query noise, threshold noise.
ANY_PAIRS = (
    ("exponential", "laplace"),
    ("gumbel", "laplace"),
    ("exponential", "gaussian"),
    ("gaussian", "gaussian"),
    ("exponential", "exponential"),
    ("laplace", "gumbel"),
)


def any_noise(
    conditions: Conditions,
    *,
    pairs: tuple[tuple[str, str], ...] = ANY_PAIRS,
    negatives: int = 50,
    buckets: int = BUCKETS,
) -> Table:
    """The numeric correction for pairs of noises, at scales 4 and 2: printed, mended and exact.

    The printed algorithm convolves the two laws, which is the law of the sum v + ρ. A comparison
    asks for v - ρ.
    """
    del conditions
    rows: Table = []
    for query, threshold in pairs:
        noises = NOISES[query](Fraction(4)), NOISES[threshold](Fraction(2))
        summed = noises[0], Mirrored(noises[1].scale, noises[1])
        mended = numeric_optimum(*noises, negatives=negatives, buckets=buckets)
        rows.append(
            {
                "query_noise": query,
                "threshold_noise": threshold,
                "as_printed": numeric_optimum(*summed, negatives=negatives, buckets=buckets).term,
                "with_the_difference": mended.term,
                "proved_least": mended.lowest,
                "proved_most": mended.highest,
                "exact": correction_term("optimal", *noises, negatives=negatives),
            }
        )
    return rows


def fastest(action: Callable[[], object], repeats: int) -> float:
    """Return the processor time of an action, the least of several tries, and never zero.

    A coarse clock may not have moved; then it took one tick at most.
    """
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return max(min(times), time.get_clock_info("process_time").resolution)
