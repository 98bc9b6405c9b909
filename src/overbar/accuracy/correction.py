"""What is added to the threshold in public, against the bias and the spread of the noise.

**The best correction** is the one under which a run most likely labels every query right. Both
chances of that are log-concave in the correction, so each has one summit, where its log-slope
changes sign.

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

import numpy as np

from overbar import _check
from overbar._numbers import root
from overbar.accuracy.difference import Difference, check_noises
from overbar.accuracy.success import SharedThreshold, log_any
from overbar.noise import Noise

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


KINDS = ("none", "mean", "optimal", "optimal-shared")
#: Candidates that may be wrong, by those that are wanted.
WRONG = 0.1


@_check.known_keywords
def correction_term(
    kind: str,
    query_noise: Noise,
    threshold_noise: Noise | None,
    negatives: int,
    tolerance: _check.Number = 0,
    rounds: int = 1,
) -> float:
    """Return what is added to the threshold in public.

    Parameters
    ----------
    kind : {"none", "mean", "optimal", "optimal-shared"}
        - "none": zero.
        - "mean": mean of the query noise minus mean of the threshold noise, so that a comparison
          at the threshold is unbiased.
        - "optimal": most likely to label every query right when each comparison has its own
          threshold noise (the paper, Equation "optimal term").
        - "optimal-shared": the same for one threshold noise shared by the whole run.
    query_noise : Noise
        The noise on queries.
    threshold_noise : Noise or None
        The noise on the threshold; None for one without noise.
    negatives : int
        How many false queries come before the true one, at worst. In the paper: k.
    tolerance : int, float, str, Fraction or Decimal, default 0
        By how much a query may miss its threshold and be labelled either way. In the paper: α.
    rounds : int, default 1
        How often a query may be asked.

    Returns
    -------
    float
        The correction.

    Examples
    --------
    >>> from overbar.noise import Exponential, Laplace
    >>> noises = Exponential("7.154435"), Laplace("3.320794")
    >>> round(correction_term("optimal", *noises, negatives=24), 4)
    24.72
    >>> round(correction_term("optimal-shared", *noises, negatives=24), 4)
    23.7772
    """
    _check.choice("correction", kind, KINDS)
    check_noises(query_noise, threshold_noise)
    k = _check.whole("negatives", negatives)
    alpha = float(_check.non_negative("tolerance", tolerance))
    times = _check.whole("rounds", rounds)
    if kind == "none":
        return 0.0
    if kind == "mean":
        return query_noise.mean - (0.0 if threshold_noise is None else threshold_noise.mean)
    if kind == "optimal-shared":
        return shared_optimum(
            query_noise, threshold_noise, negatives=k, tolerance=alpha, rounds=times
        )
    law = Difference(query_noise, threshold_noise)
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
