"""Metrics against values worked out by hand and against every way to break ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from lab.tests.reference.metrics import best_hits, rank_points
from overbar.errors import ParameterError, ScoreError
from overbar_lab.metrics import Measured, measures


def all_four(selected, scores, **options):
    found = measures([selected], scores, **options)
    return [found[name].mean for name in ("precision", "recall", "f1", "ncr")]


def ncr(selected, scores, **options):
    return measures(selected, scores, **options)["ncr"]


def recall(selected, scores, **options):
    return measures(selected, scores, **options)["recall"]


def f1(selected, scores, **options):
    return measures(selected, scores, **options)["f1"]


def test_by_hand():
    scores = [50, 40, 30, 20, 10]
    assert all_four([0, 1, 2], scores, cutoff=3) == [1, 1, 1, 1]
    assert all_four([2, 4], scores, cutoff=3) == pytest.approx([1 / 2, 1 / 3, 2 / 5, 1 / 6])
    assert all_four([0, 3, 4], scores, cutoff=3) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2])
    assert all_four([], scores, cutoff=3) == [0, 0, 0, 0]


def test_below_the_threshold_nothing_counts():
    """Only two reach 35, so of three rank scores only 3 + 2 of 6 can be had."""
    scores = [50, 40, 30, 20]
    assert all_four([0, 1, 2], scores, cutoff=3, threshold=35) == pytest.approx(
        [2 / 3, 1, 4 / 5, 5 / 6]
    )
    assert all_four([0, 1], scores, cutoff=3, threshold=40)[:3] == [1, 1, 1]
    assert all_four([], scores, cutoff=3, threshold=99) == [1, 1, 1, 0]
    assert all_four([1], scores, cutoff=3, threshold=99) == [0, 1, 0, 0]


def test_more_above_the_threshold_than_the_cutoff():
    """As on a data set where 81 items pass and five are wanted."""
    scores = np.arange(100, 0, -1)
    assert all_four([0, 5, 6], scores, cutoff=3, threshold=20) == pytest.approx(
        [1 / 3, 1 / 3, 1 / 3, 1 / 2]
    )
    assert all_four([0, 5, 6], scores, cutoff=3, threshold=20, truth="above")[:3] == pytest.approx(
        [1, 3 / 81, 6 / 84]
    )


def test_ties():
    # Three equals for places 2 and 3: any two of them are right, worth 1.5 each; a third is wrong.
    scores = [9, 5, 5, 5, 1]
    assert all_four([0, 1, 3], scores, cutoff=3) == [1, 1, 1, 1]
    assert all_four([1, 2, 3], scores, cutoff=3) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1 / 2])
    # Fifty equals: forty of them are worth forty fiftieths, whichever they are.
    binary = [1000] * 50 + [0] * 950
    assert ncr([range(40)], binary, cutoff=50).mean == pytest.approx(0.8)
    assert ncr([range(10, 60)], binary, cutoff=50).mean == pytest.approx(0.8)


@settings(max_examples=150, deadline=None)
@given(some.data())
def test_against_every_tie_break(data):
    scores = data.draw(some.lists(some.integers(0, 4), min_size=1, max_size=6))
    cutoff = data.draw(some.integers(1, 7))
    threshold = data.draw(some.integers(-1, 5))
    selected = data.draw(some.lists(some.sampled_from(range(len(scores))), unique=True))
    hits, size = best_hits(selected, scores, cutoff, threshold)
    values = all_four(selected, scores, cutoff=cutoff, threshold=threshold)
    points = rank_points(selected, scores, cutoff, threshold)
    expected = [
        hits / len(selected) if selected else float(size == 0),
        hits / size if size else 1.0,
        2 * hits / (len(selected) + size) if selected or size else 1.0,
        points / (cutoff * (cutoff + 1) / 2),
    ]
    assert values == pytest.approx(expected)


def test_many_runs_at_once():
    scores = [4, 3, 2, 1]
    runs = [np.array([0, 1]), np.array([], dtype=np.int64), np.array([3]), np.array([1, 2])]
    assert recall(runs, scores, cutoff=2).values.tolist() == [1, 0, 0, 0.5]
    assert ncr(runs, scores, cutoff=2).values == pytest.approx([1, 0, 0, 1 / 3])
    alone = [f1([one], scores, cutoff=2).mean for one in runs]
    assert f1(runs, scores, cutoff=2).values.tolist() == alone


def test_the_interval_is_students():
    values = np.array([0.2, 0.4, 0.5, 0.7])
    low, high = Measured(values, 0.9).interval
    expected = stats.t.interval(0.9, 3, loc=values.mean(), scale=stats.sem(values))
    assert (low, high) == pytest.approx(expected)
    assert Measured(np.array([0.5])).interval == (0, 1)
    assert Measured(np.array([1.0, 0.9])).interval[1] == 1
    assert "95 % interval" in repr(Measured(values))


def test_the_interval_covers():
    """About 95 of 100 intervals hold the truth; one at half the width holds it far less often."""
    generator = np.random.default_rng(0)
    truth, covered, too_narrow = 0.6, 0, 0
    for _ in range(2000):
        measured = Measured(generator.beta(6, 4, size=30))
        low, high = measured.interval
        covered += low <= truth <= high
        too_narrow += abs(measured.mean - truth) <= (high - low) / 4
    assert stats.binomtest(covered, 2000, 0.95).pvalue > 1e-6
    assert stats.binomtest(too_narrow, 2000, 0.95).pvalue < 1e-6


def test_bad_input_is_refused():
    with pytest.raises(ParameterError, match="at least one run"):
        ncr([], [1, 2], cutoff=1)
    with pytest.raises(ParameterError, match="from 0 to 1"):
        ncr([[2]], [1, 2], cutoff=1)
    with pytest.raises(ParameterError, match="threshold must be given"):
        recall([[0]], [1, 2], cutoff=1, truth="above")
    with pytest.raises(ParameterError, match="confidence"):
        recall([[0]], [1, 2], cutoff=1, confidence=1)
    with pytest.raises(ScoreError):
        ncr([[0]], [1, float("nan")], cutoff=1)
