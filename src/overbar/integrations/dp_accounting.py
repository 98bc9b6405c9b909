"""Runs inside Google's accountants: compose a plan with other mechanisms.

>>> from dp_accounting import dp_event
>>> from overbar.mechanisms import Bar, Reach, SparseVectorPlan
>>> from overbar.integrations.dp_accounting import PLDAccountant, event
>>> from overbar.noise import Gumbel, Laplace
>>> plan = SparseVectorPlan(Gumbel(25), Bar(Laplace(50)), 50, Reach(0, 1))
>>> accountant = PLDAccountant(value_discretization_interval=1e-3)
>>> composed = accountant.compose(event(plan)).compose(dp_event.GaussianDpEvent(5.0))
>>> 1 < composed.get_epsilon(2e-6) < 2
True

Needs the extra ``accounting`` (:doc:`/dependencies`). Their accountants know a fixed list of
events; the two here are theirs with one event more. A loss distribution serves both directions. A
plan's sensitivity, ``monotonic``, ``items_per_person`` and ``groups_per_person`` must hold for the
accountant's neighbouring relation: counts are monotonic when one person is added or removed, not
when one is replaced, which also moves the items of two persons, in the groups of both.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from overbar import _check
from overbar.errors import MissingExtraError, NoGuaranteeError
from overbar.integrations.loss_distribution import loss_distribution
from overbar.mechanisms import Plan
from overbar.privacy import guarantee

try:
    import attr
    import dp_accounting
    from dp_accounting.pld import pld_pmf, pld_privacy_accountant, privacy_loss_distribution
    from dp_accounting.rdp import rdp_privacy_accountant
except ImportError as error:
    raise MissingExtraError(
        "dp-accounting is not installed; write: pip install 'overbar[accounting]'"
    ) from error

__all__ = [
    "PLDAccountant",
    "RdpAccountant",
    "event",
    "renyi_curve",
    "to_pld",
]

#: Their numbers are floats: so much is added of each for what they are rounded by.
ROUNDED_BY = 1e-9
#: They compose masses by Fourier transforms, which are off by about 1e-15. Where there are several
#: parts, so much of each counts as an infinite loss.
LOST = 1e-14


# dp_accounting ships no types, so its classes are Any to mypy: hence the ignores below.
@attr.s(frozen=True, slots=True, auto_attribs=True)
class SparseVectorDpEvent(dp_accounting.DpEvent):  # type: ignore[misc]  # untyped package
    """One run of a plan. The plan is kept as its JSON text, so that events can be written down."""

    plan: str


def event(plan: Plan) -> SparseVectorDpEvent:
    """Return the event of one run; a plan without a guarantee is refused here.

    Parameters
    ----------
    plan : Plan
        The plan of the run.

    Returns
    -------
    SparseVectorDpEvent
        For an accountant of this module.
    """
    guarantee(plan)
    return SparseVectorDpEvent(plan.to_json())


@_check.known_keywords
def to_pld(plan: Plan, interval: float = 1e-4) -> Any:
    """Return a pessimistic ``PrivacyLossDistribution`` of one run, all its parts together.

    Parameters
    ----------
    plan : Plan
        The plan of the run.
    interval : float, default 1e-4
        The step between losses.

    Returns
    -------
    PrivacyLossDistribution
        Never below the true loss.
    """
    parts = Counter(plan.paid())
    lost = LOST if parts.total() > 1 else 0.0
    each = (_repeated(part, times, interval, lost) for part, times in parts.items())
    return reduce(lambda one, two: one.compose(two), each)


def _repeated(part: Plan, times: int, interval: float, lost: float) -> Any:
    """Return the loss distribution of so many runs of a plan that has no other parts."""
    losses = loss_distribution(part, interval)
    pmf = pld_pmf.DensePLDPmf(
        discretization=losses.interval,
        lower_loss=losses.first,
        probs=losses.masses,
        infinity_mass=losses.infinite + lost,
        pessimistic_estimate=True,
    )
    once = privacy_loss_distribution.PrivacyLossDistribution(pmf)
    return once if times == 1 else once.self_compose(times)


class PLDAccountant(pld_privacy_accountant.PLDAccountant):  # type: ignore[misc]  # untyped package
    """Google's accountant by loss distributions, which also knows sparse vector runs."""

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        if not isinstance(event, SparseVectorDpEvent):
            return super()._maybe_compose(event, count, do_compose)
        if do_compose:
            losses = to_pld(Plan.from_json(event.plan), self._value_discretization_interval)
            before: Any = self._pld  # type: ignore[has-type]  # set by their constructor
            self._pld = before.compose(losses if count == 1 else losses.self_compose(count))
        return None


class RdpAccountant(rdp_privacy_accountant.RdpAccountant):  # type: ignore[misc]  # untyped package
    """Google's accountant by Rényi divergences, which also knows sparse vector runs."""

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        if not isinstance(event, SparseVectorDpEvent):
            return super()._maybe_compose(event, count, do_compose)
        if do_compose:
            proved = guarantee(Plan.from_json(event.plan))
            # Orders at or below one have no bound here, and infinity keeps them out of the minimum.
            bounds = [proved.renyi(float(a)) if a > 1 else math.inf for a in self._orders]
            self._rdp += count * np.array(bounds)
        return None


def renyi_curve(event: Any) -> dict[Fraction, Fraction]:
    """Return the Rényi divergences of an event, for ``booking.spend(renyi=...)``.

    Parameters
    ----------
    event : DpEvent
        What one run of a mechanism is, where one person's data is added or removed.

    Returns
    -------
    dict
        A divergence for each order with a finite one, and a billionth more for their rounding.

    Raises
    ------
    NoGuaranteeError
        If their accountant has no bound for it.
    """
    accountant = RdpAccountant()
    try:
        accountant.compose(event)
    except dp_accounting.UnsupportedEventError:
        raise NoGuaranteeError(
            "dp_accounting has no Rényi divergences for this event; book the epsilon and delta "
            "that its PLDAccountant gives"
        ) from None
    return {
        Fraction(float(order)): Fraction(float(cost) * (1 + ROUNDED_BY))
        for order, cost in zip(accountant._orders, accountant._rdp, strict=True)
        if order > 1 and math.isfinite(cost)
    }
