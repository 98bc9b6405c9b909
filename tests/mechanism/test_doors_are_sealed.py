"""An error that leaves a public door brings none of the frames that saw scores."""

import threading
import traceback
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from overbar.errors import HaltedError, ParameterError
from overbar.mechanism import secrecy
from overbar.mechanism.batch import select, top
from overbar.mechanism.hidden_bar import raise_bar
from overbar.mechanism.many_runs import SparseVectors
from overbar.mechanism.online import SparseVector
from overbar.mechanism.requeue import Requeue
from overbar.noise import Exponential, Gumbel, Laplace
from tests.reference import sampling as reference
from tests.reference.plans import any_plan

PLAN = any_plan(Exponential(1), Laplace(1), 0, 2, monotonic=True)


def run():
    return SparseVector(PLAN, threshold=0)


DOORS = {
    "select, a bad score": lambda: select([1, float("nan")], threshold=0, plan=PLAN),
    "select, a number beside a plan": lambda: select([1], threshold=0, plan=PLAN, delta=0),
    "select, a bad batch": lambda: select(iter([[1], ["x"]]), threshold=0, plan=PLAN),
    "top, a bad score": lambda: top([1, None], cutoff=1, epsilon=1),
    "ask": lambda: run().ask("x"),
    "ask_many": lambda: run().ask_many([1, "x"]),
    "many runs, a bad score": lambda: SparseVectors(PLAN, threshold=0, runs=2).ask([1, "x"]),
    "a bad plan": lambda: SparseVector("plan", threshold=0),
    "requeue, a bad room": lambda: Requeue(run(), [("a", 5)], room=0),
    "requeue, a bad run": lambda: Requeue("run", [("a", 5)]),
    "requeue, a bad score": lambda: next(Requeue(run(), [("a", "x")])),
}


@pytest.mark.parametrize("name", DOORS)
def test_no_frame_of_the_package_but_the_door_s_own(name):
    with pytest.raises(Exception) as caught:
        DOORS[name]()
    package = Path(secrecy.__file__).parents[1]
    inside = [
        Path(frame.f_code.co_filename).name
        for frame, _ in traceback.walk_tb(caught.value.__traceback__)
        if package in Path(frame.f_code.co_filename).parents
    ]
    assert inside in (["secrecy.py"], ["online.py"])  # `ask` is sealed by hand
    assert caught.value.__context__ is None
    for frame, _ in traceback.walk_tb(caught.value.__traceback__):
        if package in Path(frame.f_code.co_filename).parents:
            assert not any(
                isinstance(value, list | np.ndarray | tuple) and len(value)
                for value in frame.f_locals.values()
            )


def test_a_bar_without_noise_is_where_it_is_said_to_be():
    plan = any_plan(Exponential("0.0001"), None, 0, 2, monotonic=True)
    bar = raise_bar(plan, reference.seeded(2))
    assert bar.passes(7, 7)
    assert not bar.passes(6, 7)
    assert bar.passing(np.array([6, 7, 8]), 7).tolist() == [1, 2]


def test_noise_on_the_threshold_that_cannot_be_drawn_is_refused():
    with pytest.raises(ParameterError, match="to be drawn exactly"):
        raise_bar(any_plan(Gumbel(1), Gumbel(1), 0, 2, monotonic=True), reference.seeded(1))


def test_closing_waits_for_an_answer_that_is_under_way():
    one = run()
    with one._lock:
        closing = threading.Thread(target=one.close)
        closing.start()
        closing.join(0.2)
        assert closing.is_alive()
        assert not one.halted
    closing.join()
    assert one.halted
    with pytest.raises(HaltedError):
        one.ask(5)


def test_what_a_run_spent_is_exact():
    one = run()
    assert one.spent in (Fraction(0), Fraction(1))
    one.ask(10**9)
    assert one.spent == 2
