"""An error that leaves a public door brings none of the frames that saw scores."""

import traceback
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import overbar
from overbar import Requeue, SparseVector, SparseVectors, select, top
from tests.queue_plans import queue_plan

PACKAGE = Path(overbar.__file__).parent


@cache
def plan():
    return queue_plan(epsilon=1, cutoff=2, monotonic=True, candidates=100)


def run():
    return SparseVector(plan(), threshold=0)


DOORS = {
    "select, a bad score": lambda: select([1, float("nan")], threshold=0, plan=plan()),
    "select, a number beside a plan": lambda: select([1], threshold=0, plan=plan(), delta=0),
    "select, a bad batch": lambda: select(iter([[1], ["x"]]), threshold=0, plan=plan()),
    "top, a bad score": lambda: top([1, None], cutoff=1, epsilon=1),
    "ask": lambda: run().ask("x"),
    "ask_many": lambda: run().ask_many([1, "x"]),
    "many runs, a bad score": lambda: SparseVectors(plan(), threshold=0, runs=2).ask([1, "x"]),
    "a bad plan": lambda: SparseVector("plan", threshold=0),
    "requeue, a bad room": lambda: Requeue(run(), [("a", 5)], room=0),
    "requeue, a bad run": lambda: Requeue("run", [("a", 5)]),
    "requeue, a bad score": lambda: next(Requeue(run(), [("a", "x")])),
}


@pytest.mark.parametrize("name", DOORS)
def test_no_frame_of_the_package_but_the_door_s_own(name):
    with pytest.raises(Exception) as caught:
        DOORS[name]()
    inside = [
        frame
        for frame, _ in traceback.walk_tb(caught.value.__traceback__)
        if PACKAGE in Path(frame.f_code.co_filename).parents
    ]
    assert len(inside) == 1
    assert caught.value.__context__ is None
    held = inside[0].f_locals.values()
    assert not any(isinstance(value, list | np.ndarray | tuple) and len(value) for value in held)
