"""The keys that came out, for files, the screen and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import metadata
from pathlib import Path

from overbar import _html
from overbar._files import write_whole
from overbar._numbers import exact_text, short_text
from overbar.accounting import ApproximateDP, PureDP
from overbar.cli.exit import clean
from overbar.cli.output.answer_files import (
    EVERYTHING_ELSE,
    FILE_VERSION,
    ledger_fields,
    plain,
)
from overbar.cli.output.answer_page import Purse, left_words
from overbar.cli.output.words import Statement, noise_words, promise, rounded_up
from overbar.frames import KeyQuestion, Keys
from overbar.mechanism.selection import visible


def promised(question: KeyQuestion) -> Statement:
    """Return what was asked for, which is what is kept."""
    proved = question.union.guarantee
    assert isinstance(proved, PureDP | ApproximateDP)
    return Statement(proved, question.epsilon, question.delta)


@dataclass(frozen=True)
class KeyAnswer:
    """The keys that came out, by which question, with which guarantee."""

    found: Keys
    source: str

    @property
    def items(self) -> tuple[str, ...]:
        """What the answer lists."""
        return self.found.question.measure.items

    @property
    def said(self) -> Statement:
        """What is promised."""
        return promised(self.found.question)

    @property
    def beside(self) -> Mapping[str, Sequence[int]]:
        """Counts with their intervals, where they were asked for."""
        return self.found.intervals()

    @property
    def rest(self) -> Sequence[int]:
        """Everything else, with its interval."""
        value, margin = self.found.everything_else, self.found.rest_margin
        if value is None or margin is None:
            return ()
        return value, max(0, value - margin), max(0, value + margin)

    def summary(self) -> str:
        """Say in one line what came out and what it cost."""
        receipt = self.found.receipt
        again = (
            "; the stored answer again, nothing spent now" if receipt and receipt.repeated else ""
        )
        number, rest = len(self.found), self.found.rest_in_words
        found = f"{number:,} key{'s' * (number != 1)} found; {self.said}; spent all of it{again}"
        return f"{found}; {rest}" if rest else found

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        question, counts = self.found.question, self.found.question.union.counts
        return {
            "overbar_answer": FILE_VERSION,
            "overbar": metadata.version("overbar"),
            "item": self.items[0],
            "labels": [plain(label) for label in self.found.labels],
            "counts": None
            if counts is None
            else {
                **self.beside,
                "everything_else": list(self.rest),
                "total": [self.found.total, self.found.total_margin],
                "noise": repr(counts),
            },
            "question": {"keys": question.in_words, "source": self.source},
            "rounds": [
                {"sigma": exact_text(each.sigma), "bar_in_steps": each.bar}
                for each in getattr(question.union, "rounds", ())
            ],
            "items_per_person": question.union.items_per_person,
            "at_least": question.union.at_least,
            "guarantee": {
                "statement": str(self.said),
                "epsilon": exact_text(question.epsilon),
                "delta": exact_text(question.delta),
                "unlisted_delta": float(question.union.unlisted_delta),
            },
            "ledger": ledger_fields(self.found.receipt),
        }

    def write_page(self, path: Path, purse: Purse | None) -> None:
        """Write the answer as a page."""
        write_whole(path, self.page(purse))

    def page(self, purse: Purse | None) -> str:
        """Return the answer as a page. Everything in it is public."""
        question = self.found.question
        title = f"Keys of {self.items[0]} in {self.source}"
        first, *others = promise(self.said)
        whole = _html.page(
            title,
            f"<h1>{escape(title)}</h1>",
            _html.paragraphs([f"Asked: {question.in_words}."], "soft"),
            _html.section("answer", "The answer", *self._listed()),
            _html.section(
                "promise",
                "What is guaranteed",
                f'<p class="promise">{escape(first)}</p>',
                _html.paragraphs([*others, lone_words(question)]),
                _html.paragraphs([f"In technical terms: {self.said}."], "soft"),
            ),
            _html.section(
                "accuracy",
                "What to expect",
                _html.paragraphs(["Computed without data.", question.forecast]),
            ),
            _html.section("plan", "How it was done", _html.pairs(_numbers(question))),
            _html.section(
                "cost",
                "The cost",
                _html.paragraphs(
                    [
                        f"This run has cost ε = {short_text(question.epsilon)} and "
                        f"δ = {rounded_up(float(question.delta))}, however many keys came out.",
                        *([] if purse is None else [left_words(purse)]),
                    ]
                ),
            ),
        )
        return clean(whole)

    def _listed(self) -> list[str]:
        number = len(self.found)
        count = f"{number:,} key{'s' * (number != 1)} found, sorted. How many others there are "
        lines = [count + "stays hidden.", *filter(None, [self.found.rest_in_words])]
        labels = [visible(str(label)) for label in self.found.labels]
        if not self.rest:
            items = "".join(f"<li>{escape(label)}</li>" for label in labels)
            body = f'<ol class="answer">{items}</ol>' if items else ""
            return [_html.paragraphs(lines), body]
        numbers = zip(labels, *self.beside.values(), strict=True)
        rows = [_row(*row) for row in (*numbers, (EVERYTHING_ELSE, *self.rest))]
        head = [self.items[0], "persons", "between", "and"]
        note = "In 95 of 100 cases the number lies between the two. Noise can make it negative."
        table = _html.table(head, rows, caption=note)
        return [_html.paragraphs(lines), table]


def _row(label: str, *numbers: int) -> str:
    cells = "".join(_html.cell(f"{number:,}", number=True) for number in numbers)
    return f"<tr>{_html.cell(label)}{cells}</tr>"


def lone_words(question: KeyQuestion) -> str:
    """Say which part of δ is for what one person alone has."""
    alone = float(question.union.unlisted_delta)
    return f"Of δ, {alone:.3g} is the chance that a key comes out that one person alone has."


def _numbers(question: KeyQuestion) -> list[tuple[str, str]]:
    union = question.union
    rounds = [
        (f"round {place}", f"Gaussian noise of scale {float(each.sigma):.4g} on weights")
        for place, each in enumerate(getattr(union, "rounds", ()), 1)
    ]
    counts = union.counts
    return [
        ("keys per person", f"at most {union.items_per_person:,}, by lot"),
        ("held by", f"at least {union.at_least:,}" if union.at_least > 1 else ""),
        *(rounds or [("one round", "each key by a chance that rises with its persons")]),
        ("counts", noise_words(counts.each) if counts else ""),
        (EVERYTHING_ELSE, noise_words(counts.rest) if counts else ""),
    ]
