"""The program `overbar`: Ctrl-C is heard before the library is there, which takes long to load."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

#: The exit code of what Ctrl-C has stopped.
STOPPED = 130


def main() -> None:
    """Load the command line and run it; whoever stops it is told so in one line, at any moment."""
    try:
        with on_ctrl_c(ended):
            from overbar.cli import main as command_line

            command_line()
    except KeyboardInterrupt:
        ended()
    except SystemExit as left:
        if left.code == STOPPED:  # all is said; an engine that was broken off would say more
            os._exit(STOPPED)
        raise
    finally:
        if callable(signal.getsignal(signal.SIGINT)):  # all is said; Python puts its things away
            signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def on_ctrl_c(does: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Say what Ctrl-C does; nothing, where whoever started this wants it to go on."""
    before = signal.getsignal(signal.SIGINT)
    listens = callable(before) and threading.current_thread() is threading.main_thread()
    if listens:
        signal.signal(signal.SIGINT, does)
    try:
        yield
    finally:
        if listens:
            signal.signal(signal.SIGINT, before)


def ended(_number: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """End at once, where nothing was begun: libraries that are loaded do not all bear an error."""
    with contextlib.suppress(OSError):
        os.write(2, b"overbar: stopped\n")
    os._exit(STOPPED)
