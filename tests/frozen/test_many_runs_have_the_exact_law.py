"""Millions of runs at once have exactly the law of the plain loop, which is enumerated.

An outcome is which of four questions were positive in one run. The control is a plan with two
parts in a hundred more noise, or one, which ten million answers tell apart: as many are drawn by
``make campaign NAME=laws``.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from overbar.mechanism import hidden_bar, many_runs
from overbar.mechanism.many_runs import SparseVectors
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.plans import Groups
from tests.reference.plans import any_plan
from tests.reference.sampling import seeded
from tests.reference.transcripts import Law, distribution
from tests.frozen.chi_square import FALSE_ALARM, MORE

RUNS = 625_000 * MORE
LEVEL = 2
SCORES = (2, -1, 0, -3)

PLANS = {
    "exponential": any_plan(Exponential(3), Exponential(2), LEVEL, 2, monotonic=True),
    "gumbel": any_plan(Gumbel(3), Laplace(2), LEVEL, 2, monotonic=True),
    "drawn anew": any_plan(Exponential(3), Laplace(2), LEVEL, 2, resample=True),
    "a limit": any_plan(Laplace(3), Exponential(2), LEVEL, 4, max_queries=3),
}
MORE_NOISE = 1 + Fraction(1 if MORE >= 4 else 2, 100)


def expected(plan):
    """Return the probability of each outcome, by the bits of its number."""
    chances = np.zeros(1 << len(SCORES))
    for said, probability in distribution(SCORES, Law(plan, LEVEL)).items():
        chances[sum(answer << query for query, answer in said)] += float(probability)
    return chances


def noisier(plan):
    kind, scale = type(plan.query_noise), plan.query_noise.scale * MORE_NOISE
    return any_plan(
        kind(scale), plan.threshold_noise, LEVEL, plan.cutoff, resample=plan.repeats.resample,
        max_queries=plan.repeats.max_queries,
    )  # fmt: skip


def outcomes(plan, seed, runs=RUNS):
    many = SparseVectors.__new__(SparseVectors)
    many._start(plan, Groups(runs, 1), 0, None, seeded(seed))
    number = np.zeros(runs, dtype=np.int64)
    for place, score in enumerate(SCORES):
        if not many.halted.all():
            number += many.ask(np.full(runs, score)).astype(np.int64) << place
    return number


def p_value(number, chances):
    counts = np.bincount(number, minlength=len(chances))
    assert not counts[chances == 0].any()
    likely = chances > 0
    return stats.chisquare(counts[likely], chances[likely] * len(number)).pvalue


@pytest.mark.parametrize("name", PLANS)
def test_millions_of_answers(name):
    number = outcomes(PLANS[name], seed=4)
    assert p_value(number, expected(PLANS[name])) > FALSE_ALARM
    assert p_value(number, expected(noisier(PLANS[name]))) < FALSE_ALARM


def test_neighbouring_runs_are_independent(monkeypatch):
    """Pairs of runs have the product of two laws; a control in which they share words has not."""
    plan, runs = PLANS["gumbel"], 200_000 * MORE
    one = expected(plan)
    both = np.outer(one, one).ravel()

    def pairs():
        number = outcomes(plan, 7, runs)
        return p_value(number[::2] * len(one) + number[1::2], both)

    assert pairs() > FALSE_ALARM
    honest = many_runs.raise_bars

    def shared(plan, ruler, runs, source):
        def doubled(count):
            words = np.frombuffer(source(count), dtype=np.uint8).copy()
            if count == 2 * runs:  # the words of all answers
                words[2::4], words[3::4] = words[::4], words[1::4]
            return words.tobytes()

        return honest(plan, ruler, runs, doubled)

    monkeypatch.setattr(many_runs, "raise_bars", shared)
    monkeypatch.setattr(hidden_bar, "BLOCK", runs)
    assert pairs() < FALSE_ALARM
