"""Where the bar is in steps of any grid, and how often a candidate is asked."""

from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.noise import Exponential, Laplace
from overbar.runs.batch import select
from overbar.runs.batch_run import BatchRun
from overbar.runs.online import SparseVector
from overbar.runs.positives import Batch
from tests.reference import sampling as reference
from tests.reference.plans import any_plan

SHARP = Exponential("0.0001"), Laplace("0.0001")


@pytest.mark.parametrize("grid", [Fraction(1), Fraction(1, 4)])
@pytest.mark.parametrize("correction", [0, 10])
def test_the_bar_is_at_threshold_plus_correction(grid, correction):
    plan = any_plan(*SHARP, correction, 9, monotonic=True, grid=grid)
    bar = 3 + correction
    scores = [bar - 2, bar + 2, bar - grid, bar + grid]
    assert sorted(select(scores, threshold=3, plan=plan).indices) == [1, 3]
    run = SparseVector(plan, threshold=3)
    assert [run.ask(score) for score in scores] == [False, True, False, True]
    assert run.ask_many(scores).tolist() == [False, True, False, True]
    later = SparseVector(plan)
    assert [later.ask(score, threshold=3) for score in scores] == [False, True, False, True]
    assert later.ask_many(scores, threshold=3).tolist() == [False, True, False, True]


@pytest.mark.parametrize(("rounds", "low", "high"), [(1, 25, 55), (3, 60, 79), (None, 80, 80)])
def test_a_candidate_is_asked_as_often_as_the_plan_says(rounds, low, high):
    """A chance of one half each time: half of the runs, seven eighths, or all."""
    plan = any_plan(Exponential(1000), Laplace("0.001"), 0, 1, monotonic=True, rounds=rounds)
    batch = Batch(np.array([-693]), None)  # a gap of 1000 · ln 2
    found = sum(len(BatchRun(plan, 0).run([batch], reference.seeded(seed))) for seed in range(80))
    assert low <= found <= high


@pytest.mark.parametrize("size", [1, 7, 3000])
def test_the_number_of_candidates_is_taken_from_the_scores(size):
    asked = {"epsilon": 1, "cutoff": 2, "monotonic": True}
    scores = [0] * size
    assert select(scores, threshold=5, **asked).plan == overbar.plan(**asked, candidates=size)
    nobody = select([], threshold=5, **asked)
    assert nobody.plan == overbar.plan(**asked, candidates=1)
    assert nobody.spent == 0
