"""An answer and all that is public about it, and the files it is written to.

CSV, JSON, Parquet, or a page; the screen shows an answer as CSV and JSON too.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from overbar._files import write_whole
from overbar._numbers import exact_text
from overbar.cli.output.answer_page import Purse, about_question, write_page
from overbar.cli.output.words import Quality, Statement, may_be_more, spent_words
from overbar.errors import OverbarError, ParameterError
from overbar.frames import Keys, Question
from overbar.ledger import Receipt
from overbar.mechanism import Selection
from overbar.mechanism.counting import Count
from overbar.mechanism.selection import COUNT_COLUMNS, count_columns

#: What the ending of a file says.
KINDS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".html": "html"}
#: The column that tells the order in which items were found.
FOUND = "found"
#: The line that counts what is not in the answer.
EVERYTHING_ELSE = "everything else"
#: Where a spreadsheet may begin another cell, even in quotes: it may not count a comma as an end.
CELL_ENDS = re.compile(r"([;\t\r\n])")
#: How a text begins that a spreadsheet may take for a formula.
FORMULA = re.compile(r'["\s]*[=+\-@＝＋－＠]')
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
LARGEST_SIGNED = 2**63 - 1
#: The form of the JSON file.
FILE_VERSION = 1


@dataclass(frozen=True)
class Answer:
    """What was found, by which question, with which guarantee.

    `candidates` is how many items there are, if that is public; `quality` says how good it is.
    """

    found: Selection
    question: Question
    said: Statement
    source: str
    candidates: int | None
    quality: Quality
    purpose: str = ""

    @property
    def items(self) -> tuple[str, ...]:
        """What the answer lists: the columns that name an item."""
        return self.question.measure.items

    @property
    def rest(self) -> Count | None:
        """Nothing: candidates that were not selected are not counted."""
        return None

    def summary(self) -> str:
        """Say in one line what came out and what it cost."""
        plan = self.found.plan
        number = f"{len(self.found)} of at most {plan.cutoff:,} found"
        if self.question.first is not None:
            number += " among keys that were found first, from the same budget"
        number += may_be_more(plan, len(self.found), self.candidates)
        receipt = self.found.receipt
        again = (
            "; the stored answer again, nothing spent now" if receipt and receipt.repeated else ""
        )
        return f"{number}; {self.said}; spent {spent_words(self.said, self.found.spent)}{again}"

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        epsilon, delta = self.said.cost(self.found.spent)
        return {
            "overbar_answer": FILE_VERSION,
            "overbar": metadata.version("overbar"),
            "item": self.items[0] if len(self.items) == 1 else list(self.items),
            "labels": [plain(label) for label in self.found.labels],
            **count_fields(self.found.counts),
            "question": {
                "score": str(self.question.measure),
                "source": self.source,
                "threshold": self.question.threshold and exact_text(self.question.threshold),
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
            "how_good": self.quality.fields(),
            "spent": _number(epsilon),
            "spent_delta": delta,
            "ledger": ledger_fields(self.found.receipt),
        }

    def write_page(self, path: Path, purse: Purse | None) -> None:
        """Write the answer as a page."""
        write_page(
            path,
            plan=self.found.plan,
            threshold=None if self.found.plan.is_top else self.question.threshold,
            candidates=self.candidates,
            delta=self.said.delta,
            unlisted_delta=self.question.unlisted_delta,
            selection=self.found,
            about=about_question(self.question, self.source, self.purpose, self.quality),
            ledger=purse,
        )


def count_fields(counts: tuple[Count, ...] | None) -> dict[str, list[dict[str, str | None]]]:
    """Return counts for a JSON file, one for each label, exactly; nothing where there are none."""
    if counts is None:
        return {}
    return {
        "counts": [
            {
                name: None if end is None else exact_text(end)
                for name, end in zip(COUNT_COLUMNS, count, strict=True)
            }
            for count in counts
        ]
    }


def ledger_fields(receipt: Receipt | None) -> dict[str, object] | None:
    """Return what a ledger says about an answer, for a JSON file."""
    if receipt is None:
        return None
    return {
        "dataset": receipt.dataset,
        "request": receipt.request_id,
        "run": receipt.number,
        "repeated": receipt.repeated,
        "head": receipt.head,
    }


class Listing(Protocol):
    """What the files and the screen need of any answer."""

    @property
    def found(self) -> Selection | Keys:
        """What came out."""

    @property
    def items(self) -> tuple[str, ...]:
        """What the answer lists: the columns that name an item."""

    @property
    def said(self) -> Statement:
        """What is promised."""

    @property
    def quality(self) -> Quality:
        """How good it is, in words."""

    @property
    def rest(self) -> Count | None:
        """The count of everything else; None where there is no such line."""

    def summary(self) -> str:
        """Say in one line what came out and what it cost."""

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file."""

    def write_page(self, path: Path, purse: Purse | None) -> None:
        """Write the answer as a page."""


def columns_of(answer: Listing) -> dict[str, list[Hashable]]:
    """Return the labels found, by the columns that name them."""
    labels: list[Any] = list(answer.found.labels)
    if len(answer.items) == 1:
        return {answer.items[0]: labels}
    return {name: [label[place] for label in labels] for place, name in enumerate(answer.items)}


def plain(label: Hashable) -> str | int | bool | list[Any]:
    """Return a label as JSON can hold it."""
    if isinstance(label, str | int):
        return label
    if isinstance(label, tuple):
        return [plain(part) for part in label]
    return label.isoformat() if isinstance(label, date) else str(label)


def _number(value: Fraction | float | Decimal) -> str:
    return exact_text(value) if isinstance(value, Fraction) else repr(value)


class WritingError(OverbarError):
    """An answer was found and paid for, but a file could not be written."""


def checked_targets(out: list[Path], report: Path | None) -> list[tuple[Path, str]]:
    """Return what to write as what, before the data are touched and the budget is spent.

    That it can be written, `keep_apart` makes sure.
    """
    targets = [(path, _kind(path)) for path in out]
    if report is not None:
        if _kind(report) != "html":
            raise ParameterError(f"--report must end in .html, got {report}")
        targets.append((report, "html"))
    return targets


def _kind(path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ParameterError(f"--out must end in one of {', '.join(KINDS)}, got {path}")
    return kind


def save(answer: Listing, targets: list[tuple[Path, str]], purse: Purse | None) -> list[str]:
    """Write every file; return what is to say about those that cannot be written."""
    failed: list[str] = []
    for path, kind in targets:
        try:
            if kind == "html":
                answer.write_page(path, purse)
            elif kind == "parquet":
                write_whole(path, parquet_bytes(answer))
            else:
                write_whole(path, csv_text(answer) if kind == "csv" else json_text(answer))
        except Exception as error:  # whatever it is: the budget is spent already
            why = error.strerror if isinstance(error, OSError) else None
            failed.append(f"{path} cannot be written: {why or type(error).__name__}")
    return failed


def csv_text(answer: Listing) -> str:
    """Return one line an item, in the order found; none of it is a formula to a spreadsheet."""
    columns, counts = columns_of(answer), count_columns(answer.found.counts)
    cells = [[_field(plain(label)) for label in column] for column in columns.values()]
    cells += [["" if end is None else str(end) for end in column] for column in counts.values()]
    lines = [[FOUND, *map(_field, columns), *counts]]
    lines += ([str(n), *row] for n, row in enumerate(zip(*cells, strict=True), 1))
    if answer.rest is not None:  # without a number in front: it is no label
        rest = (str(end) for (end,) in count_columns((answer.rest,)).values())
        lines.append(["", EVERYTHING_ELSE, *rest])
    return "".join(",".join(line) + "\n" for line in lines)


def _field(label: object) -> str:
    """Write a field; csv.writer leaves a CR without quotes, and what follows begins a row."""
    text = str(no_formula(label))
    quoted = any(sign in text for sign in ',;\t"\r\n')
    return '"' + text.replace('"', '""') + '"' if quoted else text


def no_formula(label: object) -> object:
    """Put an apostrophe before whatever a spreadsheet would compute; numbers stay.

    >>> no_formula("=1+1"), no_formula("@tea"), no_formula("-1.5"), no_formula(-7)
    ("'=1+1", "'@tea", '-1.5', -7)
    >>> no_formula("tea;=1+1")
    "tea;'=1+1"
    """
    if not isinstance(label, str):
        return label
    cells = CELL_ENDS.split(label)
    text = "".join(
        f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell for cell in cells
    )
    return f"'{text}" if label.startswith(("\t", "\r", "\n")) else text


def json_text(answer: Listing) -> str:
    """Return labels, plan, guarantee and cost, exactly."""
    return json.dumps(answer.fields(), indent=2, ensure_ascii=False) + "\n"


def parquet_bytes(answer: Listing) -> bytes:
    """Return the items with their own type, in the order found."""
    import pyarrow
    from pyarrow import parquet

    rest = () if answer.rest is None else (answer.rest,)
    counts = count_columns((*(answer.found.counts or ()), *rest) or answer.found.counts)
    last = [None] * len(rest)
    found = {FOUND: pyarrow.array([*range(1, len(answer.found) + 1), *last], pyarrow.int64())}
    for name, labels in columns_of(answer).items():
        kind = None if labels else pyarrow.string()
        if any(type(label) is int and label > LARGEST_SIGNED for label in labels):
            kind = pyarrow.uint64()  # Arrow would take them for signed ones and fail
        free = "item" if name in (FOUND, *counts) else name  # these columns have their names
        while free != name and free in (*answer.items, *found):
            free += "_"
        found[free] = pyarrow.array([*labels, *last], kind)
    table = pyarrow.table({**found, **counts})
    notes = {"overbar": json.dumps(answer.fields(), ensure_ascii=False)}
    content = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(notes), content)
    return content.getvalue()
