"""An answer and all that is public about it: what every output writes down."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from importlib import metadata

from overbar._numbers import exact_text
from overbar.cli.output.words import Statement, spent_words
from overbar.frames import Question
from overbar.mechanism import Selection

__all__ = ["Answer", "plain"]

#: The form of the JSON file.
FILE_VERSION = 1


@dataclass(frozen=True)
class Answer:
    """What was found, by which question, with which guarantee.

    `kind` is "select" or "top"; `candidates` is how many items there are, if that is public.
    """

    found: Selection
    question: Question
    said: Statement
    source: str
    kind: str
    candidates: int | None

    @property
    def item(self) -> str:
        """What the answer lists."""
        return self.question.measure.item

    def summary(self) -> str:
        """Say in one line what came out and what it cost."""
        number = f"{len(self.found)} of at most {self.found.plan.cutoff:,} found"
        receipt = self.found.receipt
        again = (
            "; the stored answer again, nothing spent now" if receipt and receipt.repeated else ""
        )
        return f"{number}; {self.said}; spent {spent_words(self.said, self.found.spent)}{again}"

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        import json

        receipt = self.found.receipt
        epsilon, delta = self.said.cost(self.found.spent)
        return {
            "overbar_answer": FILE_VERSION,
            "overbar": metadata.version("overbar"),
            "item": self.item,
            "labels": [plain(label) for label in self.found.labels],
            "question": {
                "score": str(self.question.measure),
                "source": self.source,
                "threshold": exact_text(self.question.threshold),
                "order": self.question.order,
                "listed_items": len(self.question.catalogue) if self.question.catalogue else None,
            },
            "plan": json.loads(self.found.plan.to_json()),
            "guarantee": {
                "statement": str(self.said),
                "epsilon": _number(self.said.epsilon),
                "delta": _number(
                    self.said.delta if self.said.unlisted is None else self.said.total_delta
                ),
                "plan_delta": _number(self.said.delta),
                "unlisted_delta": self.found.unlisted_delta,
                "proved_about_the_plan": repr(self.said.guarantee),
            },
            "spent": _number(epsilon),
            "spent_delta": delta,
            "ledger": receipt
            and {
                "dataset": receipt.dataset,
                "request": receipt.request_id,
                "run": receipt.number,
                "repeated": receipt.repeated,
                "head": receipt.head,
            },
        }


def plain(label: Hashable) -> str | int | bool:
    """Return a label as JSON can hold it."""
    if isinstance(label, str | int):
        return label
    return label.isoformat() if isinstance(label, date) else str(label)


def _number(value: Fraction | float | Decimal) -> str:
    return exact_text(value) if isinstance(value, Fraction) else repr(value)
