"""Scores, gaps and the noisy threshold reach nothing that is shown or written down."""

import copy
import logging
import pickle
import sys
from functools import cache

import numpy as np
import pytest

import overbar
from overbar import Requeue
from tests.frozen import seam
from tests.frozen.shown import looks, shown, struck
from tests.queue_plans import queue_plan, queue_top_plan

#: Scores no public number contains.
SECRETS = (73_190_217, 73_190_218, -41_988_203)
MARKS = ("7319021", "4198820")


@cache
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


@cache
def monitor_plan():
    return overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2)


def watch():
    return overbar.Monitor(monitor_plan(), threshold=10)


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


@pytest.mark.parametrize("fail", FAILURES)
def test_no_failure_shows_a_secret(fail):
    with pytest.raises(overbar.OverbarError) as caught:
        fail()
    for text in shown(caught.value, __file__):
        for mark in MARKS:
            assert mark not in text


def test_answers_for_what_is_no_stream_show_nothing():
    with pytest.raises(TypeError) as caught:
        overbar.SparseVector(plan(), threshold=10).answers(SECRETS[0])
    for text in shown(caught.value, __file__):
        assert not any(mark in text for mark in MARKS)


@cache
def batch_plan(**more):
    top = more.get("top", False)
    return overbar.plan(
        epsilon=1, cutoff=2, **{"counts": True, **more}, candidates=None if top else 9
    )


STRUCK = {
    "online": lambda: overbar.SparseVector(plan(), threshold=10).ask(SECRETS[0]),
    "many online": lambda: list(overbar.SparseVector(plan(), threshold=10).answers(SECRETS)),
    "many runs": lambda: overbar.SparseVectors(plan(), threshold=10, runs=3).ask(list(SECRETS)),
    "again": lambda: list(
        Requeue(overbar.SparseVector(plan(), threshold=10), [("a", SECRETS[2])], room=1)
    ),
    "select": lambda: overbar.select(SECRETS, threshold=10, plan=batch_plan()),
    "values": lambda: overbar.select(SECRETS, threshold=10, plan=batch_plan(delta="1e-6")),
    "race": lambda: overbar.select(
        SECRETS, threshold=10, plan=batch_plan(rounds="unlimited", counts=False)
    ),
    "top": lambda: overbar.top(SECRETS, plan=batch_plan(top=True)),
    "monitor": lambda: watch().ask(SECRETS),
}


@pytest.mark.parametrize("what", STRUCK)
def test_ctrl_c_anywhere_shows_nothing(what):
    """Also where a gap is a local variable: whatever functions there are, each is struck once."""
    strikes = 0
    for code, error in struck(STRUCK[what]):
        strikes += 1
        for text in shown(error, __file__):
            assert not any(mark in text for mark in MARKS), code
    assert strikes > 10


@pytest.mark.parametrize("what", ["select", "top"])
def test_control_doors_that_are_open_are_caught(what, monkeypatch):
    seam.broken(monkeypatch, "doors are open")
    texts = (text for _, error in struck(STRUCK[what]) for text in shown(error, __file__))
    assert any(mark in text for text in texts for mark in MARKS)


def test_the_check_can_fail():
    """A control: an error from an unsealed function does show its variables."""

    def unsealed(scores):
        raise overbar.ScoreError("nothing secret here")

    with pytest.raises(overbar.OverbarError) as caught:
        unsealed(list(SECRETS))
    assert all(MARKS[0] in text for text in shown(caught.value, None)[:2])


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
    own = watch()
    own.ask(SECRETS)
    return [run, *seam.holders(plan(), SECRETS), Requeue(run, [("a", SECRETS[1])]), own]


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


def runs_that_differ_in_secrets():
    """Return what each of eight runs shows, where all that is public is the same."""
    seen = set()
    for more in range(8):
        run = overbar.SparseVector(plan(), threshold=10)
        assert run.ask(SECRETS[0] + more)
        many = overbar.SparseVectors(plan(), threshold=10, runs=1)
        many.ask([SECRETS[0] + more])
        again = Requeue(run, [("a", SECRETS[1] + more)])
        seen.add((looks(run), looks(many), looks(again)))
    return seen


def test_runs_with_other_noise_and_scores_look_the_same():
    assert len(runs_that_differ_in_secrets()) == 1


def test_control_noise_in_a_repr_is_caught(monkeypatch):
    seam.broken(monkeypatch, "noise in a repr")
    assert len(runs_that_differ_in_secrets()) > 1
