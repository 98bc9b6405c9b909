"""What a guarantee can be asked, and the simplest one: pure ε-differential privacy."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import calm, exact_text, read_up, rounded_up
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.privacy.orders import pure_renyi
from overbar.report import html_of


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
