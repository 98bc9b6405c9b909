"""Ctrl-C ends a command in one line. A part of `tests/frozen/interrupts.py`, and its control."""

import sys

from tests.frozen.interrupts import campaign, run, state, tables, wrong

#: What the installed program does, from the code that is tested.
PROGRAM = (sys.executable, "-c", "from overbar_program import main; main()")
#: The same without what hears Ctrl-C while libraries are loaded.
UNHEARD = (sys.executable, "-c", "from overbar.cli import main; main()")


def test_signals_at_random_moments():
    assert campaign(4, seed=7, program=PROGRAM) == []


def test_whoever_hears_nothing_at_the_start_is_caught(tmp_path):
    tables(tmp_path)
    before = state(tmp_path)
    caught = []
    for moment in (0.1, 0.2, 0.3, 0.4, 0.6):
        ended = run("ledger verify budget.db", tmp_path, moment, UNHEARD)
        caught.append(wrong(ended, tmp_path, before))
    assert "a traceback, or more than a line" in caught
