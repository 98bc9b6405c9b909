from __future__ import annotations

import math
from fractions import Fraction

from overbar._numbers import short_fraction
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms import Bar, MonitorPlan, Plan
from overbar.mechanisms.way import Request, Split, Way, refuse_bars, that_can_be
from overbar.noise import Gumbel, Noise
from overbar.privacy.hazard import hazard_step
from overbar.privacy.monitor_cost import weight_cost
from overbar.privacy.orders import best_order, checked_log_delta, epsilon_at

#: Digits of a Rényi order. It lies a little above its optimum, which is flat: that takes a part in
#: a thousand more noise, and small weights last two per cent longer.
ORDER_DIGITS = 4
ABOVE_OPTIMUM = 1.01


def ways(request: Request) -> list[Way]:
    """Return the one way: Gumbel noise for the hits of one person, no noise on the bar."""
    return that_can_be(_way, request.filled((request.delta, "gumbel", "none")))


def _way(request: Request) -> Way:
    refuse_bars(request)
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

    def make(scale: Fraction, grid: Fraction, _: Split) -> Plan:
        noise = Gumbel(scale)
        order = best_hits_order(request, noise) if request.weights else None
        return MonitorPlan(noise, Bar(None), request.hits, request.reach, grid, order)

    return Way(request, make, lambda plan: float(plan.query_noise.scale), Fraction(1))


def best_hits_order(request: Request, noise: Noise) -> Fraction:
    """Return about the order at which so many full hits cost least."""
    step, log_delta = hazard_step(noise, request.reach.most), checked_log_delta(request.delta)
    most = -1 / math.expm1(-step)  # from here on no order has a bound

    def epsilon(order: float) -> float:
        return epsilon_at(request.hits * weight_cost(step, order), order, log_delta)

    best, _ = best_order(epsilon)
    return short_fraction(min(ABOVE_OPTIMUM * best, (best + most) / 2), ORDER_DIGITS)
