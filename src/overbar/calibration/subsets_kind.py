"""How a top that is drawn as one set meets a request. It is never chosen where nobody names it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from overbar.accuracy.detection import SURE
from overbar.calibration.kind import Kind, Noises
from overbar.calibration.request import Request
from overbar.errors import NoGuaranteeError, named
from overbar.noise import Gumbel, Noise
from overbar.plans import Plan, SubsetsPlan


def _refuse(request: Request) -> None:
    if not request.top or request.noise != "gumbel" or request.delta > 0:
        raise NoGuaranteeError(
            f"{named('mechanism', 'subsets')} is for the top, with gumbel noise at delta = 0. "
            f"Write {named('noise', 'auto')}, or {named('mechanism', 'ranked')}"
        )


def _pure(request: Request) -> Noises:
    return Gumbel(2 * request.reach.width / request.epsilon), None


def _labels(request: Request, query: Noise, *_: object) -> Plan:
    return SubsetsPlan(
        Gumbel(query.scale),
        request.cutoff,
        request.reach,
        request.coarsest_grid,
        request.items_per_person,
    )


def _loss(request: Request, query: Noise, _: Noise | None, candidates: int) -> float:
    return _lead(query, request.cutoff, candidates)


def _lead(noise: Noise, cutoff: int, candidates: int) -> float:
    """Return the gap behind the best from which on they come out with the chance `SURE`.

    With a gap g the best have odds e^(g/s), and each other set e^(-g/s) at most.
    """
    others = math.comb(candidates, cutoff) - 1
    return float(noise.scale) / 2 * math.log(others * SURE / (1 - SURE)) if others else 0.0


def subsets_forecast(plan: Plan, candidates: int | None) -> str:
    """Say from which gap on the right set comes out, and what it is with noise on each score."""
    if candidates is None or candidates <= plan.cutoff:
        return ""
    here = _lead(plan.query_noise, plan.cutoff, candidates)
    # Exponential noise of scale c·w/ε on each lifts nobody outside over the gap, but with 5 %.
    each = plan.cutoff * float(plan.query_noise.scale) / 2
    there = each * math.log((candidates - plan.cutoff) / (1 - SURE))
    return (
        f"If place {plan.cutoff:,} leads place {plan.cutoff + 1:,} by {here:,.0f} or more, the "
        f"right set comes out at least {100 * SURE:.0f} % of the time; one noisy value for each "
        f"candidate takes about {there:,.0f}. With a smaller gap a set can be far from the best, "
        "and no public number says how far."
    )


SUBSETS = Kind(
    "subsets",
    ways=lambda request: [(replace(request, delta=Fraction(0)), "gumbel", "none")],
    refuse=_refuse,
    pure=_pure,
    approximate=_pure,
    labels=_labels,
    gives_values=lambda _: False,
    loss=_loss,
    passing=Fraction(2),
)
