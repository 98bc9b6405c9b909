"""What is said of a run: names, words and public numbers, safe to look up and to show."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError
from overbar.ledger.stated_cost import StatedCost
from overbar.plan import Plan

LONGEST_NAME = 200
LONGEST_NOTE = 2000


def checked_name(what: str, value: object) -> str:
    """Return a name that a row can be looked up by."""
    # Printable: SQLite ends text at a zero, and a terminal obeys what it is shown.
    if (
        not isinstance(value, str)
        or not value.strip()
        or len(value) > LONGEST_NAME
        or not value.isprintable()
    ):
        raise ParameterError(
            f"{what} must be a name of 1 to {LONGEST_NAME} printable characters, "
            f"got {_check._show(value)}"
        )
    return value


def checked_words(what: str, value: object) -> str:
    """Return a text that is only ever shown."""
    if (
        not isinstance(value, str)
        or len(value) > LONGEST_NOTE
        or not all(sign.isprintable() or sign in "\n\t" for sign in value)
    ):
        raise ParameterError(
            f"{what} must be printable text of at most {LONGEST_NOTE} characters, "
            f"got {_check._show(value)}"
        )
    return value


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
    ranges, as far as they are known before the data is. `plan` may be the cost of another
    mechanism, which has no plan.
    """

    kind: str
    plan: Plan | StatedCost
    threshold: Fraction | None
    order: str | None = None
    purpose: str = ""
    unlisted_delta: Fraction = Fraction(0)
    question: str = ""

    def to_fields(self) -> dict[str, object]:
        """Write the description for a row."""
        cost: dict[str, object] = (
            {"stated": self.plan.to_fields()}
            if isinstance(self.plan, StatedCost)
            else {"plan": self.plan.to_json()}
        )
        return {
            "kind": self.kind,
            **cost,
            "threshold": None if self.threshold is None else str(self.threshold),
            "order": self.order,
            "purpose": self.purpose,
            "unlisted_delta": str(self.unlisted_delta),
            "question": self.question,
        }
