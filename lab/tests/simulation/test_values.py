"""The highest of seeded values: batches merge, and every kind of plan comes out in order."""

import numpy as np
import pytest

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar_lab.paper.methods import OneShot
from overbar_lab.simulation import simulate
from overbar_lab.simulation.candidates import Candidates
from overbar_lab.simulation.seeded import UNITS, Seeded
from tests.reference.plans import any_plan

NOISES = [Exponential(3), Gumbel(3), Laplace(3), Gaussian(3)]
SCORES = np.random.default_rng(0).normal(size=400) * 9


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
@pytest.mark.parametrize("count", [1, 20, 500])
@pytest.mark.parametrize("bar", [-np.inf, 12.0, 1000.0])
def test_blocks_give_what_sorting_all_values_gives(noise, count, bar):
    values = SCORES + Seeded(np.random.default_rng(2)).draws(noise, UNITS, len(SCORES))
    order = np.argsort(-values)
    expected = order[values[order] >= bar][:count]
    for block in (1, 7, 399, 400, 1000):
        candidates = Candidates(SCORES, 0.0, block)
        found = Seeded(np.random.default_rng(2)).highest(candidates, noise, UNITS, bar, most=count)
        np.testing.assert_array_equal(found.candidate, expected)
        np.testing.assert_array_equal(found.value, values[expected])
        np.testing.assert_array_equal(found.score, SCORES[expected])


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
def test_a_top_without_a_bar_is_one_shot_noise(noise):
    mechanism = "histogram" if noise.name in ("laplace", "gaussian") else "ranked"
    plan = any_plan(noise, None, 0, 6, is_top=True, mechanism=mechanism, items_per_person=1)
    one, other = (
        simulate(kind, SCORES, threshold=10**6, runs=30, seed=4).selected
        for kind in (plan, OneShot(noise, 6))
    )
    assert all(map(np.array_equal, one, other))


@pytest.mark.parametrize("scores", [[], [3.0], [1.0, 2.0]])
def test_few_candidates(scores):
    plan = any_plan(Gumbel(1), None, 0, 3, is_top=True, mechanism="ranked")
    found = simulate(plan, scores, threshold=0, runs=5, seed=1).selected
    assert all(sorted(one.tolist()) == list(range(len(scores))) for one in found)


def test_a_bar_above_all_finds_nobody():
    plan = any_plan(Exponential(1), Exponential(1), 0, 3, mechanism="ranked")
    found = simulate(plan, SCORES, threshold=10**4, runs=5, seed=1).selected
    assert [len(one) for one in found] == [0] * 5
