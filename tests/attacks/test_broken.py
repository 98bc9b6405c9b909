"""Every known-broken mechanism is caught at confidence 1 - 1e-6; its sound twin is not."""

import math

import pytest

from overbar.audit import Pair, audit
from overbar.audit.every import Every
from overbar.audit.statistical import CONFIDENCE
from overbar.noise import Exponential, Gumbel, Laplace
from tests.attacks.broken_queues import (
    LEE_AND_CLIFTON,
    left_tailed,
    renyi_without_resampling,
)
from tests.attacks.broken_rankings import BROKEN
from tests.attacks.laboratory import chance_of_the_run
from tests.attacks.mechanisms import sparse_vector
from tests.attacks.twins import broken
from tests.attacks.worst_case import search

BY_NAME = {one.name: one for one in BROKEN}
#: More runs than a short test has time for; the exact auditor catches them.
LONG = {one.name for one in BROKEN if one.runs > 10**6}


def test_names_and_faults_are_told_apart():
    assert len(BY_NAME) == len(BROKEN) == 25
    for one in BROKEN:
        assert one.fault
        assert one.source
        assert one.claim.epsilon > 0


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - LONG))
def test_caught_by_samples(name):
    one = BY_NAME[name]
    claim = {"epsilon": one.claim.epsilon, "delta": one.claim.delta}
    verdict = audit(one.sampled(11), one.pairs, runs=one.runs, **claim)
    assert CONFIDENCE == 1 - 1e-6 == pytest.approx(verdict.confidence)
    assert verdict.violated
    assert verdict.found > one.claim.epsilon


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_caught_exactly(name):
    one = BY_NAME[name]
    worst, shown = one.exact()
    assert worst > 1.15 * float(one.claim.delta or one.claim.epsilon)
    assert shown in {f"{pair.first} | {pair.second}" for pair in one.pairs}


def test_the_renyi_counterexample_is_the_one_of_the_paper_room():
    """There the noise of the threshold is not on a grid."""
    (pair,) = renyi_without_resampling.pairs
    for scores, on_neighbour in ((pair.first, False), (pair.second, True)):
        law = Every().outcomes(lambda run, at=scores: renyi_without_resampling.says(run, at))
        there = chance_of_the_run(on_neighbour=on_neighbour)
        assert math.exp(law.chances[True][0]) == pytest.approx(there, rel=5e-3)


def test_lee_and_clifton_lose_what_lyu_su_and_li_say():
    """(1 + 6c)/4 times ε, with c = 4."""
    assert search(LEE_AND_CLIFTON).worst == pytest.approx(6.25, abs=1e-6)


def test_gumbel_noise_with_its_tail_to_the_left_is_no_better():
    high = [Pair((6,), (7,), "far above the level")]
    assert broken("left tail", "", "", *high)(left_tailed(Gumbel(2))).exact()[0] > 10


# Sound twins: the same harness, the same inputs, the fault repaired.

SOUND = {
    "Algorithm 1 of Lyu, Su and Li": (
        sparse_vector(Laplace(2.0), Laplace(4 * 4.0), 4, 1),
        [((0, 1, 1, 1, 1), (1, 0, 0, 0, 0))],
    ),
    "tail to the right": (
        sparse_vector(Exponential(2.0), Exponential(4.0), 1, 2),
        [((0,), (-1,)), ((0, 1), (1, 0)), ((0, 0), (-1, 1))],
    ),
    "the factor c is there": (
        sparse_vector(Laplace(2.0), Exponential(4.0), 1, 3),
        [((0, 1), (1, 0)), ((0,) * 8 + (1,), (1,) * 8 + (0,))],
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_twins_pass(name):
    mechanism, pairs = SOUND[name]
    verdict = audit(mechanism, pairs, epsilon=1, runs=100_000)
    assert verdict.passed
    assert verdict.found > 0.05  # not passing for weakness
