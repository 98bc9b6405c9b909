"""What a run is, in public numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from overbar.plan import Plan


@dataclass(frozen=True)
class Description:
    """What a retry must have in common with its first try."""

    kind: str
    plan: Plan
    threshold: Fraction | None
    order: str | None = None
    purpose: str = ""
    unlisted_delta: Fraction = Fraction(0)

    def to_fields(self) -> dict[str, object]:
        """Write the description for a row."""
        return {
            "kind": self.kind,
            "plan": self.plan.to_json(),
            "threshold": None if self.threshold is None else str(self.threshold),
            "order": self.order,
            "purpose": self.purpose,
            "unlisted_delta": str(self.unlisted_delta),
        }
