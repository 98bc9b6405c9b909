"""Signs of life while something takes long, on a terminal only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
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

from overbar.cli.exit import clean

if TYPE_CHECKING:
    import duckdb

    from overbar.cli.tables import Source

PATIENCE = 1.0
EVERY = 0.2


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
def watched(engine: duckdb.DuckDBPyConnection, source: Source) -> Iterator[None]:
    """Show after a second how far the engine is, as it says itself, on the error stream."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(engine, source, console, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


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
