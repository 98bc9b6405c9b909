"""How ranked selection meets a request: exponential noise at δ = 0, Gumbel noise with δ."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from overbar._numbers import short_fraction
from overbar.accuracy.correction import margin
from overbar.accuracy.difference import comparison_variance
from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms import Bar, Plan, RankedPlan
from overbar.noise import NOISES, Gaussian, Noise
from overbar.planning.allocation import race_noises, race_or_pure_noises, split_noises
from overbar.planning.counts_noise import counts_noise
from overbar.planning.kind import Kind, Noises
from overbar.planning.races import rough_range
from overbar.planning.request import Request
from overbar.planning.scales import scale_for_hazard_step

#: The bar of a ranked selection gets as much as one selected item, which is free, or this part of
#: the root of how many there may be: then the margin is within one per cent of the least.
BAR_SHARE = 1 / 3
BAR_DIGITS = 3
#: Where values of the top come out, their noise counts so often as the one that they share, which
#: does not decide on labels.
LABELS = 5


def _ways(request: Request) -> list[tuple[Request, str, str]]:
    """Return kinds of noise; with `counts`, also that with which the values are the counts."""
    pure = replace(request, delta=Fraction(0))
    if request.top:
        ways = [(pure, "exponential", "none"), (request, "gumbel", "none")]
    else:
        ways = [(pure, "exponential", "exponential"), (request, "gumbel", "laplace")]
        ways.append((request, "gumbel", "none"))
    if request.counts is True:
        ways.append((request, "gumbel", "gaussian"))
    return ways


def _refuse(request: Request) -> None:
    if request.noise not in ("exponential", "gumbel"):
        raise NoGuaranteeError(
            f"{named('mechanism', 'ranked')} has a proof for exponential and gumbel noise. "
            f"Write {named('noise', 'auto')}, or {named('mechanism', 'sparse-vector')}"
        )
    if request.noise == "exponential" and request.delta > 0:
        raise NoGuaranteeError(
            f"{named('noise', 'exponential')} has a pure guarantee alone. Write "
            f"{named('noise', 'gumbel')}, {named('noise', 'auto')} or {named('delta', 0)}"
        )
    bare = request.threshold_noise in ("gaussian", "none") and not request.top
    if request.delta == 0 and bare:
        raise NoGuaranteeError(
            f"{named('threshold_noise', request.threshold_noise)} has no pure guarantee. "
            f"Write {named('threshold_noise', 'exponential')}, or allow delta > 0"
        )


def _gives_values(request: Request) -> bool:
    gumbel = request.noise == "gumbel" and request.threshold_noise == "gaussian"
    return request.counts is True and gumbel


def _pure(request: Request) -> Noises:
    """Use ε exactly. A full answer does not pay for the bar, so it may cost as much as one item.

    With many items a little more is worth while.
    """
    if request.noise != "exponential" and not request.top:
        return split_noises(request, request.epsilon)
    bar = Fraction(1) if request.top else _bar_share(request)
    each = request.epsilon / (request.cutoff - 1 + bar)
    query = NOISES[request.noise](request.reach.width / each)
    if request.top:
        return query, None
    return query, NOISES[request.threshold_noise](request.reach.most / (bar * each))


def _bar_share(request: Request) -> Fraction:
    """Return what the bar gets, by what one selected item gets."""
    items = request.cutoff * request.reach.most / request.reach.width
    return max(Fraction(1), short_fraction(BAR_SHARE * math.sqrt(items), BAR_DIGITS))


def _approximate(request: Request) -> Noises:
    if _gives_values(request):
        # A race that finds one more.
        race = replace(request, cutoff=request.cutoff + 1, allocation="variance")
        pairs = [race_noises(race, query_weight=LABELS if request.top else 1)]
    elif request.top:
        step = rough_range(request.epsilon, request.delta, request.cutoff)
        pairs = [
            (NOISES["gumbel"](scale_for_hazard_step("gumbel", request.reach.width, step)), None)
        ]
    else:
        pairs = race_or_pure_noises(request)
    return RANKED.tightened(request, *min(pairs, key=lambda pair: comparison_variance(*pair)))


def _labels(request: Request, query: Noise, threshold: Noise | None, correction: Fraction) -> Plan:
    values = _gives_values(request) and isinstance(threshold, Gaussian)
    bar = None if request.top else Bar(None if values else threshold, correction)
    return RankedPlan(
        query,
        bar,
        request.cutoff,
        request.reach,
        request.coarsest_grid,
        request.items_per_person,
        threshold if values else None,  # type: ignore[arg-type]  # looked at above
    )


def _loss(request: Request, query: Noise, threshold: Noise | None, candidates: int) -> float:
    fresh = None if _gives_values(request) else counts_noise(request)
    return highest_loss(request, query, threshold, candidates, fresh)


def highest_loss(
    request: Request, query: Noise, threshold: Noise | None, candidates: int, fresh: Noise | None
) -> float:
    """Return the margin at which a candidate is told from the rest, with the width of counts.

    Counts have `fresh` noise, or are the values themselves.
    """
    bar = None if request.top else threshold
    apart = margin(query, bar, wanted=request.cutoff, candidates=candidates)
    if request.counts is False:
        return apart
    counts, shared = (query, threshold) if fresh is None else (fresh, None)
    return apart + 2 * math.sqrt(comparison_variance(counts, shared))


RANKED = Kind(
    "ranked",
    ways=_ways,
    refuse=_refuse,
    pure=_pure,
    approximate=_approximate,
    labels=_labels,
    gives_values=_gives_values,
    loss=_loss,
    passing=Fraction(2),
    shown=(("exponential", "auto"),),
    shown_with_delta=(("gumbel", "auto"), ("gumbel", "gaussian"), ("gumbel", "none")),
    is_compared=lambda *_: True,
)
