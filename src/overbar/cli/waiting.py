"""A sign of life while an engine reads: on a terminal only, and after a second only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

__all__ = ["watched"]

PATIENCE = 1.0
EVERY = 0.2


@contextmanager
def watched(engine: duckdb.DuckDBPyConnection, name: str) -> Iterator[None]:
    """Show how far the engine is, as it says itself, on the error stream."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(engine, name, console, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(
    engine: duckdb.DuckDBPyConnection, name: str, console: Console, done: threading.Event
) -> None:
    if done.wait(PATIENCE):
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(f"reading {name}", total=None)
        while not done.wait(EVERY):
            part = engine.query_progress()
            if part > 0:
                progress.update(task, total=100, completed=part)
