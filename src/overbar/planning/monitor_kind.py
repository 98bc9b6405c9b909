"""How a monitor meets a request: Gumbel noise for the hits of one person, no noise on the bar."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from overbar._numbers import short_fraction
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms import Bar, MonitorPlan, Plan
from overbar.mechanisms.monitor import weight_cost
from overbar.noise import Gumbel, Noise
from overbar.planning.kind import Kind, Noises
from overbar.planning.races import rough_step
from overbar.planning.request import Request
from overbar.planning.scales import scale_for_hazard_step
from overbar.privacy.hazard import hazard_step
from overbar.privacy.orders import best_order, checked_log_delta, epsilon_at

#: Questions a day, where nobody has said how many there are.
USUAL_QUESTIONS = 100
#: Grid steps of a full weight, where there are weights.
WEIGHT_STEPS = 1000
#: Digits of a Rényi order. It lies a little above its optimum, which is flat: that takes a part in
#: a thousand more noise, and small weights last two per cent longer.
ORDER_DIGITS = 4
ABOVE_OPTIMUM = 1.01


def _refuse(request: Request) -> None:
    unfit = {
        "top": request.top,
        "counts": request.counts is not False,
        "groups": request.groups is not None,
        "items_per_person": request.items_per_person is not None,
    }
    for name in (name for name, given in unfit.items() if given):
        raise ParameterError(f"{named(name)} must be left out with {named('hits_per_person')}")
    if request.noise != "gumbel" or request.threshold_noise != "none":
        raise NoGuaranteeError(
            "a monitor has a proof for gumbel noise on questions and none on the threshold. "
            f"Leave out {named('noise')} and {named('threshold_noise')}"
        )
    if request.delta == 0:
        raise NoGuaranteeError(
            "a monitor has no pure guarantee: it answers without end. "
            f"Give a {named('delta')}, such as {named('delta', '1e-6')}"
        )


def _approximate(request: Request) -> Noises:
    budgets = request.epsilon, request.delta, request.hits
    step = rough_step(*budgets, threshold=None, back=request.reach.back)
    query = Gumbel(scale_for_hazard_step("gumbel", request.reach.most, step))
    return MONITORED.tightened(request, query, None)


def _labels(request: Request, query: Noise, _: Noise | None, correction: Fraction) -> Plan:
    order = _order(request, query) if request.weights else None
    bar = Bar(None, correction)
    return MonitorPlan(query, bar, request.hits, request.reach, request.coarsest_grid, order)


def _order(request: Request, query: Noise) -> Fraction:
    """Return about the order at which so many full hits cost least."""
    step, log_delta = hazard_step(query, request.reach.most), checked_log_delta(request.delta)
    most = -1 / math.expm1(-step)  # from here on no order has a bound

    def epsilon(order: float) -> float:
        return epsilon_at(request.hits * weight_cost(step, order), order, log_delta)

    best, _ = best_order(epsilon)
    return short_fraction(min(ABOVE_OPTIMUM * best, (best + most) / 2), ORDER_DIGITS)


def monitored(request: Request, hits: int, weights: bool) -> Request:
    """Return the request of a monitor: nothing is counted by the run, all by each person."""
    grid = request.grid
    if grid is None and weights:
        grid = request.coarsest_grid / WEIGHT_STEPS
    return replace(request, mechanism=MONITORED.name, hits=hits, weights=weights, grid=grid)


MONITORED = Kind(
    "monitor",
    ways=lambda request: [(request, "gumbel", "none")],
    refuse=_refuse,
    pure=_approximate,  # never asked: without δ it is refused
    approximate=_approximate,
    labels=_labels,
    gives_values=lambda _: False,
    loss=lambda _, query, *__: float(query.scale),
    passing=Fraction(1),
)
