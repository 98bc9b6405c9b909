"""Noises for a bar and for queries: how a budget is split between them, by each theorem."""

from __future__ import annotations

import math
from fractions import Fraction

from overbar._numbers import rounded_up, short_fraction
from overbar.accounting.hazard import scale_for_hazard_step
from overbar.accounting.race_calibration import best_split, largest_hazard_step, largest_rate
from overbar.accounting.threshold_loss import GaussianShift, LaplaceShift
from overbar.calibration.allocation import APPENDING_RATIO, budget_ratio
from overbar.calibration.kind import Noises, rounded
from overbar.calibration.request import Request
from overbar.noise import NOISES

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
