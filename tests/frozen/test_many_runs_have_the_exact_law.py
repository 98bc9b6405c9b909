"""Millions of runs at once have exactly the law of the plain loop, which is enumerated.

An outcome is which of four questions were positive in one run. The control is a law with two
parts in a hundred more noise, or one, which ten million answers tell apart: as many are drawn by
``make campaign NAME=laws``.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import overbar
from tests.frozen import seam
from tests.frozen.chi_square import FALSE_ALARM, MORE
from tests.reference import laws

RUNS = 625_000 * MORE
LEVEL = 2
SCORES = (2, -1, 0, -3)
ASKED = {"epsilon": 1, "cutoff": 2, "monotonic": True, "mechanism": "sparse-vector", "grid": 1}
PLANS = {
    "exponential": {},
    "gumbel": {"noise": "gumbel"},
    "drawn anew": {"resample": True, "epsilon": 2, "monotonic": False},
    "a limit": {"noise": "laplace", "cutoff": 4, "max_queries": 3, "epsilon": 2},
}
MORE_NOISE = 1 + (1 if MORE >= 4 else 2) / 100


def plan_of(name):
    return overbar.plan(**ASKED | {"correction": 0} | PLANS[name])


def expected(run):
    """Return the probability of each outcome, by the bits of its number."""
    chances = np.zeros(1 << len(SCORES))
    for places, probability in laws.online(run, SCORES, LEVEL).items():
        chances[sum(1 << place for place in places)] += probability
    return chances


def outcomes(plan, seed, runs=RUNS):
    number = np.zeros(runs, dtype=np.int64)
    with seam.drawn_from(seed):
        many = overbar.SparseVectors(plan, threshold=LEVEL, runs=runs, disjoint=True)
        for place, score in enumerate(SCORES):
            if not many.halted.all():
                number += many.ask(np.full(runs, score)).astype(np.int64) << place
    return number


def p_value(number, chances):
    counts = np.bincount(number, minlength=len(chances))
    likely = chances > 1e-12
    assert not counts[~likely].any()
    expected = chances[likely] / chances[likely].sum() * len(number)
    return stats.chisquare(counts[likely], expected).pvalue


@pytest.mark.parametrize("name", PLANS)
def test_millions_of_answers(name):
    plan = plan_of(name)
    run, number = seam.numbers(plan), outcomes(plan, seed=4)
    assert p_value(number, expected(run)) > FALSE_ALARM
    assert p_value(number, expected(replace(run, scale=MORE_NOISE * run.scale))) < FALSE_ALARM


def test_neighbouring_runs_are_independent():
    """Pairs of runs have the product of two laws; runs that sometimes share an answer have not."""
    plan = plan_of("gumbel")
    one = expected(seam.numbers(plan))
    both = np.outer(one, one).ravel()
    number = outcomes(plan, 7, 200_000 * MORE)

    def pairs(number):
        return p_value(number[::2] * len(one) + number[1::2], both)

    assert pairs(number) > FALSE_ALARM
    repeats = np.random.default_rng(0).random(len(number) // 2) < 0.05
    number[1::2] = np.where(repeats, number[::2], number[1::2])
    assert pairs(number) < FALSE_ALARM
