"""A public threshold for each candidate is taken off its score: nothing else changes."""

from fractions import Fraction

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overbar
from overbar.errors import ParameterError
from overbar.runs.batch_run import BatchRun
from overbar.runs.positives import Batch
from overbar.runs.scores import Ruler, lowered
from tests.planned_calls import planned_select
from tests.reference.sampling import seeded

SCORES = {"tea": 9_000, "rum": 210, "ale": 5_000, "gin": 170}
OWN = {"gin": 100, "tea": 10**5, "rum": "199.99", "ale": 10**5}
SURE = {"cutoff": 2, "epsilon": 200, "monotonic": True}
ONE = overbar.plan(epsilon=1, cutoff=1, candidates=10)
WAYS = {
    "ranked": {},
    "with δ": {"delta": "1e-6", "noise": "gumbel"},
    "histogram": {"items_per_person": 1},
    "in turn": {"mechanism": "sparse-vector"},
    "again": {"mechanism": "sparse-vector", "rounds": "unlimited"},
}


@pytest.mark.parametrize(
    ("way", "counts"), [*((way, True) for way in WAYS), ("ranked", False), ("in turn", False)]
)
def test_a_run_is_that_on_scores_less_their_thresholds(way, counts):
    """The same bits give the same labels; counts are as much higher as the thresholds are."""
    plan = overbar.plan(epsilon=1, cutoff=2, candidates=6, counts=counts, **WAYS[way])
    thresholds = [3, Fraction(1, 3), -7, "12.5", 10**6, 0]
    own = [plan.level(one) - plan.level(0) for one in thresholds]
    steps = np.array([10, 0, -5, 12, 10**6, -30]) * int(1 / plan.grid)
    run = BatchRun.of_each(plan, thresholds)
    for seed in range(20):
        with_own = run.run([Batch(steps, None)], seeded(seed))
        moved = BatchRun.of(plan, 0).run([Batch(steps - own, None)], seeded(seed))
        assert with_own.indices == moved.indices
        if not counts:
            continue
        for place, count, other in zip(moved.indices, with_own.counts, moved.counts, strict=True):
            by = own[place] * plan.grid
            assert (count.value, count.high) == (other.value + by, other.high + by)
            assert count.low == (None if other.low is None else other.low + by)


@pytest.mark.parametrize("way", [way for way in WAYS if way != "with δ"])
def test_who_is_above_its_own_is_found_and_counted(way):
    found = planned_select(SCORES, threshold=OWN, counts=True, **SURE | WAYS[way])
    assert set(found.labels) == {"gin", "rum"}
    for label, count in zip(found.labels, found.counts, strict=True):
        assert abs(count.value - SCORES[label]) < 20


def test_by_label_or_in_order():
    in_order = [OWN[label] for label in SCORES]
    series = pandas.Series(OWN)
    for scores, thresholds in (
        (SCORES, OWN),
        (SCORES, in_order),
        (pandas.Series(SCORES), series),
        (pandas.Series(SCORES), series.to_dict()),
        (list(SCORES.values()), dict(enumerate(in_order))),
        (list(SCORES.values()), np.array([10**5, 200, 10**5, 100])),
    ):
        found = overbar.select(scores, threshold=thresholds, **SURE)
        assert set(found.indices) == {1, 3}


def test_a_range_is_that_of_scores_and_not_of_differences():
    found = overbar.select(
        [-(10**9), 5], threshold=[-10.0, 10**6], score_range=(0, 100), counts=True, **SURE
    )
    assert found.indices == (0,)
    assert 0 <= found.counts[0].low <= found.counts[0].value < 20


@settings(max_examples=40)
@given(st.integers(-(2**70), 2**70), st.fractions(-1, 1), st.fractions(-(2**70), 2**70))
def test_neighbours_stay_as_near_as_they_were(score, moves, threshold):
    """Whatever the threshold: a score moves by no more steps than the sensitivity has."""
    own = BatchRun.of_each(ONE, [threshold]).own
    one, other = (
        lowered(Ruler.of(ONE.grid, None).many([value]), own)[0] for value in (score, score + moves)
    )
    assert abs(int(one) - int(other)) <= 1 / ONE.grid


def test_control_differences_of_floats_are_further_apart():
    """Why it is not left to whoever asks: scores one apart, and differences four apart."""
    scores, threshold = [2**53 + 2, 2**53 + 3], 1
    first, second = (float(score) - threshold for score in scores)
    assert second - first == 4
    first, second = lowered(Ruler.of(Fraction(1), None).many(scores), [threshold] * 2)
    assert second - first == 1


@pytest.mark.parametrize(
    ("scores", "threshold", "message"),
    [
        (SCORES, [1, 2], "one for each candidate.* got 2 for 4"),
        (SCORES, {"tea": 1}, "got 1 for 4"),
        (SCORES, {**OWN, "ales": 1}, "for candidates alone, got one for 'ales'"),
        ([1, 2], {0: 1, 1: 2, 2: 3}, "for candidates alone, got one for 2"),
        (SCORES, pandas.Series([1] * 5, [*SCORES, "tea"]), "each label once"),
        ([1, 2], [[1], [2]], "threshold must be"),
        ([1, 2], np.zeros((2, 1)), "a list or a mapping"),
        ([1, 2], ["x", 1], "threshold must be a number"),
        ([1, 2], [float("nan"), 1], "threshold must be a finite number"),
    ],
)
def test_bad_thresholds(scores, threshold, message):
    with pytest.raises(ParameterError, match=message):
        overbar.select(scores, threshold=threshold, **SURE)


def test_batches_have_one_threshold():
    plan = overbar.plan(candidates=2, **SURE)
    with pytest.raises(ParameterError, match="one number for scores that come in batches"):
        overbar.select(iter([[1], [2]]), threshold=[1, 2], plan=plan)


def test_a_request_with_other_thresholds_is_another(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1000)
    booking = ledger.booking("data", request_id="monday")
    first = overbar.select([9, 9], threshold=[1, 10**6], booking=booking, **SURE)
    again = overbar.select([9, 9], threshold=[1, 10**6], booking=booking, **SURE)
    assert (first.indices, again.indices, again.receipt.repeated) == ((0,), (0,), True)
    with pytest.raises(overbar.LedgerError):
        overbar.select([9, 9], threshold=[10**6, 1], booking=booking, **SURE)
