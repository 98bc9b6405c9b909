"""All that an error or an object shows, and errors that strike anywhere."""

from __future__ import annotations

import io
import re
import sys
import traceback
import warnings
import zlib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.traceback import Traceback

import overbar

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        import cgitb
    except ImportError:  # removed in Python 3.13
        cgitb = None

PACKAGE = str(Path(overbar.__file__).parent)
#: Where something is in memory.
PLACE = re.compile(" at 0x[0-9a-f]+")


def shown(error, skip):
    """Return every form in which an error may be printed, with local variables where possible.

    The first frames are left out if they are of the file `skip`: their variables are the caller's.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == skip:
        trace = trace.tb_next
    frames = traceback.TracebackException(type(error), error, trace, capture_locals=True)
    screen = io.StringIO()
    rich = Traceback.from_exception(type(error), error, trace, show_locals=True)
    Console(file=screen, width=200).print(rich)
    texts = ["".join(frames.format()), screen.getvalue(), str(error), repr(error)]
    if cgitb is not None and trace is not None:
        texts.append(cgitb.text((type(error), error, trace)))
    return texts


def looks(thing, deep=3):
    """Return all that an object shows: itself and its attributes, and so on where they are ours."""
    found = {PLACE.sub("", text) for text in (repr(thing), str(thing), f"{thing}")}
    for name in dir(thing):
        value = None if name.startswith("__") else getattr(thing, name, None)
        found.add(PLACE.sub("", f"{name}: {value!r}"))
        if deep and type(value).__module__.startswith("overbar"):
            found |= looks(value, deep - 1)
    return frozenset(found)


@contextmanager
def traced(see):
    """Have every function of the package that is called seen: its code, and who called it."""

    def called(frame, event, arg):
        if event == "call" and _ours(frame):
            see(frame)

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


def inside(frame):
    """Tell whether a function was called from the package: what a door was given is no secret."""
    return frame.f_back is not None and _ours(frame.f_back)


def _ours(frame):
    return frame.f_code.co_filename.startswith(PACKAGE)


class Struck(KeyboardInterrupt):
    """Ctrl-C, where it was aimed at."""


def struck(act, one_in=1):
    """Do something again and again, struck each time at another function: yield what comes out.

    Each function of the package that it calls, or one in so many by lot from their names, is
    struck where it is called for the last time.
    """
    last = Counter()
    with traced(lambda frame: last.update([frame.f_code] if inside(frame) else [])):
        act()
    for code, times in last.items():
        if zlib.crc32(code.co_qualname.encode()) % one_in:
            continue
        try:
            with traced(_striking(code, times)):
                act()
        except BaseException as error:
            trace = error.__traceback__
            while trace is not None and not _ours(trace.tb_frame):  # the caller's own variables
                trace = trace.tb_next
            yield code, error.with_traceback(trace)


def _striking(code, times):
    left = times

    def strike(frame):
        nonlocal left
        if frame.f_code is code and inside(frame):
            left -= 1
            if not left:
                raise Struck

    return strike
