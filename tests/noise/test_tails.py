"""Against fifty digits: relative error at most 1e-12 wherever the value is representable."""

import mpmath
import numpy as np
import pytest

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace

pytestmark = pytest.mark.one_in(3)

PLACES = [
    *np.linspace(-9.5, 9.5, 39), *(s * x for s in (-1, 1) for x in (1e-12, 1e-6, 0.3, 17, 18.4,
    18.6, 25, 36.5, 40, 100, 350, 699.5, 700)),
]  # fmt: skip


def laplace_sf(z):
    return mpmath.exp(-z) / 2 if z > 0 else 1 - mpmath.exp(z) / 2


def gumbel_sf(z):
    return -mpmath.expm1(-mpmath.exp(-z))


def gaussian_sf(z):
    return mpmath.erfc(z / mpmath.sqrt(2)) / 2


EXACT = {
    Laplace: (laplace_sf, lambda z: laplace_sf(-z)),
    Exponential: (
        lambda z: mpmath.exp(-max(z, 0)),
        lambda z: -mpmath.expm1(-z) if z > 0 else mpmath.mpf(0),
    ),
    Gumbel: (gumbel_sf, lambda z: mpmath.exp(-mpmath.exp(-z))),
    Gaussian: (gaussian_sf, lambda z: gaussian_sf(-z)),
}


def relative_error(value, exact):
    if exact == 0:
        return abs(float(value))
    return float(abs((mpmath.mpf(float(value)) - exact) / exact))


@pytest.mark.parametrize("make", sorted(EXACT, key=lambda make: make.name))
@pytest.mark.parametrize("scale", [1, 2])
@mpmath.workdps(700)
def test_probabilities_and_their_logarithms(make, scale):
    noise = make(scale)
    for place in PLACES:
        x = place * scale
        for value, log_value, exact in zip(
            (noise.sf(x), noise.cdf(x)),
            (noise.logsf(x), noise.logcdf(x)),
            (function(mpmath.mpf(x) / scale) for function in EXACT[make]),
            strict=True,
        ):
            if exact > 1e-290:
                assert relative_error(value, exact) <= 1e-12, (place, float(value), exact)
            if exact == 0:
                assert log_value == -np.inf
            elif (log_exact := mpmath.log(exact)) and abs(log_exact) > 1e-290:
                assert relative_error(log_value, log_exact) <= 1e-12, (place, log_value, log_exact)


@pytest.mark.parametrize("make", sorted(EXACT, key=lambda make: make.name))
def test_log_hazard(make):
    noise = make(1)
    for place in PLACES:
        with mpmath.workdps(1400):
            cdf = EXACT[make][1](mpmath.mpf(place))
            exact = mpmath.log(-mpmath.log(cdf)) if 0 < cdf < 1 else None
        if exact is None:
            continue
        error = abs(float(noise.log_hazard(place)) - float(exact))
        assert error <= 1e-12 * max(1.0, abs(float(exact))), (place, noise.log_hazard(place), exact)


@pytest.mark.parametrize("make", sorted(EXACT, key=lambda make: make.name))
def test_quantiles(make):
    noise = make(3)
    for level in [1e-300, 1e-100, 1e-17, 1e-9, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-9]:
        tail, body = (noise.sf(noise.isf(level)), noise.cdf(noise.quantile(level)))
        # A quantile q is as good as its spacing: a relative 2^-52 in q moves ln p by |q|·2^-52.
        room = 1e-12 + 1e-15 * (abs(np.log(level)) + abs(noise.isf(level)))
        assert tail == pytest.approx(level, rel=room)
        assert body == pytest.approx(level, rel=max(room, 1e-11))


@mpmath.workdps(40)
def test_moments_by_quadrature():
    for make, (survival, distribution) in EXACT.items():
        noise = make(1)
        above = mpmath.quad(survival, [0, 1, 5, 20, 60])
        below = mpmath.quad(lambda z, f=distribution: f(-z), [0, 1, 5, 20, 60])
        assert noise.mean == pytest.approx(float(above - below), abs=1e-12)
        square = 2 * mpmath.quad(lambda z, f=survival: z * f(z), [0, 1, 5, 20, 60]) + 2 * (
            mpmath.quad(lambda z, f=distribution: z * f(-z), [0, 1, 5, 20, 60])
        )
        assert noise.variance == pytest.approx(float(square) - noise.mean**2, rel=1e-12)


@pytest.mark.parametrize("make", sorted(EXACT, key=lambda make: make.name))
def test_arrays_and_numbers_agree(make):
    noise = make("0.7")
    x = np.linspace(-3, 3, 7)
    for method in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "log_hazard"):
        whole = getattr(noise, method)(x)
        one_by_one = [float(getattr(noise, method)(value)) for value in x]
        np.testing.assert_array_equal(whole, one_by_one)
