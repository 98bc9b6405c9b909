"""Every noise keeps the contract, and the contract catches noises that do not."""

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import ParameterError
from overbar.noise import NOISES, Exponential, Gaussian, Gumbel, Laplace
from overbar.noise.contract import check_noise, measured_constant
from tests.reference.logistic import Logistic


@pytest.mark.parametrize("name", sorted(NOISES))
@pytest.mark.parametrize("scale", ["1e-6", "1/3", "1", "54.64", "1e12"])
def test_ours_keep_it(name, scale):
    check_noise(NOISES[name](Fraction(scale)))


def test_a_users_noise_gets_inverses_and_measured_constants():
    noise = Logistic(4)
    check_noise(noise)
    assert measured_constant(noise.logpdf, falling=True) == pytest.approx(1 / 4, rel=1e-3)
    assert measured_constant(noise.logsf) == pytest.approx(1 / 4, rel=1e-3)
    # ln H of the logistic law has slope σ(-z)/ln(1+e^-z) in size: at most 1, at plus infinity.
    assert measured_constant(noise.log_hazard) == pytest.approx(1 / 4, rel=1e-3)
    assert noise.quantile(0.25) == pytest.approx(-4 * math.log(3), rel=1e-12)


def broken(**attributes):
    return type("Broken", (Laplace,), attributes)(2)


@pytest.mark.parametrize(
    ("noise", "complaint"),
    [
        (broken(unit_mean=0.1), "mean must be"),
        (broken(unit_variance=3.0), "variance must be"),
        (broken(unit_logsf=lambda self, z: self.unit_logcdf(-z) - 1e-9), "must be 1"),
        (
            broken(unit_logcdf=lambda self, z: Laplace.unit_logcdf(self, -z)),
            "not decrease|must be 1",
        ),
        (broken(unit_logpdf=lambda self, z: -np.abs(z)), "pdf must be the derivative"),
        (broken(unit_quantile=lambda self, p: np.log(p)), "quantile must invert"),
        (broken(unit_isf=lambda self, q: np.log(q)), "isf must invert"),
        (broken(unit_logcdf=lambda self, z: z * np.nan), "finite|NaN"),
        (broken(unit_log_density_fall=0.5), "ln f is stated 0.5-Lipschitz"),
        (broken(unit_log_survival_constant=0.9), "ln S is stated 0.9-Lipschitz"),
        (broken(unit_log_hazard_constant=1), r"ln\(-ln F\) is stated 1-Lipschitz"),
        (broken(unit_log_density_fall=math.inf), "stated unbounded"),
    ],
)
def test_the_contract_catches(noise, complaint):
    with pytest.raises(ParameterError, match=complaint):
        check_noise(noise)


def test_all_complaints_come_at_once():
    with pytest.raises(ParameterError) as caught:
        check_noise(broken(unit_mean=1.0, unit_log_density_fall=0.5))
    assert str(caught.value).count("\n- ") == 2


@pytest.mark.parametrize(
    ("noise", "density", "survival", "hazard"),
    [
        (Laplace(2), Fraction(1, 2), Fraction(1, 2), 0.5 / math.log(2)),
        (Exponential(2), Fraction(1, 2), Fraction(1, 2), math.inf),
        (Gumbel(2), Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)),
        (Gaussian(2), math.inf, math.inf, math.inf),
    ],
)
def test_constants_of_the_theorems(noise, density, survival, hazard):
    assert noise.unit_log_density_fall / noise.scale == density
    assert noise.unit_log_survival_constant / noise.scale == survival
    assert noise.unit_log_hazard_constant / noise.scale == pytest.approx(float(hazard), rel=1e-15)
    for stated, function, falling in [
        (density, lambda z: noise.logpdf(2 * z), True),
        (survival, lambda z: noise.logsf(2 * z), False),
        (hazard, lambda z: noise.log_hazard(2 * z), False),
    ]:
        seen = measured_constant(function, falling=falling)
        assert seen == pytest.approx(2 * float(stated), rel=1e-3)
