"""An online run: what it answers, when it halts, what it has cost."""

import copy
import pickle
import threading
from fractions import Fraction
from itertools import count

import numpy as np
import pytest

import overbar
from overbar import HaltedError, NoGuaranteeError, ParameterError, ScoreError, SecrecyError
from overbar.noise import Gaussian, Laplace
from overbar.runs import hidden_bar
from tests.queue_plans import queue_plan
from tests.reference.plans import other_plan

HIGH, LOW = 10**9, -(10**9)


def plan(**changes):
    return queue_plan(**{"epsilon": 1, "cutoff": 3, "monotonic": True, "candidates": 100} | changes)


def run(threshold=500, **changes):
    return overbar.SparseVector(plan(**changes), threshold=threshold)


def test_answers_and_halting():
    svt = run()
    assert [svt.ask(score) for score in (LOW, HIGH, LOW, HIGH)] == [False, True, False, True]
    assert (svt.asked, svt.positives, svt.remaining, svt.halted) == (4, 2, 1, False)
    assert svt.ask(HIGH)
    assert svt.halted
    assert svt.remaining == 0
    with pytest.raises(HaltedError, match="halted after 3 positives and 5 comparisons"):
        svt.ask(HIGH)
    with pytest.raises(HaltedError):
        svt.ask_many([HIGH])
    assert svt.asked == 5


@pytest.mark.parametrize("resample", [True, False])
def test_spent_is_exact(resample):
    svt = run(resample=resample)
    threshold = overbar.privacy.pure.threshold_epsilon(svt.plan.bar.noise, 1)
    each = overbar.privacy.pure.positive_epsilon(svt.plan.query_noise, svt.plan.reach.width)
    assert svt.spent == 0
    svt.ask(LOW)
    assert svt.spent == threshold
    svt.ask(HIGH)
    assert svt.spent == threshold * (2 if resample else 1) + each
    svt.ask(HIGH)
    svt.ask(HIGH)
    assert svt.spent == 1
    assert isinstance(svt.spent, Fraction)


def test_max_queries_is_checked_after_every_comparison():
    svt = run(max_queries=3)
    assert [svt.ask(LOW) for _ in range(3)] == [False] * 3
    assert svt.halted
    with pytest.raises(HaltedError, match="after 0 positives and 3 comparisons"):
        svt.ask(LOW)
    assert run(max_queries=3).ask_many([LOW] * 10).tolist() == [False] * 3


@pytest.mark.parametrize("resample", [True, False])
def test_ask_many_stops_where_the_run_halts(resample):
    svt = run(resample=resample)
    scores = np.full(5000, LOW)
    scores[[10, 2000, 3000, 4000]] = HIGH
    answers = svt.ask_many(scores)
    assert answers.size == 3001
    assert np.flatnonzero(answers).tolist() == [10, 2000, 3000]
    assert svt.halted
    assert svt.asked == 3001


def test_ask_many_in_parts_and_empty():
    svt = run()
    assert svt.ask_many([]).tolist() == []
    assert svt.spent == 0
    assert svt.ask_many([HIGH, LOW]).tolist() == [True, False]
    assert svt.ask_many([LOW, HIGH, HIGH, HIGH]).tolist() == [False, True, True]


def test_a_stream():
    svt = run()
    endless = iter(lambda: HIGH, None)
    assert list(svt.answers(endless)) == [True] * 3
    assert list(run().answers([LOW, HIGH])) == [False, True]
    # Nothing is taken from the stream that is not asked.
    stream = iter([HIGH] * 5)
    list(run().answers(stream))
    assert len(list(stream)) == 2


def test_thresholds_of_single_questions():
    svt = overbar.SparseVector(plan())
    with pytest.raises(ParameterError, match="threshold must be given"):
        svt.ask(5)
    assert svt.ask(HIGH, threshold=0)
    assert not svt.ask(HIGH, threshold=10 * HIGH)
    assert svt.ask_many([HIGH, HIGH], threshold="0.5").tolist() == [True, True]
    with pytest.raises(ParameterError, match="threshold must be a finite number"):
        run().ask(5, threshold=float("nan"))


def test_bad_scores_cost_nothing():
    svt = run()
    for bad in ("5", None, float("nan"), True, [5], object()):
        with pytest.raises(ScoreError):
            svt.ask(bad)
    with pytest.raises(ScoreError):
        svt.ask_many([HIGH, float("inf")])
    assert (svt.asked, svt.positives, svt.spent) == (0, 0, 0)


def test_score_range_takes_anything_numeric():
    svt = overbar.SparseVector(plan(), threshold=500, score_range=(0, 10**6))
    assert not svt.ask(float("nan"))
    assert svt.ask(float("inf"))
    assert not svt.ask(None)


def test_huge_and_exact_scores():
    svt = run()
    assert svt.ask(10**400)
    assert not svt.ask(-(10**400))
    assert svt.ask(Fraction(10**30, 7))
    assert svt.ask_many([-(10**400), 10**400]).tolist() == [False, True]


def test_plans_without_a_proof_are_not_run():
    sound = plan()
    with pytest.raises(NoGuaranteeError, match="no pure guarantee"):
        overbar.SparseVector(other_plan(sound, query_noise=Gaussian(10)), threshold=1)
    with pytest.raises(NoGuaranteeError):
        overbar.SparseVector(other_plan(sound, threshold_noise=None), threshold=1)
    with pytest.raises(ParameterError, match="plan must be a Plan"):
        overbar.SparseVector({"epsilon": 1}, threshold=1)


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_run_is_not_copied(act):
    with pytest.raises(SecrecyError, match="cannot be pickled or copied"):
        act(run())


@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize("strike", range(1, 25))
@pytest.mark.parametrize("many", [True, False])
def test_an_interrupt_never_puts_noise_out_of_step(resample, strike, many, monkeypatch):
    """Every released answer comes from the noise of its turn: the number of positives so far.

    Noise is counted up instead of drawn, and control-C strikes at any request for bits.
    """
    requests, drawn, used = count(1), count(), []

    def bits(_):
        if next(requests) == strike:
            raise KeyboardInterrupt
        return b""

    def noise(scale, grid, source):
        source(1)
        return next(drawn)

    def drawer(table, source, ahead):
        def positive(gap):
            used.append(gap - level + (HIGH if gap < 0 else LOW))
            source(1)
            return gap < 0

        return positive

    def positives(scores, base, table, source):
        source(1)
        used.extend([base - level] * len(scores))
        return np.flatnonzero(scores > base)

    monkeypatch.setitem(hidden_bar.THRESHOLD_DRAWS, Laplace, noise)
    monkeypatch.setattr(hidden_bar, "positive_drawer", drawer)
    monkeypatch.setattr(hidden_bar, "positives_above", positives)
    svt = overbar.SparseVector.__new__(overbar.SparseVector)
    try:
        svt._start(plan(cutoff=5, resample=resample, grid=1), 500, None, bits)
    except KeyboardInterrupt:
        return
    level = svt._level
    while not svt.halted:
        before, used[:] = svt.positives, []
        try:
            answers = svt.ask_many([LOW, HIGH, LOW]) if many else [svt.ask(HIGH)]
        except KeyboardInterrupt:
            continue
        turn = before if resample else 0
        assert used[0] == turn
        assert used[-1] == turn + (resample and many and not svt.halted)
        assert answers[0] != many
        assert svt.positives == before + 1
    assert next(drawn) <= (5 if resample else 1)


@pytest.mark.parametrize("limit", [{"cutoff": 1}, {"max_queries": 1}])
def test_an_interrupted_run_halts_where_it_should(limit):
    """Control-C strikes while the last question is being answered."""
    svt = run(**limit)
    true = svt._passes

    def struck(*question):
        svt._passes = true
        raise KeyboardInterrupt

    svt._passes = struck
    with pytest.raises(KeyboardInterrupt):
        svt.ask(HIGH)
    assert svt.halted == ("max_queries" in limit)
    assert len(list(svt.answers([HIGH] * 3))) == ("cutoff" in limit)
    assert svt.halted


@pytest.mark.parametrize("resample", [True, False])
def test_threads_never_get_more_than_the_cutoff(resample):
    svt = run(cutoff=50, resample=resample)
    given = []

    def ask():
        for _ in range(200):
            try:
                given.append(svt.ask(HIGH))
            except HaltedError:
                return

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(given) == svt.positives == 50
    assert svt.asked == len(given)


def test_repr():
    svt = run(cutoff=1)
    assert repr(svt) == "SparseVector: 0 asked, 0 of 1 positives given, spent 0 of 1"
    svt.ask(HIGH)
    assert repr(svt) == "SparseVector: 1 asked, 1 of 1 positives given, halted, spent 1 of 1"
