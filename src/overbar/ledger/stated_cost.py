"""What another mechanism promises about itself, so that a budget can pay for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError
from overbar.ledger.fields import number


@dataclass(frozen=True)
class StatedCost:
    """One run of another mechanism is (ε, δ)-DP. The ledger takes its word for it."""

    epsilon: Fraction
    delta: Fraction

    @classmethod
    def of(cls, epsilon: _check.Number, delta: _check.Number) -> StatedCost:
        """Return a cost, or say what is wrong with it."""
        found = cls(_check.non_negative("epsilon", epsilon), _check.probability("delta", delta))
        if found.epsilon > _check.LARGEST or not (found.epsilon or found.delta):
            raise ParameterError(
                f"epsilon and delta must be what the mechanism costs, got {epsilon} and {delta}"
            )
        return found

    def to_fields(self) -> dict[str, object]:
        """Write the cost for a row."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta)}

    @classmethod
    def from_fields(cls, fields: Mapping[str, object]) -> StatedCost:
        """Read what :meth:`to_fields` wrote."""
        return cls(number(fields, "epsilon"), number(fields, "delta"))
