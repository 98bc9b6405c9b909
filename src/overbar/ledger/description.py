"""What a run is, in public numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from overbar.plan import Plan


def digest_of(parts: Iterable[object]) -> str:
    """Return a short name of exactly these public values, in this order.

    >>> digest_of(["tea", "rum"]) == digest_of(["tea", "rum"]), digest_of(["tea", "rum"])[:8]
    (True, '203a2fd9')
    """
    found = hashlib.sha256()
    for part in parts:
        found.update(json.dumps(part).encode() + b"\n")
    return found.hexdigest()[:32]


@dataclass(frozen=True)
class Description:
    """What a retry must have in common with its first try.

    `question` is a digest of what is public beside the numbers of the plan: candidates, columns and
    ranges, as far as they are known before the data is.
    """

    kind: str
    plan: Plan
    threshold: Fraction | None
    order: str | None = None
    purpose: str = ""
    unlisted_delta: Fraction = Fraction(0)
    question: str = ""

    def to_fields(self) -> dict[str, object]:
        """Write the description for a row."""
        return {
            "kind": self.kind,
            "plan": self.plan.to_json(),
            "threshold": None if self.threshold is None else str(self.threshold),
            "order": self.order,
            "purpose": self.purpose,
            "unlisted_delta": str(self.unlisted_delta),
            "question": self.question,
        }
