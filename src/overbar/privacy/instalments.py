"""What a run pays on its way: when it begins, and with each positive. What is not paid comes back.

A charge on average, such as a Rényi divergence, may be paid by *instalments* if its proof is a
filter (``Proof`` in ``privacy/proofs.py``): something at the start, such as the shift of the
threshold's noise, and the same for each positive. One proof is taken for a run before it begins.

Theory: :doc:`/theory/instalments`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from overbar import _check
from overbar._numbers import at_most_text
from overbar.errors import ParameterError
from overbar.privacy.account import account_of
from overbar.privacy.guarantees import SHOWN_DELTA, ApproximateDP, PureDP
from overbar.privacy.plan import Plan
from overbar.privacy.pure import pure_covers

#: A difference of floats is raised by this part of them: more than both are off by.
ROUNDING = Fraction(1, 2**50)
NOTHING = Fraction(0)


@dataclass(frozen=True)
class Instalments:
    """What is paid when a run begins and with each positive, and in all: never more than that."""

    start: Fraction
    each: Fraction
    whole: Fraction


def _part_of_positives(plan: Plan) -> int | None:
    """Return which part of an account gives the positives; None if values or groups give more."""
    more = plan.groups is not None or plan.gives_values
    return None if more else account_of(plan).labels


@lru_cache(maxsize=64)
def renyi_instalments(plan: Plan, order: float) -> tuple[Instalments, ...]:
    """Return all ways to pay for a run at an order on its way that are proved; the least first."""
    account, labels = account_of(plan), _part_of_positives(plan)
    if labels is None:
        return ()
    rest, ways = account.rest(order), []  # other parts are paid at once
    every = (proof for proved in account.parts[labels] for proof in proved.every)
    # Each proof is a filter by itself; the least of several on the way would be none.
    for run in (proof for proof in every if proof.is_filter):
        whole = run.renyi(order)
        if math.isfinite(whole + rest):
            start, first = Fraction(run.spent(0, order)), Fraction(run.spent(1, order))
            each = first - start + first * ROUNDING if first > start else NOTHING
            beside = Fraction(rest)
            ways.append(Instalments(start + beside, each, Fraction(whole) + beside))
    return tuple(sorted(ways, key=lambda way: way.whole))


@dataclass(frozen=True, repr=False)
class RenyiSpent:
    """What a run without a pure guarantee has cost so far: a number for each Rényi order."""

    plan: Plan
    positives: int

    def __repr__(self) -> str:
        return f"RenyiSpent({self.renyi(2.0):.6g} at order 2)"

    def renyi(self, order: float) -> float:
        """Return the Rényi cost at this order; of the whole plan where no filter is proved.

        By the proof that is best for a whole run: the least of several costs so far is no filter.
        """
        account, labels = account_of(self.plan), _part_of_positives(self.plan)
        if labels is None:
            return account.renyi(order)
        own = account.best_proof(labels, order)
        return account.rest(order) + own.spent(self.positives, order)


def checked_positives(plan: Plan, positives: int) -> int:
    """Return a number of positives that a run of the plan can have given."""
    given = _check.whole("positives", positives, lowest=0)
    if given > plan.most_found:
        raise ParameterError(f"positives must be at most {plan.most_found:,}, got {positives}")
    return given


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
        return plan.pure(given)
    return RenyiSpent(plan, plan.most_found if given is None else given)


def spent_text(proved: PureDP | ApproximateDP, cost: Fraction | RenyiSpent) -> str:
    """Write a cost for people, at the δ's at which the guarantee beside it is shown.

    One number that fits what is promised: at δ = 0 a run has cost what its positives have; at a
    positive δ a run by itself has cost all of it, whatever it found.
    """
    if cost == 0:
        return "0"
    if isinstance(proved, PureDP) and isinstance(cost, Fraction):
        return at_most_text(cost)
    return f"all of it at delta={at_most_text(SHOWN_DELTA)}"
