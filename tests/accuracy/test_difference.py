import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from overbar.accuracy.difference import Difference
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from tests.reference import difference_law as reference

pytestmark = pytest.mark.one_in(5)

NEAR = [1 + sign * 10.0**-n for n in (1, 3, 5, 7, 9, 11, 13, 15) for sign in (-1, 1)]
RATIOS = [1.0, *NEAR, 0.3, 3.0, 0.01, 100.0, 1e-4, 1e4]
PLACES = [-600, -40, -3, -0.1, -1e-9, 0, 1e-9, 0.01, 0.3, 1, 4, 12, 40, 300, 650]
KINDS = (Laplace, Exponential, Gumbel, Gaussian)


def agrees(log_value, exact, digits=1e-13):
    """Whether e^log_value is the exact value, up to the conditioning of the exponent."""
    expected = float(mpmath.log(exact))
    return abs(float(log_value) - expected) <= digits * (1 + abs(expected))


@pytest.mark.parametrize("ratio", RATIOS)
def test_exponential_laplace_is_exact_at_near_and_far_from_equal_scales(ratio):
    s, b = 7.0, 7.0 * ratio
    law = Difference(Exponential(s), Laplace(b), "closed")
    for place in PLACES:
        z = place * (max(s, b) if abs(place) > 1 else min(s, b))
        assert agrees(law.logsf(z), reference.exponential_laplace_sf(z, s, b)), (place, "sf")
        assert agrees(law.logcdf(z), reference.exponential_laplace_cdf(z, s, b)), (place, "cdf")
        assert agrees(law.logpdf(z), reference.exponential_laplace_pdf(z, s, b)), (place, "pdf")


def test_the_printed_form_loses_its_digits_near_equal_scales():
    """The control: what the test above would say of the textbook formula."""
    s, z = 7.0, 2.0
    b = s * (1 + 1e-13)
    printed = b * math.exp(-z / b) / (2 * (b - s)) - s**2 * math.exp(-z / s) / (b**2 - s**2)
    assert not agrees(math.log(abs(printed)), reference.exponential_laplace_sf(z, s, b), 1e-4)


@pytest.mark.parametrize("ratio", RATIOS)
def test_laplace_laplace_is_exact_at_near_and_far_from_equal_scales(ratio):
    s, b = 0.3, 0.3 * ratio
    law = Difference(Laplace(s), Laplace(b), "closed")
    for place in PLACES:
        z = place * (max(s, b) if abs(place) > 1 else min(s, b))
        exact = reference.laplace_laplace_sf(z, s, b)
        assert agrees(law.logsf(z), exact)
        assert agrees(law.logcdf(-z), exact)


@pytest.mark.parametrize("pair", [(Exponential, Laplace), (Laplace, Laplace), (Gaussian, Gaussian)])
@pytest.mark.parametrize("ratio", [1e-4, 0.05, 0.999, 1.0, 1.001, 20.0, 1e4])
def test_closed_form_and_quadrature_agree(pair, ratio):
    query, threshold = pair[0](3 * ratio), pair[1](3)
    closed = Difference(query, threshold, "closed")
    direct = Difference(query, threshold, "quadrature")
    wide, narrow = 3 * max(ratio, 1), 3 * min(ratio, 1)
    z = np.concatenate([np.linspace(-30, 30, 31) * wide, np.linspace(-3, 3, 13) * narrow])
    for part in ("logpdf", "logcdf", "logsf"):
        left, right = getattr(closed, part)(z), getattr(direct, part)(z)
        np.testing.assert_allclose(left, right, rtol=2e-13, atol=1e-11)


@pytest.mark.parametrize("query", KINDS)
@pytest.mark.parametrize("threshold", KINDS)
def test_quadrature_matches_fifty_digits_for_every_pair(query, threshold):
    first, second = query("1.7"), threshold("0.6")
    law = Difference(first, second, "quadrature")
    for z in (-2.5, 0.4, 6.0):
        exact = reference.integrated_sf(first, second, z)
        assert agrees(law.logsf(z), exact, 1e-12)
        assert float(law.cdf(z)) == pytest.approx(float(1 - exact), rel=1e-11)


@pytest.mark.parametrize("threshold", [None, Laplace(2), Gaussian("0.5")])
@pytest.mark.parametrize("query", [kind(3) for kind in KINDS])
def test_density_is_the_slope_of_the_distribution_function(query, threshold):
    law = Difference(query, threshold)
    z, step = np.array([0.7, 2.0, 9.0]), 1e-4
    slope = (law.cdf(z + step) - law.cdf(z - step)) / (2 * step)
    np.testing.assert_allclose(slope, np.exp(law.logpdf(z)), rtol=1e-6)
    np.testing.assert_allclose(law.cdf(z) + law.sf(z), 1, rtol=1e-14)


scales = st.floats(-6, 13).map(lambda exponent: 10.0**exponent)


@settings(max_examples=80, deadline=None)
@given(s=scales, b=scales, log_q=st.floats(-80, -1e-4))
@example(s=1e11, b=1.0, log_q=-25.0)
def test_inverses_invert_at_every_scale(s, b, log_q):
    law = Difference(Exponential(s), Laplace(b))
    q = math.exp(log_q)
    z = float(law.isf(q))
    assert float(law.logsf(z)) == pytest.approx(math.log(q), rel=1e-9, abs=1e-9)
    left = float(law.quantile(q))
    assert float(law.logcdf(left)) == pytest.approx(math.log(q), rel=1e-9, abs=1e-9)


def test_inverses_take_arrays_and_refuse_the_ends():
    law = Difference(Gumbel(2), Laplace(1))
    assert law.isf([[0.1, 0.5], [0.9, 1e-12]]).shape == (2, 2)
    for level in (0.0, 1.0):
        with (
            np.errstate(divide="ignore"),
            pytest.raises(ParameterError, match="strictly between 0 and 1"),
        ):
            law.isf(level)


def test_without_threshold_noise_it_is_the_query_noise():
    for kind in KINDS:
        noise = kind(2)
        for method in ("auto", "closed", "quadrature"):
            law = Difference(noise, None, method)
            z = np.linspace(0.1, 9, 7)
            np.testing.assert_array_equal(law.logsf(z), noise.logsf(z))
            assert float(law.isf(0.01)) == pytest.approx(float(noise.isf(0.01)), rel=1e-13)


def test_what_it_refuses():
    with pytest.raises(ParameterError, match="method must be 'quadrature' or 'auto'"):
        Difference(Gumbel(1), Laplace(1), "closed")
    with pytest.raises(ParameterError, match="method must be one of"):
        Difference(Gumbel(1), Laplace(1), "fast")
    with pytest.raises(ParameterError, match="query_noise must be a noise such as"):
        Difference(None, Laplace(1))
    with pytest.raises(ParameterError, match="threshold_noise must be a noise such as"):
        Difference(Laplace(1), 3)
