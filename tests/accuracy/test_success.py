"""Chances of success, and bounds on the tolerance proved in one line against exact ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.accuracy.correction import correction_term
from overbar.accuracy.difference import Difference, comparison_variance
from overbar.accuracy.success import (
    SharedThreshold,
    failure_probability,
    log_any,
    success_probability,
)
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from tests.reference.difference_law import exponential_laplace_cdf, shared_success

pytestmark = pytest.mark.one_in(5)

KINDS = (Laplace, Exponential, Gumbel, Gaussian)


@pytest.mark.parametrize("negatives", [1, 200, 10**7])
@pytest.mark.parametrize("rounds", [1, 7])
@pytest.mark.parametrize("tolerance", [0, 5])
def test_independent_success_is_the_product(negatives, rounds, tolerance):
    s, b = 7.5, 3.25
    r = float(Exponential(s).isf(1 / (negatives * rounds)))
    p = success_probability(
        r, Exponential(s), Laplace(b), negatives=negatives, tolerance=tolerance, rounds=rounds
    )
    negative = exponential_laplace_cdf(r + tolerance, s, b) ** (negatives * rounds)
    found = 1 - exponential_laplace_cdf(r - tolerance, s, b) ** rounds
    assert float(p) == pytest.approx(float(negative * found), rel=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("negatives", "rounds", "tolerance"), [(1, 1, 0), (24, 1, 2), (24, 5, 1)])
def test_shared_success_matches_25_digits(kind, negatives, rounds, tolerance):
    query, threshold = kind(4), Laplace("2.5")
    for r in (-1.0, 6.0, 25.0):
        given_there = {"negatives": negatives, "tolerance": tolerance, "rounds": rounds}
        p = float(success_probability(r, query, threshold, shared=True, **given_there))
        exact = float(shared_success(query, threshold, r, **given_there))
        assert p == pytest.approx(exact, rel=1e-11)
        beta = failure_probability(
            tolerance,
            query,
            threshold,
            correction=r,
            shared=True,
            negatives=negatives,
            rounds=rounds,
        )
        assert beta == pytest.approx(1 - exact, rel=1e-9)


def test_shared_and_independent_agree_without_threshold_noise():
    for kind in KINDS:
        both = [
            float(success_probability(5.0, kind(3), None, negatives=9, rounds=2, shared=shared))
            for shared in (True, False)
        ]
        assert both[0] == both[1]


@pytest.mark.parametrize("kind", KINDS)
def test_shared_tends_to_independent_as_the_threshold_noise_fades(kind):
    query, threshold = kind(1), Laplace("0.00001")
    for rounds in (1, 4):
        shared, independent = (
            float(
                success_probability(
                    2.5, query, threshold, negatives=10, rounds=rounds, shared=shared
                )
            )
            for shared in (True, False)
        )
        assert shared == pytest.approx(independent, rel=1e-3)


def test_sharing_lowers_the_best_success_and_raises_that_of_too_low_a_correction():
    """At the reference correction sharing costs a little; far too low, it helps a lot."""
    query, threshold = Exponential("7.154435"), Laplace("3.320794")
    p = [
        float(success_probability(24.72, query, threshold, negatives=24, shared=s)) for s in (0, 1)
    ]
    assert p[1] < p[0]
    p = [float(success_probability(2.0, query, threshold, negatives=24, shared=s)) for s in (0, 1)]
    assert p[1] > 100 * p[0]


def test_one_negative_without_tolerance_is_a_quarter_at_most():
    """Two like queries cannot be told apart: F·(1 - F) <= 1/4, and so is its mean over ρ."""
    query, threshold = Exponential(1), Laplace(3)
    r = np.linspace(-10, 20, 121)
    p = success_probability(r, query, threshold, negatives=1)
    assert p.shape == r.shape
    assert np.max(p) <= 0.25 + 1e-12
    assert np.max(success_probability(r, query, threshold, negatives=1, shared=True)) <= 0.25


@settings(max_examples=25, deadline=None)
@given(
    r=st.floats(-20, 60),
    step=st.floats(0.5, 5),
    negatives=st.integers(1, 10**6),
    rounds=st.integers(1, 40),
    kind=st.sampled_from(KINDS),
)
def test_log_success_is_concave_and_its_slope_is_right(r, step, negatives, rounds, kind):
    run = SharedThreshold(kind(3), Laplace(2), negatives, 0.5, rounds)
    left, middle, right = (run.log_success(r + shift) for shift in (-step, 0, step))
    assert left + right <= 2 * middle + 1e-9 * (1 + abs(middle))
    small = 1e-5
    slope = (run.log_success(r + small) - run.log_success(r - small)) / (2 * small)
    assert run.slope(r) == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_failure_keeps_its_digits_when_tiny():
    query, threshold = Exponential(4), Laplace(2)
    for shared in (False, True):
        beta = failure_probability(400, query, threshold, negatives=50, shared=shared)
        assert beta == pytest.approx(50 * 4 / 3 * math.exp(-100), rel=1e-9)
        everything = failure_probability(0, query, threshold, negatives=10**7, shared=shared)
        assert 0.999 < everything <= 1


def test_failure_falls_with_the_tolerance_for_every_noise():
    for kind in KINDS:
        for shared in (False, True):
            for threshold in (Laplace(2), None):
                beta = [
                    failure_probability(
                        alpha, kind(4), threshold, negatives=50, correction=8, shared=shared
                    )
                    for alpha in (0, 2, 8, 30)
                ]
                assert np.all(np.diff(beta) < 0)


def test_any_of_many_far_out():
    assert float(log_any(np.asarray(-0.0), np.asarray(-900.0), 1000)) == -900 + math.log(1000)
    for s in (1e-3, 1e-9, 1e-16):
        value = float(log_any(np.asarray(math.log1p(-s)), np.asarray(math.log(s)), 3))
        assert math.exp(value) == pytest.approx(3 * s - 3 * s * s + s**3, rel=1e-13)
    # And where the chance of none is the tiny one.
    assert float(log_any(np.asarray(-20.0), np.asarray(0.0), 3)) == -math.exp(-60)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"negatives": 0}, "negatives must be a positive whole number, got 0"),
        ({"negatives": 1.5}, "negatives must be a positive whole number, got 1.5"),
        ({"negatives": 1, "tolerance": -1}, "tolerance must be zero or positive, got -1"),
        ({"negatives": 1, "rounds": None}, "rounds must be a positive whole number, got None"),
    ],
)
def test_what_it_refuses(arguments, message):
    with pytest.raises(ParameterError, match=message):
        success_probability(0.0, Exponential(1), Laplace(1), **arguments)
    for shared in (False, True):
        with pytest.raises(ParameterError, match="query_noise must be a noise"):
            success_probability(0.0, Difference, Laplace(1), negatives=1, shared=shared)


def proved_tolerance(*, epsilon, negatives, failure):
    """α = 4(ln k + ln(2/β))/ε: the paper, Theorem 4."""
    return 4 * (math.log(negatives) + math.log(2 / failure)) / epsilon


#: Noise and correction for which the theorem is proved.
PROVED = [(Exponential, "none"), (Exponential, "optimal"), (Laplace, "none")]


@pytest.mark.parametrize(("kind", "correction"), PROVED)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("negatives", [1, 50, 10**6])
@pytest.mark.parametrize("failure", [1.0, 0.2, 1e-9])
def test_theorem_four_holds_independent_and_shared(kind, correction, epsilon, negatives, failure):
    alpha = proved_tolerance(epsilon=epsilon, negatives=negatives, failure=failure)
    noises = kind(4 / epsilon), Laplace(2 / epsilon)
    r = correction_term(correction, *noises, negatives=negatives, tolerance=alpha)
    for shared in (False, True):
        beta = failure_probability(alpha, *noises, negatives=negatives, correction=r, shared=shared)
        assert beta <= failure
        if kind is Exponential and correction == "none" and failure < 0.5 and not shared:
            assert beta > failure / 2  # the bound is not slack either


@pytest.mark.parametrize(("kind", "correction"), PROVED)
def test_the_control_a_smaller_tolerance_does_not_hold(kind, correction):
    """Two thirds without correction, and a third with the best."""
    share = 1 / 3 if correction == "optimal" else 2 / 3
    alpha = proved_tolerance(epsilon=1, negatives=50, failure=0.05) * share
    r = correction_term(correction, kind(4), Laplace(2), negatives=50, tolerance=alpha)
    assert failure_probability(alpha, kind(4), Laplace(2), negatives=50, correction=r) > 0.05


def test_laplace_noise_fails_less_than_exponential_noise_without_correction():
    alpha = proved_tolerance(epsilon=1, negatives=50, failure=0.05)
    exponential, laplace = (
        failure_probability(alpha, kind(4), Laplace(2), negatives=50, shared=True)
        for kind in (Exponential, Laplace)
    )
    assert (exponential, laplace) == pytest.approx((0.03183, 0.01657), abs=1e-5)


def test_the_tails_of_the_proof():
    alpha = np.linspace(0, 60, 25)
    x = np.exp(-alpha / 4)
    law = Difference(Exponential(4), Laplace(2))
    np.testing.assert_allclose(law.sf(alpha), 4 / 3 * x - x**2 / 2, rtol=1e-12)
    np.testing.assert_allclose(law.cdf(-alpha), x**2 / 6, rtol=1e-12)
    law = Difference(Laplace(4), Laplace(2))
    np.testing.assert_allclose(law.sf(alpha), 2 / 3 * x - x**2 / 6, rtol=1e-10)
    np.testing.assert_allclose(law.cdf(-alpha), 2 / 3 * x - x**2 / 6, rtol=1e-10)


def test_the_last_step_of_the_proof_for_the_optimal_correction():
    """-ln p(0) <= 0.83 β, for every β <= 1 and k >= 1."""
    beta = np.linspace(0, 1, 1001)[1:]
    for negatives in (1, 2, 3, 10, 10**3, 10**7):
        x = beta / (2 * negatives)
        loss = -negatives * np.log1p(-4 / 3 * x + x**2 / 2) - np.log1p(-(x**2) / 6)
        assert np.all(loss <= 0.83 * beta)


def test_the_best_correction_only_lowers_the_failure():
    query, threshold = Exponential(4), Laplace(2)
    for alpha in (1, 10, 30):
        for kind, shared in (("optimal", False), ("optimal-shared", True)):
            r = correction_term(kind, query, threshold, negatives=50, tolerance=alpha)
            without, best = (
                failure_probability(
                    alpha, query, threshold, negatives=50, correction=term, shared=shared
                )
                for term in (0.0, r)
            )
            assert best <= without


def test_variance_of_a_comparison():
    assert comparison_variance(Exponential(3), Laplace(2)) == 9 + 8
    assert comparison_variance(Gaussian(3), Gaussian(4)) == 25
    assert comparison_variance(Gumbel(2), None) == pytest.approx(4 * np.pi**2 / 6)
    with pytest.raises(ParameterError, match="query_noise must be a noise"):
        comparison_variance(None, Laplace(1))
