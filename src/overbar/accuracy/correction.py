"""What is added to the threshold in public, against the bias and the spread of the noise.

**The best correction** is the one under which a run most likely labels every query right. Both
chances of that are log-concave in the correction, so each has one summit, where its log-slope
changes sign. From the discretised law it comes with proved bounds, for any pair of noises (in the
paper: the algorithm "CorrectionTerm").

**Margins.** Let D be the noise of a candidate minus that of the bar. Of n candidates c are wanted.
If all others lie a margin m below the threshold and the bar is moved up by r, one of them passes
with the chance P(D >= r + m); a candidate m above is missed with the chance P(D < r - m). So the
noise tells them apart from the margin on at which r + m is where few of the n pass, and r - m where
few are missed.

Theory: :doc:`/theory/correction`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from overbar import _check
from overbar._numbers import root
from overbar.accuracy.difference import Difference, check_noises
from overbar.accuracy.discretised import BUCKETS, DiscretisedLaw, discretised_difference
from overbar.accuracy.success import SharedThreshold, log_any
from overbar.errors import ParameterError
from overbar.noise import Noise
from overbar.noise.noise import Array

#: Below this ln(1 - p) the best correction is sought where failure is least likely instead.
SURE = -16.0


def independent_optimum(
    law: Difference, *, negatives: int, tolerance: float = 0.0, rounds: int = 1
) -> float:
    """Return argmax of p(r) = Γ(r+α)^(kR)·(1 - Γ(r-α)^R).

    With no tolerance, p = x^k·(1 - x) in x = Γ(r)^R, so the summit is where Γ(r)^R = k/(k+1): for
    R = 1 exactly the k/(k+1) quantile of Z. Its height is k^k/(k+1)^(k+1) for every law and R.
    With a tolerance it is where two log-slopes meet, of which one falls and one rises in r.

    In the paper: r^op, Equation (optimal term).
    """
    # 1 - (k/(k+1))^(1/R), with all its digits for large k.
    level = -math.expm1(-math.log1p(1 / negatives) / rounds)
    start = float(law.isf(level))
    if tolerance == 0:
        return start

    def balance(r: float) -> float:
        """ln of the slope of ln Γ^(kR) over the slope of -ln(1 - Γ^R)."""
        low = float(law.logcdf(r - tolerance))
        with np.errstate(divide="ignore", invalid="ignore"):
            reverse = law.logpdf(r + tolerance) - law.logcdf(r + tolerance)
            rise = math.log(negatives) + float(reverse)
            log_positive = log_any(np.asarray(low), law.logsf(r - tolerance), rounds)
            earlier = (rounds - 1) * low if rounds > 1 else 0.0
            fall = float(law.logpdf(r - tolerance) + earlier - log_positive)
        # Before the support of Γ only a larger r can help.
        return 1e6 if math.isnan(rise) or fall == -math.inf else max(min(rise - fall, 1e6), -1e6)

    return _falling_root(balance, start, law.spread)


def shared_optimum(
    query_noise: Noise,
    threshold_noise: Noise | None,
    *,
    negatives: int,
    tolerance: float = 0.0,
    rounds: int = 1,
) -> float:
    """Return argmax of p(r) = E_ρ[F(r+α+ρ)^(kR)·(1 - F(r-α+ρ)^R)].

    One threshold noise is shared by all comparisons of a run, so this is the summit of the true
    success probability; the paper multiplies as if each comparison had its own. Without threshold
    noise the two are the same.
    """
    law = Difference(query_noise, threshold_noise)
    start = independent_optimum(law, negatives=negatives, tolerance=tolerance, rounds=rounds)
    if threshold_noise is None:
        return start
    run = SharedThreshold(query_noise, threshold_noise, negatives, tolerance, rounds)
    best = _falling_root(lambda r: law.spread * run.slope(r), start, law.spread)
    if run.log_failure(best) > SURE:
        return best
    # There p is one to nearly all its digits, so its slope has none left; 1 - p has them all. It
    # has one valley, because p has one summit.
    reach = tolerance + 64 * law.spread
    from scipy.optimize import minimize_scalar  # here: it takes long to load

    valley = minimize_scalar(
        run.log_failure,
        bounds=(min(start, 0.0) - reach, max(start, 0.0) + reach),
        method="bounded",
        options={"xatol": 1e-9 * law.spread},
    )
    return float(valley.x)


def _falling_root(function: Callable[[float], float], start: float, step: float) -> float:
    """Find where a falling function changes sign, looking outward from a start."""
    low = high = start
    width = step
    while function(low) < 0:
        high, low, width = low, low - width, 2 * width
    width = step
    while function(high) > 0:
        low, high, width = max(low, high), high + width, 2 * width
    if low == high:
        return low
    return root(function, low, high, 1e-16 * step, 1e-14)


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


KINDS = ("none", "mean", "optimal", "optimal-shared")
METHODS = ("auto", "closed", "quadrature", "fft")
#: Candidates that may be wrong, by those that are wanted.
WRONG = 0.1


def correction_term(
    kind: str,
    query_noise: Noise,
    threshold_noise: Noise | None,
    negatives: int,
    tolerance: _check.Number = 0,
    rounds: int = 1,
    *,
    method: str = "auto",
) -> float:
    """Return the correction of the threshold.

    Parameters
    ----------
    kind
        - "none": zero.
        - "mean": mean of the query noise minus mean of the threshold noise, so that a comparison
          at the threshold is unbiased.
        - "optimal": most likely to label every query right when each comparison has its own
          threshold noise (the paper, Equation "optimal term").
        - "optimal-shared": the same for one threshold noise shared by the whole run.
    query_noise, threshold_noise
        The two noises; None for a threshold without noise.
    negatives
        How many false queries come before the true one, at worst. In the paper: k.
    tolerance
        By how much a query may miss its threshold and be labelled either way. In the paper: α.
    rounds
        How often a query may be asked.
    method
        "closed", "quadrature" or "fft" for the law of the difference; "auto" for the first that
        serves. :func:`overbar.accuracy.correction.numeric_optimum` also says how far
        "fft" can be off. "optimal-shared" is an integral over the threshold noise: "auto" or
        "quadrature".

    >>> from overbar.noise import Exponential, Laplace
    >>> noises = Exponential("7.154435"), Laplace("3.320794")
    >>> round(correction_term("optimal", *noises, negatives=24), 4)
    24.72
    >>> round(correction_term("optimal-shared", *noises, negatives=24), 4)
    23.7772
    """
    _check.choice("correction", kind, KINDS)
    _check.choice("method", method, METHODS)
    check_noises(query_noise, threshold_noise)
    k = _check.whole("negatives", negatives)
    alpha = float(_check.non_negative("tolerance", tolerance))
    times = _check.whole("rounds", rounds)
    if kind == "none":
        return 0.0
    if kind == "mean":
        return query_noise.mean - (0.0 if threshold_noise is None else threshold_noise.mean)
    if kind == "optimal-shared":
        if method not in ("auto", "quadrature"):
            raise ParameterError(
                f"method must be 'auto' or 'quadrature' for 'optimal-shared', got {method!r}"
            )
        return shared_optimum(
            query_noise, threshold_noise, negatives=k, tolerance=alpha, rounds=times
        )
    if method == "fft":
        numeric = numeric_optimum(
            query_noise, threshold_noise, negatives=k, tolerance=alpha, rounds=times
        )
        return numeric.term
    law = Difference(query_noise, threshold_noise, method)
    return independent_optimum(law, negatives=k, tolerance=alpha, rounds=times)


def margin(
    query_noise: Noise, threshold_noise: Noise | None, *, wanted: int, candidates: int
) -> float:
    """Return the margin from which on about one in ten answers is wrong, with the best bar.

    >>> from overbar.noise import Exponential, Laplace
    >>> round(margin(Exponential(50), Exponential(50), wanted=50, candidates=10_000), 1)
    212.9
    >>> round(margin(Laplace(1), None, wanted=50, candidates=10_000), 1)
    4.3
    """
    law = Difference(query_noise, threshold_noise)
    high = float(law.isf(WRONG * min(1.0, wanted / candidates)))
    return (high - float(law.quantile(WRONG))) / 2


def halfway(query_noise: Noise, threshold_noise: Noise | None, *, share: float) -> float:
    """Return the bar halfway between where half of the noise passes and where a small share does.

    >>> from overbar.noise import Exponential
    >>> round(halfway(Exponential(50), Exponential(50), share=50 / 10_000), 1)
    115.1
    """
    law = Difference(query_noise, threshold_noise)
    return float(law.isf(min(0.5, share)) + law.isf(0.5)) / 2
