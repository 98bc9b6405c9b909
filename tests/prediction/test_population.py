"""Counts of one population against enumeration in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from overbar.prediction import population as populations
from overbar.prediction.population import Population
from tests.reference.prediction import expected, peeled


def hazard(chance):
    with np.errstate(divide="ignore"):
        return np.log(-np.log1p(-np.array([float(chance)])))


CROWDS = [(1, 1, 1), (3, 5, 3), (2, 6, 4), (5, 4, 2), (4, 0, 2), (1, 7, 2)]
CHANCES = [("1/2", "1/10"), ("1/3", "1/3"), ("1", "1/5"), ("1/50", "1/100"), ("9/10", "0")]


@pytest.mark.parametrize("sizes", CROWDS)
@pytest.mark.parametrize("chances", CHANCES)
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_found_is_what_enumeration_gives(sizes, chances, rounds):
    p, q = map(Fraction, chances)
    hits, precision = expected(*sizes, p, q, rounds)
    found = Population(*sizes).found(hazard(p), hazard(q), rounds)
    assert found.hits[0] == pytest.approx(float(hits), abs=2e-6)
    assert found.precision[0] == pytest.approx(float(precision), abs=2e-6)


def test_the_reference_can_tell_a_cutoff_that_is_ignored():
    hits, _ = expected(3, 5, 3, Fraction(1, 2), Fraction(1, 2), 1)
    assert float(hits) != pytest.approx(3 * 0.5, abs=0.1)


@pytest.mark.parametrize("sizes", [(20, 99_980, 20), (5, 295, 5), (60, 240, 5), (3, 297, 5)])
@pytest.mark.parametrize("distance", [0.0, 2.0, 6.0, 12.0])
@pytest.mark.parametrize("level", [-45.0, -400.0, -5000.0])
def test_unlimited_rounds_far_away_are_peeling(sizes, distance, level):
    above, below, cutoff = sizes
    found = Population(*sizes).found(np.array([level]), np.array([level - distance]), None)
    hits = peeled(above, below, cutoff, float(np.exp(-distance)))
    assert found.hits[0] == pytest.approx(hits, abs=1e-6 * cutoff)
    assert found.precision[0] == pytest.approx(hits / cutoff, abs=1e-6)


def test_unlimited_rounds_near_by_are_not_peeling():
    """Ties within a round matter: two routes that must differ, against many rounds that agree."""
    p, q = Fraction(1, 2), Fraction(1, 10)
    many_rounds, _ = expected(2, 4, 3, p, q, 60)
    found = Population(2, 4, 3).found(hazard(p), hazard(q), None)
    assert found.hits[0] == pytest.approx(float(many_rounds), abs=1e-5)
    odds = float(np.exp(hazard(q) - hazard(p))[0])
    assert abs(peeled(2, 4, 3, odds) - found.hits[0]) > 1e-3


def test_one_round_by_two_routes():
    generator = np.random.default_rng(7)
    for _ in range(60):
        cutoff = int(generator.choice([1, 2, 5, 50, 200]))
        above = int(generator.choice([1, 2, cutoff, 5 * cutoff]))
        below = int(generator.choice([0, 1, 10, 1000, 100_000]))
        p = 10 ** generator.uniform(-7, 0, 3)
        logs = np.log1p(-p), np.log1p(-p * 10 ** generator.uniform(-6, 0, 3))
        population = Population(above, below, cutoff)
        closed, raced = (
            populations.one_round(population, *logs),
            populations.race(population, *logs, 1),
        )
        np.testing.assert_allclose(closed.hits, raced.hits, atol=1e-6 * min(above, cutoff))
        np.testing.assert_allclose(closed.precision, raced.precision, atol=1e-6)


@pytest.mark.parametrize("rounds", [1, 4, None])
def test_counts_at_their_means_are_close_in_a_large_crowd(rounds):
    population = Population(2000, 98_000, 2000)
    p = np.array([0.02, 0.3, 0.9, 0.999])
    logs = np.log1p(-p), np.log1p(-p * np.array([0.2, 0.01, 0.001, 1e-4]))
    exact = (
        populations.one_round(population, *logs)
        if rounds == 1
        else populations.race(population, *logs, rounds)
    )
    rough = populations.many(population, *logs, rounds)
    np.testing.assert_allclose(rough.hits / 2000, exact.hits / 2000, atol=0.015)
    np.testing.assert_allclose(rough.precision, exact.precision, atol=0.015)


def test_a_cutoff_beyond_counting_is_answered():
    population = Population(10_000, 10**9, 10_000)
    for rounds in (1, 3, None):
        found = population.found(np.array([2.0]), np.array([-40.0]), rounds)
        assert 0.9 < found.hits[0] / 10_000 <= 1
        assert 0.9 < found.precision[0] <= 1


def test_everyone_certain_and_nobody_possible():
    certain, never = np.array([np.inf]), np.array([-np.inf])
    assert Population(3, 9, 5).found(certain, never, 1) == (pytest.approx([3]), pytest.approx([1]))
    assert Population(3, 9, 5).found(never, never, 1) == (pytest.approx([0]), pytest.approx([0]))
    assert Population(3, 9, 3).found(certain, certain, 2).hits == pytest.approx([0.75], abs=1e-6)
