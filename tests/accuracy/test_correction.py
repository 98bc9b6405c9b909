"""The correction of a threshold: the best one, also from the discretised law, and its kinds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.accuracy.correction import KINDS, correction_term, independent_optimum
from overbar.accuracy.difference import Difference
from overbar.accuracy.success import SharedThreshold, success_probability
from overbar.errors import ParameterError
from overbar.mechanisms.way import APPENDING_RATIO
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.planning import budget_ratio

pytestmark = pytest.mark.one_in(5)

NOISE_KINDS = (Laplace, Exponential, Gumbel, Gaussian)


def noises(cutoff, monotonic, epsilon=1.0, ratio=None):
    """Exponential and Laplace noise for a budget split by the given ratio, or the best one."""
    w = ratio or budget_ratio(
        Exponential, Laplace, cutoff=cutoff, back=Fraction(not monotonic), resample=False
    )
    b = (1 + w) / epsilon
    s = (1 if monotonic else 2) * cutoff * (1 + w) / w / epsilon
    return Exponential(s), Laplace(b)


TABLE = [
    # monotonic, c, k, w, b, s, optimal, its p, optimal-shared, its p
    (True, 50, 200, 10.772173, 11.772173, 54.641589, 292.377992, 0.00183481, 291.7575, 0.00175851),
    (
        False, 50, 200, 17.099759, 18.099759, 105.848035, 564.485573, 0.00183481, 563.9728,
        0.00178472,
    ),
    (False, 1, 50, 1.259921, 2.259921, 3.587401, 15.776922, 0.00728486, 14.58844, 0.00574115),
    (True, 5, 24, 2.320794, 3.320794, 7.154435, 24.719994, 0.01501653, 23.77721, 0.01282466),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE)
def test_reference_table(row):
    monotonic, cutoff, negatives, w, b, s, best, p, best_shared, p_shared = row
    query, threshold = noises(cutoff, monotonic)
    assert budget_ratio(
        Exponential, Laplace, cutoff=cutoff, back=Fraction(not monotonic), resample=False
    ) == pytest.approx(w, rel=1e-6)
    assert float(threshold.scale) == pytest.approx(b, rel=1e-6)
    assert float(query.scale) == pytest.approx(s, rel=1e-6)
    r = correction_term("optimal", query, threshold, negatives=negatives)
    assert r == pytest.approx(best, rel=1e-6)
    there = float(success_probability(r, query, threshold, negatives=negatives))
    assert there == pytest.approx(p, abs=5.1e-9)
    r = correction_term("optimal-shared", query, threshold, negatives=negatives)
    digits = len(str(best_shared).split(".")[1])
    assert r == pytest.approx(best_shared, abs=0.51 * 10.0**-digits)
    there = float(success_probability(r, query, threshold, negatives=negatives, shared=True))
    assert there == pytest.approx(p_shared, abs=5.1e-9)


def test_the_printed_table_of_corrections_cannot_be_right():
    """Its mean row is c/ε₂ with the ratio of Laplace noise; the optimum there is 288.2077/ε."""
    ratio = budget_ratio(Laplace, Laplace, cutoff=50, back=Fraction(1), resample=False)
    assert ratio == pytest.approx(100 ** (2 / 3))
    printed = {0.01: 35450.45, 0.05: 7147.15, 0.1: 2803.30, 1.0: 280.78, 2.0: 138.89}
    mean = {0.01: 5332.08, 0.05: 1046.42, 0.1: 523.21, 1.0: 52.32, 2.0: 26.16}
    for epsilon, optimal in printed.items():
        query, threshold = noises(50, True, epsilon, ratio)
        best = correction_term("optimal", query, threshold, negatives=200)
        assert best * epsilon == pytest.approx(288.2077, abs=5e-5)
        assert abs(optimal - best) > 0.02 * best
        right = 5232.08 if epsilon == 0.01 else mean[epsilon]  # one digit is a misprint
        assert correction_term("mean", query, threshold, negatives=200) == pytest.approx(
            right, abs=0.0051
        )
    scaled = [epsilon * term for epsilon, term in printed.items()]
    assert max(scaled) / min(scaled) > 1.28  # it must be constant


scales = st.floats(-6, 13).map(lambda exponent: 10.0**exponent)


@settings(max_examples=80, deadline=None)
@given(s=scales, b=scales, negatives=st.integers(1, 10**7), rounds=st.integers(1, 1000))
def test_quantile_identity_and_height(s, b, negatives, rounds):
    query, threshold = Exponential(s), Laplace(b)
    r = correction_term("optimal", query, threshold, negatives=negatives, rounds=rounds)
    law = Difference(query, threshold)
    assert rounds * float(law.logcdf(r)) == pytest.approx(-math.log1p(1 / negatives), rel=1e-8)
    if rounds == 1:
        assert float(law.sf(r)) == pytest.approx(1 / (negatives + 1), rel=1e-9)
    p = float(success_probability(r, query, threshold, negatives=negatives, rounds=rounds))
    height = math.exp(-negatives * math.log1p(1 / negatives)) / (negatives + 1)
    assert p == pytest.approx(height, rel=1e-9)


@pytest.mark.parametrize("kind", ["optimal", "optimal-shared"])
@pytest.mark.parametrize("tolerance", [0, 3])
def test_it_scales_as_one_over_epsilon(kind, tolerance):
    one = correction_term(kind, *noises(50, True), negatives=200, tolerance=tolerance)
    for epsilon in (1e-6, 1e-3, 0.3, 1e3):
        scaled = correction_term(
            kind, *noises(50, True, epsilon), negatives=200, tolerance=tolerance / epsilon
        )
        assert scaled * epsilon == pytest.approx(one, rel=1e-8)


@pytest.mark.parametrize("tolerance", [0, 4])
def test_equal_and_nearly_equal_scales_are_no_special_place(tolerance):
    terms = [
        correction_term(
            "optimal", Exponential(5), Laplace(5 * (1 + d)), negatives=100, tolerance=tolerance
        )
        for d in (-1e-5, -1e-9, -1e-13, -1e-15, 0.0, 1e-15, 1e-13, 1e-9, 1e-5)
    ]
    assert np.all(np.diff(terms) >= -1e-13)
    np.testing.assert_allclose(terms, terms[4], rtol=3e-5)
    np.testing.assert_allclose(terms[1:-1], terms[4], rtol=3e-9)


@pytest.mark.parametrize("kind", ["optimal", "optimal-shared"])
@pytest.mark.parametrize("negatives", [1, 200, 10**7])
@pytest.mark.parametrize("cutoff", [1, 10**6])
@pytest.mark.parametrize("epsilon", [1e-6, 1e3])
@pytest.mark.parametrize("ratio", [None, APPENDING_RATIO])
def test_extremes(kind, negatives, cutoff, epsilon, ratio):
    query, threshold = noises(cutoff, False, epsilon, ratio)
    spread = float(query.scale) + float(threshold.scale)
    for tolerance in (0, 20 / epsilon):
        r = correction_term(kind, query, threshold, negatives=negatives, tolerance=tolerance)
        around = r + np.array([-1e-2, -1e-4, 0, 1e-4, 1e-2]) * spread
        p = success_probability(
            around,
            query,
            threshold,
            negatives=negatives,
            tolerance=tolerance,
            shared=kind == "optimal-shared",
        )
        assert np.argmax(p) in (1, 2, 3)
        assert p[2] >= np.max(p) * (1 - 1e-9)
        assert p[0] < p[2] > p[4]


@pytest.mark.parametrize("query", [kind(3) for kind in NOISE_KINDS])
@pytest.mark.parametrize("threshold", [Laplace(2), Gaussian(7), None])
@pytest.mark.parametrize(("rounds", "tolerance"), [(1, 0), (1, 1), (5, 0), (30, 1)])
def test_every_pair_is_at_its_summit(query, threshold, rounds, tolerance):
    for kind in ("optimal", "optimal-shared"):
        r = correction_term(
            kind, query, threshold, negatives=30, tolerance=tolerance, rounds=rounds
        )
        p = success_probability(
            r + np.array([-1e-3, 0, 1e-3]),
            query,
            threshold,
            negatives=30,
            tolerance=tolerance,
            rounds=rounds,
            shared=kind == "optimal-shared",
        )
        assert p[1] >= np.max(p) * (1 - 1e-12)


def test_the_summit_may_stand_on_the_edge_of_the_support():
    """Exponential noise alone: a true query within the tolerance is never missed at r = α."""
    r = correction_term("optimal", Exponential(1), None, negatives=1, tolerance=3)
    assert r == pytest.approx(3, rel=1e-12)


def test_rounds_move_it_by_the_scale_times_their_log():
    """For a bare threshold and many negatives: r grows by about s·ln R."""
    query, threshold = Exponential(10), Laplace("0.001")
    for kind in ("optimal", "optimal-shared"):
        one, many = (
            correction_term(kind, query, threshold, negatives=1000, rounds=rounds)
            for rounds in (1, 50)
        )
        assert many - one == pytest.approx(10 * math.log(50), rel=1e-3)


@pytest.mark.parametrize("negatives", [1, 50, 10**5])
def test_closed_form_and_quadrature_agree(negatives):
    for query, threshold in [
        (Exponential(9), Laplace(4)),
        (Laplace(9), Laplace(4)),
        (Gaussian(9), Gaussian(4)),
    ]:
        for tolerance, rounds in ((0, 1), (5, 1), (5, 3)):
            closed, direct = (
                independent_optimum(
                    Difference(query, threshold, method),
                    negatives=negatives,
                    tolerance=tolerance,
                    rounds=rounds,
                )
                for method in ("closed", "quadrature")
            )
            assert closed == pytest.approx(direct, rel=1e-10)


@pytest.mark.parametrize("tolerance", [150, 1000])
@pytest.mark.parametrize("rounds", [1, 500])
def test_when_failure_is_all_but_impossible_it_is_least_likely(tolerance, rounds):
    """p is one to every digit over a wide range; the best correction is still one place in it."""
    query, threshold = Exponential(1), Laplace(3)
    run = SharedThreshold(query, threshold, 40, tolerance, rounds)
    best = correction_term(
        "optimal-shared", query, threshold, negatives=40, tolerance=tolerance, rounds=rounds
    )
    least = run.log_failure(best)
    assert least < -30
    assert all(run.log_failure(best + shift) > least for shift in (-5, -0.1, -0.01, 0.01, 0.1, 5))


def test_none_is_zero_and_mean_is_the_bias():
    for query in (Laplace(2), Exponential(3), Gumbel(4), Gaussian(5)):
        for threshold in (Laplace(2), Exponential(1), None):
            assert correction_term("none", query, threshold, negatives=5) == 0
            other = 0 if threshold is None else threshold.mean
            bias = correction_term("mean", query, threshold, negatives=5)
            assert bias == query.mean - other
    assert correction_term("mean", Gumbel(10), Laplace(1), negatives=5) == pytest.approx(5.7721566)


def test_optimal_exceeds_the_mean_when_negatives_are_many():
    query, threshold = Exponential(54), Laplace(11)
    mean, best = (
        correction_term(kind, query, threshold, negatives=200) for kind in ("mean", "optimal")
    )
    assert best > 5 * mean


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "best"}, "correction must be one of 'none', 'mean', 'optimal', 'optimal-shared'"),
        ({"negatives": 0}, "negatives must be a positive whole number, got 0"),
        ({"negatives": True}, "negatives must be a positive whole number, got True"),
        ({"tolerance": -1}, "tolerance must be zero or positive, got -1"),
        ({"tolerance": float("nan")}, "tolerance must be a finite number, got nan"),
        ({"rounds": 0}, "rounds must be a positive whole number, got 0"),
        ({"query_noise": 3}, "query_noise must be a noise such as"),
        ({"threshold_noise": "laplace"}, "threshold_noise must be a noise such as"),
    ],
)
def test_what_it_refuses(change, message):
    arguments = {
        "kind": "optimal",
        "query_noise": Exponential(1),
        "threshold_noise": Laplace(1),
        "negatives": 3,
    } | change
    with pytest.raises(ParameterError, match=message):
        correction_term(**arguments)


def test_the_options_are_what_the_messages_say():
    assert KINDS == ("none", "mean", "optimal", "optimal-shared")
