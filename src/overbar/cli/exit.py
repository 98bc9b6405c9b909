"""How the command line speaks, fails and leaves: never with a traceback or a word about the data.

0    done
1    a check found something (ledger verify)
2    bad use, or refused
130  stopped by Ctrl-C
141  whoever read the output stopped reading (as shells count it)

An unexpected error is told by its type and by where in this package it was raised. Its message is
not shown, because it may quote what the code was working on. No switch shows more.

Names of files, tables, columns and datasets, types and purposes may be anyone's words. Whatever is
said goes through :func:`clean`, so that none of them can steer a terminal.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from overbar.errors import OverbarError
from overbar.frames.discretion import stoppable
from overbar.report.as_text import clean, visible
from overbar_program import STOPPED, on_ctrl_c

FOUND_SOMETHING = 1
BAD_USE = 2
NOT_READ = 141


class Stopped(KeyboardInterrupt):
    """Ctrl-C, with a word about what was spent."""


@contextlib.contextmanager
def leaving() -> Iterator[None]:
    """Leave with an exit code, whatever happens inside; Ctrl-C raises there.

    Standard output that is closed is refused before anything is done: nothing could come out.
    """
    if sys.stderr is None:  # then nobody listens, and no file takes its number either
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (to the end of the process)
    if sys.stdout is None:
        complain("standard output is closed; write > FILE behind the command, or > /dev/null")
        sys.exit(BAD_USE)
    with on_ctrl_c(signal.default_int_handler):
        try:
            yield
        except SystemExit as left:
            code = _code(left)
        except BaseException as error:
            code = _told(error)
        else:
            code = 0
    sys.exit(_flushed(code))


def _code(left: SystemExit) -> int:
    if isinstance(left.__context__, BrokenPipeError):  # typer leaves with 1 then
        return NOT_READ
    if isinstance(getattr(left.__context__, "__cause__", None), KeyboardInterrupt):
        complain("stopped")  # typer says nothing then
    if left.code is None:
        return 0
    return left.code if isinstance(left.code, int) else BAD_USE


def _told(error: BaseException) -> int:
    if isinstance(error, BrokenPipeError):
        return NOT_READ
    if isinstance(error, KeyboardInterrupt):
        reason, code = "stopped", STOPPED
    else:
        reason, code = said_about(error), BAD_USE
    complain(reason)
    return code


def said_about(error: BaseException) -> str:
    """Return what is said about any error, in one line that quotes no data."""
    return _reason(error) or (
        f"something unexpected happened ({type(error).__name__} at {_place(error)}). "
        "Its message is not shown, because it may quote data. Please report this line"
    )


def _reason(error: BaseException) -> str | None:
    """Return what may be said about an error; None where its message may quote anything."""
    if isinstance(error, OverbarError):
        return error.as_typed()
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, OSError) and not isinstance(error, BrokenPipeError) and error.errno:
        return f"standard output or a file cannot be used: {os.strerror(error.errno)}"
    return None


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Say what is refused in one line, in the words of the command line, and leave."""
    import typer  # the command line may be asked for without it

    try:
        with stoppable():
            yield
    except KeyboardInterrupt as stopped:
        complain(str(stopped) or "stopped")
        raise typer.Exit(STOPPED) from None
    except (OverbarError, OSError) as error:
        reason = _reason(error)
        if reason is None:
            raise
        complain(reason)
        raise typer.Exit(BAD_USE) from None


def _place(error: BaseException) -> str:
    """Return the last line of this package that the error passed through."""
    package = Path(__file__).parent.parent
    place = "an unknown place"
    step: TracebackType | None = error.__traceback__
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        if file.is_relative_to(package):
            place = f"{file.relative_to(package)}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _flushed(code: int) -> int:
    """Write out what is left; if nobody reads it, do not let Python complain on the way out."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or NOT_READ
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def tell(text: str, *, err: bool = False) -> None:
    """Say something on standard output, or beside it."""
    import typer

    typer.echo(clean(text), err=err)


def complain(message: str) -> None:
    """Say what is wrong, in one line. Where nobody listens, that is no error of its own."""
    import typer

    with contextlib.suppress(OSError):
        typer.echo(f"overbar: {visible(message)}", err=True)
