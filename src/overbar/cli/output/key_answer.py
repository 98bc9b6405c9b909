"""The keys that came out, for files, the screen and a page."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from html import escape
from importlib import metadata
from pathlib import Path

from overbar import _html
from overbar._files import write_whole
from overbar._numbers import exact_text, short_text
from overbar.accounting import ApproximateDP, PureDP
from overbar.cli.exit import clean
from overbar.cli.output import answer_page
from overbar.cli.output.answer_files import (
    EVERYTHING_ELSE,
    FILE_VERSION,
    count_fields,
    ledger_fields,
    plain,
)
from overbar.cli.output.answer_page import Purse, facts_of, good, left_words
from overbar.cli.output.words import Quality, Statement, noise_words, promise, rounded_up
from overbar.frames import KeyQuestion, Keys
from overbar.mechanism.counting import Count
from overbar.mechanism.selection import visible


def promised(question: KeyQuestion) -> Statement:
    """Return what was asked for, which is what is kept."""
    proved = question.union.guarantee
    assert isinstance(proved, PureDP | ApproximateDP)
    return Statement(proved, question.epsilon, question.delta)


def question_fields(question: KeyQuestion) -> dict[str, object]:
    """Return what is public before any data is touched, for a JSON file."""
    return {
        "rounds": [
            {"sigma": exact_text(each.sigma), "bar_in_steps": each.bar}
            for each in getattr(question.union, "rounds", ())
        ],
        "items_per_person": question.union.items_per_person,
        "at_least": question.union.at_least,
        "guarantee": {
            "statement": str(promised(question)),
            "epsilon": exact_text(question.epsilon),
            "delta": exact_text(question.delta),
            "unlisted_delta": float(question.union.unlisted_delta),
        },
        "how_good": Quality(question.forecast).fields(),
    }


@dataclass(frozen=True)
class KeyAnswer:
    """The keys that came out, by which question, with which guarantee."""

    found: Keys
    source: str
    purpose: str = ""

    @property
    def items(self) -> tuple[str, ...]:
        """What the answer lists."""
        return self.found.question.measure.items

    @property
    def said(self) -> Statement:
        """What is promised."""
        return promised(self.found.question)

    @property
    def quality(self) -> Quality:
        """How good the answer is; nothing about the data was used."""
        return Quality(self.found.question.forecast)

    @property
    def rest(self) -> Count | None:
        """The count of everything else, where counts were asked for."""
        return self.found.everything_else

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
        question = self.found.question
        return {
            "overbar_answer": FILE_VERSION,
            "overbar": metadata.version("overbar"),
            "item": self.items[0],
            "labels": [plain(label) for label in self.found.labels],
            **count_fields(self.found.counts),
            **self._sums(),
            "question": {"keys": question.in_words, "source": self.source},
            **question_fields(question),
            "ledger": ledger_fields(self.found.receipt),
        }

    def _sums(self) -> dict[str, object]:
        """Return everything else and the total, as counts are written."""
        counted = self.found.counted
        if counted is None:
            return {}
        rest, total = count_fields((counted.everything_else, counted.total))["counts"]
        noise = repr(self.found.question.union.counts)
        return {"everything_else": rest, "total": total, "count_noise": noise}

    def write_page(self, path: Path, purse: Purse | None) -> None:
        """Write the answer as a page."""
        write_whole(path, self.page(purse))

    def page(self, purse: Purse | None) -> str:
        """Return the answer as a page. Everything in it is public."""
        question = self.found.question
        title = f"Which values of {self.items[0]} do many persons have?"
        _, *precisely = promise(self.said)
        whole = _html.page(
            title,
            f"<h1>{escape(title)}</h1>",
            _html.pairs(facts_of(question.measure, self.source, question.in_words, self.purpose)),
            _html.section("answer", "The answer", *self._listed()),
            good(self.quality.sentence),
            answer_page.promised(self.said),
            _html.section(
                "cost",
                "The budget",
                _html.paragraphs(
                    [
                        f"This run has cost ε = {short_text(question.epsilon)} and "
                        f"δ = {rounded_up(float(question.delta))}, however many keys came out.",
                        *([] if purse is None else [left_words(purse)]),
                    ]
                ),
            ),
            _html.folded(
                "For researchers and reviewers",
                _html.section(
                    "technical",
                    "In technical terms",
                    _html.paragraphs([f"{self.said}.", *precisely, lone_words(question)]),
                ),
                _html.section("plan", "How it was done", _html.pairs(numbers_of(question))),
            ),
        )
        return clean(whole)

    def _listed(self) -> list[str]:
        number = len(self.found)
        count = f"{number:,} key{'s' * (number != 1)} found, sorted. How many others there are "
        lines = [count + "stays hidden.", *filter(None, [self.found.rest_in_words])]
        labels = [visible(str(label)) for label in self.found.labels]
        if self.rest is None or self.found.counts is None:
            items = "".join(f"<li>{escape(label)}</li>" for label in labels)
            body = f'<ol class="answer">{items}</ol>' if items else ""
            return [_html.paragraphs(lines), body]
        counts = (*self.found.counts, self.rest)
        most = max(count.high for count in counts)
        both = zip((*labels, EVERYTHING_ELSE), counts, strict=True)
        head = [self.items[0], "persons", "95 % interval", ""]
        rows = (_row(label, count, most) for label, count in both)
        table = _html.table(head, rows, look="answer")
        return [_html.paragraphs(lines), table]


def _row(label: str, count: Count, most: Fraction) -> str:
    numbers = _html.cell(count.shown, number=True) + _html.cell(count.within, number=True)
    bar = _html.error_bar(count.value, count.low, count.high, most)
    return f"<tr>{_html.cell(label)}{numbers}<td class=bar>{bar}</td></tr>"


def lone_words(question: KeyQuestion) -> str:
    """Say which part of δ is for what one person alone has."""
    alone = float(question.union.unlisted_delta)
    return f"Of δ, {alone:.3g} is the chance that a key comes out that one person alone has."


def numbers_of(question: KeyQuestion) -> list[tuple[str, str]]:
    """Return the numbers of a search as people read them, by name."""
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
