"""How good a selection is: precision, recall, F1 and normalized cumulative rank (NCR).

What counts as right. The task is top-c selection at a public threshold, so the truth is the c
highest scores, less those below the threshold ("queries below the threshold receive a score of
0", the paper, Section on utility metrics). ``truth="above"`` takes every score at or above the
threshold instead, however many; the two differ where the threshold does not pass exactly c.

Rank scores (NCR). The highest score is worth c, the next c - 1, and so on down to 1; the rest, and
all below the threshold, are worth 0. A run's total is divided by c(c+1)/2. If fewer than c scores
reach the threshold, nobody can get 1, by the paper's own divisor.

Ties. Equal scores are equally right. Each of a group of equals is worth the mean of the rank
scores that fall to the group, as if ties were broken at random. If a group reaches across the c-th
place, it has only so many places in the truth; selecting any of the group fills one, and once they
are full a further one is a false positive. So a perfect selection always has all four at 1.

Nothing over nothing. A selection of nothing has precision 0 unless there is nothing to find; where
there is nothing to find, recall is 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overbar.errors import ParameterError, ScoreError
from overbar_lab import checks
from overbar_lab.checks import Number

__all__ = ["Measured", "measures"]

Array = NDArray[np.float64]
Runs = Sequence[ArrayLike]

TRUTHS = ("top", "above")


@dataclass(frozen=True, repr=False, eq=False)
class Measured:
    """A measure of each run, its mean, and an interval for what the mean would be in the long run.

    The interval is Student's: mean ± t·(standard deviation)/√runs, cut to [0, 1]. It covers the
    long-run mean with the stated confidence as the number of runs grows; one run alone says
    nothing, so its interval is [0, 1].

    Parameters
    ----------
    values : array
        The measure of each run, between 0 and 1.
    confidence : float, default 0.95
        The confidence of the interval.

    Examples
    --------
    >>> import numpy as np
    >>> Measured(np.array([0.5, 0.7, 0.6]))
    0.6 (95 % interval 0.3516 to 0.8484 over 3 runs)
    """

    values: Array
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if len(self.values) == 0:
            raise ParameterError("a measure needs at least one run")
        if not 0 < self.confidence < 1:
            raise ParameterError(f"confidence must be between 0 and 1, got {self.confidence}")

    @property
    def mean(self) -> float:
        """Mean over runs."""
        return float(self.values.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper end."""
        runs = len(self.values)
        if runs == 1:
            return 0.0, 1.0
        spread = float(self.values.std(ddof=1)) / math.sqrt(runs)
        reach = spread * _half_width(self.confidence, runs)
        return max(0.0, self.mean - reach), min(1.0, self.mean + reach)

    def __repr__(self) -> str:
        low, high = self.interval
        runs = f"{len(self.values):,} run{'s' * (len(self.values) > 1)}"
        return (
            f"{self.mean:.4g} ({100 * self.confidence:g} % interval {low:.4g} to {high:.4g} "
            f"over {runs})"
        )


@cache
def _half_width(confidence: float, runs: int) -> float:
    """Return half the width of an interval, in standard errors."""
    from scipy import stats  # here: it takes long to load

    return float(stats.t.isf((1 - confidence) / 2, runs - 1))


@dataclass(frozen=True)
class Truth:
    """What there is to find, and what each candidate is worth.

    A candidate in no group is certainly right if it has points, or wrong. Those of the group (the
    equals at the c-th place) are right until `places` of them have been selected.
    """

    certain: NDArray[np.bool_]
    group: NDArray[np.bool_]
    places: int
    points: Array

    @property
    def size(self) -> int:
        """How many there are to find."""
        return int(self.certain.sum()) + self.places


def truth_of(scores: Any, cutoff: int, threshold: Number | None, truth: str) -> Truth:
    """Return what there is to find among these scores."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ScoreError("scores must be one row of finite numbers")
    count = checks.whole("cutoff", cutoff)
    checks.choice("truth", truth, TRUTHS)
    if truth == "above" and threshold is None:
        raise ParameterError("threshold must be given with truth='above'")
    level = -math.inf if threshold is None else float(checks.rational("threshold", threshold))
    passing = values >= level
    points = np.where(passing, _rank_points(values, count), 0.0)
    nobody = np.zeros(len(values), dtype=np.bool_)
    if truth == "above" or len(values) <= count:
        return Truth(passing, nobody, 0, points)
    last = float(np.partition(values, -count)[-count])
    higher, equal = values > last, values == last
    left = count - int(higher.sum())
    if left == int(equal.sum()):
        return Truth(passing & (values >= last), nobody, 0, points)
    if last < level:
        return Truth(passing, nobody, 0, points)
    return Truth(higher, equal, left, points)


def _rank_points(values: Array, cutoff: int) -> Array:
    """Return c for the highest down to 1 for the c-th; equals share what falls to them."""
    _, level_of, sizes = np.unique(-values, return_inverse=True, return_counts=True)
    # Sum of the points of the first m places, m up to c.
    before = np.minimum(np.concatenate([[0], np.cumsum(sizes)]), cutoff).astype(np.float64)
    total = before * cutoff - before * (before - 1) / 2
    places = np.diff(before)
    shares = np.divide(np.diff(total), places, out=np.zeros(len(sizes)), where=places > 0)
    return np.asarray(shares[level_of])


def _counts(runs: Runs, truth: Truth) -> tuple[Array, Array, Array]:
    """Return how many each run selected, how many of these are right, and their rank scores."""
    arrays = [np.asarray(run, dtype=np.int64) for run in runs]
    lengths = np.array([len(run) for run in arrays], dtype=np.int64)
    if len(arrays) == 0:
        raise ParameterError("a measure needs at least one run")
    flat = np.concatenate(arrays)
    size = len(truth.certain)
    if len(flat) and not (flat.min() >= 0 and flat.max() < size):
        raise ParameterError(f"selected indices must lie from 0 to {size - 1}")
    run = np.repeat(np.arange(len(arrays)), lengths)

    def total(weights: NDArray[Any]) -> Array:
        sums = np.bincount(run, weights=weights[flat].astype(np.float64), minlength=len(arrays))
        return np.asarray(sums, dtype=np.float64)

    in_group = np.minimum(total(truth.group), truth.places)
    worth = float(truth.points[truth.group].max(initial=0.0))
    return (
        lengths.astype(np.float64),
        total(truth.certain) + in_group,
        total(np.where(truth.group, 0.0, truth.points)) + worth * in_group,
    )


def _ratio(part: Array, whole: Array | float, empty: float) -> Array:
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, empty), where=whole > 0))


def measures(
    selected: Runs,
    scores: Any,
    *,
    cutoff: int,
    threshold: Number | None = None,
    truth: str = "top",
    confidence: float = 0.95,
) -> dict[str, Measured]:
    """Return all four measures by name.

    Parameters
    ----------
    selected : sequence of sequences of int
        For each run, the positions that were selected.
    scores : sequence of numbers
        The true scores.
    cutoff : int
        How many there are to find at most.
    threshold : int, float, str, Fraction or Decimal, optional
        What is below it is not there to be found.
    truth : {"top", "above"}, default "top"
        What is right: the highest scores, or all at or above the threshold.
    confidence : float, default 0.95
        The confidence of the interval.

    Returns
    -------
    dict
        "ncr", "f1", "precision" and "recall", each with one value for each run.

    Examples
    --------
    >>> [round(one.mean, 3) for one in measures([[0, 3]], [9, 8, 7, 1], cutoff=2).values()]
    [0.667, 0.5, 0.5, 0.5]
    """
    return measures_by(truth_of(scores, cutoff, threshold, truth), selected, cutoff, confidence)


def measures_by(
    right: Truth, selected: Runs, cutoff: int, confidence: float = 0.95
) -> dict[str, Measured]:
    """Return all four measures by name, where what there is to find is known already."""
    sizes, hits, points = _counts(selected, right)
    values = {
        "ncr": points / (cutoff * (cutoff + 1) / 2),
        "f1": _ratio(2 * hits, sizes + right.size, 1.0),
        "precision": _ratio(hits, sizes, float(right.size == 0)),
        "recall": _ratio(hits, right.size, 1.0),
    }
    return {name: Measured(value, confidence) for name, value in values.items()}
