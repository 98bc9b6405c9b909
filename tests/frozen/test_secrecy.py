"""Scores, gaps and the noisy threshold reach nothing that is shown or written down."""

import copy
import io
import logging
import pickle
import sys
import traceback
import warnings

import numpy as np
import pytest
from rich.console import Console
from rich.traceback import Traceback

import overbar
from overbar.mechanism.hidden_bar import raise_bar
from overbar.mechanism.requeue import Requeue
from overbar.sampling.race_draw import race_above
from tests.queue_plans import queue_plan, queue_top_plan

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        import cgitb
    except ImportError:  # removed in Python 3.13
        cgitb = None

#: Scores no public number contains.
SECRETS = (73_190_217, 73_190_218, -41_988_203)
MARKS = ("7319021", "4198820")


def plan(**changes):
    return queue_plan(**{"epsilon": 1, "cutoff": 2, "monotonic": True, "candidates": 100} | changes)


def ask_after_halting():
    run = overbar.SparseVector(plan(cutoff=1), threshold=10)
    run.ask(SECRETS[0])
    run.ask(SECRETS[1])


def ask_for_a_bad_threshold():
    overbar.SparseVector(plan(), threshold=10).ask(SECRETS[0], threshold="high")


def ask_many_with_a_bad_one():
    overbar.SparseVector(plan(), threshold=10).ask_many([*SECRETS, float("nan")])


def ask_many_runs_with_a_bad_one():
    gate = overbar.SparseVectors(plan(), threshold=10, runs=4, disjoint=True)
    gate.ask(np.array([*SECRETS, float("nan")]))


def ask_many_runs_of_another_number():
    overbar.SparseVectors(plan(), threshold=10, runs=4).ask(list(SECRETS))


def select_with_a_bad_one():
    overbar.select([*SECRETS, None], threshold=10, epsilon=1, cutoff=2)


def select_an_array_with_a_bad_one():
    overbar.select(np.array([*SECRETS, np.nan]), threshold=10, epsilon=1, cutoff=2)


def select_with_a_bad_parameter():
    overbar.select(list(SECRETS), threshold=10, epsilon=-1, cutoff=2)


def top_without_a_bound():
    scores = dict(zip("abc", SECRETS, strict=True))
    overbar.top(scores, plan=queue_top_plan(epsilon=1, cutoff=2))


def stream_with_a_bad_one():
    run = overbar.SparseVector(plan(), threshold=10**9)
    list(Requeue(run, [("a", SECRETS[2]), ("b", "bad")]))


def stream_into_nothing():
    Requeue("run", [("a", SECRETS[0])])


def stream_without_room():
    Requeue(overbar.SparseVector(plan(), threshold=10), [("a", SECRETS[0])], room=0)


def scores_where_the_plan_belongs():
    overbar.SparseVector(list(SECRETS), threshold=10)


def watch():
    own = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2)
    return overbar.Monitor(own, threshold=10)


def watch_somebody_odd():
    watch().ask([*SECRETS, object()])


def watch_weights_that_are_not_known():
    watch().ask(dict.fromkeys(SECRETS, 1))


def watch_after_the_end():
    own = watch()
    own.ask(SECRETS)
    own.close()
    own.ask(SECRETS)


FAILURES = [
    watch_somebody_odd, watch_weights_that_are_not_known, watch_after_the_end,
    ask_after_halting, ask_for_a_bad_threshold, ask_many_with_a_bad_one, select_with_a_bad_one,
    ask_many_runs_with_a_bad_one, ask_many_runs_of_another_number,
    select_an_array_with_a_bad_one, select_with_a_bad_parameter, top_without_a_bound,
    stream_with_a_bad_one, stream_into_nothing, stream_without_room, scores_where_the_plan_belongs,
]  # fmt: skip


def shown(error, skip=__file__):
    """Return every form in which an error may be printed, with local variables where possible.

    The frames of this file are left out: their variables are the caller's own.
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


@pytest.mark.parametrize("fail", FAILURES)
def test_no_failure_shows_a_secret(fail):
    with pytest.raises(overbar.OverbarError) as caught:
        fail()
    for text in shown(caught.value):
        for mark in MARKS:
            assert mark not in text


def test_answers_for_what_is_no_stream_show_nothing():
    with pytest.raises(TypeError) as caught:
        overbar.SparseVector(plan(), threshold=10).answers(SECRETS[0])
    for text in shown(caught.value):
        assert not any(mark in text for mark in MARKS)


def test_an_interrupt_in_the_middle_of_a_comparison_shows_nothing():
    """Control-C, or a system without entropy, strikes where the gap is a local variable."""
    words = iter([b"\x7f" * 4096] * 12)

    def source(count):
        try:
            return next(words)[:count]
        except StopIteration:
            raise KeyboardInterrupt from None

    run = overbar.SparseVector.__new__(overbar.SparseVector)
    run._start(plan(), 10, None, source)
    with pytest.raises(KeyboardInterrupt) as caught:
        list(run.answers([SECRETS[2]] * 5000))
    for text in shown(caught.value):
        assert not any(mark in text for mark in MARKS)


def test_the_check_can_fail():
    """A control: an error from an unsealed function does show its variables."""

    def unsealed(scores):
        raise overbar.ScoreError("nothing secret here")

    with pytest.raises(overbar.OverbarError) as caught:
        unsealed(list(SECRETS))
    assert all(MARKS[0] in text for text in shown(caught.value, skip=None)[:2])


def test_nothing_is_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        run = overbar.SparseVector(plan(), threshold=10)
        run.ask(SECRETS[0])
        overbar.select(list(SECRETS), threshold=10, epsilon=1, cutoff=2)
        overbar.top(list(SECRETS), epsilon=1, cutoff=2)
    assert caplog.text == ""


def test_nothing_is_printed(capsys):
    overbar.select(list(SECRETS), threshold=10, epsilon=1, cutoff=2)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def live_objects():
    run = overbar.SparseVector(plan(), threshold=10)
    run.ask(SECRETS[0])
    bar = raise_bar(plan(), np.random.default_rng(1).bytes)
    runner = race_above(np.array(SECRETS), 0, count=1, noise=plan().query_noise, grid=plan().grid)[
        0
    ]
    own = watch()
    own.ask(SECRETS)
    return [run, bar, runner, Requeue(run, [("a", SECRETS[1])]), own]


def test_reprs_show_nothing():
    for thing in live_objects():
        for text in (repr(thing), str(thing), f"{thing}"):
            assert not any(mark in text for mark in MARKS)


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_live_objects_are_not_written_down(act):
    for thing in live_objects():
        with pytest.raises((overbar.SecrecyError, AttributeError, pickle.PicklingError)):
            act(thing)


def test_a_selection_holds_nothing_private():
    found = overbar.select(list(SECRETS), threshold=10, epsilon=1, cutoff=2)
    text = pickle.dumps(found, protocol=0).decode("latin-1") + repr(vars(found))
    assert not any(mark in text for mark in MARKS)
    assert sys.getsizeof(found) < 1000


def test_the_noise_is_in_no_attribute():
    """Walk everything reachable through attributes: no integer there is the noisy threshold."""
    run = overbar.SparseVector(plan(), threshold=10)
    names = [name for name in dir(run) if not name.startswith("__")]
    numbers = {name: getattr(run, name) for name in names}
    level = run._level
    public = {name for name, value in numbers.items() if isinstance(value, int)}
    expected = "_asked _cutoff _forks _level _positives _resample asked halted positives remaining"
    assert public == set(expected.split())
    assert level == 10 / run.plan.grid + run.plan.correction / run.plan.grid
