"""A run does not go on in a forked process, whoever forked: Python, or a C library."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

import numpy as np
import pytest

import overbar
from overbar import SecrecyError
from overbar.runs import hidden_bar, secrecy
from overbar.runs.requeue import Requeue
from tests.planned_calls import planned_select
from tests.queue_plans import queue_plan

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")

LOW, HIGH = -(10**9), 10**9


def fork_from_c():
    """Fork as a C library does: Python's own handlers do not run."""
    return ctypes.PyDLL(None).fork()


def told_by_child(fork, act):
    """Return what `act` gives in a forked child, as text; "refused" if it refuses the fork."""
    read, write = os.pipe()
    child = fork()
    if child == 0:
        signal.alarm(600)
        try:
            os.write(write, repr(act()).encode())
        except SecrecyError as error:
            os.write(write, b"refused" if "forked process" in str(error) else b"another refusal")
        except BaseException as error:
            os.write(write, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        text = told.read()
    os.waitpid(child, 0)
    return text


def run(**changes):
    plan = queue_plan(epsilon=1, cutoff=2, monotonic=True, candidates=100)
    return overbar.SparseVector(plan, **{"threshold": 500} | changes)


@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
def test_a_signal_that_forks_within_many_questions(fork, monkeypatch):
    """The noise was looked up before the fork, and the answers are drawn behind it, in both."""
    compare, inside = hidden_bar.positives_above, []

    def forking(*arguments):
        inside.append(fork())
        return compare(*arguments)

    monkeypatch.setattr(hidden_bar, "positives_above", forking)
    read, write = os.pipe()
    try:
        told = str(run().ask_many([HIGH]))
    except SecrecyError:
        told = "refused"
    if inside[0] == 0:
        os.write(write, told.encode())
        os._exit(0)
    os.waitpid(inside[0], 0)
    os.close(write)
    with os.fdopen(read) as said:
        assert said.read() == "refused"
    assert told == "[ True]"


@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
@pytest.mark.parametrize("door", ["select", "top"])
def test_a_child_that_asks_no_more_releases_nothing(fork, door):
    """An iterator forks behind its first batch, and the child ends it there."""
    children = []

    def batches():
        yield {"first": HIGH}
        children.append(fork())
        if children[0]:
            yield {"second": HIGH}

    read, write = os.pipe()
    ask = {"cutoff": 1, "epsilon": 1, "monotonic": True}
    try:
        if door == "select":
            told = planned_select(batches(), threshold=10, candidates=2, **ask).labels[0]
        else:
            told = overbar.top(batches(), **ask).labels[0]
    except SecrecyError:
        told = "refused"
    if children[0] == 0:
        os.write(write, told.encode())
        os._exit(0)
    os.waitpid(children[0], 0)
    os.close(write)
    with os.fdopen(read) as said:
        assert said.read() == "refused"
    assert told in ("first", "second")


@pytest.fixture(params=["wiped memory", "process id"])
def marks(request, monkeypatch):
    """Both ways of noticing a fork that Python was not told of."""
    mark = secrecy._mark() if request.param == "wiped memory" else secrecy.ProcessMark()
    mark[0] = 1
    monkeypatch.setattr(secrecy.FORKS, "mark", mark)


@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    "act",
    [
        lambda svt: svt.ask(HIGH),
        lambda svt: svt.ask_many([HIGH]).tolist(),
        lambda svt: list(svt.answers([HIGH])),
        lambda svt: list(Requeue(svt, [("a", HIGH)])),
        lambda svt: svt.close(),
    ],
    ids=["ask", "ask_many", "answers", "requeue", "close"],
)
def test_a_child_is_refused(fork, act, again, marks):
    svt = run()
    svt.ask(LOW)

    def in_child():
        if again:  # a new run there is a run, and the old one stays refused
            assert run().ask(HIGH)
        return act(svt)

    assert told_by_child(fork, in_child) == "refused"
    assert svt.ask(LOW) is False
    assert svt.ask(HIGH) is True


def test_a_count_that_python_keeps_does_not_see_a_fork_from_c():
    """The control: five positives from one noise at a cutoff of two, by the check as it was."""
    svt = run()
    before = secrecy.FORKS.count

    def in_child():
        secrecy.FORKS.mark = [1]
        return svt.ask(HIGH) and before == secrecy.FORKS.count

    assert [told_by_child(fork_from_c, in_child) for _ in range(5)] == ["True"] * 5
    assert told_by_child(os.fork, in_child) == "refused"


@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
def test_a_lock_that_nobody_will_release_is_not_waited_for(fork, marks):
    svt = run()
    with svt._lock:
        assert told_by_child(fork, lambda: svt.ask(LOW)) == "refused"


@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
def test_a_grandchild_is_refused_too(fork, marks):
    svt = run()

    def in_child():
        return told_by_child(fork, lambda: svt.ask(HIGH))

    assert told_by_child(fork_from_c, in_child) == "'refused'"


def test_leaving_a_with_block_in_a_child_leaves_the_run_alone(tmp_path, marks):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("d", epsilon=1)
    with run(booking=ledger.booking("d")) as svt:
        svt.ask(LOW)
        assert told_by_child(fork_from_c, lambda: svt.__exit__(None, None, None)) == "None"
        assert ledger.remaining("d") == 0


@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
@pytest.mark.parametrize("more", [{}, {"rounds": 3}])
def test_a_batch_does_not_go_on_in_a_child(fork, more, marks):
    """Whoever hands out the scores may fork between two batches; the noise is drawn by then."""
    read, write = os.pipe()
    parent = os.getpid()

    def batches():
        yield np.array([LOW])
        if fork() == 0:
            signal.alarm(600)
        yield np.array([HIGH, LOW])

    asked = {"threshold": 0, "epsilon": 1, "cutoff": 2, "monotonic": True, "candidates": 3}
    try:
        found = len(planned_select(batches(), **asked, **more))
    except SecrecyError:
        found = "refused"
    finally:
        if os.getpid() != parent:
            os.write(write, str(found).encode())
            os._exit(0)
    os.wait()
    assert found == 1
    assert os.read(read, 100) == b"refused"
