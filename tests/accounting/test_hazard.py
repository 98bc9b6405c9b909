"""The hazard step of each noise."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.accounting.hazard import (
    hazard_step,
    laplace_hazard_step,
    scale_for_hazard_step,
)
from overbar.errors import NoGuaranteeError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.noise.contract import measured_constant
from tests.reference.logistic import Logistic


def test_gumbel_is_exact_and_rounded_up():
    for shift, scale in ((1, 3), (2, 7), (Fraction(1, 3), Fraction(10, 7))):
        value = hazard_step(Gumbel(scale), Fraction(shift))
        exact = Fraction(shift) / Fraction(scale)
        assert 0 <= Fraction(value) - exact < Fraction(1, 10**15) * exact


def laplace_supremum(move):
    """Golden section in 40 digits."""

    def gain(x):
        hazards = [
            mpmath.log(2) - z if z <= 0 else -mpmath.log1p(-mpmath.exp(-z) / 2)
            for z in (x, x + move)
        ]
        return mpmath.log(hazards[0] / hazards[1])

    with mpmath.workdps(40):
        low, high = -mpmath.mpf(move), mpmath.mpf(0)
        for _ in range(180):
            left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
            low, high = (left, high) if gain(left) < gain(right) else (low, right)
        return gain(low)


@pytest.mark.parametrize("move", [1e-9, 1e-7, 1e-4, 0.05, 0.7, 2.0, 15.0, 60.0, 400.0])
def test_laplace_supremum(move):
    value, exact = laplace_hazard_step(move), laplace_supremum(move)
    assert value >= exact
    assert value == pytest.approx(float(exact), rel=1e-7 if move < 1e-6 else 1e-12)


@pytest.mark.parametrize("move", [1e-30, 3e-20, 7e-17, 0.1e-7])
def test_tiny_moves_are_not_rounded_down(move):
    """There the supremum is move/ln 2, but for a share of `move` itself."""
    with mpmath.workdps(60):
        exact = mpmath.mpf(move) / mpmath.log(2)
        assert exact * (1 - move) <= laplace_hazard_step(move) <= exact * (1 + 1e-14)


def test_no_gap_moves_laplace_further():
    noise, shift = Laplace(3), 2.0
    x = np.linspace(-40, 60, 200_001)
    moved = noise.log_hazard(x) - noise.log_hazard(x + shift)
    value = hazard_step(noise, Fraction(2))
    assert moved.max() <= value
    assert moved.max() == pytest.approx(value, rel=1e-8)
    assert moved.max() > shift / 3 * 1.2  # control: shift/scale alone is not enough


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_scale_is_rounded_up(noise):
    make = {"gumbel": Gumbel, "laplace": Laplace}[noise]
    for step in (1e-9, 1e-6, 0.0213, 0.3, 1.0, 5.0, 40.0, 300.0):
        scale = scale_for_hazard_step(noise, Fraction(2), step)
        assert hazard_step(make(scale), Fraction(2)) <= step
        assert hazard_step(make(scale * Fraction(999_999, 10**6)), Fraction(2)) > step


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
@pytest.mark.parametrize("step", [3e-5, 0.0213, 0.7, 9.0])
def test_scales_have_at_most_fifteen_digits(noise, step):
    """So that a plan can be written down exactly."""
    scale = scale_for_hazard_step(noise, Fraction(1), step)
    digits = scale
    while digits.denominator > 1:
        digits *= 10
    assert len(str(digits.numerator).rstrip("0")) <= 15
    assert Fraction(f"{float(scale):.15g}") == scale
    if noise == "gumbel":
        assert 0 <= scale * Fraction(step) - 1 < Fraction(1, 10**14)


def test_refusals():
    with pytest.raises(NoGuaranteeError, match="hazard is infinite below zero"):
        hazard_step(Exponential(1), Fraction(1))
    with pytest.raises(NoGuaranteeError, match="set max_queries"):
        hazard_step(Gaussian(1), Fraction(1))
    with pytest.raises(NoGuaranteeError, match="no scale of exponential noise"):
        scale_for_hazard_step("exponential", Fraction(1), 0.1)

    with pytest.raises(NoGuaranteeError, match="is not a proof"):
        hazard_step(Logistic(2), Fraction(1))
    # Its H is ln(1 + e^-z), whose log has slope at most one.
    assert measured_constant(Logistic(2).log_hazard) == pytest.approx(0.5, rel=1e-2)
