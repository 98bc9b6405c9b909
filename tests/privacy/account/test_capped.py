"""Gaussian queries with a limit on comparisons: exact Rényi divergences against the formula."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms.capped import capped_renyi
from overbar.noise import Gaussian, Laplace
from overbar.privacy import guarantee
from tests.reference.divergence import hockey_stick
from tests.reference.plans import any_plan
from tests.reference.runs import discrete_gaussian, transcripts


def law(plan, queries, threshold_points):
    points, masses = threshold_points
    gaps = (points[None, :] * float(plan.grid) - queries[:, None]) / float(plan.query_noise.scale)
    log_s, log_f = special.log_ndtr(-gaps), special.log_ndtr(gaps)
    result = []
    for answers in transcripts(len(queries), plan.cutoff):
        log_chance = sum(
            (log_s if answer else log_f)[place] for place, answer in enumerate(answers)
        )
        result.append(float(np.exp(log_chance) @ masses))
    return np.array(result)


def instances(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        queries = int(rng.integers(2, 8))
        plan = any_plan(
            Gaussian(Fraction(int(rng.integers(1, 6)), 2)),
            Gaussian(Fraction(int(rng.integers(1, 6)), 2)),
            0,
            int(rng.integers(1, 4)),
            monotonic=bool(rng.integers(2)),
            max_queries=queries,
            grid=Fraction(1, int(rng.integers(1, 4))),
        )
        one = rng.integers(-4, 3, queries).astype(float)
        moves = rng.choice([-1.0, 0.0, 1.0], queries)
        if plan.reach.one_way:
            moves = np.abs(moves) * rng.choice([-1, 1])
        points = discrete_gaussian(float(plan.threshold_noise.scale / plan.grid), 12.0)
        yield plan, [law(plan, values, points) for values in (one, one + moves)]


def renyi(p, q, order):
    some = p > 0
    terms = order * np.log(p[some]) + (1 - order) * np.log(q[some])
    return special.logsumexp(terms) / (order - 1)


def threshold_alone(plan, order):
    """A wrong bound, as if answers cost nothing beyond the threshold's shift."""
    return order * float(plan.reach.most / plan.threshold_noise.scale) ** 2 / 2


def test_no_run_exceeds_the_formula_and_a_broken_one_is_exceeded():
    caught = 0
    for plan, laws in instances(4, 30):
        for p, q in itertools.permutations(laws):
            for order in (1.3, 2.0, 6.0):
                exact = renyi(p, q, order)
                assert exact <= capped_renyi(plan, order) + 1e-9
                caught += exact > threshold_alone(plan, order) + 1e-9
            for epsilon in (0.5, 2.0):
                assert hockey_stick(p, q, epsilon) <= guarantee(plan).delta(epsilon) + 1e-12
    assert caught > 20


def test_the_number_of_transcripts():
    for queries, cutoff in ((5, 1), (6, 3), (4, 4), (3, 7)):
        wanted = sum(math.comb(queries, i) for i in range(min(cutoff, queries) + 1))
        assert len(transcripts(queries, cutoff)) == wanted


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize(("cutoff", "limit"), [(1, 1), (3, 50), (40, 10**6), (7, 5)])
def test_the_formula_is_not_rounded_down(resample, cutoff, limit):
    plan = any_plan(Gaussian(41), Gaussian(29), 0, cutoff, max_queries=limit, resample=resample)
    with mpmath.workdps(40):
        for order in (1.001, 1.7, 9.0, 300.0):
            a, terms = mpmath.mpf(order), []
            for i in range(min(cutoff, limit) + 1):
                draws = min(i + 1, cutoff) if resample else 1
                threshold = a / (2 * mpmath.mpf(29) ** 2) * draws
                each = a * 4 / (2 * mpmath.mpf(41) ** 2)
                terms.append(
                    mpmath.binomial(limit, i) * mpmath.exp((a - 1) * (threshold + i * each))
                )
            exact = mpmath.log(mpmath.fsum(terms)) / (a - 1)
            assert exact <= capped_renyi(plan, order) <= exact * (1 + 1e-11)


def test_never_above_the_simpler_formula():
    plan = any_plan(Gaussian(40), Gaussian(30), 0, 5, max_queries=1000)
    for order in (1.5, 4.0, 40.0):
        count = sum(math.comb(1000, i) for i in range(6))
        simple = order / (2 * 900) + 5 * order * 4 / (2 * 1600) + math.log(count) / (order - 1)
        assert capped_renyi(plan, order) <= simple
        assert capped_renyi(plan, order) > 0.9 * simple - 5 * order * 4 / (2 * 1600)


def test_epsilon_and_delta_agree_and_large_limits_work():
    plan = any_plan(Gaussian(400), Gaussian(30), 0, 5, max_queries=10**15)
    epsilon = float(guarantee(plan).at(1e-6))
    assert math.isfinite(epsilon)
    assert guarantee(plan).delta(epsilon) == pytest.approx(1e-6, rel=1e-4)
    mixed = any_plan(Gaussian(400), Laplace(30), 0, 5, max_queries=100, resample=True)
    assert capped_renyi(mixed, 2.0) < capped_renyi(plan, 2.0)


def test_deltas_far_below_a_float_s_last_digit_stay_positive():
    plan = any_plan(Gaussian(400), Gaussian(30), 0, 5, max_queries=100)
    values = [guarantee(plan).delta(epsilon) for epsilon in (2, 5, 40, 10**4)]
    assert values == sorted(values, reverse=True)
    assert values[2] < 1e-100
    assert values[3] == math.ulp(0.0)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (any_plan(Gaussian(4), Gaussian(3), 0, 5), "gaussian noise on the threshold"),
        (any_plan(Gaussian(4), Laplace(3), 0, 5), "gaussian noise on queries"),
        (any_plan(Gaussian(4), None, 0, 5, max_queries=9), "threshold without noise"),
    ],
)
def test_refusals(made, words):
    with pytest.raises(NoGuaranteeError, match=words):
        guarantee(made)
    proved = guarantee(any_plan(Gaussian(4), Gaussian(3), 0, 5, max_queries=9))
    with pytest.raises(NoGuaranteeError, match="no pure guarantee"):
        proved.at(0)
    with pytest.raises(ParameterError, match="order must be above 1"):
        proved.renyi(0.5)
