"""How a budget is split between the threshold and the queries, for the least variance.

A comparison is disturbed by both noises, so the split that disturbs it least minimises
Var(ρ) + Var(v) (the paper, appendix on privacy allocation, after Lyu et al. 2017).

Theory: :doc:`/theory/allocation`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError
from overbar.noise import Noise


@_check.known_keywords
def budget_ratio(
    query_noise: type[Noise] | Noise,
    threshold_noise: type[Noise] | Noise,
    *,
    cutoff: int,
    back: Fraction,
    resample: bool,
) -> float:
    """Return the ratio of query budget to threshold budget with the least variance.

    Without resampling the threshold costs ε₁ and the ratio is ε₂/ε₁. With resampling it is drawn
    once for each positive, costs c·ε₁ in all, and the ratio is ε₂/(c·ε₁). Only the kinds of the
    noises matter, not their scales.

    With scales Δ/ε₁ and f·c·Δ/ε₂, where f = 1 + `back` is 1 for monotonic queries and 2 in general,
    the variance is v₁/ε₁² + v₂(f·c)²/ε₂² up to a factor; on the line ε₁ + ε₂ = ε it is least at

        w = (f·c·√(v₂/v₁))^(2/3),

    and with resampling, where both scales carry the factor c, at the same without the c.

    In the paper: w. Exponential (√2·c)^(2/3), Gumbel (π·c/√3)^(2/3), Laplace and Gaussian
    (2c)^(2/3) for general queries.

    Parameters
    ----------
    query_noise : Noise or type of Noise
        The noise on queries.
    threshold_noise : Noise or type of Noise
        The noise on the threshold.
    cutoff : int
        How many positives the budget is for.
    back : Fraction
        How far scores are moved the other way: 0 for monotonic queries, 1 in general.
    resample : bool
        Whether the threshold noise is drawn anew after each positive.

    Returns
    -------
    float
        Query budget by threshold budget.

    Examples
    --------
    >>> from overbar.noise import Exponential, Laplace
    >>> round(budget_ratio(Exponential, Laplace, cutoff=50, back=Fraction(1), resample=False), 6)
    17.099759
    """
    positives = _check.whole("cutoff", cutoff)
    factor = float(1 + back) * (1 if _check.flag("resample", resample) else positives)
    query = _unit_variance("query_noise", query_noise)
    threshold = _unit_variance("threshold_noise", threshold_noise)
    return float((factor * math.sqrt(query / threshold)) ** (2 / 3))


def _unit_variance(name: str, noise: type[Noise] | Noise) -> float:
    is_noise = isinstance(noise, Noise) or (isinstance(noise, type) and issubclass(noise, Noise))
    if not is_noise:
        raise ParameterError(f"{name} must be a noise such as Laplace or Laplace(1), got {noise!r}")
    return noise.unit_variance
