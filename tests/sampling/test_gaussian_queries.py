"""Gaussian noise on queries that are asked once: enclosures, draws, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

import overbar
from overbar.errors import ParameterError
from overbar.mechanisms import Bar, Reach, Repeats, SparseVectorPlan
from overbar.noise import Gaussian, Laplace
from overbar.sampling import enclosure
from overbar.sampling.bernoulli import noise_table, positive_drawer, positives_above
from tests.reference import sampling as reference
from tests.sampling.test_enclosure import as_ball

ONE, NOISE = Fraction(1), Gaussian(Fraction(7, 3))
ASK = {"epsilon": 1, "delta": "1e-6", "cutoff": 2, "candidates": 9, "noise": "gaussian"}


def exact(gap):
    """S by another library, at 60 digits."""
    with mpmath.workdps(60):
        z = mpmath.mpf(gap) * 3 / 7
        return as_ball(mpmath.erfc(z / mpmath.sqrt(2)) / 2)


@pytest.mark.parametrize("gap", [-900, -31, -2, 0, 1, 17, 60, 400])
def test_the_survival_is_enclosed_and_tightens(gap):
    wide, narrow = (enclosure.survival(NOISE, ONE, gap, bits) for bits in (40, 160))
    assert wide.overlaps(exact(gap))
    assert narrow.overlaps(exact(gap))
    assert narrow.rad() < wide.rad() or gap == 0 or gap < -100
    assert enclosure.survival(NOISE, ONE, 10**300, 60) < 1e-300


def test_the_most_is_the_last_gap_that_a_word_may_have():
    table = noise_table(NOISE, ONE, 6)
    for word in range(1, 64):
        last = table.high[word]
        assert NOISE.sf(np.array([float(last)]))[0] * 64 >= word >= NOISE.sf(float(last) + 1) * 64
    assert table.low[31] == 0  # half of all are above zero
    assert table.high[32] == -1


@pytest.mark.parametrize(("shift", "good"), [(0, True), (1, False)])
def test_answers_have_the_law_and_a_control_has_another(shift, good):
    """With noise of 7/3 the answer at a gap of 2 is yes with S(2); at a gap of 3 it is not."""
    source = reference.seeded(3)
    draw = positive_drawer(noise_table(NOISE, ONE), source)
    ones = sum(draw(2 + shift) for _ in range(4000))
    many = len(positives_above(np.full(4000, -2 - shift), 0, noise_table(NOISE, ONE), source))
    for seen in (ones, many):
        assert (stats.binomtest(seen, 4000, float(NOISE.sf(2.0))).pvalue > 1e-4) == good


def test_a_plan_with_gaussian_noise_can_be_run():
    plan = overbar.plan(**ASK, max_queries=50, mechanism="sparse-vector")
    assert overbar.guarantee(plan).at("1e-6") <= 1
    run = overbar.SparseVector(plan, threshold=500)
    assert [run.ask(0), run.ask(10**6)] == [False, True]


def test_a_plan_that_cannot_be_run_is_refused_when_it_is_made():
    with pytest.raises(ParameterError, match=r"asked once. Write rounds=1"):
        overbar.plan(**ASK, max_queries=50, rounds=3, mechanism="sparse-vector")
    bar, reach = Bar(Laplace(Fraction(9))), Reach.of(1, monotonic=True)
    own = SparseVectorPlan(NOISE, bar, 2, reach, repeats=Repeats(3, max_queries=50))
    with pytest.raises(ParameterError, match="make the plan with rounds=1"):
        overbar.SparseVector(own, threshold=5)
