"""How a bare set meets a request: all who pass, in no order and without values.

Where more pass than the cutoff allows, who comes out is left to the lot and not to their values. So
it is compared with other kinds only where there are no more candidates than the cutoff.
"""

from __future__ import annotations

from fractions import Fraction

from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms import Bar, Plan, SparseVectorPlan
from overbar.noise import Gaussian, Noise
from overbar.planning.kind import Kind, Noises
from overbar.planning.ranked_kind import highest_loss
from overbar.planning.request import Request
from overbar.planning.scales import gaussian_sigma

#: With one item of each person nothing is gained; with more than so many, bits take long to follow.
FEWEST, MOST = 2, 128


def _refuse(request: Request) -> None:
    others = request.noise != "gaussian" or request.threshold_noise != "none"
    if request.top or request.delta == 0 or others:
        raise NoGuaranteeError(
            f"{named('mechanism', 'bare-set')} is for a threshold, with gaussian noise on the "
            f"scores and none on it, and delta > 0. Write {named('noise', 'auto')} and "
            f"{named('threshold_noise', 'auto')}, or {named('mechanism', 'histogram')}"
        )


def _is_compared(request: Request, candidates: int | None) -> bool:
    few = FEWEST <= (request.items_per_person or 0) * request.runs <= MOST
    unlimited = candidates is not None and request.cutoff >= candidates
    return few and unlimited and request.delta > 0 and not (request.top or request.counts)


def _approximate(request: Request) -> Noises:
    """Begin with the noise that would hide the values."""
    assert request.items_per_person is not None  # it is needed
    sigma = gaussian_sigma(
        request.epsilon,
        request.delta,
        items=request.items_per_person,
        sensitivity=request.reach.most,
        grid=request.coarsest_grid,
    )
    return BARE_SET.tightened(request, Gaussian(sigma), None)


def _labels(request: Request, query: Noise, _: Noise | None, correction: Fraction) -> Plan:
    return SparseVectorPlan(
        query,
        Bar(None, correction),
        request.cutoff,
        request.reach,
        request.coarsest_grid,
        items_per_person=request.items_per_person,
    )


def _loss(request: Request, query: Noise, threshold: Noise | None, candidates: int) -> float:
    return highest_loss(request, query, threshold, candidates, None)


BARE_SET = Kind(
    "bare-set",
    ways=lambda request: [(request, "gaussian", "none")],
    refuse=_refuse,
    pure=_approximate,
    approximate=_approximate,
    labels=_labels,
    gives_values=lambda _: False,
    loss=_loss,
    passing=Fraction(2),
    is_compared=_is_compared,
    needs_items=True,
)
