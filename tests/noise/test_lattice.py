"""Laws on a grid: sums to one, agrees with fifty digits, right moments and inverses."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.errors import ParameterError
from overbar.noise import DiscreteLaplace, Exponential, Floored, Gumbel, Laplace

LAWS = [
    Floored(Exponential(3), 1),
    Floored(Exponential("0.2"), "0.5"),
    Floored(Gumbel(3), "0.5"),
    Floored(Laplace("1.5"), "1/3"),
    DiscreteLaplace(3, 1),
    DiscreteLaplace("0.2", "0.5"),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_masses_sum_and_moments(law):
    x = np.arange(-600, 600) * float(law.grid)
    mass = law.pmf(x)
    assert mass.sum() == pytest.approx(1, rel=1e-13)
    mean = (x * mass).sum()
    assert law.mean == pytest.approx(mean, rel=1e-10, abs=1e-12)
    assert law.variance == pytest.approx((x**2 * mass).sum() - mean**2, rel=1e-10)
    np.testing.assert_allclose(law.cdf(x) + law.sf(x), 1, atol=1e-14)
    np.testing.assert_allclose(np.cumsum(mass)[:-1], law.cdf(x)[1:], atol=1e-13)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_mass_only_on_the_grid_and_survival_counts_the_point_itself(law):
    g = float(law.grid)
    assert law.pmf(g / 2) == 0
    assert law.sf(g / 2) == law.sf(g)
    assert law.sf(0) - law.sf(g / 2) == pytest.approx(float(law.pmf(0)), rel=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_inverses(law):
    g = float(law.grid)
    for level in [1e-12, 1e-3, 0.2, 0.5, 0.8, 0.999]:
        x = law.quantile(level)
        assert law.cdf(x + g) >= level > law.cdf(x)
        y = law.isf(level)
        assert law.sf(y) >= level > law.sf(y + g)


def test_floored_noise_agrees_with_the_continuous_one_at_grid_points():
    for noise in (Exponential("0.7"), Gumbel("0.7"), Laplace("0.7")):
        law = Floored(noise, Fraction(1, 4))
        x = np.arange(-40, 400) / 4
        np.testing.assert_array_equal(law.logsf(x), noise.logsf(x))
        np.testing.assert_array_equal(law.logcdf(x), noise.logcdf(x))
        assert law.log_survival_constant == noise.log_survival_constant
        assert law.log_hazard_constant == noise.log_hazard_constant


def test_discrete_laplace_against_fifty_digits():
    with mpmath.workdps(50):
        for scale, grid in [(Fraction(3), Fraction(1)), (Fraction(10**6), Fraction(1, 8))]:
            law = DiscreteLaplace(scale, grid)
            y = mpmath.exp(-mpmath.mpf(grid.numerator) / grid.denominator / scale)
            for j in [0, 1, -1, 2, 17, -350, 2000]:
                exact = (1 - y) / (1 + y) * y ** abs(j)
                assert float(law.pmf(j * float(grid))) == pytest.approx(float(exact), rel=1e-12)
                above = y**j / (1 + y) if j >= 1 else 1 - y ** (1 - j) / (1 + y)
                assert float(law.sf(j * float(grid))) == pytest.approx(float(above), rel=1e-12)


def test_one_sided_geometric_far_out():
    law = Floored(Exponential(1), 1)
    assert law.logsf(700) == -700
    assert law.logpmf(700) == pytest.approx(-700 + np.log1p(-np.exp(-1.0)), rel=1e-14)
    assert law.pmf(-1) == 0


@pytest.mark.parametrize("make", [lambda: DiscreteLaplace(0, 1), lambda: DiscreteLaplace(1, 0)])
def test_bad_numbers_are_refused(make):
    with pytest.raises(ParameterError, match="must be positive, got 0"):
        make()
