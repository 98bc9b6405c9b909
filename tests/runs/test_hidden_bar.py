"""What a bar is, and what a run does while another thread closes it."""

import threading
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import HaltedError, ParameterError
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.runs.hidden_bar import raise_bar
from overbar.runs.online import SparseVector
from tests.reference import sampling as reference
from tests.reference.plans import any_plan

PLAN = any_plan(Exponential(1), Laplace(1), 0, 2, monotonic=True)


def run():
    return SparseVector(PLAN, threshold=0)


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
