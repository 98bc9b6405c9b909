"""Let an engine work, and pass on of its errors no more than their names.

What ends a program is no error of an engine: Ctrl-C, ``sys.exit`` in a handler, the end of a
generator. It leaves as it is, also where an engine makes something else of it: DuckDB raises a
RuntimeError after Ctrl-C, and code written in C a TypeError.
"""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

import numpy as np

from overbar.errors import OverbarError, ScoreError

#: What is no error, and passes.
ENDS = (KeyboardInterrupt, SystemExit, GeneratorExit)


@contextmanager
def discreetly() -> Iterator[None]:
    """Let an engine work: what it warns of is not shown, and of an error only its name."""
    outside = sys.exc_info()[1]  # a caller may be handling the end of something else
    try:
        # What a caller has told NumPy or the warnings module to raise must not depend on rows.
        with stoppable(), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (OverbarError, *ENDS):
        raise
    except BaseException as error:  # Polars has errors of its own that are no Exception
        end = _end_behind(error, outside)
        kind = type(error)
    else:
        return
    if end is not None:
        raise end.with_traceback(None) from None  # its frames have rows
    refusal = ScoreError(
        f"the table could not be read: its engine raised {kind.__name__}. Nothing was drawn. Its "
        "message may quote rows and is not repeated; run the query by itself"
    )
    refusal.raised = kind
    raise refusal from None


@contextmanager
def stoppable() -> Iterator[None]:
    """Leave by what the handler of a signal raised, whatever error an engine makes of it."""
    raised: list[BaseException] = []
    with ExitStack() as restored:
        if threading.current_thread() is threading.main_thread():  # handlers run there alone
            for number in (signal.SIGINT, signal.SIGTERM):
                _listen(number, raised, restored)
        try:
            yield
        except BaseException as error:
            if not raised or isinstance(error, ENDS):
                raise
        else:
            return
    raise raised[0].with_traceback(None) from None


def _listen(number: signal.Signals, raised: list[BaseException], restored: ExitStack) -> None:
    before = signal.getsignal(number)
    if not callable(before):  # left to the system
        return

    def heard(sent: int, frame: FrameType | None) -> None:
        try:
            before(sent, frame)
        except BaseException as error:
            raised.append(error)
            raise

    restored.callback(signal.signal, number, before)  # first: a signal may come between the two
    signal.signal(number, heard)


def _end_behind(error: BaseException, outside: BaseException | None) -> BaseException | None:
    """Return what ended the work, if an engine's error came of it."""
    cause: BaseException | None = error
    while cause is not None and cause is not outside:
        if isinstance(cause, ENDS):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None
