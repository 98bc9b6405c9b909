from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from overbar._numbers import short_fraction
from overbar.accuracy.correction import margin
from overbar.accuracy.difference import comparison_variance
from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms.plan import Plan
from overbar.mechanisms.ranked import RankedPlan
from overbar.mechanisms.reach_and_bar import Bar
from overbar.mechanisms.way import Request, Split, Way, refuse_bars, splits, that_can_be

#: The bar of a ranked selection gets as much as one selected item, which is free, or this part of
#: the root of how many there may be: then the margin is within one per cent of the least.
BAR_SHARE = 1 / 3
BAR_DIGITS = 3
#: Where values of the top come out, their noise counts so often as the one that they share, which
#: does not decide on labels.
LABELS = 5


def ways(request: Request) -> list[Way]:
    """Return ways with each kind of noise; with `counts`, also that whose values are the counts."""
    pure, delta, top = Fraction(0), request.delta, request.top
    usual = [(pure, "exponential", "none" if top else "exponential")]
    usual += [(delta, "gumbel", "laplace")] * (not top) + [(delta, "gumbel", "none")]
    usual += [(delta, "gumbel", "gaussian")] * (request.counts is True)
    return sum(that_can_be(_ways, request.filled(*usual)), [])


def _ways(request: Request) -> list[Way]:
    """Return the ways with these kinds of noise."""
    _refuse(request)
    values = request.counts is True and request.threshold_noise == "gaussian"
    weight = LABELS if values and request.top else 1

    def make(scale: Fraction, grid: Fraction, split: Split) -> Plan:
        kind = request.bar_kind
        noise = None if kind is None else kind(split.of(scale))
        bar = None if request.top else Bar(None if values else noise)
        return RankedPlan(
            request.query_kind(scale),
            bar,
            request.cutoff,
            request.reach,
            grid,
            request.items_per_person,
            noise if values else None,  # type: ignore[arg-type]  # looked at above
        )

    def loss(plan: Plan) -> float:
        return apart_at(plan, request)

    if request.noise == "exponential" and not request.top:
        every = [Split(request.reach.most / request.reach.width / _bar_share(request))]
    else:
        every = splits(replace(request, allocation="variance") if values else request, weight)
    return [Way(request, make, loss, Fraction(2), split, weight) for split in every]


def _bar_share(request: Request) -> Fraction:
    """Return what the bar gets, by what one selected item gets."""
    items = request.cutoff * request.reach.most / request.reach.width
    return max(Fraction(1), short_fraction(BAR_SHARE * math.sqrt(items), BAR_DIGITS))


def _refuse(request: Request) -> None:
    refuse_bars(request)
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


def apart_at(plan: Plan, request: Request) -> float:
    """Return the margin at which a candidate is told from the rest, with the width of counts.

    Counts have noise of their own, or are the values themselves.
    """
    bar = None if request.top else plan.threshold_noise
    apart = margin(plan.query_noise, bar, wanted=request.cutoff, candidates=request.many)
    if request.counts is False:
        return apart
    noises = (plan.query_noise, plan.shared) if plan.counts is None else (plan.counts, None)
    return apart + 2 * math.sqrt(comparison_variance(*noises))
