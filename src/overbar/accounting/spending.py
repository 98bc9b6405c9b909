"""What a run has cost so far."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from overbar._numbers import short_text
from overbar.accounting.guarantees import SHOWN_DELTA, ApproximateDP, proved_about
from overbar.accounting.pure import pure_covers, pure_epsilon
from overbar.accounting.pure_guarantee import PureDP
from overbar.accounting.theorem import CURVES, checked_positives
from overbar.plans import Plan


@dataclass(frozen=True, repr=False)
class RenyiSpent:
    """What a run without a pure guarantee has cost so far: a number for each Rényi order.

    For a filter the order must be fixed beforehand (``Theorem`` in ``accounting/theorem.py``).
    """

    plan: Plan
    positives: int

    def __repr__(self) -> str:
        return f"RenyiSpent({self.renyi(2.0):.6g} at order 2)"

    def renyi(self, order: float) -> float:
        """Return the Rényi cost at this order; of the whole plan where no filter is proved.

        By the theorem that is best for a whole run at this order: it is fixed beforehand, as the
        least of several costs so far would not be a filter.

        Parameters and result are those of :meth:`overbar.accounting.Guarantee.renyi`.
        """
        if self.plan.groups is not None or self.plan.gives_values:
            return proved_about(self.plan).renyi(order)
        plan, *others = self.plan.paid()
        if others:
            rest = sum(proved_about(part).renyi(order) for part in others)
            return RenyiSpent(plan, self.positives).renyi(order) + rest
        filters = [theorem for theorem in CURVES if theorem.is_filter and theorem.covers(plan)]
        if not filters:
            return proved_about(plan).renyi(order)
        chosen = min(filters, key=lambda theorem: theorem.renyi(plan, order))
        return chosen.spent(plan, self.positives, order)


def spent(plan: Plan, positives: int | None = None) -> Fraction | RenyiSpent:
    """Return what a run has cost after so many positives; a whole run if none are given.

    Parameters
    ----------
    plan : Plan
        The plan of the run.
    positives : int, optional
        How many it has given; all that it may give if nothing is said.

    Returns
    -------
    Fraction or RenyiSpent
        The exact pure ε where there is one, else the Rényi cost.
    """
    given = None if positives is None else checked_positives(plan, positives)
    if pure_covers(plan):
        return pure_epsilon(plan, given)
    return RenyiSpent(plan, plan.cutoff if given is None else given)


def spent_text(proved: PureDP | ApproximateDP, cost: Fraction | RenyiSpent) -> str:
    """Write a cost for people, at the δ's at which the guarantee beside it is shown.

    One number that fits what is promised: at δ = 0 a run has cost what its positives have; at a
    positive δ nothing is ever given back.

    Parameters
    ----------
    proved : PureDP or ApproximateDP
        What is proved about the plan.
    cost : Fraction or RenyiSpent
        What :func:`spent` returned.

    Returns
    -------
    str
        Words.
    """
    if cost == 0:
        return "0"
    if isinstance(proved, PureDP) and isinstance(cost, Fraction):
        return short_text(cost)
    return f"all of it at delta={float(SHOWN_DELTA):g}"
