"""Success probabilities against plain loops over every comparison.

Each test is a two-sided binomial test with a false-alarm level of 1e-6; seeds are fixed, so it
either always passes or never does. Each has a control: a formula that is nearly right, and that
the same test must reject.
"""

import math

import pytest
from scipy.stats import binomtest

from overbar.accuracy.success import failure_probability, success_probability
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from tests.reference.run_success import count_successes, first_positive_is_true

FALSE_ALARM = 1e-6
RUNS = 12_000


def consistent(successes, chance, runs=RUNS):
    return binomtest(successes, runs, chance).pvalue > FALSE_ALARM


CASES = [
    # query noise, threshold noise, r, k, α, R
    (Exponential(1), Laplace(2), 2.0, 4, 0.0, 1),
    (Exponential(1), Laplace(2), 2.5, 4, 0.5, 3),
    (Gumbel(1), Laplace(2), 1.5, 5, 0.0, 1),
    (Laplace(1), Laplace(2), 0.5, 4, 1.0, 2),
    (Gaussian(1), Gaussian(2), 1.5, 4, 0.0, 2),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("fresh", "shared"), [("run", True), ("asking", False)])
def test_success_is_what_a_loop_finds_and_not_the_other_law(case, fresh, shared):
    query, threshold, r, k, alpha, rounds = case
    successes = count_successes(
        query,
        threshold,
        correction=r,
        negatives=k,
        tolerance=alpha,
        rounds=rounds,
        fresh=fresh,
        runs=RUNS,
        seed=3141,
    )
    setting = {"negatives": k, "tolerance": alpha, "rounds": rounds}
    right, wrong = (
        float(success_probability(r, query, threshold, shared=kind, **setting))
        for kind in (shared, not shared)
    )
    assert consistent(successes, right)
    assert not consistent(successes, wrong)
    beta = failure_probability(
        alpha, query, threshold, negatives=k, correction=r, rounds=rounds, shared=shared
    )
    assert consistent(RUNS - successes, beta)


def test_independent_means_each_asking_and_not_each_query():
    """A threshold noise per query, kept over its rounds, is a third law; both are rejected."""
    query, threshold, r, k, alpha, rounds = CASES[1]
    successes = count_successes(
        query,
        threshold,
        correction=r,
        negatives=k,
        tolerance=alpha,
        rounds=rounds,
        fresh="query",
        runs=RUNS,
        seed=2718,
    )
    for shared in (False, True):
        p = success_probability(
            r, query, threshold, negatives=k, tolerance=alpha, rounds=rounds, shared=shared
        )
        assert not consistent(successes, float(p))


def test_a_run_that_halts_at_its_first_positive_does_better():
    """Success as defined here is a lower bound for it, with equality for one round."""
    query, threshold, r, k = Exponential(1), Laplace(1), 3.0, 4
    for rounds in (1, 5):
        found = first_positive_is_true(
            query, threshold, correction=r, negatives=k, rounds=rounds, runs=RUNS, seed=161
        )
        p = float(success_probability(r, query, threshold, negatives=k, rounds=rounds, shared=True))
        assert consistent(found, p) == (rounds == 1)
        assert found / RUNS > p - 5 * math.sqrt(p / RUNS)
