"""The proof for a bare threshold starts its induction with one inequality, certified here.

In closed form G₁(κ)/(κ·φ₁(κ)) = 1 - ((e^(2P) - 1)/(2 + b) - e^r)/r with b = e^κ - 1, r = κ/b and
2P = 2r + κ. Ball arithmetic over cells that cover [0, LARGEST_STEP] bounds it away from 3/4.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb, fmpq
from scipy import integrate

from overbar.accounting.race import LARGEST_STEP

CELLS = 260


def ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def growth(step: Fraction) -> arb:
    """(e^κ - 1)/κ, which rises, and is one at zero."""
    return ball(step).expm1() / ball(step) if step else arb(1)


def ratio(low: Fraction, high: Fraction) -> arb:
    """Enclose the ratio over a cell; at zero it is its limit."""
    step = ball(low).union(ball(high))
    r = 1 / growth(low).union(growth(high))
    return 1 - (((2 * r + step).exp() - 1) / (1 + step.exp()) - r.exp()) / r


def test_the_induction_starts_for_every_step():
    last = Fraction(LARGEST_STEP)
    edges = [last * i / CELLS for i in range(CELLS + 1)]
    for low, high in itertools.pairwise(edges):
        found = ratio(low, high)
        assert found < arb(3) / 4
        assert found > arb(1) / 4  # control: the enclosure says something
    assert not ratio(Fraction(0), last) < arb(3) / 4  # control: one cell would not do


def test_the_induction_goes_on_for_every_step():
    """3/4·e^(2(P - 1)) <= 1 at the largest step; P = (κ/2)·coth(κ/2) rises with κ."""
    half = ball(Fraction(LARGEST_STEP)) / 2
    assert arb(3) / 4 * (2 * (half / half.tanh() - 1)).exp() < 1
    half = ball(Fraction("1.34")) / 2
    assert arb(3) / 4 * (2 * (half / half.tanh() - 1)).exp() > 1  # control


@pytest.mark.parametrize("step", [0.01, 0.2, 0.7, LARGEST_STEP])
def test_the_closed_form_is_the_ratio(step):
    b = math.expm1(step)

    def e(y):
        return b - math.exp(y / b) * (math.exp(step) - math.exp(y)) if y < step else b

    def phi(x):
        return e(step + x) - math.exp((1 + 2 / b) * x) * e(step - x)

    mean = integrate.quad(phi, 0, step, epsabs=0)[0] / (step * phi(step))
    assert abs(mean - float(ratio(Fraction(step), Fraction(step)).mid())) < 1e-9
