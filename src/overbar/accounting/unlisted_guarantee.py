"""The guarantee of a run whose candidates were read off the data, as a value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._docstrings import described_as
from overbar._numbers import rounded_up, short_text
from overbar.accounting.guarantees import SHOWN_DELTA, ApproximateDP
from overbar.accounting.pure_guarantee import Guarantee, PureDP
from overbar.errors import NoGuaranteeError


@dataclass(frozen=True, repr=False)
class UnlistedDP(Guarantee):
    """(ε, δ)-differential privacy of a plan, with the δ of unlisted candidates on top.

    Parameters
    ----------
    proved : PureDP or ApproximateDP
        What is proved about the plan.
    unlisted_delta : float
        The δ of candidates that were read off the data (:func:`overbar.accounting.unlisted_delta`).

    Examples
    --------
    >>> found = UnlistedDP(PureDP(1), 2.5e-9)
    >>> found
    UnlistedDP(epsilon=1 at delta=2.5e-09)
    >>> found.at("1e-8") < 1, found.implies(1, "3e-9"), found.implies(1, "2e-9"), found.implies(9)
    (True, True, False, False)
    """

    proved: PureDP | ApproximateDP
    unlisted_delta: float

    def __repr__(self) -> str:
        pure = self.proved if isinstance(self.proved, PureDP) else self.proved.pure
        shown = [Fraction(0)] * (pure is not None)
        shown += [SHOWN_DELTA] * isinstance(self.proved, ApproximateDP)
        pairs = (
            f"epsilon={short_text(self.proved.at(delta))} at delta={_shown(self._total(delta))}"
            for delta in shown
        )
        return f"UnlistedDP({', '.join(pairs)})"

    def _total(self, delta: Fraction | float) -> float:
        return rounded_up(Fraction(delta) + Fraction(self.unlisted_delta))

    @described_as(Guarantee.at)
    def at(self, delta: Number = 0) -> Fraction | float:
        """Return the smallest ε proved at this δ.

        Parameters
        ----------
        delta : int, float, str, Fraction or Decimal, default 0
            The δ allowed, for the plan and the unlisted candidates together.

        Raises
        ------
        NoGuaranteeError
            If δ is below that of the unlisted candidates: nothing is proved there.
        """
        left = _check.probability("delta", delta) - Fraction(self.unlisted_delta)
        if left < 0:
            raise NoGuaranteeError(
                "candidates were read off the data, so nothing is proved at a delta below "
                f"{self.unlisted_delta:.3g}; ask for epsilon at a larger delta"
            )
        return self.proved.at(left)

    @described_as(Guarantee.delta)
    def delta(self, epsilon: Number) -> float:
        """Return the smallest δ proved at this ε, for the plan and the candidates together.

        Returns
        -------
        float
            A δ that holds; never zero.
        """
        return self._total(self.proved.delta(epsilon))

    @described_as(Guarantee.renyi)
    def renyi(self, order: float) -> float:  # noqa: ARG002  # no order has a bound
        """Return infinity: an item that one person holds may come out, so no bound is proved.

        Returns
        -------
        float
            Infinity.
        """
        return math.inf


def _shown(delta: float) -> str:
    """Write a δ with six digits, never below what it is."""
    up = Context(prec=6, rounding=ROUND_CEILING).create_decimal(Decimal(repr(delta)))
    return f"{float(up):.6g}"
