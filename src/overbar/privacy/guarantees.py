"""The strongest statement about a plan, and what a run has cost so far: the best theorem's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from overbar._numbers import at_most_text, chance_up, read_up, rounded_up
from overbar.errors import NoGuaranteeError
from overbar.plans import Plan
from overbar.privacy import (  # noqa: F401  # they say what plans of a kind cost
    histogram,
    key_rounds,
    one_key,
    read_off_candidates,
    theorems,
)
from overbar.privacy.account import account_of, proofs_of
from overbar.privacy.orders import checked_log_delta, checked_order
from overbar.privacy.pure import checked_positives, pure_covers, pure_epsilon
from overbar.privacy.pure_guarantee import Guarantee, PureDP
from overbar.privacy.read_off_candidates import lone_cost

#: The δ at which a repr shows ε.
SHOWN_DELTA = Fraction(1, 10**6)


@dataclass(frozen=True, repr=False)
class ApproximateDP(Guarantee):
    """(ε, δ)-differential privacy for every δ: the best of all theorems that cover the plan.

    Made by :func:`overbar.guarantee`.

    Parameters
    ----------
    plan : Plan
        The plan it is about.
    pure : PureDP or None
        What is proved at δ = 0, if anything is.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, delta="1e-6", cutoff=9, candidates=99, noise="gumbel")
    >>> proved = overbar.guarantee(plan)
    >>> proved.implies(1, "1e-6"), proved.implies(1)
    (True, False)
    """

    plan: Plan
    pure: PureDP | None

    def __repr__(self) -> str:
        at_zero = f"epsilon={at_most_text(self.pure.epsilon)} at delta=0, " if self.pure else ""
        return (
            f"ApproximateDP({at_zero}epsilon={at_most_text(self.at(SHOWN_DELTA))} "
            f"at delta={at_most_text(SHOWN_DELTA)})"
        )

    def _epsilon(self, delta: Fraction) -> Fraction | float:
        if delta == 0:
            if self.pure is None:
                raise NoGuaranteeError(
                    "this plan has no pure guarantee; ask for epsilon at a positive delta"
                )
            return self.pure.epsilon
        found = read_up(account_of(self.plan).epsilon(checked_log_delta(delta)))
        return found if self.pure is None else min(found, self.pure.at(delta))

    def _delta(self, epsilon: Fraction) -> float:
        least = self.pure.delta(epsilon) if self.pure else 1.0
        value = account_of(self.plan).log_delta(-rounded_up(-epsilon)) if least else -math.inf
        return min(least, 0.0 if value == -math.inf else chance_up(math.exp(value)))

    def _renyi(self, order: float) -> float:
        return account_of(self.plan).renyi(checked_order(order))


@dataclass(frozen=True, repr=False)
class UnlistedDP(Guarantee):
    """(ε, δ)-differential privacy of a plan, with the δ of unlisted candidates on top.

    Parameters
    ----------
    proved : PureDP or ApproximateDP
        What is proved about the plan beside that.
    unlisted_delta : Fraction or float
        The δ of candidates that were read off the data: of a run
        (:func:`overbar.privacy.unlisted_delta`), or of a search for keys.

    Examples
    --------
    >>> proved = UnlistedDP(PureDP(1), 2.5e-9)
    >>> proved
    UnlistedDP(epsilon=1 at delta=2.5e-9)
    >>> proved.at("1e-8") < 1, proved.implies(1, "3e-9"), proved.implies(1, "2e-9")
    (True, True, False)
    """

    proved: PureDP | ApproximateDP
    unlisted_delta: Fraction | float

    def __repr__(self) -> str:
        pure = self.proved if isinstance(self.proved, PureDP) else self.proved.pure
        shown = [Fraction(0)] * (pure is not None)
        shown += [SHOWN_DELTA] * isinstance(self.proved, ApproximateDP)
        pairs = (
            f"epsilon={at_most_text(self.proved.at(delta))} at "
            f"delta={at_most_text(delta + _written(self.unlisted_delta))}"
            for delta in shown
        )
        return f"UnlistedDP({', '.join(pairs)})"

    def _epsilon(self, delta: Fraction) -> Fraction | float:
        left = delta - Fraction(self.unlisted_delta)
        if left < 0:
            raise NoGuaranteeError(
                "candidates were read off the data, so nothing is proved at a delta below "
                f"{at_most_text(self.unlisted_delta)}; ask for epsilon at a larger delta"
            )
        return self.proved.at(left)

    def _delta(self, epsilon: Fraction) -> float:
        """Never zero: it is for the plan and the candidates together."""
        total = Fraction(self.proved.delta(epsilon)) + Fraction(self.unlisted_delta)
        return min(1.0, rounded_up(total))

    def _renyi(self, order: float) -> float:  # noqa: ARG002  # no order has a bound
        """Infinite: an item that one person holds may come out, so no bound is proved."""
        return math.inf


def _written(delta: Fraction | float) -> Fraction:
    """Return a δ as it would be written."""
    return delta if isinstance(delta, Fraction) else Fraction(repr(delta))


@lru_cache(maxsize=256)
def lone_delta(plan: Plan) -> Fraction:
    """Return the chance that a key comes out that one person alone holds; zero without keys.

    It comes on top of all that is proved about a plan by its theorems.

    Parameters
    ----------
    plan : Plan
        Any plan.

    Returns
    -------
    Fraction
        The sum over all searches for keys in it, each rounded up.
    """
    return sum(map(lone_cost, plan.paid()), Fraction(0))


@lru_cache(maxsize=256)  # asked for several times on the way of one release
def proved_about(plan: Plan) -> PureDP | ApproximateDP:
    """Return the strongest statement that theorems prove about a plan; raise if there is none.

    Where it searches for keys, `lone_delta` comes on top.
    """
    parts = plan.paid()
    plan = plan if len(parts) > 1 else parts[0]
    known = {part: proofs_of(part) for part in dict.fromkeys(parts)}
    unproved = [part for part, every in known.items() if not every]
    if unproved:
        pure_epsilon(unproved[0])  # says why
    pure = PureDP(pure_epsilon(plan)) if pure_covers(plan) else None
    if pure is not None and all(len(every) == 1 for every in known.values()):
        return pure
    return ApproximateDP(plan, pure)


def guarantee(plan: Plan) -> PureDP | ApproximateDP | UnlistedDP:
    """Return the strongest statement proved about a plan; raise if there is none.

    Parameters
    ----------
    plan : Plan
        Any plan, also one made by hand.

    Returns
    -------
    PureDP, ApproximateDP or UnlistedDP
        A value: ``at(delta)`` is the ε at a δ, and ``delta(epsilon)`` the δ at an ε. The last of
        them if keys are searched for: of δ a part is for what one person alone holds.

    Raises
    ------
    NoGuaranteeError
        If nothing is proved; the message says what to change.

    Examples
    --------
    >>> import overbar
    >>> guarantee(overbar.plan(epsilon="0.1", cutoff=50, candidates=10_000))
    PureDP(epsilon=0.1)
    >>> plan = overbar.plan(epsilon=1, delta="1e-6", cutoff=50, noise="gumbel", candidates=10_000)
    >>> round(guarantee(plan).at("1e-6"), 6)
    1.0
    """
    return with_unlisted(proved_about(plan), lone_delta(plan))


def with_unlisted(
    proved: PureDP | ApproximateDP, delta: Fraction | float
) -> PureDP | ApproximateDP | UnlistedDP:
    """Return what is left of a statement where a δ of unlisted candidates comes on top."""
    return UnlistedDP(proved, delta) if delta else proved


@dataclass(frozen=True, repr=False)
class RenyiSpent:
    """What a run without a pure guarantee has cost so far: a number for each Rényi order.

    For a filter the order must be fixed beforehand (``Proof`` in ``privacy/ways.py``).
    """

    plan: Plan
    positives: int

    def __repr__(self) -> str:
        return f"RenyiSpent({self.renyi(2.0):.6g} at order 2)"

    def renyi(self, order: float) -> float:
        """Return the Rényi cost at this order; of the whole plan where no filter is proved.

        By the theorem that is best for a whole run at this order: it is fixed beforehand, as the
        least of several costs so far would not be a filter.

        Parameters and result are those of :meth:`overbar.privacy.Guarantee.renyi`.
        """
        account = account_of(self.plan)
        if self.plan.groups is not None or self.plan.gives_values or account.labels is None:
            return account.renyi(order)
        own = account.best_proof(account.labels, order)
        return account.rest(order) + own.spent(self.positives, order)


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
    positive δ a run by itself has cost all of it, whatever it found.

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
        return at_most_text(cost)
    return f"all of it at delta={at_most_text(SHOWN_DELTA)}"
