"""What is shown: reports on a terminal, plain lines in a pipe, signs of life while one waits.

No colour where none is wanted.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from overbar.cli.answer_files import csv_text
from overbar.cli.exit import complain, tell
from overbar.errors import ParameterError
from overbar.report import Report
from overbar.report.as_text import WIDEST, Styled, brief, clean, lines
from overbar.report.report import json_text
from overbar.words.answer_report import answer_report
from overbar.words.promise import too_large
from overbar.words.released_answer import Answer

if TYPE_CHECKING:
    import duckdb

    from overbar.cli.tables import Source


FORMATS, REPORT_FORMATS = ("table", "csv", "json"), ("table", "json")
#: A table in a pipe may be as wide as this.
PIPE_WIDTH = 132
#: For streams that cannot carry a character, something they can.
PLAIN = str.maketrans(
    {"ε": "epsilon", "δ": "delta", "█": "#", "·": ".", "′": "'", "–": "-", "é": "e"}
)


def show(report: Report, *, as_json: bool = False) -> None:
    """Write a report to standard output, in words or as JSON."""
    if as_json:
        _write(json_text(report))
    else:
        _show(lines(report, *_widths()))


def checked_format(asked: str | None) -> str:
    """Return how to show an answer: by default a table on a terminal, and CSV in a pipe."""
    if asked is None:
        return "table" if sys.stdout.isatty() else "csv"
    if asked not in FORMATS:
        raise ParameterError(f"--format must be one of {', '.join(FORMATS)}, got {asked!r}")
    return asked


def wants_json(asked: str | None) -> bool:
    """Tell whether a report is to be written as JSON; what is no table has no lines of CSV."""
    if asked not in (None, *REPORT_FORMATS):
        raise ParameterError(f"--format must be one of {', '.join(REPORT_FORMATS)}, got {asked!r}")
    return asked == "json"


def show_answer(answer: Answer, form: str) -> None:
    """Write the answer to standard output; beside CSV and JSON the summary goes to the other."""
    if form == "table":
        _show(brief(answer_report(answer), *_widths(), wrap=sys.stdout.isatty()))
        return
    _write(csv_text(answer) if form == "csv" else json_text(answer_report(answer)))
    warnings = too_large(answer.promised, answer.persons)
    for sentence in filter(None, (answer.summary, *warnings)):
        complain(sentence)


def _widths() -> tuple[int, int]:
    """Return how wide sentences and tables may be."""
    console = Console()
    return max(40, min(WIDEST, console.width)), console.width if console.is_terminal else PIPE_WIDTH


def _show(styled: Iterable[Styled]) -> None:
    _take_every_letter()
    console = Console(highlight=False, markup=False, emoji=False)
    try:
        "εδ█·′–".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        styled = ((line.translate(PLAIN), look) for line, look in styled)
    for line, look in styled:
        console.print(Text(line, look), soft_wrap=True)
    sys.stdout.flush()


def _take_every_letter() -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a paid answer must not fail on a letter


def _write(text: str) -> None:
    _take_every_letter()
    # Labels may be anyone's words; into a pipe they go as they are.
    sys.stdout.write(clean(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


PATIENCE = 1.0
EVERY = 0.2
#: So often a line is written where there is no terminal.
EVERY_LINE = 10.0


@contextmanager
def watched(
    engine: duckdb.DuckDBPyConnection, source: Source, *, everywhere: bool = False
) -> Iterator[None]:
    """Show after a second how far the engine is, as it says itself, on the error stream.

    That is on a terminal. Whoever looks at a table of their own is told `everywhere`, line by line.
    """
    console = Console(stderr=True)
    if not (console.is_terminal or everywhere):
        yield
        return
    done = threading.Event()
    watch = _watch if console.is_terminal else _say
    watcher = threading.Thread(target=watch, args=(engine, source, console, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _say(
    engine: duckdb.DuckDBPyConnection, source: Source, _: Console, done: threading.Event
) -> None:
    begun = monotonic()
    while not done.wait(EVERY_LINE):
        part = engine.query_progress()
        share = f", {part:.0f} %" if part > 0 else ""
        tell(f"reading {source.name}: {monotonic() - begun:.0f} s{share}", err=True)


def _watch(
    engine: duckdb.DuckDBPyConnection, source: Source, console: Console, done: threading.Event
) -> None:
    if done.wait(PATIENCE):
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(f"reading {clean(source.name)}", total=None)
        while not done.wait(EVERY):
            part = engine.query_progress()
            if part > 0:
                progress.update(task, total=100, completed=part)
