"""A bar compares with the same noise, added the same way round, whichever way it is asked."""

import operator
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import HaltedError, ScoreError, SecrecyError
from overbar.noise import Exponential, Gaussian, Laplace
from overbar.runs.batch import select
from overbar.runs.exact import Exact
from overbar.runs.hidden_bar import first_passing, raise_bar
from overbar.runs.online import SparseVector
from overbar.runs.positives import Batch, Hidden
from tests.reference import sampling as reference
from tests.reference.plans import any_plan

WIDE = 10**9


def height(bar, turn=0):
    """Find the noise by bisection: query noise of scale 1/1000 hardly blurs it."""
    low, high = -200 * WIDE, 200 * WIDE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bar.passes(middle, 0, turn) else (middle, high)
    return high


@pytest.mark.parametrize("law", [Laplace(WIDE), Gaussian(WIDE)])
@pytest.mark.parametrize("seed", range(6))
def test_once_many_and_again_and_again(law, seed):
    plan = any_plan(Exponential("0.001"), law, 0, 3, monotonic=True, resample=True)
    bar = raise_bar(plan, reference.seeded(seed))
    noises = [height(bar, turn) for turn in range(3)]
    assert len(set(noises)) == 3
    for turn in (2, 0, 1):  # in any order, and kept
        edge = noises[turn]
        assert height(bar, turn) == edge
        scores = np.array([edge - 1000, edge + 1000, edge - 50, edge + 50])
        for level in (0, 12345):
            moved = scores + level
            assert bar.passing(moved, level, turn).tolist() == [1, 3]
            assert bar.passes(int(moved[3]), level, turn)
            assert not bar.passes(int(moved[2]), level, turn)
    assert bar.passing(np.array([noises[0] + 50]), 0).tolist() == [0]  # turn 0 unless told


@pytest.mark.parametrize("law", [Laplace(WIDE), Gaussian(WIDE), Exponential(WIDE)])
@pytest.mark.parametrize("seed", range(6))
def test_every_verb_of_a_release(law, seed):
    exact, grid, noise = Exact(reference.seeded(seed)), Fraction(1), Exponential("0.001")
    bar = 77 + exact.draw(law, grid)
    edge = exact.tell(bar)
    batches = [Batch(np.array([edge - 50, edge + 50]), ["a", "b"]), Batch(np.array([edge]), ["c"])]
    for ask in (
        lambda: exact.passing(batches, noise, grid, bar, most=3),
        lambda: exact.passing(batches, noise, grid, bar, most=3, rounds=1),
        lambda: exact.passing(batches, noise, grid, bar, most=3, rounds=2),
        lambda: exact.highest(batches, noise, grid, bar, most=3),
    ):
        assert {(one.candidate, one.label) for one in ask()} == {(1, "b"), (2, "c")}
    assert exact.passes(edge, noise, grid, bar)
    assert not exact.passes(edge - 50, noise, grid, bar)
    (best, _) = exact.highest(batches, noise, grid, bar, most=2, values=True)
    assert exact.tell(best.value - best.score) == 0
    assert exact.tell(best.score) == edge + 50


def test_a_hidden_number_is_added_up_and_nothing_else():
    exact, hidden = Exact(), Hidden(7) + 1 - Hidden(3)
    assert exact.tell(hidden) == exact.tell(3 + Hidden(2)) == 5
    looks = (bool, int, float, hash, operator.index, lambda one: one == 5, lambda one: one < 9)
    for look in (*looks, lambda one: one != 5, lambda one: one in (4, 5), sorted, min):
        with pytest.raises((SecrecyError, TypeError)) as caught:
            look([hidden, hidden] if look in (sorted, min) else hidden)
        assert "5" not in str(caught.value)
    assert "5" not in f"{hidden}{hidden!r}"


def test_who_passes_first_and_how_many_were_asked():
    plan = any_plan(Exponential("0.001"), None, 0, 9, monotonic=True)
    bar = raise_bar(plan, reference.seeded(1))
    scores = np.full(5000, -100)
    high = [3, 1500, 1501, 1502, 1503, 4999]
    scores[high] = 100
    for count in range(1, 7):
        found = first_passing(bar, scores, 0, count=count, resample=False)
        assert found == (high[:count], high[count - 1] + 1)
        assert first_passing(bar, scores, 0, count=count, resample=True) == found
    assert first_passing(bar, scores, 0, count=9, resample=False) == (high, 5000)
    assert first_passing(bar, scores[:4999], 0, count=9, resample=False) == (high[:-1], 4999)


@pytest.mark.parametrize("rounds", [1, 3])
def test_without_labels_positions_are_the_labels(rounds):
    plan = any_plan(Exponential("0.001"), Laplace("0.001"), 0, 3, monotonic=True, rounds=rounds)
    scores = [-50] * 9
    scores[2] = scores[6] = 50
    found = select(scores, threshold=0, plan=plan)
    assert found.indices == found.labels
    assert sorted(found.indices) == [2, 6]
    named = select(scores, threshold=0, plan=plan, labels=list("abcdefghi"))
    assert {*zip(named.indices, named.labels, strict=True)} == {(2, "c"), (6, "g")}


def test_an_error_brings_no_other_error_along():
    run = SparseVector(any_plan(Exponential(1), Laplace(1), 0, 1), threshold=0)
    outer = KeyError("outer")
    try:
        raise outer
    except KeyError:
        with pytest.raises(ScoreError) as caught:
            run.ask(float("nan"))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_no_batches_mean_no_candidates():
    plan = any_plan(Exponential("0.001"), Laplace("0.001"), 0, 3, monotonic=True)
    found = select(iter([]), threshold=-1000, plan=plan)
    assert (found.indices, found.labels, found.spent) == ((), (), 0)


def test_a_closed_run_answers_no_more():
    """Also if it has given no positive yet."""
    run = SparseVector(any_plan(Exponential(1), Laplace(1), 0, 2), threshold=0)
    run.close()
    assert run.halted
    for ask in (lambda: run.ask(-(10**9)), lambda: run.ask_many([-(10**9)])):
        with pytest.raises(HaltedError):
            ask()
    with SparseVector(any_plan(Exponential(1), Laplace(1), 0, 2), threshold=0) as open_run:
        assert not open_run.ask(-(10**9))
    with pytest.raises(HaltedError):
        open_run.ask(-(10**9))


def test_noise_is_drawn_anew_after_each_positive_only_if_the_plan_says_so():
    """Equal scores against one bar are all positive or all negative; against several, some are."""

    def counts(**limits):
        plan = any_plan(Exponential("0.001"), Laplace(WIDE), 0, 4, monotonic=True, **limits)
        runs = (SparseVector(plan, threshold=0) for _ in range(400))
        return {int(run.ask_many([0] * 4).sum()) for run in runs}

    assert counts(max_queries=100) == {0, 4}
    assert counts() == {0, 4}
    assert counts(resample=True) == {0, 1, 2, 3, 4}
    assert counts(resample=True, max_queries=100) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("resample", [False, True])
def test_no_more_comparisons_than_allowed(resample):
    """Far below the bar nobody passes; the last place is reached only with room for all."""
    scores = [-(10**6)] * 9 + [10**6]
    for limit, found in ((9, 0), (10, 1)):
        plan = any_plan(
            Exponential(1), Laplace(1), 0, 4, monotonic=True, resample=resample, max_queries=limit
        )
        assert sum(SparseVector(plan, threshold=0).answers(scores)) == found
