"""A plan on the screen: the promise, the numbers, what to expect. Plain text in a pipe."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from overbar._numbers import short_text
from overbar.accounting import ApproximateDP
from overbar.cli.exit import clean
from overbar.cli.output.forecast import ENOUGH, Forecast, crowd_words
from overbar.cli.output.words import (
    Statement,
    asked,
    noise_words,
    percent,
    promise,
    proviso,
    scale_words,
    what_it_does,
)
from overbar.plan import Plan

__all__ = ["Screen"]

#: Lines are no longer than this, however wide the screen.
WIDEST = 88
BAR = 24
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
        for line in [*promise(said), proviso(plan)]:
            self.say(line)
        if said.unlisted is not None:
            self.say(
                f"Of δ, δ′ = {said.unlisted:.3g} pays for candidates that are read off the data."
            )
        if isinstance(said.guarantee, ApproximateDP):
            self.say(f"Proved about the plan: {said.guarantee!r}")

    def numbers(self, plan: Plan, threshold: str | None) -> None:
        """Write the plan as people read it."""
        self.heading(f"The plan: {what_it_does(plan)}")
        resampled = ", drawn anew after each positive" if plan.resample else ""
        limit = f", at most {plan.max_queries:,} comparisons in all" if plan.max_queries else ""
        pairs = [
            ("threshold", threshold or ""),
            ("noise on scores", noise_words(plan.query_noise)),
            ("noise on threshold", noise_words(plan.threshold_noise) + resampled),
            ("correction", f"{short_text(plan.correction)} is added to the threshold"),
            ("asking", asked(plan) + limit),
            ("grid", short_text(plan.grid)),
        ]
        for name, value in pairs:
            if value:
                self.say(value, first=f"  {name:<18}  ")

    def expectation(self, plan: Plan, seen: Forecast) -> None:
        """Write what accuracy to expect, and how other noises would do."""
        self.heading("Expected accuracy, computed without data")
        self.say(crowd_words(plan, seen))
        rows = []
        for margin, found in seen.rows:
            shares = (percent(share) for share in (found.recall, found.precision, found.ncr))
            bar = "█" * round(BAR * found.recall)
            rows.append([short_text(margin), *shares, bar.ljust(BAR, "·")])
        self.table(["margin", "recall", "precision", "NCR", "recall".ljust(BAR)], rows)
        if len(seen.lines) > 1:
            self._methods(seen)

    def _methods(self, seen: Forecast) -> None:
        share = f"{float(100 * ENOUGH):g} %"
        self.heading(f"The same privacy in other ways, and the margin at which each finds {share}")
        rows = []
        for line in seen.lines:
            rows.append(
                [
                    f"{line.name} (this plan)" if line.chosen else line.name,
                    scale_words(line.plan.query_noise),
                    scale_words(line.plan.threshold_noise),
                    short_text(line.enough_at),
                ]
            )
        head = ["method", "scale", "threshold", "margin"]
        self.table(head, rows, bold=[line.chosen for line in seen.lines].index(True))
