from __future__ import annotations

import math
from fractions import Fraction

from overbar._numbers import short_fraction
from overbar.accuracy.difference import comparison_variance
from overbar.errors import NoGuaranteeError, ParameterError, named, quoted
from overbar.mechanisms.plan import Plan
from overbar.mechanisms.reach_and_bar import Bar, Repeats
from overbar.mechanisms.sparse_vector import SparseVectorPlan
from overbar.mechanisms.way import Request, Split, Way, refuse_bars, splits, that_can_be

#: The bar of a plan for the top lies so far above the scores that a gap below 64·ln 2 noise
#: scales, where a candidate's chance in one round is 2^-64, has a probability of at most 2^-64.
NEGLIGIBLE_BITS = 64


def ways(request: Request) -> list[Way]:
    """Return ways with every pair of noises that has a proof."""
    pure, delta = Fraction(0), request.delta
    usual = [(pure, "exponential", "exponential")]
    if request.resample:
        usual.append((delta, "exponential", "exponential"))
    else:
        usual += [(delta, "gumbel", "laplace"), (delta, "gumbel", "none")]
    return sum(that_can_be(_ways, request.filled(*usual)), [])


def _ways(request: Request) -> list[Way]:
    """Return the ways with these kinds of noise."""
    _refuse(request)

    def make(scale: Fraction, grid: Fraction, split: Split) -> Plan:
        kind = request.bar_kind
        noise = None if kind is None else kind(split.of(scale))
        above = Fraction(0)
        if request.top:
            scales = scale + (noise.scale if noise else 0)
            above = math.ceil(scales * Fraction(NEGLIGIBLE_BITS * math.log(2)) / grid) * grid
        return SparseVectorPlan(
            request.query_kind(scale),
            Bar(noise, above, above_all=request.top, upper_bound=request.upper_bound),
            request.cutoff,
            request.reach,
            grid,
            Repeats(request.rounds, request.resample, request.max_queries),
            request.items_per_person,
        )

    def loss(plan: Plan) -> float:
        if request.allocation == "variance":
            return comparison_variance(plan.query_noise, plan.threshold_noise)
        return float(plan.query_noise.scale / request.reach.most)

    every = [_beside_gaussian(request)] if request.noise == "gaussian" else splits(request)
    return [Way(request, make, loss, Fraction(1, 4), split) for split in every]


def _beside_gaussian(request: Request) -> Split:
    """Return the split of Gaussian queries.

    Least Var(ρ) + Var(v) at a given Δ²/σ₁² + c·w²/σ₂² means σ₂²/σ₁² = √c·w/Δ.
    """
    square = math.sqrt(request.cutoff) * float(request.reach.width / request.reach.most)
    return Split(short_fraction(1 / math.sqrt(square), 12))


def _refuse(request: Request) -> None:
    refuse_bars(request)
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
    composed = request.resample and request.noise != "gaussian"
    pure_threshold = request.threshold_noise in ("exponential", "laplace")
    if composed and request.delta > 0 and not pure_threshold:
        raise NoGuaranteeError(
            f"{named('threshold_noise', request.threshold_noise)} has no proof with "
            f"{named('resample', True)}. "
            f"Write {named('threshold_noise', 'laplace')} or {named('resample', False)}"
        )
