"""What ends a program leaves a table's engine as it is, wherever it strikes, and brings no rows."""

from __future__ import annotations

import functools
import os
import random
import signal
import sys
import time
import traceback
from contextlib import suppress
from functools import partial

import pytest

from overbar import ScoreError, frames
from overbar.frames.discretion import ENDS, discreetly
from overbar.runs import secrecy
from tests.frames.engines import ENGINES, table_of

TABLE = table_of([(what, who) for who in range(40) for what in ("tea", "rum")[: 1 + who % 2]])
LOCAL = [name for name in ENGINES if name != "spark"]  # which computes elsewhere
#: All lines instead of some: `OVERBAR_EVERY_LINE=1 pytest tests/frames/test_discretion.py`.
SOME = None if os.environ.get("OVERBAR_EVERY_LINE") else 12


def ask(engine):
    frames.select(
        ENGINES[engine](TABLE), item="what", person="who", catalogue=["rum", "tea"],
        threshold=5, cutoff=2, epsilon=1,
    )  # fmt: skip


class Strike:
    """Raises at one line of all that are run, whosever it is; counts them without one.

    Not in functools: until Python 3.12 a cached property that is struck there keeps its lock, and
    another thread that reads it later waits for ever.
    """

    def __init__(self, at=None, end=None):
        self.at, self.end, self.lines = at, end, 0

    def __call__(self, frame, event, _):
        if frame.f_code.co_filename == functools.__file__:
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                raise self.end
        return self

    def run(self, engine):
        before = sys.gettrace()
        sys.settrace(self)
        try:
            ask(engine)
        finally:
            sys.settrace(before)


@pytest.mark.parametrize("engine", LOCAL)
def test_it_passes_at_every_line(engine, monkeypatch):
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)  # as in a finalizer: Python drops it
    ask(engine)
    counted = Strike()
    counted.run(engine)
    lines = range(1, counted.lines - 20)  # the number differs by a few
    for turn, at in enumerate(random.Random(7).sample(lines, SOME or len(lines))):
        end = ENDS[turn % 3]()
        del lost[:]
        caught = None
        try:
            Strike(at, end).run(engine)
        except ENDS as error:  # which is another object where Polars makes one of its own
            caught = error
        if caught is None:
            assert lost, at
            continue
        shown = traceback.walk_tb(caught.__traceback__)
        files = {frame.f_code.co_filename for frame, _ in shown}
        assert files <= {__file__, secrecy.__file__}
        assert files
        assert caught.__context__ is None
        assert caught.__cause__ is None


@secrecy.sealed
def lying(end):
    """Do as code written in C does: raise an error of one's own."""
    with discreetly():
        try:
            raise end
        except BaseException:
            raise TypeError("of rows: 7319")  # noqa: B904


@pytest.mark.parametrize("kind", ENDS)
def test_an_error_made_of_it_is_not_believed(kind):
    end = kind("mine")
    with pytest.raises(kind) as caught:
        lying(end)
    assert caught.value is end
    assert end.__context__ is None
    files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(end.__traceback__)}
    assert files <= {__file__, secrecy.__file__}


def test_an_end_that_the_caller_is_handling_explains_nothing():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        with pytest.raises(ScoreError, match="its engine raised TypeError"):
            lying(ValueError("x"))


def forgetting(number):
    """Do as DuckDB does after a signal."""
    with discreetly():
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), number)
            time.sleep(0)  # the handler has run by now
        raise RuntimeError("Query interrupted")


def test_a_signal_is_heard_where_an_engine_forgets_it():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            forgetting(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_generator_that_is_put_away_after_a_signal_raises_nothing_anew():
    def rows():
        with discreetly():
            yield 1

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    reading = rows()
    next(reading)
    raised = []
    try:
        for end in (partial(os.kill, os.getpid(), signal.SIGINT), reading.close):
            try:
                end()
                time.sleep(0)
            except KeyboardInterrupt:
                raised.append(end)
    finally:
        signal.signal(signal.SIGINT, before)
    assert raised != []
    assert reading.close not in raised


def test_a_handler_that_raises_nothing_explains_nothing():
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with pytest.raises(ScoreError, match="its engine raised RuntimeError"):
            forgetting(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_generator_that_is_dropped_ends_without_a_word(monkeypatch):
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)

    def working():
        with discreetly():
            yield

    steps = working()
    next(steps)
    steps.close()
    del steps
    assert lost == []
