"""How a budget is split between the threshold and the queries, and the noises that come of it.

A comparison is disturbed by both noises, so the split that disturbs it least minimises
Var(ρ) + Var(v) (the paper, appendix on privacy allocation, after Lyu et al. 2017).

Theory: :doc:`/theory/allocation`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar import _check
from overbar._numbers import root, rounded_up, short_fraction
from overbar.accounting.hazard import scale_for_hazard_step
from overbar.accounting.race_calibration import best_split, largest_hazard_step, largest_rate
from overbar.accounting.threshold_loss import GaussianShift, LaplaceShift
from overbar.calibration.kind import Noises, rounded
from overbar.calibration.request import Request
from overbar.errors import ParameterError
from overbar.noise import NOISES, Noise

#: Query budget over threshold budget when negatives are asked again until the cutoff is reached.
#: Such a run is a race in which the threshold noise drops out, so it gets about one per cent. It
#: cannot get nothing: without threshold noise there is no pure guarantee.
APPENDING_RATIO = 99


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

    >>> from overbar.noise import Exponential, Laplace
    >>> round(budget_ratio(Exponential, Laplace, cutoff=50, back=Fraction(1), resample=False), 6)
    17.099759
    """
    factor, query, threshold = _terms(query_noise, threshold_noise, cutoff, back, resample)
    return float((factor * math.sqrt(query / threshold)) ** (2 / 3))


def minimise_variance(
    query_noise: type[Noise] | Noise,
    threshold_noise: type[Noise] | Noise,
    *,
    cutoff: int,
    back: Fraction,
    resample: bool,
) -> float:
    """Return what :func:`budget_ratio` returns, by search: where the variance stops falling.

    The share x of the threshold runs over (0, 1). The variance v₁/x² + v₂(f·c)²/(1 - x)² is convex
    there, so the zero of its slope is the one minimum.
    """
    factor, query, threshold = _terms(query_noise, threshold_noise, cutoff, back, resample)

    def slope(log_ratio: float) -> float:
        ratio = math.exp(log_ratio)
        share, rest = 1 / (1 + ratio), ratio / (1 + ratio)
        rise = query * factor**2 / rest**3
        fall = threshold / share**3
        return (rise - fall) / (rise + fall)

    return math.exp(root(slope, -60.0, 60.0, 1e-14, 1e-14))


def _terms(
    query_noise: type[Noise] | Noise,
    threshold_noise: type[Noise] | Noise,
    cutoff: int,
    back: Fraction,
    resample: bool,
) -> tuple[float, float, float]:
    """Return f·c (f alone when resampling) and the two variances at scale one."""
    checked = _check.whole("cutoff", cutoff)
    factor = 1 + back
    if not _check.flag("resample", resample):
        factor *= checked
    query = _unit_variance("query_noise", query_noise)
    return float(factor), query, _unit_variance("threshold_noise", threshold_noise)


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


def relaxed_pure_noises(request: Request) -> Noises:
    """Return noises of a pure plan whose ε is just so large that it falls to ε at δ.

    A pure plan with p is (ε, δ)-DP for e^ε = e^p - δ(1 + e^p). Few positives and Laplace queries
    are at times better served by it.
    """
    epsilon, delta = float(request.epsilon), float(request.delta)
    grown = epsilon + math.log1p(delta * math.exp(-epsilon)) - math.log1p(-delta)
    return split_noises(request, rounded(grown * (1 - 1e-12)))


def race_noises(request: Request, query_weight: int = 1) -> Noises:
    """Find the largest hazard step, by the companion theorem or by partial shift."""
    kind, reach = request.threshold_noise, request.reach
    steps = int(reach.most / request.coarsest_grid)
    if isinstance(request.allocation, Fraction) and kind != "none":
        budget = request.epsilon / (1 + request.allocation)
        shift = (LaplaceShift if kind == "laplace" else GaussianShift)(rounded_up(budget), steps)
        budgets = request.epsilon, request.delta, request.cutoff
        if request.noise == "gumbel":
            step = largest_rate(*budgets, threshold=shift, back=reach.back) * float(1 + reach.back)
        else:
            step = largest_hazard_step(*budgets, threshold=shift, back=reach.back)
    else:
        split = best_split(
            request.epsilon,
            request.delta,
            request.cutoff,
            threshold_noise=kind,
            back=reach.back,
            steps=steps,
            objective="step" if request.allocation == "appending" else "variance",
            query_noise=request.noise,
            query_weight=query_weight,
        )
        budget, step = split.threshold_budget, split.step
    moved = reach.most if kind == "none" else reach.width
    query = NOISES[request.noise](scale_for_hazard_step(request.noise, moved, step))
    return query, None if kind == "none" else NOISES[kind](reach.most / budget)
