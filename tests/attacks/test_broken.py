"""Every known-broken mechanism is caught at confidence 1 - 1e-6; its sound twin is not."""

import math

import numpy as np
import pytest

from overbar.audit import audit
from overbar.audit.statistical import CONFIDENCE
from overbar.noise import Exponential, Laplace
from tests.attacks.broken_queues import NOISE_WITHOUT_CUTOFF_FACTOR, RENYI_WITHOUT_RESAMPLING
from tests.attacks.broken_rankings import BROKEN
from tests.attacks.checks import HALTED, transcripts
from tests.attacks.laboratory import chance_of_the_run
from tests.attacks.mechanisms import SparseVector
from tests.attacks.neighbours import exact_profile
from tests.attacks.twin_law import Law
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


@pytest.mark.parametrize("name", sorted(one.name for one in BROKEN if one.law))
def test_caught_exactly(name):
    one = BY_NAME[name]
    profile = exact_profile(one.law, one.among[0])
    if one.claim.delta:
        assert profile.delta(float(one.claim.epsilon)).low > one.claim.delta
    else:
        assert profile.loss().low > one.claim.epsilon


def test_the_long_ones_have_a_law():
    assert all(BY_NAME[name].law for name in LONG)


def test_the_renyi_counterexample_is_the_one_of_the_paper_room():
    profile = exact_profile(RENYI_WITHOUT_RESAMPLING.law, RENYI_WITHOUT_RESAMPLING.among[0])
    first, second = (chance_of_the_run(on_neighbour=side) for side in (False, True))
    assert math.exp(profile.one[0, 0]) == pytest.approx(first, rel=1e-6)
    assert math.exp(profile.other[0, 0]) == pytest.approx(second, rel=1e-6)
    # And its sampler draws from that law.
    rows = RENYI_WITHOUT_RESAMPLING.sampled(1).sample((0.0, 0.25), 400_000)
    hits = np.count_nonzero((rows[:, 0] == 0) & (rows[:, 1] == 50))
    assert hits == pytest.approx(400_000 * first, abs=6 * math.sqrt(400_000 * first))


def test_lee_and_clifton_lose_what_lyu_su_and_li_say():
    """(1 + 6c)/4 times ε, with c = 4."""
    assert search(NOISE_WITHOUT_CUTOFF_FACTOR.law).worst == pytest.approx(6.25, abs=1e-6)


# Sound twins: the same harness, the same inputs, the fault repaired.

SOUND = {
    "Algorithm 1 of Lyu, Su and Li": (
        SparseVector(Laplace(2.0), Laplace(4 * 4.0), 4, 1),
        [((0, 1, 1, 1, 1), (1, 0, 0, 0, 0))],
    ),
    "tail to the right": (
        SparseVector(Exponential(2.0), Exponential(4.0), 1, 2),
        [((0,), (-1,)), ((0, 1), (1, 0)), ((0, 0), (-1, 1))],
    ),
    "the factor c is there": (
        SparseVector(Laplace(2.0), Exponential(4.0), 1, 3),
        [((0, 1), (1, 0)), ((0,) * 8 + (1,), (1,) * 8 + (0,))],
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_twins_pass(name):
    mechanism, pairs = SOUND[name]
    verdict = audit(mechanism, pairs, epsilon=1, runs=100_000)
    assert verdict.passed
    assert verdict.found > 0.05  # not passing for weakness


def test_transcripts_halt_at_the_cutoff():
    answers, noisy = transcripts(
        Law(None, None, cutoff=2), [5.0, -5.0, 5.0, 5.0], 3, np.random.default_rng(1)
    )
    assert answers.tolist() == [[1, 0, 1, HALTED]] * 3
    assert noisy.tolist() == [[5.0, -5.0, 5.0, 5.0]] * 3
