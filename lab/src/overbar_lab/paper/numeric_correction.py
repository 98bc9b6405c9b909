"""The best correction from the discretised law, with proved bounds, for any pair of noises.

In the paper: the algorithm "CorrectionTerm". The library has the closed law, or integrates.

Theory: :doc:`/theory/correction`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from overbar.noise import Noise
from overbar_lab.paper.discretised import BUCKETS, Array, DiscretisedLaw, discretised_difference

#: Share of the chance of an error, 1/(kR), that the brackets may hold.
BRACKET_SHARE = 1e-6


class NumericCorrection(NamedTuple):
    """A correction, and where the true optimum lies: an interval that is proved to hold it."""

    term: float
    lowest: float
    highest: float


def numeric_optimum(
    query_noise: Noise,
    threshold_noise: Noise | None,
    *,
    negatives: int,
    tolerance: float = 0.0,
    rounds: int = 1,
    buckets: int = BUCKETS,
) -> NumericCorrection:
    """Maximise p(r) = Γ(r+α)^(kR)·(1 - Γ(r-α)^R) over the discretised law.

    Without tolerance the optimum is a quantile, and the sandwich around Γ holds it to a cell or
    two. With a tolerance a correction is ruled out when the most it can reach is less than the
    least that another one reaches: a wider interval, because p is flat at its summit.

    >>> from overbar.noise import Exponential, Laplace
    >>> best = numeric_optimum(Exponential("7.154435"), Laplace("3.320794"), negatives=24)
    >>> best.lowest < 24.719994 < best.highest, round(best.term, 3)
    (True, 24.72)
    """
    tail = BRACKET_SHARE / (negatives * rounds + 1)
    law = discretised_difference(query_noise, threshold_noise, buckets=buckets, tail=tail)
    if tolerance == 0:
        return _quantile(law, math.exp(-math.log1p(1 / negatives) / rounds))
    return _search(law, negatives * rounds, tolerance, rounds)


def _success(false_side: Array, true_side: Array, power: int, rounds: int) -> Array:
    """Return Γ₁^(kR)·(1 - Γ₂^R) for given values of Γ."""
    return np.asarray(false_side**power * (1 - true_side**rounds))


def _quantile(law: DiscretisedLaw, level: float) -> NumericCorrection:
    """Return the quantile at a level and the grid points that hold it for certain."""
    surely_before = np.flatnonzero(law.upper < level)
    surely_after = np.flatnonzero(law.lower > level)
    lowest = float(law.grid[surely_before[-1]]) if surely_before.size else -math.inf
    highest = float(law.grid[surely_after[0]]) if surely_after.size else math.inf
    first = int(np.clip(np.searchsorted(law.values, level), 1, law.grid.size - 1))
    inside = slice(first - 1, first + 1)
    term = float(np.interp(level, law.values[inside], law.grid[inside]))
    return NumericCorrection(term, lowest, highest)


def _search(law: DiscretisedLaw, power: int, tolerance: float, rounds: int) -> NumericCorrection:
    """Return the summit on the grid, and the cells that cannot be ruled out."""
    r = law.grid
    low_false, high_false = law.bounds(r + tolerance)
    low_true, high_true = law.bounds(r - tolerance)
    reached = np.max(_success(low_false, high_true, power, rounds))
    # Cell j runs from r[j-1] to r[j]; the first and the last are half-lines.
    false_side = np.append(high_false, 1.0)
    true_side = np.append(0.0, low_true)
    cells = np.flatnonzero(_success(false_side, true_side, power, rounds) >= reached)
    edges = np.concatenate([[-math.inf], r, [math.inf]])
    lowest, highest = float(edges[cells[0]]), float(edges[cells[-1] + 1])
    with np.errstate(divide="ignore"):
        height = np.log(_success(law.cdf(r + tolerance), law.cdf(r - tolerance), power, rounds))
    top = int(np.clip(np.argmax(height), 1, r.size - 2))
    left, middle, right = height[top - 1 : top + 2]
    bend = left - 2 * middle + right
    shift = 0.5 * (left - right) / bend if math.isfinite(bend) and bend < 0 else 0.0
    term = float(r[top] + np.clip(shift, -1, 1) * law.step)
    return NumericCorrection(term, lowest, highest)
