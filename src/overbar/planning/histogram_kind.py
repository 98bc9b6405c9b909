"""How a histogram meets a request: the scales follow from the items of a person."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms import Bar, HistogramPlan, Plan
from overbar.noise import Gaussian, Laplace, Noise
from overbar.planning.kind import Kind, Noises
from overbar.planning.ranked_kind import highest_loss
from overbar.planning.request import Request
from overbar.planning.scales import gaussian_sigma, laplace_scale


def _ways(request: Request) -> list[tuple[Request, str, str]]:
    pure = replace(request, delta=Fraction(0))
    return [(pure, "laplace", "none"), (request, "gaussian", "none")]


def _refuse(request: Request) -> None:
    kinds = {"laplace": request.delta == 0, "gaussian": request.delta > 0}
    if not kinds.get(request.noise, False) or request.threshold_noise != "none":
        raise NoGuaranteeError(
            f"{named('mechanism', 'histogram')} has laplace noise at delta = 0 or gaussian "
            f"noise with delta > 0, and none on the threshold. Write {named('noise', 'auto')} "
            f"and {named('threshold_noise', 'auto')}"
        )


def _items(request: Request) -> int:
    assert request.items_per_person is not None  # a histogram needs it
    return request.items_per_person


def _pure(request: Request) -> Noises:
    moved = request.reach.most
    return Laplace(laplace_scale(request.epsilon, items=_items(request), sensitivity=moved)), None


def _approximate(request: Request) -> Noises:
    # A hair below what was asked for, so that no rounding of floats can reach above it.
    sigma = gaussian_sigma(
        request.epsilon * (1 - Fraction(1, 10**12)),
        request.delta,
        items=_items(request),
        sensitivity=request.reach.most,
        grid=request.coarsest_grid,
    )
    return Gaussian(sigma), None


def _labels(request: Request, query: Noise, _: Noise | None, correction: Fraction) -> Plan:
    return HistogramPlan(
        query,
        None if request.top else Bar(None, correction),
        request.cutoff,
        request.reach,
        request.coarsest_grid,
        _items(request),
        values=request.counts is not False,
    )


def _loss(request: Request, query: Noise, threshold: Noise | None, candidates: int) -> float:
    return highest_loss(request, query, threshold, candidates, None)


HISTOGRAM = Kind(
    "histogram",
    ways=_ways,
    refuse=_refuse,
    pure=_pure,
    approximate=_approximate,
    labels=_labels,
    gives_values=lambda request: request.counts is not False,
    loss=_loss,
    passing=Fraction(2),
    shown=(("laplace", "auto"),),
    shown_with_delta=(("gaussian", "auto"),),
    is_compared=lambda request, _: request.items_per_person is not None,
    needs_items=True,
)
