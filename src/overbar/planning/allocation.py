"""How a budget is split between the threshold and the queries, and the noises that come of it.

A comparison is disturbed by both noises, so the split that disturbs it least minimises
Var(ρ) + Var(v) (the paper, appendix on privacy allocation, after Lyu et al. 2017).

Theory: :doc:`/theory/allocation`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar import _check
from overbar._numbers import short_fraction
from overbar.errors import ParameterError
from overbar.noise import NOISES, Noise
from overbar.planning.kind import Noises, rounded
from overbar.planning.races import best_budget, rough_step, shift_of
from overbar.planning.request import Request
from overbar.planning.scales import scale_for_hazard_step

#: Query budget over threshold budget when negatives are asked again until the cutoff is reached.
#: Such a run is a race in which the threshold noise drops out, so it gets about one per cent. It
#: cannot get nothing: without threshold noise there is no pure guarantee.
APPENDING_RATIO = 99
#: The same with δ: the share of ε that the threshold gets. It has no interior optimum, since every
#: bit taken from the threshold goes to the queries.
SMALLEST_SHARE = Fraction(1, 50)


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


#: Digits kept of a budget ratio. The split is exact whatever the ratio; fewer digits keep the
#: fractions short.
RATIO_DIGITS = 12


def split_noises(request: Request, epsilon: Fraction) -> Noises:
    """Split a pure ε exactly over the draws of the threshold and the c positives.

    ε₁ + ε₂ = ε, or c·ε₁ + ε₂ = ε if the threshold is drawn anew.
    """
    threshold_budget = epsilon / (1 + _ratio(request)) / request.draws
    query_budget = epsilon - request.draws * threshold_budget
    query = NOISES[request.noise](request.reach.width * request.cutoff / query_budget)
    return query, NOISES[request.threshold_noise](request.reach.most / threshold_budget)


def _ratio(request: Request) -> Fraction:
    """Return query budget by threshold budget, as a short fraction."""
    if isinstance(request.allocation, Fraction):
        return request.allocation
    if request.allocation == "appending":
        return Fraction(APPENDING_RATIO)
    best = budget_ratio(
        NOISES[request.noise](Fraction(1)),
        NOISES[request.threshold_noise](Fraction(1)),
        cutoff=request.cutoff,
        back=request.reach.back,
        resample=request.resample,
    )
    return short_fraction(best, RATIO_DIGITS)


def race_or_pure_noises(request: Request) -> list[Noises]:
    """Return about the least noises of a race, and where a bar has Laplace noise of a pure plan."""
    pure = [_relaxed_pure_noises(request)] if request.threshold_noise == "laplace" else []
    return [race_noises(request), *pure]


def _relaxed_pure_noises(request: Request) -> Noises:
    """Return noises of a pure plan whose ε is just so large that it falls to ε at δ.

    A pure plan with p is (ε, δ)-DP for e^ε = e^p - δ(1 + e^p). Few positives and Laplace queries
    are at times better served by it.
    """
    epsilon, delta = float(request.epsilon), float(request.delta)
    grown = epsilon + math.log1p(delta * math.exp(-epsilon)) - math.log1p(-delta)
    return split_noises(request, rounded(grown * (1 - 1e-12)))


def race_noises(request: Request, query_weight: int = 1) -> Noises:
    """Return about the least noises of a race, by all of the shift or by a part of it."""
    kind, reach, noise = request.threshold_noise, request.reach, request.noise
    budgets = request.epsilon, request.delta, request.cutoff
    steps, budget = int(reach.most / request.coarsest_grid), Fraction(0)
    if isinstance(request.allocation, Fraction):
        budget = request.epsilon / (1 + request.allocation)
    elif request.allocation == "appending":
        budget = request.epsilon * SMALLEST_SHARE
    elif kind != "none":
        budget = best_budget(
            *budgets,
            threshold_noise=kind,
            back=reach.back,
            steps=steps,
            query_noise=noise,
            query_weight=query_weight,
        )
    shift = shift_of(kind, budget, steps)
    step = rough_step(*budgets, threshold=shift, back=reach.back, query_noise=noise)
    moved = reach.most if shift is None else reach.width
    query = NOISES[noise](scale_for_hazard_step(noise, moved, step))
    return query, None if shift is None else NOISES[kind](reach.most / budget)
