from __future__ import annotations

from fractions import Fraction

from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms.histogram import HistogramPlan
from overbar.mechanisms.plan import Plan
from overbar.mechanisms.reach_and_bar import Bar
from overbar.mechanisms.sparse_vector import SparseVectorPlan
from overbar.mechanisms.way import Request, Split, Way, refuse_bars, that_can_be
from overbar.noise import Gaussian
from overbar.planning.new.ranked import apart_at


def ways(request: Request) -> list[Way]:
    usual = (Fraction(0), "laplace", "none"), (request.delta, "gaussian", "none")
    return that_can_be(_way, request.filled(*usual))


def _way(request: Request) -> Way:
    """Return the way with this kind of noise: its scale follows from the items of a person."""
    refuse_bars(request)
    kinds = {"laplace": request.delta == 0, "gaussian": request.delta > 0}
    if not kinds.get(request.noise, False) or request.threshold_noise != "none":
        raise NoGuaranteeError(
            f"{named('mechanism', 'histogram')} has laplace noise at delta = 0 or gaussian "
            f"noise with delta > 0, and none on the threshold. Write {named('noise', 'auto')} "
            f"and {named('threshold_noise', 'auto')}"
        )

    def make(scale: Fraction, grid: Fraction, _: Split) -> Plan:
        return HistogramPlan(
            request.query_kind(scale),
            None if request.top else Bar(None),
            request.cutoff,
            request.reach,
            grid,
            request.items_per_person,  # type: ignore[arg-type]  # it is needed
            values=request.counts is not False,
        )

    return Way(request, make, lambda plan: apart_at(plan, request), Fraction(2))


def bare_sets(request: Request) -> list[Way]:
    return that_can_be(_bare_set, request.filled((request.delta, "gaussian", "none")))


def _bare_set(request: Request) -> Way:
    refuse_bars(request)
    others = request.noise != "gaussian" or request.threshold_noise != "none"
    if request.top or request.delta == 0 or others:
        raise NoGuaranteeError(
            f"{named('mechanism', 'bare-set')} is for a threshold, with gaussian noise on the "
            f"scores and none on it, and delta > 0. Write {named('noise', 'auto')} and "
            f"{named('threshold_noise', 'auto')}, or {named('mechanism', 'histogram')}"
        )

    def make(scale: Fraction, grid: Fraction, _: Split) -> Plan:
        return SparseVectorPlan(
            Gaussian(scale),
            Bar(None),
            request.cutoff,
            request.reach,
            grid,
            items_per_person=request.items_per_person,
        )

    return Way(request, make, lambda plan: apart_at(plan, request), Fraction(2))
