"""The strongest statement about a plan, as a value: it can be asked for ε, δ and divergences."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from overbar import _check
from overbar._check import Number
from overbar._numbers import at_most_text, calm, chance_up, exact_text, read_up, rounded_up
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.privacy.account import account_of, proofs_of
from overbar.privacy.orders import checked_log_delta, checked_order, pure_renyi
from overbar.privacy.plan import Plan
from overbar.privacy.pure import pure_covers
from overbar.report import html_of

#: The δ at which a repr shows ε.
SHOWN_DELTA = Fraction(1, 10**6)


class Guarantee(ABC):
    """What every guarantee can be asked."""

    _repr_html_ = html_of

    @abstractmethod
    def _epsilon(self, delta: Fraction) -> Fraction | float:
        """Return an ε that holds at this δ."""

    @abstractmethod
    def _delta(self, epsilon: Fraction) -> float:
        """Return a δ that holds at this ε."""

    @abstractmethod
    def _renyi(self, order: float) -> float:
        """Return a bound on the Rényi divergence of this order."""

    @calm
    def at(self, delta: Number = 0) -> Fraction | float:
        """Return the smallest ε proved at this δ; exact at δ = 0.

        Parameters
        ----------
        delta : int, float, str, Fraction or Decimal, default 0
            The δ allowed; with unlisted candidates, for these and the plan together.

        Returns
        -------
        Fraction or float
            An ε that holds, rounded up so that `implies` says so too.

        Raises
        ------
        NoGuaranteeError
            If nothing is proved at this δ.

        Examples
        --------
        >>> PureDP(1).at(), round(PureDP(1).at("1e-3"), 4)
        (Fraction(1, 1), 0.9986)
        """
        return self._epsilon(_check.probability("delta", delta))

    @calm
    def delta(self, epsilon: Number) -> float:
        """Return the smallest δ proved at this ε.

        Parameters
        ----------
        epsilon : int, float, str, Fraction or Decimal
            The ε allowed.

        Returns
        -------
        float
            A δ that holds.

        Examples
        --------
        >>> PureDP(1).delta(1), round(PureDP(1).delta("0.9"), 4)
        (0.0, 0.0696)
        """
        return self._delta(_check.non_negative("epsilon", epsilon))

    @calm
    def renyi(self, order: float) -> float:
        """Return the smallest bound proved on the Rényi divergence of this order.

        Parameters
        ----------
        order : float
            The order, above 1.

        Returns
        -------
        float
            A bound, rounded up.

        Examples
        --------
        >>> round(PureDP(1).renyi(2), 4)
        0.7353
        """
        return self._renyi(order)

    def implies(self, epsilon: Number, delta: Number = 0) -> bool:
        """Tell whether (ε, δ)-differential privacy follows.

        Parameters
        ----------
        epsilon, delta : int, float, str, Fraction or Decimal
            What is asked for.

        Returns
        -------
        bool
            True if it is proved; False if it may hold or not.

        Examples
        --------
        >>> PureDP(1).implies(2), PureDP(1).implies("0.99"), PureDP(1).implies("0.99", "0.1")
        (True, False, True)
        """
        asked = _check.non_negative("epsilon", epsilon)
        try:
            return self.at(delta) <= asked
        except NoGuaranteeError:  # nothing is proved at this δ
            return False


@dataclass(frozen=True, repr=False, order=True)
class PureDP(Guarantee):
    """Pure ε-differential privacy: a value that can be made, compared and sorted.

    Everything else follows from one fact: any pure mechanism is a post-processing of randomised
    response with its ε (Kairouz, Oh and Viswanath 2015, arXiv:1311.0776v4).

    Parameters
    ----------
    epsilon : int, float, str, Fraction or Decimal
        The ε, kept as an exact fraction. ``0.1`` means one tenth exactly.

    Examples
    --------
    >>> PureDP(0.1)
    PureDP(epsilon=0.1)
    >>> PureDP("1/3") == PureDP(Fraction(1, 3)), PureDP(1) < PureDP(2)
    (True, True)
    >>> PureDP(1).epsilon, round(PureDP(1).at("1e-3"), 4)
    (Fraction(1, 1), 0.9986)
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        # A fraction may have more digits than anyone would write: it may come from a plan.
        exact = epsilon if isinstance(epsilon, Fraction) else _check.rational("epsilon", epsilon)
        object.__setattr__(self, "epsilon", exact)
        if exact < 0:
            raise ParameterError(f"epsilon must be zero or positive, got {self!r}")

    def __repr__(self) -> str:
        return f"PureDP(epsilon={exact_text(self.epsilon)})"

    def _epsilon(self, delta: Fraction) -> Fraction | float:
        if delta == 0:
            return self.epsilon
        # e^ε = e^p - δ(1 + e^p), factored so that nothing overflows; rounded up, never below zero.
        inner = 1 - float(delta) * (1 + math.exp(-self.epsilon))
        if inner <= 0:
            return 0.0
        pure = rounded_up(self.epsilon)
        bound = read_up(max(0.0, pure + math.log(inner) + 1e-15 * (1 + pure + 1 / inner)))
        return bound if bound < self.epsilon else self.epsilon

    def _delta(self, epsilon: Fraction) -> float:
        """Zero from the pure ε on."""
        if epsilon >= self.epsilon:
            return 0.0
        return -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon)) * (1 + 1e-15)

    def _renyi(self, order: float) -> float:
        """The largest divergence of any mechanism with this pure ε."""
        return pure_renyi(float(self.epsilon) * (1 + 1e-15), order)


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


@lru_cache(maxsize=256)  # asked for several times on the way of one release
def proved_about(plan: Plan) -> PureDP | ApproximateDP:
    """Return the strongest statement that theorems prove about a plan; raise if there is none.

    Where it searches for keys, its `lone_delta` comes on top.
    """
    parts = plan.paid()
    plan = plan if len(parts) > 1 else parts[0]
    known = {part: proofs_of(part) for part in dict.fromkeys(parts)}
    unproved = [part for part, every in known.items() if not every]
    if unproved:
        unproved[0].pure()  # says why
    pure = PureDP(plan.pure()) if pure_covers(plan) else None
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
    return with_unlisted(proved_about(plan), plan.lone_delta())


def with_unlisted(
    proved: PureDP | ApproximateDP, delta: Fraction | float
) -> PureDP | ApproximateDP | UnlistedDP:
    """Return what is left of a statement where a δ of unlisted candidates comes on top."""
    return UnlistedDP(proved, delta) if delta else proved
