"""Bounds on a probability from counts, and what an audit with so many runs can find.

Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26: with k hits in n runs, the chance that the lower bound lies above the
true probability is at most `level`, whatever that probability is; the same for the upper bound.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from overbar._numbers import safe_end

Array = NDArray[np.float64]

#: Inverse beta functions are good to many digits; bounds step back by this share of themselves.
STEP_BACK = 1e-9
#: Counts further from their mean than this many deviations are left out of a sum.
REACH = 9.0
#: Counts for which a test's verdict is computed; between them it is interpolated.
CORNERS = 33
#: The largest loss that :func:`detectable` looks for.
LARGEST_LOSS = 60.0


def lower_bound(hits: Array | float, runs: float, level: float) -> Array:
    """Return a probability that the true one exceeds, but for a chance of `level`.

    >>> float(lower_bound(0, 1000, 1e-6))
    0.0
    """
    k = np.asarray(hits, dtype=np.float64)
    inner = special.betaincinv(np.maximum(k, 1e-300), runs - k + 1, level)
    return np.where(k > 0, inner * (1 - STEP_BACK), 0.0)


def upper_bound(hits: Array | float, runs: float, level: float) -> Array:
    """Return a probability that exceeds the true one, but for a chance of `level`."""
    k = np.asarray(hits, dtype=np.float64)
    inner = special.betainccinv(k + 1, np.maximum(runs - k, 1e-300), level)
    return np.where(k < runs, np.minimum(inner * (1 + STEP_BACK), 1.0), 1.0)


def proved_epsilon(
    first_hits: Array | float,
    second_hits: Array | float,
    *,
    runs: float,
    delta: float,
    level: float,
) -> Array:
    """Return an ε that the mechanism exceeds at this δ, but for a chance of `level`.

    From P[first] <= e^ε·P[second] + δ: half of the level goes to each probability. It is minus
    infinity where nothing follows.
    """
    low = lower_bound(first_hits, runs, level / 2) - delta
    high = upper_bound(second_hits, runs, level / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(low > 0, np.log(np.maximum(low, 0)) - np.log(high), -np.inf)


def power(
    true_epsilon: float,
    claimed_epsilon: float,
    *,
    runs: int,
    probability: float,
    level: float,
    delta: float = 0.0,
) -> float:
    """Return the chance that a violation of this size is found.

    The violation: an event of this `probability` on the first input, which has
    e^-true_epsilon·(probability - δ) on the second. The test: `runs` runs of each at this
    `level`. Summed over the counts of both inputs, not a normal approximation.

    >>> round(power(2.0, 1.0, runs=10_000, probability=0.1, level=1e-6), 3)
    1.0
    >>> power(1.0, 1.0, runs=10_000, probability=0.1, level=1e-6) < 1e-6
    True
    """
    other = max(0.0, probability - delta) * math.exp(-true_epsilon)
    seconds = _likely(runs, other)
    needed = _needed(seconds, runs, claimed_epsilon, delta, level)
    chance = stats.binom.pmf(seconds, runs, other) * stats.binom.sf(needed - 1, runs, probability)
    return float(np.sum(chance))


def detectable(
    claimed_epsilon: float,
    *,
    runs: int,
    probability: float,
    level: float,
    delta: float = 0.0,
    chance: float = 0.9,
) -> float:
    """Return the smallest true ε that is found with this chance; infinite if there is none."""

    def missing(true_epsilon: float) -> float:
        return chance - power(
            true_epsilon,
            claimed_epsilon,
            runs=runs,
            probability=probability,
            level=level,
            delta=delta,
        )

    largest = claimed_epsilon + LARGEST_LOSS
    return safe_end(missing, largest, claimed_epsilon, 1e-3) if missing(largest) <= 0 else math.inf


def _likely(runs: int, probability: float) -> NDArray[np.int64]:
    """Return all counts that are not next to impossible."""
    mean = runs * probability
    width = REACH * math.sqrt(mean + 1) + REACH
    return np.arange(max(0, math.floor(mean - width)), min(runs, math.ceil(mean + width)) + 1)


def _needed(
    seconds: NDArray[np.int64], runs: int, epsilon: float, delta: float, level: float
) -> NDArray[np.int64]:
    """Return how many hits on the first input prove a violation, for each count on the second.

    The lower bound of k hits is above p if k or more have a chance below the level at p. Between a
    few dozen counts the answer is interpolated and rounded up; it is off by a count or so, out of
    many.
    """
    corners = np.unique(np.linspace(seconds[0], seconds[-1], CORNERS).astype(np.int64))
    allowed = np.exp(epsilon) * upper_bound(corners.astype(np.float64), runs, level / 2) + delta
    needed = stats.binom.isf(level / 2, runs, np.minimum(allowed, 1.0)) + 1
    return np.asarray(np.ceil(np.interp(seconds, corners, needed)), dtype=np.int64)
