"""What is shown: plans and answers on a terminal, plain lines in a pipe.

There is no colour where none is wanted.
"""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from overbar.accounting import ApproximateDP
from overbar.calibration.key_forecast import key_forecast
from overbar.cli.exit import clean, complain
from overbar.cli.output.answer_files import csv_text, json_text
from overbar.cli.output.forecast import ENOUGH, Forecast, margin_words
from overbar.cli.output.public_answer import (
    EVERYTHING_ELSE,
    Listing,
    columns_of,
    lone_words,
    plain,
    promised,
    ranks_of,
)
from overbar.cli.output.words import (
    Quality,
    Statement,
    plan_pairs,
    promise,
    promise_about,
    what_it_does,
)
from overbar.errors import ParameterError
from overbar.frames import KeyQuestion, Question
from overbar.mechanism.selection import visible
from overbar.plans import Plan

FORMATS = ("table", "csv", "json")
#: Lines are no longer than this, however wide the screen.
WIDEST = 88
BAR = 24
#: What is done where nobody has a list.
KEYS_FIRST = (
    "There is no catalogue, so keys that many persons hold are found first, from the same budget; "
    "the question is then put to these."
)
#: What makes an answer more accurate, where it was not said.
FEW_ITEMS = (
    "Say how many items one person has at most (--items-per-person N): if they are few, the answer "
    "gets more accurate."
)
#: For streams that cannot carry a character, something they can.
PLAIN = str.maketrans(
    {"ε": "epsilon", "δ": "delta", "█": "#", "·": ".", "′": "'", "–": "-", "é": "e"}
)


class Screen:
    """Writes to standard output: bold on a terminal, plain in a pipe or with NO_COLOR."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, markup=False, emoji=False)
        self.width = max(40, min(WIDEST, self.console.width))
        try:
            "εδ█·′–".encode(sys.stdout.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            self.plain = True
        else:
            self.plain = False

    def line(self, text: str, style: str = "") -> None:
        """Write one line as it is."""
        text = clean(text.translate(PLAIN) if self.plain else text)
        self.console.print(Text(text, style), soft_wrap=True)

    def heading(self, text: str) -> None:
        """Write a heading."""
        self.line("")
        for line in textwrap.wrap(text, self.width):
            self.line(line, "bold")

    def say(self, text: str, first: str = "  ") -> None:
        """Write a paragraph; `first` opens it and the other lines are indented as far."""
        # A number and its sign of per cent stay on one line.
        joined = text.replace(" %", "\u00a0%")
        for line in textwrap.wrap(
            joined, self.width, initial_indent=first, subsequent_indent=" " * len(first)
        ):
            self.line(line.replace("\u00a0", " "))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], bold: int = -1) -> None:
        """Write a table: the first and last column to the left if they hold words."""
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        for number, row in enumerate([head, *rows]):
            cells = [
                cell.ljust(width) if cell[:1].isalpha() and place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            style = "dim" if number == 0 else "bold" if number == bold + 1 else ""
            self.line("  " + "  ".join(cells).rstrip(), style)

    def promise(self, plan: Plan, said: Statement) -> None:
        """Write what is guaranteed."""
        self.heading(f"Guaranteed: {said}")
        for line in promise_about(plan, said):
            self.say(line)
        if isinstance(said.guarantee, ApproximateDP):
            self.say(f"Proved about the plan: {said.guarantee!r}")

    def quality(self, quality: Quality) -> None:
        """Write how good the answer will be, if that can be said."""
        if quality.sentence:
            self.heading("How good it is, computed without data")
            self.say(quality.sentence)

    def numbers(self, plan: Plan, threshold: Fraction | None) -> None:
        """Write the plan as people read it."""
        self.heading(f"The plan: {what_it_does(plan)}")
        for name, value in plan_pairs(plan, threshold):
            self.say(value, first=f"  {name:<18}  ")

    def cost(self, budget: str) -> None:
        """Write what a dry run ends with."""
        self.heading("The cost")
        self.say(budget)
        self.say("This was a dry run: no data was touched and nothing was spent.")

    def expectation(self, plan: Plan, seen: Forecast) -> None:
        """Write what accuracy to expect, and how other noises would do."""
        self.heading("Expected accuracy, computed without data")
        self.say(margin_words(plan))
        bars = (("█" * round(BAR * at.above)).ljust(BAR, "·") for _, at in seen.rows)
        rows = [[*row, bar] for row, bar in zip(seen.by_margin(), bars, strict=True)]
        self.table(["margin", "above", "below", "above".ljust(BAR)], rows)
        if len(seen.lines) > 1:
            share = f"{float(100 * ENOUGH):g} %"
            self.heading(
                f"The same privacy in other ways, and the margin at which each finds {share}"
            )
            head = ["method", "scale", "threshold", "margin"]
            self.table(head, seen.by_method(), bold=seen.lines.index(seen.chosen))


def checked_format(asked: str | None) -> str:
    """Return how to show an answer: by default a table on a terminal, and CSV in a pipe."""
    if asked is None:
        return "table" if sys.stdout.isatty() else "csv"
    if asked not in FORMATS:
        raise ParameterError(f"--format must be one of {', '.join(FORMATS)}, got {asked!r}")
    return asked


def show_answer(answer: Listing, form: str) -> None:
    """Write the answer to standard output; beside CSV and JSON the summary goes to the other."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a paid answer must not fail on a letter
    if form == "table":
        console = Console(highlight=False)
        table = Table(box=None, pad_edge=False)
        table.add_column("", justify="right", style="dim")
        columns, counts = columns_of(answer), answer.found.counts
        for name in columns:
            table.add_column(Text(visible(name)), style="bold", overflow="fold")
        for head in ("count", "95 % interval") if counts is not None else ():
            table.add_column(head, justify="right")
        ranks = ranks_of(answer)
        for place, row in enumerate(zip(*columns.values(), strict=True)):
            numbers = (counts[place].shown, counts[place].within) if counts else ()
            texts = (Text(visible(str(plain(label)))) for label in row)
            table.add_row(str(ranks[place]), *texts, *numbers)
        if answer.rest is not None:
            numbers = (answer.rest.shown, answer.rest.within)
            table.add_row("", Text(EVERYTHING_ELSE, "dim"), *numbers)
        if table.row_count:
            console.print(table)
        console.print(Text(clean(answer.summary())), soft_wrap=True)
        Screen().say(promise(answer.said)[0], first="")
        if answer.quality.sentence:
            Screen().say(answer.quality.sentence, first="")
        sys.stdout.flush()
        return
    text = csv_text(answer) if form == "csv" else json_text(answer)
    if sys.stdout.isatty():  # labels may be anyone's words; into a pipe they go as they are
        text = clean(text)
    sys.stdout.write(text)
    sys.stdout.flush()
    complain(answer.summary())


def show_question(question: Question, said: Statement, quality: Quality, budget: str) -> None:
    """Show what would be asked and what it would cost, in words and numbers that are public."""
    screen = Screen()
    screen.heading(f"Asked: {question.in_words}")
    if question.plan.keys is not None:
        screen.say(KEYS_FIRST)
        screen.say(key_forecast(question.plan.keys))
    screen.promise(question.plan, said)
    screen.quality(quality)
    if question.measure.person is not None and question.measure.items_per_person is None:
        screen.say(FEW_ITEMS)
    screen.numbers(question.plan, question.threshold)
    screen.cost(budget)


def show_key_question(question: KeyQuestion, budget: str = "") -> None:
    """Show what would be asked, what would come out and what it would cost."""
    screen, said = Screen(), promised(question)
    screen.heading(f"Asked: {question.in_words}")
    screen.heading("Expected, computed without data")
    screen.say(question.forecast)
    screen.heading(f"Guaranteed: {said}")
    for line in (*promise(said), lone_words(question)):
        screen.say(line)
    if budget:
        screen.cost(budget)
