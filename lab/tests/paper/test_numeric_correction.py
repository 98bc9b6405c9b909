"""The best correction from the discretised law, against the closed one and its own bounds."""

import numpy as np
import pytest

from overbar.accuracy import correction_term, success_probability
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar_lab.paper.numeric_correction import numeric_optimum

NOISE_KINDS = (Laplace, Exponential, Gumbel, Gaussian)


def test_it_returns_within_its_bounds_for_every_pair():
    rng = np.random.default_rng(7)
    for case in range(32):
        query = NOISE_KINDS[case % 4](10 ** rng.uniform(-1, 1))
        threshold = NOISE_KINDS[case // 4 % 4](1)
        negatives = int(10 ** rng.uniform(0, 6))
        rounds = int(rng.integers(1, 5))
        tolerance = 0.0 if case < 16 else round(float(rng.uniform(0, 3)), 3)
        given_there = {"negatives": negatives, "rounds": rounds, "tolerance": tolerance}
        found = numeric_optimum(query, threshold, buckets=4_001, **given_there)
        exact = correction_term("optimal", query, threshold, **given_there)
        assert found.lowest <= exact <= found.highest, (query, threshold, given_there)
        assert found.lowest <= found.term <= found.highest
        p = float(success_probability(found.term, query, threshold, **given_there))
        best = float(success_probability(exact, query, threshold, **given_there))
        assert p == pytest.approx(best, rel=1e-2)


@pytest.mark.parametrize("negatives", [1, 200, 10**5, 10**7])
def test_it_is_close_and_knows_it_at_the_papers_buckets(negatives):
    query, threshold = Exponential("54.641589"), Laplace("11.772173")
    found = numeric_optimum(query, threshold, negatives=negatives)
    exact = correction_term("optimal", query, threshold, negatives=negatives)
    assert found.term == pytest.approx(exact, rel=1e-5, abs=1e-4)
    assert found.highest - found.lowest < 0.01 * 54.64


def test_the_control_the_optimum_of_other_noise_is_outside():
    found = numeric_optimum(Exponential(54), Laplace(11), negatives=200)
    other = correction_term("optimal", Exponential("54.2"), Laplace(11), negatives=200)
    assert not found.lowest <= other <= found.highest


def test_what_cannot_be_told_is_left_open():
    """A tolerance beyond all noise makes every correction equally good on the grid."""
    found = numeric_optimum(Laplace(1), Laplace(1), negatives=3, tolerance=500.0, buckets=501)
    assert found.highest == np.inf
    assert found.lowest == -np.inf


def test_more_certainty_than_a_float_holds_is_left_open():
    found = numeric_optimum(Laplace(1), Laplace(1), negatives=10**9, rounds=10**9, buckets=501)
    assert found.highest == np.inf
