"""The statistical auditor finds what is there, both ways, and keeps search and test apart."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from overbar.audit import Pair, audit, statistical
from overbar.runs.batch import top
from tests.attacks.mechanisms import RandomisedResponse, sound_sparse_vector
from tests.attacks.subjects import (
    NONE,
    online_runs,
    requeue_runs,
    runs_at_once,
    select_runs,
    simulated_runs,
    unlisted_runs,
)
from tests.queue_plans import queue_plan
from tests.reference.sampling import seed_releases

pytestmark = pytest.mark.one_in(3)


def test_the_loss_found_is_close_below_the_true_one():
    verdict = audit(RandomisedResponse(1.0, 1), [(0, 1)], epsilon="0.8", runs=200_000)
    assert verdict.violated
    assert 0.95 < verdict.found <= 1.0
    assert verdict.found == pytest.approx(1.0, abs=0.05)
    assert verdict.confidence == pytest.approx(1 - 1e-6)


def test_at_exactly_its_epsilon_a_mechanism_is_not_flagged():
    assert audit(RandomisedResponse(1.0, 2), [(0, 1)], epsilon=1, runs=400_000).passed
    verdict = audit(sound_sparse_vector(2, 3), [((0, 1), (1, 0))], epsilon=2, runs=400_000)
    assert verdict.passed
    assert verdict.found > 1.5  # not passing for weakness


@pytest.mark.parametrize("swapped", [False, True])
def test_both_directions_are_looked_at(swapped):
    """One input never gives True: only one direction has an unbounded ratio."""

    class OneWay:
        generator = np.random.default_rng(4)

        def sample(self, data, runs):
            return self.generator.random(runs) < (0.02 if data else 0.0)

    pair = (1, 0) if not swapped else (0, 1)
    verdict = audit(OneWay(), [pair], epsilon=1, runs=20_000)
    assert verdict.violated
    assert verdict.inputs == (1, 0)  # the likelier one first
    assert verdict.other_hits == 0


def test_delta_forgives_as_much_as_it_says():
    class Reveals:
        """Tells the input with a chance of 0.05, else nothing: (0, 0.05)-private."""

        generator = np.random.default_rng(5)

        def sample(self, data, runs):
            return np.where(self.generator.random(runs) < 0.05, data, 9)

    assert audit(Reveals(), [(0, 1)], epsilon=0, delta="0.05", runs=50_000).passed
    assert audit(Reveals(), [(0, 1)], epsilon=0, delta="0.04", runs=50_000).violated
    assert audit(Reveals(), [(0, 1)], epsilon=4, delta=0, runs=50_000).violated


def test_the_worst_pair_is_found_among_others():
    class Coin:
        generator = np.random.default_rng(6)

        def sample(self, data, runs):
            return self.generator.random(runs) < data

    pairs = [(0.5, 0.51), Pair(0.9, 0.1, "far apart"), (0.3, 0.32)]
    verdict = audit(Coin(), pairs, epsilon=1, runs=5000)
    assert verdict.violated
    assert verdict.pair.why == "far apart"


def test_outcomes_that_are_all_different_raise_no_alarm():
    """Were events tested on the runs that chose them, these would look infinitely telling."""

    class Serial:
        generator = np.random.default_rng(7)

        def sample(self, data, runs):
            return [("number", int(one)) for one in self.generator.integers(10**9, size=runs)]

    assert audit(Serial(), [(0, 1)], epsilon="0.01", runs=3000, confidence=0.5).found == 0


def test_seconds_set_the_number_of_runs(monkeypatch):
    """By a clock that goes on by a second for every ten thousand runs."""

    class Timed(RandomisedResponse):
        now = 0.0

        def sample(self, data, runs):
            Timed.now += runs / 10_000
            return super().sample(data, runs)

    monkeypatch.setattr(statistical, "time", SimpleNamespace(perf_counter=lambda: Timed.now))
    tested = [
        audit(Timed(1.0, 8), [(0, 1)], epsilon=1, seconds=seconds).runs for seconds in (0.02, 2, 20)
    ]
    assert tested == pytest.approx([statistical.FEWEST_RUNS, 6_000, 60_000], abs=1)


def test_a_verdict_explains_itself():
    verdict = audit(RandomisedResponse(2.0, 9), [(0, 1)], epsilon=1, runs=20_000)
    text = repr(verdict)
    assert "VIOLATED; claimed ε = 1" in text
    assert "20,000 of each" in text
    assert "would find  ε >= 1." in text
    assert not verdict
    fine = audit(RandomisedResponse(0.5, 9), [(0, 1)], epsilon=1, runs=600)
    assert fine
    assert "no violation found" in repr(fine)
    few = audit(RandomisedResponse(0.5, 9), [(0, 1)], epsilon=1, runs=5)
    assert "too few runs" in repr(few)


# Our own mechanisms, through their public doors


def small_plan(**changes):
    wanted = {"epsilon": 2, "cutoff": 1, "correction": 0, "allocation": 1, "grid": 1} | changes
    return queue_plan(**wanted)


ADAPTERS = {
    "select": (lambda plan: select_runs(plan, 0), {}),
    "select again": (lambda plan: select_runs(plan, 0), {"rounds": 2, "monotonic": True}),
    "asked": (lambda plan: online_runs(plan, 0), {"cutoff": 2}),
    "requeued": (lambda plan: requeue_runs(plan, 0), {"rounds": 2}),
    "simulated": (lambda plan: simulated_runs(plan, 0, seed=1), {}),
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_our_own_pass_and_a_false_claim_about_them_does_not(name, monkeypatch):
    seed_releases(monkeypatch, 1)
    make, changes = ADAPTERS[name]
    mechanism = make(small_plan(**changes))
    assert audit(mechanism, [((0, 1), (1, 0))], epsilon=2, runs=300).passed
    strangers = ((90, -90), (-90, 90))  # not neighbours, so that no such claim can hold
    assert audit(mechanism, [strangers], epsilon=2, runs=300).violated


def test_top_and_unlisted_candidates(monkeypatch):
    seed_releases(monkeypatch, 1)
    lifted = top([0], cutoff=1, epsilon=2, monotonic=True).plan
    runs, far = 250, ((30, 0, 0), (0, 0, 0))
    assert audit(select_runs(lifted, 0), [((1, 0), (0, 0))], epsilon=2, runs=runs).passed
    assert audit(select_runs(lifted, 0), [far], epsilon="0.1", runs=runs).violated
    unlisted = unlisted_runs(small_plan(noise="gumbel"), 6, ("rum", "tea"))
    rows = unlisted.sample({"rum": 0, "tea": 100}, 20)
    assert rows.tolist() == [[1]] * 20
    low = unlisted_runs(small_plan(noise="gumbel"), -100, ("rum", "tea"))
    assert low.sample({"rum": 0, "tea": 1}, 40).tolist() == [[1]] * 40  # nobody holds rum
    assert audit(unlisted, [({"tea": 100}, {"rum": 100})], epsilon=2, runs=runs).violated


def test_rows_of_our_own_mechanisms():
    plan = small_plan(cutoff=2)
    assert select_runs(plan, 0).sample((-900, 900, -900), 5).tolist() == [[1, NONE]] * 5
    assert online_runs(plan, 0).sample((900, -900, 900, 900), 5).tolist() == [[1, 0, 1, NONE]] * 5
    assert runs_at_once(plan, 0).sample((900, -900, 900, 900), 5).tolist() == [[1, 0, 1, NONE]] * 5
    assert requeue_runs(plan, 0).sample((900, -900), 5).tolist() == [[0, NONE]] * 5
    simulated = simulated_runs(plan, 0, seed=3)
    first, second = simulated.sample((0, 0), 50), simulated.sample((0, 0), 50)
    assert (first != second).any()  # a second sample is not the first again
    assert (simulated_runs(plan, 0, seed=3).sample((0, 0), 50) == first).all()


def test_claims_of_ours_are_what_the_guarantee_says():
    from tests.attacks.our_claims import our_claims

    for check in our_claims():
        assert check.claim.epsilon <= Fraction("2.000001")
        assert math.isfinite(check.claim.delta)
        assert check.mechanism is not None or check.plan is not None
