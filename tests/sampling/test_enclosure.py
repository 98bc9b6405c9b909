"""Enclosures hold the value to eighty digits, at any precision, gap and scale."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.sampling import enclosure
from overbar.sampling.bernoulli import noise_table
from tests.reference import sampling as reference
from tests.reference.sampling import race

NOISES = (Exponential, Laplace, Gumbel)
ONE = Fraction(1)


def as_ball(value):
    """The mpmath number as an exact ball."""
    mantissa, exponent = value.man_exp
    return arb(int(mantissa)) * arb(2) ** int(exponent)


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(NOISES),
    scale=st.fractions(Fraction(1, 100), 100),
    gap=st.integers(-3000, 3000),
    precision=st.integers(10, 150),
)
def test_values_are_inside(kind, scale, gap, precision):
    noise = kind(scale)
    survival = enclosure.survival(noise, ONE, gap, precision)
    with ctx.workprec(1000), mpmath.workdps(2 * reference.DIGITS):
        blur = arb(mid=1, rad=arb(10) ** -reference.DIGITS)
        assert survival.overlaps(as_ball(reference.survival(noise, ONE, gap)) * blur)
        if kind is Exponential and gap <= 0:
            assert survival == 1
            return
        log_hazard = enclosure.log_hazard(noise, ONE, gap, precision)
        if kind is Gumbel:
            assert log_hazard.overlaps(-arb(gap) * scale.denominator / scale.numerator)
        else:
            expected = as_ball(reference.hazard(noise, ONE, gap)) * blur
            assert log_hazard.overlaps(expected.log())


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize(
    "gap", [-(10**300), -(10**40), -7, 3, 10**5, 10**40, 10**300], ids="{:.0e}".format
)
def test_enclosures_tighten_at_any_gap(kind, gap):
    noise = kind(Fraction(3, 7))
    for precision in (100, 1000):
        survival = enclosure.survival(noise, ONE, gap, precision)
        assert survival.rad() < arb(2) ** (10 - precision)
        if kind is Exponential and gap <= 0:
            continue
        log_hazard = enclosure.log_hazard(noise, ONE, gap, precision)
        assert log_hazard.rad() < abs(gap) * 8 * arb(2) ** (10 - precision)


def test_a_yes_is_a_proof_at_any_precision():
    """What the samplers rely on: exact ints in comparisons, and no verdict from "not a number"."""
    large = 1 << 300
    assert arb(large + 1) > large
    assert not arb(large) > large
    word = (1 << 1000) + 12345
    ball = arb(mid=2 * word + 1, rad=1)
    assert ball.contains(2 * word)
    assert ball.contains(2 * word + 2)
    assert not ball.contains(2 * word + 4)
    undefined = arb(mid=0, rad=1).log()
    for verdict in (undefined < 1, undefined > 1, undefined <= 1, undefined >= 1):
        assert not verdict
    before = ctx.prec
    enclosure.survival(Gumbel(3), ONE, 5, 777)
    assert ctx.prec == before


def test_noise_without_enclosures_is_refused():
    for refused in (
        lambda: noise_table(MyLaplace(1), ONE),
        lambda: race([1], count=1, noise=Gaussian(1), grid=ONE),
    ):
        with pytest.raises(ParameterError, match="drawn exactly"):
            refused()


class MyLaplace(Laplace):
    """It might have another law."""


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("grid", [Fraction(1, 8), Fraction(3)])
def test_only_the_ratio_of_scale_and_grid_counts(kind, grid):
    """The same balls, to the last bit, for gaps in steps of any size."""
    coarse, fine = kind(Fraction(7, 2)), kind(Fraction(7, 2) * grid)
    for precision in (30, 90):
        for gap in (-200, -5, 0, 1, 4, 17, 400):
            for function in (enclosure.survival, enclosure.log_hazard):
                if function is not enclosure.survival and kind is Exponential and gap <= 0:
                    continue
                one, two = (
                    function(coarse, ONE, gap, precision),
                    function(fine, grid, gap, precision),
                )
                assert (one.mid(), one.rad()) == (two.mid(), two.rad())


@pytest.mark.parametrize("gap", [-(10**9), -101, -99, -1, 0])
def test_exponential_noise_exceeds_every_gap_up_to_zero_for_certain(gap):
    assert enclosure.survival(Exponential(100), ONE, gap, 60) == 1


@pytest.mark.parametrize("kind", NOISES)
def test_laplace_and_gumbel_noise_never_reach_certainty(kind):
    for gap in (-99, -1, 1):
        assert (enclosure.survival(kind(100), ONE, gap, 60) < 1) == (
            kind is not Exponential or gap > 0
        )


@pytest.mark.parametrize("kind", [Exponential, Laplace])
@pytest.mark.parametrize("precision", [6, 8, 12, 20])
def test_far_out_the_gap_between_hazard_and_survival_is_enclosed(kind, precision):
    """Just beyond the precision ln H still exceeds ln S by S/2, which the ball must allow for."""
    noise = kind(10)
    for gap in range(10 * precision + 1, 10 * precision + 8):
        ball = enclosure.log_hazard(noise, ONE, gap, precision)
        with ctx.workprec(600), mpmath.workdps(120):
            assert ball.overlaps(as_ball(reference.hazard(noise, ONE, gap)).log())


@pytest.mark.parametrize("precision", [3, 5, 30])
def test_far_below_gumbel_noise_is_enclosed(precision):
    for gap in (-10 * precision - 1, -10 * precision - 9):
        ball = enclosure.survival(Gumbel(10), ONE, gap, precision)
        with ctx.workprec(600):
            exact = -(-(arb(-gap) / 10).exp()).expm1()
            assert ball.overlaps(exact)
            assert ball.rad() < arb(2) ** (2 - precision)


@pytest.mark.parametrize("kind", [Exponential, Laplace])
@pytest.mark.parametrize("precision", [20, 40, 60])
def test_far_out_the_hazard_is_enclosed_where_nothing_else_is_rounded(kind, precision):
    """At whole numbers of scales the ball is as narrow as it gets, and ln H - ln S = S/2 counts."""
    for z in (precision + 1, precision + 2):
        ball = enclosure.log_hazard(kind(1), ONE, z, precision)
        with ctx.workprec(900):
            tail = (-arb(z)).exp() / (2 if kind is Laplace else 1)
            assert ball.overlaps((-(-tail).log1p()).log())
