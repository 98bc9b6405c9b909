"""Signs of life while something takes long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
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

from overbar.cli.exit import tell
from overbar.report.as_text import clean

if TYPE_CHECKING:
    import duckdb

    from overbar.cli.tables import Source

PATIENCE = 1.0
EVERY = 0.2
#: So often a line is written where there is no terminal.
EVERY_LINE = 10.0


def steps_done(*, auto_refresh: bool = True) -> Progress:
    """Return a bar that counts steps and names the one under way, on the error stream."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.completed}/{task.total}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        auto_refresh=auto_refresh,
        transient=True,
        disable=not console.is_terminal,
    )


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
