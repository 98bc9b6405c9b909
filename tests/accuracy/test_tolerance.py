"""The bounds on the tolerance that are proved in one line, against the exact probabilities."""

import math

import numpy as np
import pytest

from overbar.accuracy.correction import correction_term
from overbar.accuracy.difference import Difference, comparison_variance
from overbar.accuracy.success import failure_probability
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace


def exponential_tolerance(*, epsilon, negatives, failure):
    """α = 4(ln k + ln(2/β))/ε: the paper, Theorem 4."""
    return 4 * (math.log(negatives) + math.log(2 / failure)) / epsilon


def laplace_tolerance(*, epsilon, negatives, failure):
    """α = 8(ln k + ln(2/β))/ε: Dwork and Roth 2014, Theorem 3.24."""
    return 8 * (math.log(negatives) + math.log(2 / failure)) / epsilon


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("negatives", [1, 50, 10**6])
@pytest.mark.parametrize("failure", [1.0, 0.2, 1e-9])
def test_theorem_three_holds_independent_and_shared(epsilon, negatives, failure):
    alpha = exponential_tolerance(epsilon=epsilon, negatives=negatives, failure=failure)
    query, threshold = Exponential(4 / epsilon), Laplace(2 / epsilon)
    for shared in (False, True):
        beta = failure_probability(alpha, query, threshold, negatives=negatives, shared=shared)
        assert beta <= failure
        if failure < 0.5 and not shared:
            assert beta > failure / 2  # the bound is not slack either


def test_the_control_a_tolerance_a_third_smaller_does_not_hold():
    alpha = exponential_tolerance(epsilon=1, negatives=50, failure=0.05) * 2 / 3
    assert failure_probability(alpha, Exponential(4), Laplace(2), negatives=50) > 0.05


def test_the_two_tails_of_the_proof():
    law, epsilon = Difference(Exponential(4), Laplace(2)), 1.0
    alpha = np.linspace(0, 60, 25)
    right = 4 / 3 * np.exp(-alpha * epsilon / 4) - np.exp(-alpha * epsilon / 2) / 2
    np.testing.assert_allclose(law.sf(alpha), right, rtol=1e-12)
    np.testing.assert_allclose(law.cdf(-alpha), np.exp(-alpha * epsilon / 2) / 6, rtol=1e-12)


@pytest.mark.parametrize("negatives", [1, 50, 10**6])
@pytest.mark.parametrize("failure", [0.2, 1e-9])
def test_the_laplace_tolerance_holds(negatives, failure):
    alpha = laplace_tolerance(epsilon=1, negatives=negatives, failure=failure)
    for shared in (False, True):
        beta = failure_probability(
            alpha, Laplace(4), Laplace(2), negatives=negatives, shared=shared
        )
        assert beta <= failure
    assert alpha == 2 * exponential_tolerance(epsilon=1, negatives=negatives, failure=failure)


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
