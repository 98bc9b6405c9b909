"""What is shown: tables on a terminal, plain lines in a pipe, no colour where none is wanted."""

from __future__ import annotations

import io
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from overbar._numbers import short_text
from overbar.cli.exit import clean, complain
from overbar.cli.output.answer import Answer, plain
from overbar.cli.output.answer_files import csv_text, json_text
from overbar.cli.output.plan_screen import Screen
from overbar.cli.output.words import Statement, promise
from overbar.errors import ParameterError
from overbar.frames import Question
from overbar.mechanism.selection import visible

FORMATS = ("table", "csv", "json")


def checked_format(asked: str | None) -> str:
    """Return how to show an answer: by default a table on a terminal, and CSV in a pipe."""
    if asked is None:
        return "table" if sys.stdout.isatty() else "csv"
    if asked not in FORMATS:
        raise ParameterError(f"--format must be one of {', '.join(FORMATS)}, got {asked!r}")
    return asked


def show_answer(answer: Answer, form: str) -> None:
    """Write the answer to standard output; beside CSV and JSON the summary goes to the other."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a paid answer must not fail on a letter
    if form == "table":
        console = Console(highlight=False)
        table = Table(box=None, pad_edge=False)
        table.add_column("", justify="right", style="dim")
        table.add_column(Text(visible(answer.item)), style="bold", overflow="fold")
        for rank, label in enumerate(answer.found.labels, 1):
            table.add_row(str(rank), Text(visible(str(plain(label)))))
        if answer.found.labels:
            console.print(table)
        console.print(Text(clean(answer.summary())), soft_wrap=True)
        Screen().say(promise(answer.said)[0], first="")
        return
    text = csv_text(answer) if form == "csv" else json_text(answer)
    if sys.stdout.isatty():  # labels may be anyone's words; into a pipe they go as they are
        text = clean(text)
    sys.stdout.write(text)
    sys.stdout.flush()
    complain(answer.summary())


def show_question(question: Question, said: Statement, budget: str) -> None:
    """Show what would be asked and what it would cost, in words and numbers that are public."""
    catalogue = question.catalogue
    if catalogue is not None:
        among = f"{len(catalogue):,} items of the catalogue"
    elif question.measure.kind == "score":
        among = "all items of the table"
    else:
        among = "items read off the table"
    screen = Screen()
    screen.heading(f"Asked: {question.measure}, among {among}")
    screen.promise(question.plan, said)
    screen.numbers(question.plan, short_text(question.threshold))
    screen.heading("The cost")
    screen.say(budget)
    screen.say("This was a dry run: no data was touched and nothing was spent.")
