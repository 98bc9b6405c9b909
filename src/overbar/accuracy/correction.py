"""What is added to the threshold in public, against the bias and the spread of the noise.

**Margins.** Let D be the noise of a candidate minus that of the bar. Of n candidates c are wanted.
If all others lie a margin m below the threshold and the bar is moved up by r, one of them passes
with the chance P(D >= r + m); a candidate m above is missed with the chance P(D < r - m). So the
noise tells them apart from the margin on at which r + m is where few of the n pass, and r - m where
few are missed.

Theory: :doc:`/theory/correction`.
"""

from __future__ import annotations

from overbar import _check
from overbar.accuracy.difference import Difference, check_noises
from overbar.accuracy.numeric_correction import numeric_optimum
from overbar.accuracy.optimal_correction import independent_optimum, shared_optimum
from overbar.errors import ParameterError
from overbar.noise import Noise

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
        serves. :func:`overbar.accuracy.numeric_correction.numeric_optimum` also says how far
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
