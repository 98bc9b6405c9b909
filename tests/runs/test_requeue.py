"""Re-asking on a stream: negatives come back, memory is bounded, it is an iterator."""

from itertools import count, islice

import pytest

import overbar
from overbar.errors import ParameterError
from overbar.runs.requeue import Requeue
from tests.queue_plans import queue_plan

HIGH, LOW = 10**9, -(10**9)


def run(rounds=None, cutoff=3, **changes):
    plan = queue_plan(
        epsilon=1, cutoff=cutoff, monotonic=True, candidates=100, rounds=rounds, **changes
    )
    return overbar.SparseVector(plan, threshold=500)


def test_positives_come_out_of_an_endless_stream():
    stream = ((n, HIGH if n % 10 == 3 else LOW) for n in count())
    found = list(Requeue(run(), stream))
    assert found == [3, 13, 23]


def test_it_is_an_iterator_and_stops_with_the_run():
    svt = run()
    requeue = Requeue(svt, ((n, HIGH) for n in count()))
    assert iter(requeue) is requeue
    assert list(islice(requeue, 2)) == [0, 1]
    assert next(requeue) == 2
    with pytest.raises(StopIteration):
        next(requeue)
    assert svt.halted


def test_negatives_are_asked_again():
    """A score far below the bar is positive in one comparison out of a thousand, but it is."""
    asked = []
    for _ in range(4):
        svt = run(cutoff=1)
        far = 500 + svt.plan.correction - 8 * svt.plan.query_noise.scale
        assert list(Requeue(svt, [("far", far)])) == ["far"]
        asked.append(svt.asked)
    assert max(asked) > 1  # all four at once at the first question: a chance below 1e-11


def test_rounds_limit_how_often_each_is_asked():
    svt = run(rounds=4)
    assert list(Requeue(svt, [(n, LOW) for n in range(10)])) == []
    assert svt.asked == 40
    once = run(rounds=1)
    assert list(Requeue(once, [(n, LOW) for n in range(10)])) == []
    assert once.asked == 10


def test_the_room_is_bounded():
    svt = run(max_queries=5000)
    requeue = Requeue(svt, ((n, LOW) for n in count()), room=7)
    assert list(requeue) == []
    assert svt.asked == 5000
    assert len(requeue._waiting) <= 7


def test_old_and_new_are_both_asked():
    svt = run(max_queries=2000)
    taken = []

    def stream():
        for n in count():
            taken.append(n)
            yield n, LOW

    list(Requeue(svt, stream()))
    assert 800 < len(taken) < 1200  # a fair coin decides: a thousand, give or take nine deviations


def test_each_query_may_bring_its_own_threshold():
    """The same score, far below one threshold and far above the other; asked again with its own."""
    plan = queue_plan(epsilon=1, cutoff=2, monotonic=True, candidates=100, rounds=None)
    svt = overbar.SparseVector(plan)
    stream = [("low", 0, HIGH), ("high", 0, LOW), ["listed", 0, LOW]]
    assert list(Requeue(svt, stream)) in (["high", "listed"], ["listed", "high"])


@pytest.mark.parametrize("query", [("label",), ("label", 1, 2, 3), "ab", 7])
def test_a_query_of_another_shape_is_refused(query):
    with pytest.raises(ParameterError, match=r"\(label, score\), or \(label, score, threshold\)"):
        next(Requeue(run(), [query]))


def test_bad_arguments():
    with pytest.raises(overbar.ParameterError, match="run must be a SparseVector"):
        Requeue("run", [])
    with pytest.raises(overbar.ParameterError, match="room must be a positive whole number"):
        Requeue(run(), [], room=0)
    with pytest.raises(overbar.ScoreError):
        list(Requeue(run(), [("a", "b")]))
