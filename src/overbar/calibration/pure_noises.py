"""Noises for a pure guarantee: the budget is split exactly, and the scales follow."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from overbar._numbers import short_fraction
from overbar.accounting.histogram import laplace_scale
from overbar.calibration.allocation import APPENDING_RATIO, budget_ratio
from overbar.calibration.request import Request
from overbar.noise import NOISES, Noise

#: Digits kept of a budget ratio. The split is exact whatever the ratio; fewer digits keep the
#: fractions short.
RATIO_DIGITS = 12
#: The bar of a ranked selection gets as much as one selected item, which is free, or this part of
#: the root of how many there may be: then the margin is within one per cent of the least.
BAR_SHARE = 1 / 3
BAR_DIGITS = 3


def pure_noises(request: Request) -> tuple[Noise, Noise | None]:
    """Return query and threshold noise that use ε exactly.

    A sparse vector run has ε₁ + ε₂ = ε, or c·ε₁ + ε₂ = ε if resampled. Where the highest of scores
    with exponential noise win, a full answer does not pay for the bar, so the bar may cost as much
    as one item for free. With many items a little more is worth while.
    """
    if request.runs > 1:
        return pure_noises(replace(request.once, epsilon=request.epsilon / request.runs))
    if request.mechanism == "histogram":
        assert request.items_per_person is not None
        items, moved = request.items_per_person, request.sensitivity
        scale = laplace_scale(request.epsilon, items=items, sensitivity=moved)
        return NOISES[request.noise](scale), None
    if request.mechanism == "ranked" and (request.noise == "exponential" or request.is_top):
        bar = Fraction(1) if request.is_top else _bar_share(request)
        each = request.epsilon / (request.cutoff - 1 + bar)
        query = NOISES[request.noise](request.query_shift / each)
        if request.is_top:
            return query, None
        return query, NOISES[request.threshold_noise](request.sensitivity / (bar * each))
    return split_noises(request, request.epsilon)


def _bar_share(request: Request) -> Fraction:
    """Return what the bar gets, by what one selected item gets."""
    items = request.cutoff * request.sensitivity / request.query_shift
    return max(Fraction(1), short_fraction(BAR_SHARE * math.sqrt(items), BAR_DIGITS))


def split_noises(request: Request, epsilon: Fraction) -> tuple[Noise, Noise]:
    """Split a pure ε over the draws of the threshold and the c positives."""
    threshold_budget = epsilon / (1 + ratio(request)) / request.draws
    query_budget = epsilon - request.draws * threshold_budget
    query = NOISES[request.noise](request.query_shift * request.cutoff / query_budget)
    return query, NOISES[request.threshold_noise](request.sensitivity / threshold_budget)


def ratio(request: Request) -> Fraction:
    """Return query budget by threshold budget, as a short fraction."""
    if isinstance(request.allocation, Fraction):
        return request.allocation
    if request.allocation == "appending":
        return Fraction(APPENDING_RATIO)
    best = budget_ratio(
        NOISES[request.noise](Fraction(1)),
        NOISES[request.threshold_noise](Fraction(1)),
        cutoff=request.cutoff,
        monotonic=request.monotonic,
        resample=request.resample,
    )
    return short_fraction(best, RATIO_DIGITS)
