"""Guarantees as values: what was proved about a plan, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text, rounded_up, short_text
from overbar.accounting.capped import capped_covers, capped_delta, capped_epsilon, capped_renyi
from overbar.accounting.composition import composed_delta, composed_epsilon, composed_renyi
from overbar.accounting.histogram import (
    histogram_covers,
    histogram_curve_delta,
    histogram_curve_epsilon,
    histogram_curve_renyi,
)
from overbar.accounting.partial_shift import (
    shifted_covers,
    shifted_delta,
    shifted_epsilon,
    shifted_renyi,
    shifted_spent,
)
from overbar.accounting.pure import pure_covers, pure_epsilon
from overbar.accounting.race import (
    bare_covers,
    bare_delta,
    bare_epsilon,
    bare_renyi,
    race_covers,
    race_delta,
    race_epsilon,
    race_renyi,
    race_spent,
)
from overbar.accounting.renyi import (
    pure_renyi,
    resampled_covers,
    resampled_delta,
    resampled_epsilon,
    resampled_renyi,
    resampled_spent,
)
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.plan import Plan

#: The δ at which a repr shows ε.
SHOWN_DELTA = Fraction(1, 10**6)


class Guarantee(Protocol):
    """What every guarantee can be asked."""

    def at(self, delta: Number = 0) -> Fraction | float:
        """Return an ε that holds at this δ; exact at δ = 0."""

    def delta(self, epsilon: Number) -> float:
        """Return a δ that holds at this ε."""

    def renyi(self, order: float) -> float:
        """Return a bound on the Rényi divergence of this order, above 1."""

    def implies(self, epsilon: Number, delta: Number = 0) -> bool:
        """Tell whether (ε, δ)-differential privacy follows."""


@dataclass(frozen=True, repr=False, order=True)
class PureDP:
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

    def at(self, delta: Number = 0) -> Fraction | float:
        """Return the smallest ε at this δ; exact at δ = 0.

        Parameters
        ----------
        delta : int, float, str, Fraction or Decimal, default 0
            The δ allowed.

        Returns
        -------
        Fraction or float
            An ε that holds, rounded up.
        """
        allowed = _check.probability("delta", delta)
        if allowed == 0:
            return self.epsilon
        # e^ε = e^p - δ(1 + e^p), factored so that nothing overflows; rounded up, never below zero.
        inner = 1 - float(allowed) * (1 + math.exp(-self.epsilon))
        if inner <= 0:
            return 0.0
        pure = rounded_up(self.epsilon)
        return min(pure, max(0.0, pure + math.log(inner) + 1e-15 * (1 + pure + 1 / inner)))

    def delta(self, epsilon: Number) -> float:
        """Return the smallest δ at this ε: zero from the pure ε on.

        Parameters
        ----------
        epsilon : int, float, str, Fraction or Decimal
            The ε allowed.

        Returns
        -------
        float
            A δ that holds.
        """
        asked = _check.non_negative("epsilon", epsilon)
        if asked >= self.epsilon:
            return 0.0
        return -math.expm1(asked - self.epsilon) / (1 + math.exp(-self.epsilon)) * (1 + 1e-15)

    def renyi(self, order: float) -> float:
        """Return the largest Rényi divergence of any mechanism with this pure ε.

        Parameters
        ----------
        order : float
            The order, above 1.

        Returns
        -------
        float
            A bound, rounded up.
        """
        return pure_renyi(float(self.epsilon) * (1 + 1e-15), order)

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
        return self.at(delta) <= _check.non_negative("epsilon", epsilon)


class Curve(NamedTuple):
    """A theorem that gives a whole curve of (ε, δ) for the plans it covers."""

    covers: Callable[[Plan], bool]
    epsilon: Callable[[Plan, Number], float]
    delta: Callable[[Plan, Number], float]
    renyi: Callable[[Plan, float], float]
    #: What a run has cost after so many positives, at an order; None where that is all of it.
    spent: Callable[[Plan, int, float], float] | None


#: The theorems beyond Theorem 1.
CURVES = (
    Curve(race_covers, race_epsilon, race_delta, race_renyi, race_spent),
    Curve(shifted_covers, shifted_epsilon, shifted_delta, shifted_renyi, shifted_spent),
    Curve(bare_covers, bare_epsilon, bare_delta, bare_renyi, None),
    Curve(resampled_covers, resampled_epsilon, resampled_delta, resampled_renyi, resampled_spent),
    Curve(capped_covers, capped_epsilon, capped_delta, capped_renyi, None),
    Curve(
        histogram_covers,
        histogram_curve_epsilon,
        histogram_curve_delta,
        histogram_curve_renyi,
        None,
    ),
)


@dataclass(frozen=True, repr=False)
class ApproximateDP:
    """(ε, δ)-differential privacy for every δ: the best of all theorems that cover the plan.

    Made by :func:`overbar.guarantee`.

    Parameters
    ----------
    plan : Plan
        The plan it is about.
    curves : tuple of Curve
        The theorems that cover it.
    pure : PureDP or None
        What is proved at δ = 0, if anything is.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.calibrate(epsilon=1, delta="1e-6", cutoff=9, candidates=99, noise="gumbel")
    >>> proved = overbar.guarantee(plan)
    >>> proved.implies(1, "1e-6"), proved.implies(1)
    (True, False)
    """

    plan: Plan
    curves: tuple[Curve, ...]
    pure: PureDP | None

    def __repr__(self) -> str:
        at_zero = f"epsilon={short_text(self.pure.epsilon)} at delta=0, " if self.pure else ""
        return (
            f"ApproximateDP({at_zero}epsilon={short_text(self.at(SHOWN_DELTA))} "
            f"at delta={float(SHOWN_DELTA):g})"
        )

    def at(self, delta: Number = 0) -> Fraction | float:
        """Return the smallest ε proved at this δ; exact at δ = 0.

        Parameters
        ----------
        delta : int, float, str, Fraction or Decimal, default 0
            The δ allowed.

        Returns
        -------
        Fraction or float
            An ε that holds, rounded up.

        Raises
        ------
        NoGuaranteeError
            At δ = 0, if nothing is proved there.
        """
        if _check.probability("delta", delta) == 0:
            if self.pure is None:
                raise NoGuaranteeError(
                    "this plan has no pure guarantee; ask for epsilon at a positive delta"
                )
            return self.pure.epsilon
        proved: list[Fraction | float] = [curve.epsilon(self.plan, delta) for curve in self.curves]
        return min([*proved, *([self.pure.at(delta)] if self.pure else [])])

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
        """
        proved = [curve.delta(self.plan, epsilon) for curve in self.curves]
        return min([*proved, *([self.pure.delta(epsilon)] if self.pure else [])])

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
        """
        proved = [curve.renyi(self.plan, order) for curve in self.curves]
        return min([*proved, *([self.pure.renyi(order)] if self.pure else [])])

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
        """
        asked = _check.non_negative("epsilon", epsilon)
        if self.pure is None and _check.probability("delta", delta) == 0:
            return False
        return self.at(delta) <= asked


def proved_parts(plan: Plan) -> tuple[PureDP | ApproximateDP, ...]:
    """Return what is proved about each of the parts of a plan."""
    return tuple(map(guarantee, plan.parts))


def _is_more_than_pure(plan: Plan) -> bool:
    return not all(isinstance(proved, PureDP) for proved in proved_parts(plan))


#: For plans of several parts, of which not all are pure.
COMPOSED = Curve(
    _is_more_than_pure,
    lambda plan, delta: composed_epsilon(proved_parts(plan), delta),
    lambda plan, epsilon: composed_delta(proved_parts(plan), epsilon),
    lambda plan, order: composed_renyi(proved_parts(plan), order),
    None,
)


def guarantee(plan: Plan) -> PureDP | ApproximateDP:
    """Return the strongest statement proved about a plan; raise if there is none.

    Parameters
    ----------
    plan : Plan
        Any plan, also one made by hand.

    Returns
    -------
    PureDP or ApproximateDP
        A value: ``at(delta)`` is the ε at a δ, and ``delta(epsilon)`` the δ at an ε.

    Raises
    ------
    NoGuaranteeError
        If nothing is proved; the message says what to change.

    Examples
    --------
    >>> from overbar import calibrate
    >>> guarantee(calibrate(epsilon="0.1", cutoff=50, candidates=10_000))
    PureDP(epsilon=0.1)
    >>> plan = calibrate(epsilon=1, delta="1e-6", cutoff=50, noise="gumbel", candidates=10_000)
    >>> round(guarantee(plan).at("1e-6"), 9)
    1.0
    """
    theorems = CURVES if len(plan.parts) == 1 else (COMPOSED,)
    curves = tuple(curve for curve in theorems if curve.covers(plan))
    if curves and not pure_covers(plan):
        return ApproximateDP(plan, curves, None)
    pure = PureDP(pure_epsilon(plan))  # says why, if nothing covers the plan
    return ApproximateDP(plan, curves, pure) if curves else pure
