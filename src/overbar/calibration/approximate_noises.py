"""Noises for an (ε, δ) guarantee, by the theorem that covers the request.

Scales are rounded up to short fractions; whoever calls re-evaluates the guarantee of the plan.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

from overbar._numbers import rounded_up, safe_end, short_fraction
from overbar.accounting import guarantee
from overbar.accounting.capped import CAPPED
from overbar.accounting.hazard import scale_for_hazard_step
from overbar.accounting.histogram import gaussian_sigma
from overbar.accounting.race_calibration import best_split, largest_hazard_step, largest_rate
from overbar.accounting.renyi import composed_log_delta
from overbar.accounting.threshold_loss import GaussianShift, LaplaceShift
from overbar.accuracy.tolerance import comparison_variance
from overbar.calibration.counts_noise import counts_noise, released_with, without_counts
from overbar.calibration.pure_noises import pure_noises, split_noises
from overbar.calibration.request import Request
from overbar.errors import NoGuaranteeError, named
from overbar.noise import NOISES, Gaussian, Noise
from overbar.plan import Plan, in_one_run

#: Significant digits of a scale found numerically.
SCALE_DIGITS = 15
#: Where values of the top come out, their noise counts so often as the one that they share, which
#: does not decide on labels.
LABELS = 5
#: Where so much more noise does not keep a request, none does: it is not the labels that cost.
MOST_GROWN = 10**6


def approximate_noises(request: Request) -> tuple[Noise, Noise | None]:
    """Return query and threshold noise, or None for a bare threshold."""
    if request.runs > 1 and _is_one_run(request):
        items = request.items_per_person
        more = None if items is None else request.runs * items
        cutoff = request.runs * request.cutoff
        return approximate_noises(replace(request.once, cutoff=cutoff, items_per_person=more))
    if counts_noise(request) is not None:
        query, threshold = approximate_noises(without_counts(request))
        return _tightened(request, query, threshold, step=0.02, precision=1e-6), threshold
    if request.runs > 1:
        return _repeated(request)
    if request.mechanism == "histogram":
        assert request.items_per_person is not None
        # A hair below what was asked for, so that no rounding of floats can reach above it.
        sigma = gaussian_sigma(
            request.epsilon * (1 - Fraction(1, 10**12)),
            request.delta,
            items=request.items_per_person,
            sensitivity=request.sensitivity,
            grid=request.coarsest_grid,
        )
        return Gaussian(sigma), None
    if request.mechanism == "ranked" and request.gives_values:
        # A race that finds one more.
        race = replace(request, cutoff=request.cutoff + 1, allocation="variance")
        query, threshold = _race_noises(race, query_weight=LABELS if request.is_top else 1)
        return _tightened(request, query, threshold), threshold
    if request.mechanism == "ranked" and request.is_top:
        # The pure scale keeps the request, and any other theorem leaves room.
        pure, _ = pure_noises(request)
        return _tightened(request, pure, None), None
    if request.noise == "gaussian":
        return _gaussian_noises(request)
    if request.resample:
        return _resampled_noises(request)
    pairs: list[tuple[Noise, Noise | None]] = [_race_noises(request)]
    if request.threshold_noise == "laplace":
        # Few positives and Laplace queries are at times better served by the pure theorem.
        pairs.append(_relaxed_pure_noises(request))
    query, threshold = min(pairs, key=lambda pair: _loss(request, *pair))
    return _tightened(request, query, threshold), threshold


def _tightened(
    request: Request,
    query: Noise,
    threshold: Noise | None,
    step: float = 1e-9,
    precision: float = 1e-8,
) -> Noise:
    """Return the least query noise that keeps the request, whichever theorem proves it.

    The noise handed in keeps it by one theorem, but for rounding; another may leave room. With
    counts beside it, it was guessed: the search then starts with larger steps.
    """

    @cache
    def excess(scale: float) -> float:
        noise = NOISES[request.noise](_rounded(scale))
        proved = guarantee(_trial(request, noise, threshold)).at(request.delta)
        return float(proved) - level

    # A hair below what was asked for, so that no rounding of floats can reach above it.
    level = float(request.epsilon) * (1 - 1e-12)
    safe, grown = float(query.scale), 1 + step
    if -1e-9 * level < excess(safe) <= 0:
        return query
    while excess(safe) > 0:
        if safe > MOST_GROWN * query.scale:
            raise NoGuaranteeError(
                "no noise on the labels is enough for what their counts leave of epsilon: "
                f"leave the noises open, or give {named('counts')} a smaller share, such as 0.2"
            )
        safe, grown = safe * grown, grown**2
    unsafe, shrink = safe, 1 + max(step, 1e-3)
    while excess(unsafe) <= 0:
        safe, unsafe, shrink = unsafe, unsafe / shrink, min(shrink**2, 2.0)
    return NOISES[request.noise](_rounded(safe_end(excess, safe, unsafe, precision)))


def _is_one_run(request: Request) -> bool:
    """Tell whether runs in several groups are one, as the parts of a plan say."""
    bar = None if request.threshold_noise == "none" else request.threshold_noise
    return in_one_run(bar, request.resample, request.max_queries)


def _repeated(request: Request) -> tuple[Noise, Noise | None]:
    """Scale the noises of one run until as many as a person has a hand in keep the request.

    Where costs add up as squares do, each run may cost ε over the root of their number.
    """
    share = short_fraction(1 / math.sqrt(request.runs), 6)
    pair = approximate_noises(replace(request.once, epsilon=share * request.epsilon))

    def noises(factor: float) -> tuple[Noise, Noise | None]:
        query, threshold = (
            None if noise is None else NOISES[noise.name](_rounded(float(noise.scale) * factor))
            for noise in pair
        )
        assert query is not None
        return query, threshold

    def excess(factor: float) -> float:
        proved = guarantee(_trial(request, *noises(factor))).at(request.delta)
        return float(proved) - level

    level = float(request.epsilon) * (1 - 1e-12)
    safe = unsafe = 1.0
    while excess(safe) > 0:
        safe *= 1.05
    while excess(unsafe) <= 0:
        unsafe /= 1.05
    return noises(safe_end(excess, safe, unsafe, 1e-6))


def _rounded(value: float) -> Fraction:
    return short_fraction(value, SCALE_DIGITS)


def _trial(request: Request, query: Noise, threshold: Noise | None) -> Plan:
    """Return a plan with these noises, to ask what is proved about it."""
    return Plan(
        query,
        threshold,
        Fraction(0),
        request.cutoff,
        request.sensitivity,
        request.monotonic,
        request.resample,
        1,
        request.max_queries,
        request.coarsest_grid,
        request.is_top,
        request.mechanism,  # type: ignore[arg-type]  # filled in by now
        request.items_per_person,
        released_with(request, query),
        groups=request.groups,
        groups_per_person=request.groups_per_person,
    )


def _loss(request: Request, query: Noise, threshold: Noise | None) -> float:
    """Return what to keep small: the variance of a comparison, or the query noise alone."""
    if request.allocation == "variance":
        return comparison_variance(query, threshold)
    return float(query.scale)


def _relaxed_pure_noises(request: Request) -> tuple[Noise, Noise]:
    """Return noises of a pure plan whose ε is just so large that it falls to ε at δ.

    A pure plan with p is (ε, δ)-DP for e^ε = e^p - δ(1 + e^p).
    """
    epsilon, delta = float(request.epsilon), float(request.delta)
    grown = epsilon + math.log1p(delta * math.exp(-epsilon)) - math.log1p(-delta)
    return split_noises(request, _rounded(grown * (1 - 1e-12)))


def _race_noises(request: Request, query_weight: int = 1) -> tuple[Noise, Noise | None]:
    """Find the largest hazard step, by the companion theorem or by partial shift."""
    kind = request.threshold_noise
    steps = int(request.sensitivity / request.coarsest_grid)
    if isinstance(request.allocation, Fraction) and kind != "none":
        budget = request.epsilon / (1 + request.allocation)
        shift = (LaplaceShift if kind == "laplace" else GaussianShift)(rounded_up(budget), steps)
        budgets = request.epsilon, request.delta, request.cutoff
        if request.noise == "gumbel":
            rate = largest_rate(*budgets, threshold=shift, monotonic=request.monotonic)
            step = rate if request.monotonic else 2 * rate
        else:
            step = largest_hazard_step(*budgets, threshold=shift, monotonic=request.monotonic)
    else:
        split = best_split(
            request.epsilon,
            request.delta,
            request.cutoff,
            threshold_noise=kind,
            monotonic=request.monotonic,
            steps=steps,
            objective="step" if request.allocation == "appending" else "variance",
            query_noise=request.noise,
            query_weight=query_weight,
        )
        budget, step = split.threshold_budget, split.step
    moved = request.sensitivity if kind == "none" else request.query_shift
    query = NOISES[request.noise](scale_for_hazard_step(request.noise, moved, step))
    return query, None if kind == "none" else NOISES[kind](request.sensitivity / budget)


def _resampled_noises(request: Request) -> tuple[Noise, Noise]:
    """Compose c pure runs by the optimal composition theorem and split what each may cost."""
    log_delta = math.log(request.delta)
    level = float(request.epsilon) * (1 - 1e-12)

    @cache
    def excess(each: float) -> float:
        return composed_log_delta(each, request.cutoff, level) - log_delta

    # A run of c pure mechanisms costs at most their sum, so this much each is always safe.
    safe = level / request.cutoff
    unsafe = safe
    while excess(unsafe) <= 0:
        unsafe *= 2
    each = safe_end(excess, safe, unsafe) * (1 - 1e-13)
    return split_noises(request, _rounded(each) * request.cutoff)


def _gaussian_noises(request: Request) -> tuple[Noise, Noise]:
    """Scale both noises up together until the limited run is private enough.

    Least Var(ρ) + Var(v) at a given Δ²/σ₁² + c·shift²/σ₂² means σ₂²/σ₁² = √c·shift/Δ.
    """
    width = math.sqrt(math.sqrt(request.cutoff) * float(request.query_shift / request.sensitivity))

    def noises(scale: float) -> tuple[Noise, Noise]:
        threshold = NOISES[request.threshold_noise](_rounded(scale))
        return Gaussian(_rounded(scale * width)), threshold

    @cache
    def excess(scale: float) -> float:
        plan = _trial(request, *noises(scale))
        return CAPPED.epsilon(plan, request.delta) - float(request.epsilon) * (1 - 1e-12)

    safe = unsafe = float(request.sensitivity / request.epsilon)
    while excess(safe) > 0:
        safe *= 2
    while excess(unsafe) <= 0:
        unsafe /= 2
    return noises(safe_end(excess, safe, unsafe))
