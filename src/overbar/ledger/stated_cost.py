"""What another mechanism promises about itself, so that a budget can pay for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError

#: A curve is stated at no more orders than this.
MOST_ORDERS = 1000


@dataclass(frozen=True)
class StatedCost:
    """One run of another mechanism is (ε, δ)-DP, or has these Rényi divergences.

    The ledger takes its word for it. Of a curve ε is None; a divergence is at most that of a higher
    order, and with a `rho` at most ρ times the order, at every order.
    """

    epsilon: Fraction | None
    delta: Fraction
    renyi: tuple[tuple[Fraction, Fraction], ...] = ()
    rho: Fraction | None = None

    @classmethod
    def of(
        cls,
        epsilon: _check.Number | None,
        delta: _check.Number,
        renyi: Mapping[_check.Number, _check.Number] | None = None,
        rho: _check.Number | None = None,
    ) -> StatedCost:
        """Return a cost, or say what is wrong with it.

        Parameters
        ----------
        epsilon : int, float, str, Fraction or Decimal, optional
            What one run costs, by its own proof: it is (ε, δ)-DP. All of it stays spent.
        delta : int, float, str, Fraction or Decimal
            The δ that goes with it.
        renyi : mapping, optional
            Instead of these: orders above 1, each with a Rényi divergence, in both directions. The
            budget follows one order, and a stated order at or above it counts.
        rho : int, float, str, Fraction or Decimal, optional
            Instead of these: it is ρ-zCDP, so that its divergence of order a is ρ·a.

        Returns
        -------
        StatedCost
            The cost.

        Raises
        ------
        ParameterError
            If it is said in no way, or in two.
        """
        allowed = _check.probability("delta", delta)
        if epsilon is not None and renyi is None and rho is None:
            found = cls(_check.non_negative("epsilon", epsilon), allowed)
            if (found.epsilon or 0) > _check.LARGEST or not (found.epsilon or found.delta):
                raise ParameterError(
                    f"epsilon and delta must be what the mechanism costs, got {epsilon} and {delta}"
                )
            return found
        if epsilon is not None or allowed or (renyi is None) == (rho is None):
            raise ParameterError(
                "write what the mechanism costs in one way: epsilon and delta, or renyi with a "
                "divergence for each order, or rho"
            )
        if rho is not None:
            return cls(None, allowed, (), _check.positive("rho", rho))
        return cls(None, allowed, _checked_curve(renyi))

    @property
    def is_possible(self) -> bool:
        """Whether it is said in one way, with numbers that :meth:`of` would take."""
        orders = [order for order, _ in self.renyi]
        costs = [cost for _, cost in self.renyi] + [self.epsilon or 0, self.rho or 0, self.delta]
        ways = (self.epsilon is not None) + bool(orders) + (self.rho is not None)
        return (
            ways == 1
            and (self.epsilon is not None or not self.delta)
            and 0 < max(costs) <= _check.LARGEST
            and self.delta < 1
            and len(orders) <= MOST_ORDERS
            and orders == sorted(orders)
            and all(order > 1 for order in orders)
        )

    @property
    def is_curve(self) -> bool:
        """Whether divergences are stated, and no ε."""
        return self.epsilon is None

    def divergence(self, order: Fraction) -> Fraction | None:
        """Return a bound on the divergence of an order; None where nothing is stated about it.

        Parameters
        ----------
        order : Fraction
            The order, above 1.

        Returns
        -------
        Fraction or None
            The bound.
        """
        if self.rho is not None:
            return self.rho * order
        return min((cost for stated, cost in self.renyi if stated >= order), default=None)


def _checked_curve(renyi: object) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return orders above one, rising, each with a divergence."""
    wish = "renyi must be a mapping from orders above 1 to divergences, such as {8: 0.2}"
    if not isinstance(renyi, Mapping) or not 0 < len(renyi) <= MOST_ORDERS:
        raise ParameterError(f"{wish}, of 1 to {MOST_ORDERS:,} orders")
    found = sorted(
        (_check.positive("an order of renyi", order), _check.non_negative("renyi", cost))
        for order, cost in renyi.items()
    )
    orders, costs = zip(*found, strict=True)
    if orders[0] <= 1:
        raise ParameterError(f"{wish}, got an order of {orders[0]}")
    if not any(costs) or max(costs) > _check.LARGEST:
        raise ParameterError(f"{wish}, which must be what the mechanism costs")
    return tuple(found)
