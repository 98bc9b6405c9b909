import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from overbar.accuracy import Difference
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar_lab.paper.discretised import discretised_difference

KINDS = (Laplace, Exponential, Gumbel, Gaussian)


def probe(law, many=24):
    """Grid points over the bulk of the law, and those with the widest bounds."""
    bulk = np.flatnonzero((law.values > 1e-5) & (law.values < 1 - 1e-5))
    even = np.linspace(bulk[0], bulk[-1], many).astype(int)
    widest = bulk[np.argsort((law.lower - law.upper)[bulk])[:4]]
    return np.unique(np.concatenate([even, widest]))


def random_case(rng, case, spread):
    query, threshold = KINDS[case % 4], KINDS[case // 4 % 4]
    overall, ratio = 10 ** rng.uniform(-6, 12), 10 ** rng.uniform(-spread, spread)
    return query(overall * ratio), threshold(overall)


def test_the_bounds_hold_in_64_random_cases_over_all_pairs():
    rng = np.random.default_rng(20_001)
    for case in range(64):
        query, threshold = random_case(rng, case, spread=3)
        buckets = int(rng.integers(300, 6_000))
        law = discretised_difference(query, threshold, buckets=buckets, tail=1e-10)
        at = probe(law)
        exact = Difference(query, threshold).cdf(law.grid[at])
        assert np.all(law.lower[at] <= exact), (query, threshold)
        assert np.all(exact <= law.upper[at]), (query, threshold)
        assert np.max(np.abs(exact - law.values[at])) <= law.error


def test_the_bound_is_within_a_factor_100_of_the_error_at_20001_buckets():
    """For scales within a factor 30 of each other; beyond it the bound is looser, never wrong."""
    rng = np.random.default_rng(100)
    for case in range(16):
        query, threshold = random_case(rng, case, spread=math.log10(30))
        law = discretised_difference(query, threshold)
        at = probe(law, many=80)
        exact = Difference(query, threshold).cdf(law.grid[at])
        error = np.max(np.abs(exact - law.values[at]))
        assert error <= law.error <= 100 * error, (query, threshold)
        assert law.error < 2e-5


def test_the_control_a_law_off_by_half_a_cell_leaves_the_bounds():
    """Floors alone, as the paper prints them, are off by half a cell; the bounds notice."""
    query, threshold = Exponential(3), Laplace(1)
    law = discretised_difference(query, threshold)
    at = probe(law)
    shifted = Difference(query, threshold).cdf(law.grid[at] + law.step / 2)
    assert np.any((shifted < law.lower[at]) | (shifted > law.upper[at]))


@pytest.mark.parametrize("buckets", [501, 5_001])
def test_the_bound_closes_with_the_square_of_the_cell(buckets):
    coarse = discretised_difference(Gumbel(2), Laplace(1), buckets=buckets)
    fine = discretised_difference(Gumbel(2), Laplace(1), buckets=4 * buckets - 3)
    assert 8 < coarse.error / fine.error < 20


def test_brackets_hold_the_rest_of_the_mass():
    query, threshold = Exponential(1), Laplace(1)
    law = discretised_difference(query, threshold, buckets=801, tail=1e-3)
    reach = law.step * 800
    assert law.below == pytest.approx(float(threshold.sf(reach)), rel=1e-12)
    both = float(query.sf(reach)) + float(threshold.sf(reach))
    assert law.above == pytest.approx(both, rel=1e-3)
    assert law.below + law.above <= 1e-3
    assert law.values[-1] == pytest.approx(1 - law.above, abs=1e-6)
    at = probe(law)
    exact = Difference(query, threshold).cdf(law.grid[at])
    assert np.all((law.lower[at] <= exact) & (exact <= law.upper[at]))


def test_bounds_between_and_beyond_grid_points():
    query, threshold = Gaussian(1), Laplace(1)
    law = discretised_difference(query, threshold, buckets=301)
    z = np.concatenate([np.linspace(-5, 5, 77), [-1e9, 1e9]])
    low, high = law.bounds(z)
    exact = Difference(query, threshold).cdf(z)
    assert np.all((low <= exact) & (exact <= high))
    assert low[-2] == 0
    assert high[-1] == 1
    np.testing.assert_allclose(law.cdf(z[:-2]), exact[:-2], atol=1e-3)


def test_without_threshold_noise_only_rounding_is_left():
    law = discretised_difference(Gumbel(5), None, buckets=101)
    np.testing.assert_allclose(law.values, Gumbel(5).cdf(law.grid), atol=1e-15)
    assert law.error < 1e-14


@dataclass(frozen=True, repr=False)
class TwoHumps(Noise):
    """Half a Gaussian at -3 and half at +3: not log-concave, and not falling away from zero."""

    scale: Fraction

    name = "two humps"
    unit_mean = 0.0
    unit_variance = 10.0

    def unit_logpdf(self, z):
        one = Gaussian(1)
        return np.logaddexp(one.unit_logpdf(z - 3), one.unit_logpdf(z + 3)) - math.log(2)

    def unit_logcdf(self, z):
        one = Gaussian(1)
        return np.logaddexp(one.unit_logcdf(z - 3), one.unit_logcdf(z + 3)) - math.log(2)

    def unit_logsf(self, z):
        return self.unit_logcdf(-z)


def test_a_density_of_another_shape_gets_the_wider_sandwich():
    law = discretised_difference(TwoHumps(1), Gaussian(1), buckets=801)
    spread = math.sqrt(2)
    centre = law.grid[:, None] + np.array([-3.0, 3.0])
    exact = np.mean(Gaussian(spread).cdf(centre), axis=1)
    assert np.all((law.lower <= exact) & (exact <= law.upper))
    assert law.error > 10 * discretised_difference(Gaussian(3), Gaussian(1), buckets=801).error


def test_what_it_refuses():
    with pytest.raises(ParameterError, match="buckets must be a positive whole number, got 0"):
        discretised_difference(Laplace(1), Laplace(1), buckets=0)
    with pytest.raises(ParameterError, match="tail must be positive, got 0"):
        discretised_difference(Laplace(1), Laplace(1), tail=0)
    assert "error=" in repr(discretised_difference(Laplace(1), Laplace(1), buckets=11))
