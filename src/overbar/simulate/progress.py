"""How a long simulation says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from overbar.errors import MissingExtraError, ParameterError

#: Told how many runs are done, and how many there are.
Report = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Say nothing."""


@contextmanager
def reporting(progress: bool | Report) -> Iterator[Report]:
    """Give a function to report to: the caller's own, a progress bar, or none."""
    if callable(progress):
        yield progress
    elif progress is True:
        yield from _bar()
    elif progress is False:
        yield _silent
    else:
        raise ParameterError(f"progress must be True, False or a function, got {progress!r}")


def _bar() -> Iterator[Report]:
    try:
        from rich.progress import Progress
    except ImportError:
        raise MissingExtraError(
            "progress=True needs rich; install it: pip install 'overbar[cli]'"
        ) from None
    # Drawn when something is reported and never by a thread of its own: workers may be forked.
    with Progress(auto_refresh=False, transient=True) as bar:
        task = bar.add_task("simulated runs", total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, refresh=True)

        yield report
