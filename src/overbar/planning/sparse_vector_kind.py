"""How a sparse vector run meets a request: every noise pair that has a proof."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

from overbar._numbers import safe_end
from overbar.accuracy.difference import comparison_variance
from overbar.errors import NoGuaranteeError, ParameterError, named, quoted
from overbar.mechanisms import Bar, Plan, Repeats, SparseVectorPlan
from overbar.noise import NOISES, Gaussian, Noise
from overbar.planning.allocation import race_or_pure_noises, split_noises
from overbar.planning.kind import Kind, Noises, rounded
from overbar.planning.request import Request
from overbar.privacy.guarantees import proved_about
from overbar.privacy.orders import composed_log_delta

#: The bar of a plan for the top lies so far above the scores that a gap below 64·ln 2 noise
#: scales, where a candidate's chance in one round is 2^-64, has a probability of at most 2^-64.
NEGLIGIBLE_BITS = 64


def _ways(request: Request) -> list[tuple[Request, str, str]]:
    pure = replace(request, delta=Fraction(0))
    ways = [(pure, "exponential", "exponential")]
    if request.resample:
        return [*ways, (request, "exponential", "exponential")]
    return [*ways, (request, "gumbel", "laplace"), (request, "gumbel", "none")]


def _refuse(request: Request) -> None:
    if request.noise == "gaussian" and (request.max_queries is None or request.delta == 0):
        raise NoGuaranteeError(
            f"{named('noise', 'gaussian')} has a guarantee only with delta > 0 and "
            f"{named('max_queries')}: its "
            "log-survival is not Lipschitz, so what answers reveal adds up without end. "
            f"Write {named('noise', 'exponential')}, or give {named('delta')} and "
            f"{named('max_queries')}"
        )
    if request.noise == "gaussian" and request.rounds != 1:
        once = f"{named('noise', 'gaussian')} is drawn exactly where each query is asked once"
        raise ParameterError(
            f"{once}, and the top is asked as often as it takes. Write {named('noise', 'gumbel')}"
            if request.top
            else f"{once}. Write {named('rounds', 1)}"
        )
    if request.noise == "gaussian" and request.threshold_noise in ("exponential", "none"):
        raise NoGuaranteeError(
            f"{named('noise', 'gaussian')} has no proof with "
            f"{named('threshold_noise', request.threshold_noise)}. "
            f"Write {named('threshold_noise', 'laplace')} or {quoted('gaussian')}"
        )
    if request.threshold_noise in ("gaussian", "none") and request.delta == 0:
        raise NoGuaranteeError(
            f"{named('threshold_noise', request.threshold_noise)} has no pure guarantee. "
            f"Write {named('threshold_noise', 'laplace')}, or allow delta > 0"
        )
    if request.delta > 0 and request.noise == "exponential" and not request.resample:
        raise NoGuaranteeError(
            f"{named('noise', 'exponential')} with delta > 0 has no proof: one negative "
            "answer can show "
            "where the threshold lies, and then every positive costs its full pure share, so "
            "Rényi costs do not add up (docs/theory/counterexample.md "
            f"shows how). Write {named('noise', 'gumbel')}, {named('resample', True)}, or "
            f"{named('delta', 0)}"
        )
    pure_threshold = request.threshold_noise in ("exponential", "laplace")
    composed = request.resample and request.noise != "gaussian"
    if composed and request.delta > 0 and not pure_threshold:
        raise NoGuaranteeError(
            f"{named('threshold_noise', request.threshold_noise)} has no proof with "
            f"{named('resample', True)}. "
            f"Write {named('threshold_noise', 'laplace')} or {named('resample', False)}"
        )


def _approximate(request: Request) -> Noises:
    if request.noise == "gaussian":
        return _gaussian_noises(request)
    if request.resample:
        return _resampled_noises(request)
    pairs = race_or_pure_noises(request)
    return SPARSE_VECTOR.tightened(request, *min(pairs, key=lambda pair: _spread(request, *pair)))


def _spread(request: Request, query: Noise, threshold: Noise | None) -> float:
    """Return what to keep small: the variance of a comparison, or the query noise alone."""
    if request.allocation == "variance":
        return comparison_variance(query, threshold)
    return float(query.scale)


def _resampled_noises(request: Request) -> Noises:
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
    return split_noises(request, rounded(each) * request.cutoff)


def _gaussian_noises(request: Request) -> Noises:
    """Scale both noises up together until the limited run is private enough.

    Least Var(ρ) + Var(v) at a given Δ²/σ₁² + c·w²/σ₂² means σ₂²/σ₁² = √c·w/Δ.
    """
    width = math.sqrt(math.sqrt(request.cutoff) * float(request.reach.width / request.reach.most))

    def noises(scale: float) -> tuple[Noise, Noise]:
        threshold = NOISES[request.threshold_noise](rounded(scale))
        return Gaussian(rounded(scale * width)), threshold

    @cache
    def excess(scale: float) -> float:
        plan = _labels(request, *noises(scale), Fraction(0))
        return float(proved_about(plan).at(request.delta)) - float(request.epsilon) * (1 - 1e-12)

    safe = unsafe = float(request.reach.most / request.epsilon)
    while excess(safe) > 0:
        safe *= 2
    while excess(unsafe) <= 0:
        unsafe /= 2
    return noises(safe_end(excess, safe, unsafe))


def _labels(request: Request, query: Noise, threshold: Noise | None, correction: Fraction) -> Plan:
    grid = request.coarsest_grid
    if request.top:
        scales = query.scale + (threshold.scale if threshold else 0)
        correction = math.ceil(scales * Fraction(NEGLIGIBLE_BITS * math.log(2)) / grid) * grid
    return SparseVectorPlan(
        query,
        Bar(threshold, correction, above_all=request.top, upper_bound=request.upper_bound),
        request.cutoff,
        request.reach,
        grid,
        Repeats(request.rounds, request.resample, request.max_queries),
        request.items_per_person,
    )


def _loss(request: Request, query: Noise, threshold: Noise | None, _: int) -> float:
    if request.allocation == "variance":
        return comparison_variance(query, threshold)
    return float(query.scale / request.reach.most)


SPARSE_VECTOR = Kind(
    "sparse-vector",
    ways=_ways,
    refuse=_refuse,
    pure=lambda request: split_noises(request, request.epsilon),
    approximate=_approximate,
    labels=_labels,
    gives_values=lambda _: False,
    loss=_loss,
    passing=Fraction(1, 4),
    shown=(("exponential", "auto"), ("gumbel", "auto"), ("laplace", "auto")),
    shown_with_delta=(("gumbel", "auto"), ("gumbel", "none")),
    in_turn=True,
)
