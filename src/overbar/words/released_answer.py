"""An answer with its question, and its fields for a JSON file; nothing in it is private."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from importlib import metadata
from typing import Any

from overbar._numbers import exact_text
from overbar.frames import Question
from overbar.frames.watching import WatchQuestion
from overbar.planning.key_rounds import ITEMS
from overbar.runs import Selection
from overbar.runs.counting import Count
from overbar.runs.selection import COUNT_COLUMNS
from overbar.words.account_report import what_it_cost
from overbar.words.plan_report import FEW_ITEMS, how_good, key_fields
from overbar.words.plan_words import Quality
from overbar.words.promise import Statement, price, spent_words

#: The form of the JSON file.
FILE_VERSION = 1
VERSION = metadata.version("overbar")
READ_RIGHT = (
    "Was the file read as it should be? overbar check TABLE --item … --person … shows it to you "
    "alone."
)


@dataclass(frozen=True)
class PublicList:
    """The list of candidates as a reviewer finds it; a range is no file and has no digest."""

    name: str
    items: int
    sha256: str | None = None

    def __str__(self) -> str:
        digest = "" if self.sha256 is None else f"; SHA-256 {self.sha256}"
        return f"{self.name}, {self.items:,} item{'s' * (self.items != 1)}{digest}"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came out, by which question, with which guarantee.

    `candidates` is how many items there are, if that is public.
    """

    selection: Selection
    question: Question
    promised: Statement
    source: str
    candidates: int | None = None
    purpose: str = ""
    public_list: PublicList | None = None

    @cached_property
    def released(self) -> str:
        """When it came out, in UTC: of a booked run, what the ledger says."""
        receipt = self.selection.receipt
        if receipt is not None:
            return receipt.time
        return datetime.now(UTC).isoformat(timespec="minutes")

    @cached_property
    def quality(self) -> Quality:
        """How good the answer is; nothing about the data was used.

        It is computed when the answer is paid for, so a failure here must not lose the answer.
        """
        try:
            quality = how_good(self.question, self.candidates)
            outlook = getattr(self.selection, "outlook", None)  # of alarms, for days to come
            return quality if outlook is None else replace(quality, sentence=str(outlook))
        except (ArithmeticError, ValueError):
            return Quality("")

    @property
    def persons(self) -> int | None:
        """About how many persons there are, where the question says it."""
        return getattr(self.question, "persons", None)

    @property
    def rest(self) -> Count | None:
        """The count of everything else, where keys are counted."""
        return None if self.selection.rest is None else self.selection.rest.everything_else

    @property
    def summary(self) -> str:
        """What came out and what it cost, in one line."""
        selection, plan = self.selection, self.selection.plan
        number = plan.found_text(selection.ranks, self.candidates)
        repeated = selection.receipt is not None and selection.receipt.repeated
        again = "; the stored answer again, nothing spent now" if repeated else ""
        rest = "" if selection.rest is None else f"; {selection.rest}"
        cost = f"spent {spent_words(self.promised, selection.spent)}{again}"
        if selection.receipt is not None and not repeated:
            cost = what_it_cost(self.cost, selection.receipt.standing)
        return f"{number}; {self.promised}; {cost}{rest}"

    @property
    def cost(self) -> str:
        """What was paid for the answer, when it was."""
        return price(*self.promised.cost(self.selection.spent))

    @property
    def advice(self) -> list[str]:
        """What to look at next, as far as the answer itself gives cause for it."""
        selection, measure = self.selection, self.question.measure
        if not selection:
            return [f"Nothing was found. {READ_RIGHT}"]
        if self.question.search is not None and selection.plan.items_per_person == ITEMS:
            return [FEW_ITEMS]
        if not selection.plan.for_top or measure.person is None or selection.plan.keys is not None:
            return []
        if selection.counts is None:
            return [f"A top comes out even of an empty table. {READ_RIGHT}"]
        is_low = all((count.low or 0) <= 0 for count in selection.counts)
        return [f"No count is surely above zero. {READ_RIGHT}"] if is_low else []

    @property
    def columns(self) -> dict[str, list[Hashable]]:
        """The labels found, by the columns that name them."""
        labels: list[Any] = list(self.selection.labels)
        names = self.question.measure.items
        if len(names) == 1:
            return {names[0]: labels}
        return {name: [label[place] for label in labels] for place, name in enumerate(names)}

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        receipt, counts = self.selection.receipt, self.selection.counts
        return {
            "overbar_answer": FILE_VERSION,
            "overbar": VERSION,
            "released": self.released,
            "item": list(self.columns) if len(self.columns) > 1 else next(iter(self.columns)),
            "labels": [plain(label) for label in self.selection.labels],
            **({} if counts is None else {"counts": _count_fields(counts)}),
            **self._own_fields(),
            "public_list": self.public_list and asdict(self.public_list),
            "ledger": receipt
            and {
                "dataset": receipt.dataset,
                "request": receipt.request_id,
                "run": receipt.number,
                "repeated": receipt.repeated,
                "time": receipt.time,
                "head": receipt.head,
            },
        }

    def _own_fields(self) -> dict[str, object]:
        selection, question, promised = self.selection, self.question, self.promised
        if question.search is not None:
            sums: dict[str, object] = {}
            if selection.rest is not None:
                rest, total = _count_fields(selection.rest)
                noise = repr(question.plan.keys and question.plan.keys.count_noise)
                sums = {"everything_else": rest, "total": total, "count_noise": noise}
            asked = {"keys": question.in_words, "source": self.source}
            return {**sums, "question": asked, **key_fields(question)}
        epsilon, delta = promised.cost(selection.spent)
        by = question.measure.by
        stated = promised.delta if promised.unlisted is None else promised.total_delta
        return {
            "question": {
                "score": str(question.measure),
                "source": self.source,
                "threshold": question.threshold and exact_text(question.threshold),
                **({} if by is None else {"by": by}),
                **(
                    {"days": list(map(str, question.days))}
                    if isinstance(question, WatchQuestion)
                    else {}
                ),
                "listed_items": self.candidates if question.catalogue else None,
            },
            "plan": json.loads(selection.plan.to_json()),
            "guarantee": {
                "statement": str(promised),
                "epsilon": _number(promised.epsilon),
                "delta": _number(stated),
                "plan_delta": _number(promised.delta),
                "unlisted_delta": promised.unlisted or 0.0,
                "proved_about_the_plan": repr(promised.guarantee),
            },
            "how_good": self.quality.fields(),
            "spent": _number(epsilon),
            "spent_delta": delta,
        }


def by_count(selection: Selection) -> Selection:
    """Return the same answer; where keys are counted, the highest counts come first."""
    counts = selection.counts
    if selection.plan.ordered or counts is None:
        return selection
    places = sorted(range(len(counts)), key=lambda place: -counts[place].value)
    labels = tuple(selection.labels[place] for place in places)
    return replace(selection, labels=labels, counts=tuple(counts[place] for place in places))


def _count_fields(counts: Iterable[Count]) -> list[dict[str, str | None]]:
    """Return counts for a JSON file, exactly."""
    return [
        {
            name: None if end is None else exact_text(end)
            for name, end in zip(COUNT_COLUMNS, count, strict=True)
        }
        for count in counts
    ]


def plain(label: Hashable) -> str | int | bool | list[Any]:
    """Return a label as JSON can hold it."""
    if isinstance(label, str | int):
        return label
    if isinstance(label, tuple):
        return [plain(part) for part in label]
    return label.isoformat() if isinstance(label, date) else str(label)


def _number(value: Fraction | float | Decimal) -> str:
    return exact_text(value) if isinstance(value, Fraction) else repr(value)
