"""An answer and all that is public about it: what files, the screen and a page are made of."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

from overbar import _html
from overbar._files import write_whole
from overbar._numbers import exact_text, short_text
from overbar.accounting.guarantees import lone_delta, proved_about
from overbar.cli.output.answer_page import about_question, facts_of, laid_out, write_page
from overbar.cli.output.words import (
    Quality,
    Statement,
    may_be_more,
    noise_words,
    promise,
    quality_of,
    rounded_up,
    spent_words,
)
from overbar.frames import KeyQuestion, Question
from overbar.ledger import Standing
from overbar.mechanism import Selection
from overbar.mechanism.counting import Count
from overbar.mechanism.selection import COUNT_COLUMNS, in_groups, visible

#: The line that counts what is not in the answer.
EVERYTHING_ELSE = "everything else"
#: The form of the JSON file.
FILE_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What `select` or `top` found, by which question, with which guarantee.

    `candidates` is how many items there are, if that is public.
    """

    found: Selection
    question: Question
    said: Statement
    source: str
    candidates: int | None
    purpose: str = ""

    @cached_property
    def quality(self) -> Quality:
        """How good the answer is; nothing about the data was used.

        It is computed when the answer is paid for, so a failure here must not lose the answer.
        """
        try:
            return how_good(self.question, self.candidates)
        except (ArithmeticError, ValueError):
            return Quality("")

    @property
    def rest(self) -> Count | None:
        """Nothing: candidates that were not selected are not counted."""
        return None

    def summary(self) -> str:
        """Say in one line what came out and what it cost."""
        plan = self.found.plan
        number = f"{len(self.found)} of at most {plan.most_found:,} found{in_groups(plan)}"
        if self.question.plan.keys is not None:
            number += " among keys that were found first, from the same budget"
        number += may_be_more(plan, max(self.found.ranks, default=0), self.candidates)
        spent = spent_words(self.said, self.found.spent)
        return f"{number}; {self.said}; spent {spent}{_again(self.found)}"

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        epsilon, delta = self.said.cost(self.found.spent)
        measure = self.question.measure
        return _fields(
            self,
            question={
                "score": str(measure),
                "source": self.source,
                "threshold": self.question.threshold and exact_text(self.question.threshold),
                "order": self.question.order,
                **({} if measure.by is None else {"by": measure.by}),
                "listed_items": self.candidates if self.question.catalogue else None,
            },
            plan=json.loads(self.found.plan.to_json()),
            guarantee={
                "statement": str(self.said),
                "epsilon": _number(self.said.epsilon),
                "delta": _number(
                    self.said.delta if self.said.unlisted is None else self.said.total_delta
                ),
                "plan_delta": _number(self.said.delta),
                "unlisted_delta": self.said.unlisted or 0.0,
                "proved_about_the_plan": repr(self.said.guarantee),
            },
            how_good=self.quality.fields(),
            spent=_number(epsilon),
            spent_delta=delta,
        )

    def write_page(self, path: Path, account: Standing | None) -> None:
        """Write the answer as a page."""
        write_page(
            path,
            plan=self.found.plan,
            threshold=None if self.found.plan.for_top else self.question.threshold,
            candidates=self.candidates,
            delta=self.said.delta,
            unlisted_delta=self.question.unlisted_delta,
            selection=self.found,
            about=about_question(self.question, self.source, self.purpose, self.quality),
            ledger=account,
        )


def how_good(question: Question, candidates: int | None) -> Quality:
    """Compute how good an answer will be, in the units of its scores."""
    quality = quality_of(question.plan, question.threshold, candidates, question.measure.unit)
    if question.plan.keys is None or not quality.sentence:
        return quality
    return replace(quality, sentence=f"Of the keys that come out first: {quality.sentence}")


def promised(question: KeyQuestion) -> Statement:
    """Return what was asked for, which is what is kept."""
    return Statement(proved_about(question.plan), question.epsilon, question.delta)


def question_fields(question: KeyQuestion) -> dict[str, object]:
    """Return what is public before any data is touched, for a JSON file."""
    return {
        "rounds": [
            {"sigma": exact_text(each.sigma), "bar_in_steps": each.bar}
            for each in getattr(question.plan, "rounds", ())
        ],
        "items_per_person": question.plan.items_per_person,
        "at_least": question.plan.at_least,
        "guarantee": {
            "statement": str(promised(question)),
            "epsilon": exact_text(question.epsilon),
            "delta": exact_text(question.delta),
            "unlisted_delta": float(lone_delta(question.plan)),
        },
        "how_good": Quality(question.forecast).fields(),
    }


@dataclass(frozen=True)
class KeyAnswer:
    """The keys that came out, by which question, with which guarantee."""

    found: Selection
    question: KeyQuestion
    source: str
    purpose: str = ""

    @property
    def said(self) -> Statement:
        """What is promised."""
        return promised(self.question)

    @property
    def quality(self) -> Quality:
        """How good the answer is; nothing about the data was used."""
        return Quality(self.question.forecast)

    @property
    def rest(self) -> Count | None:
        """The count of everything else, where counts were asked for."""
        return None if self.found.rest is None else self.found.rest.everything_else

    def summary(self) -> str:
        """Say in one line what came out and what it cost."""
        told = f"{self._number()}; {self.said}; spent all of it{_again(self.found)}"
        return told if self.found.rest is None else f"{told}; {self.found.rest}"

    def _number(self) -> str:
        return f"{len(self.found):,} key{'s' * (len(self.found) != 1)} found"

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        return _fields(
            self,
            **self._sums(),
            question={"keys": self.question.in_words, "source": self.source},
            **question_fields(self.question),
        )

    def _sums(self) -> dict[str, object]:
        """Return everything else and the total, as counts are written."""
        if self.found.rest is None:
            return {}
        rest, total = count_fields(self.found.rest)
        noise = repr(self.question.plan.count_noise)
        return {"everything_else": rest, "total": total, "count_noise": noise}

    def write_page(self, path: Path, account: Standing | None) -> None:
        """Write the answer as a page. Everything in it is public."""
        question = self.question
        _, *precisely = promise(self.said)
        whole = laid_out(
            f"Which values of {question.measure.what} do many persons have?",
            facts=facts_of(question.measure, self.source, question.in_words, self.purpose),
            answer=_html.section("answer", "The answer", *self._listed()),
            quality=question.forecast,
            said=self.said,
            cost=[
                f"This run has cost ε = {short_text(question.epsilon)} and "
                f"δ = {rounded_up(float(question.delta))}, however many keys came out."
            ],
            ledger=account,
            details=[
                _html.section(
                    "technical",
                    "In technical terms",
                    _html.paragraphs([f"{self.said}.", *precisely, lone_words(question)]),
                ),
                _html.section("plan", "How it was done", _html.pairs(numbers_of(question))),
            ],
        )
        write_whole(path, whole)

    def _listed(self) -> list[str]:
        count = f"{self._number()}, sorted. How many others there are stays hidden."
        lines = [count, *([] if self.found.rest is None else [str(self.found.rest)])]
        labels = [visible(str(label)) for label in self.found.labels]
        if self.rest is None or self.found.counts is None:
            items = "".join(f"<li>{escape(label)}</li>" for label in labels)
            body = f'<ol class="answer">{items}</ol>' if items else ""
            return [_html.paragraphs(lines), body]
        counts = (*self.found.counts, self.rest)
        most = max(count.high for count in counts)
        both = zip((*labels, EVERYTHING_ELSE), counts, strict=True)
        head = [self.question.measure.what, "persons", "95 % interval", ""]
        rows = (_row(label, count, most) for label, count in both)
        table = _html.table(head, rows, look="answer")
        return [_html.paragraphs(lines), table]


#: Any answer of a table.
Listing = Answer | KeyAnswer


def _again(found: Selection) -> str:
    """Say that an answer was given before, if it was."""
    repeated = found.receipt is not None and found.receipt.repeated
    return "; the stored answer again, nothing spent now" if repeated else ""


def _fields(answer: Listing, **own: object) -> dict[str, object]:
    """Return what the JSON of every answer has, around what is its own."""
    items, receipt = answer.question.measure.items, answer.found.receipt
    counts = answer.found.counts
    return {
        "overbar_answer": FILE_VERSION,
        "overbar": metadata.version("overbar"),
        "item": items[0] if len(items) == 1 else list(items),
        "labels": [plain(label) for label in answer.found.labels],
        **({} if counts is None else {"counts": count_fields(counts)}),
        **own,
        "ledger": receipt
        and {
            "dataset": receipt.dataset,
            "request": receipt.request_id,
            "run": receipt.number,
            "repeated": receipt.repeated,
            "head": receipt.head,
        },
    }


def count_fields(counts: Iterable[Count]) -> list[dict[str, str | None]]:
    """Return counts for a JSON file, exactly."""
    return [
        {
            name: None if end is None else exact_text(end)
            for name, end in zip(COUNT_COLUMNS, count, strict=True)
        }
        for count in counts
    ]


def _row(label: str, count: Count, most: Fraction) -> str:
    numbers = _html.cell(count.shown, number=True) + _html.cell(count.within, number=True)
    bar = _html.error_bar(count.value, count.low, count.high, most)
    return f"<tr>{_html.cell(label)}{numbers}<td class=bar>{bar}</td></tr>"


def lone_words(question: KeyQuestion) -> str:
    """Say which part of δ is for what one person alone has."""
    alone = float(lone_delta(question.plan))
    return f"Of δ, {alone:.3g} is the chance that a key comes out that one person alone has."


def numbers_of(question: KeyQuestion) -> list[tuple[str, str]]:
    """Return the numbers of a search as people read them, by name."""
    plan = question.plan
    rounds = [
        (f"round {place}", f"Gaussian noise of scale {float(each.sigma):.4g} on weights")
        for place, each in enumerate(getattr(plan, "rounds", ()), 1)
    ]
    counts = plan.count_noise
    return [
        ("keys per person", f"at most {plan.items_per_person:,}, by lot"),
        ("held by", f"at least {plan.at_least:,}" if plan.at_least > 1 else ""),
        *(rounds or [("one round", "each key by a chance that rises with its persons")]),
        ("counts", noise_words(counts.each) if counts else ""),
        (EVERYTHING_ELSE, noise_words(counts.rest) if counts else ""),
    ]


def columns_of(answer: Listing) -> dict[str, list[Hashable]]:
    """Return the labels found, by the columns that name them."""
    labels: list[Any] = list(answer.found.labels)
    items = answer.question.measure.items
    if len(items) == 1:
        return {items[0]: labels}
    return {name: [label[place] for label in labels] for place, name in enumerate(items)}


def ranks_of(answer: Listing) -> Sequence[int]:
    """Return the place of each label in the order found, in its group where there are groups."""
    return answer.found.ranks


def plain(label: Hashable) -> str | int | bool | list[Any]:
    """Return a label as JSON can hold it."""
    if isinstance(label, str | int):
        return label
    if isinstance(label, tuple):
        return [plain(part) for part in label]
    return label.isoformat() if isinstance(label, date) else str(label)


def _number(value: Fraction | float | Decimal) -> str:
    return exact_text(value) if isinstance(value, Fraction) else repr(value)
