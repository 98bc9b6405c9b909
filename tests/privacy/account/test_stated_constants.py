"""Lipschitz constants that are no whole numbers: what they cost, and that the cost is enough."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms import Bar, Reach, SparseVectorPlan
from overbar.noise import Laplace, Noise, check_noise
from overbar.privacy.pure import positive_epsilon, stated, threshold_epsilon
from overbar_lab.paper.methods import Setting, with_noise

STUDENT = stats.t(3)


def student(constant, variance=3.0):
    """Student's t with three degrees of freedom: ln S is never steeper than 1.0618."""

    kind = Noise.of_law("student", STUDENT, survival_constant=constant)
    kind.unit_variance = variance
    return kind


def test_a_law_gives_the_noise_that_a_class_of_its_own_would():
    noise, places = student(1.0618)(8), np.linspace(-90, 90, 31)
    for ours, theirs in ((noise.logsf, "logsf"), (noise.logcdf, "logcdf")):
        assert np.array_equal(ours(places), getattr(STUDENT, theirs)(places / 8))
    assert (noise.unit_mean, noise.unit_support) == (0.0, (-math.inf, math.inf))
    assert repr(noise) == "Student(scale='8')"
    beginning = Noise.of_law("one-sided", stats.expon())(2)
    assert beginning.unit_support == (0.0, math.inf)
    check_noise(beginning)


def test_a_law_must_be_whole():
    with pytest.raises(ParameterError, match="law must have logpdf"):
        Noise.of_law("half", object())
    with pytest.raises(ParameterError, match="law must have logpdf"):
        Noise.of_law("counts", stats.poisson(3))
    with pytest.raises(ParameterError, match="name must be one of your own"):
        Noise.of_law("laplace", stats.laplace(), survival_constant=0.01)


def plan(constant, cutoff=2):
    general = Reach.of(Fraction(1), monotonic=False)
    return SparseVectorPlan(student(constant)(8), Bar(Laplace(4)), cutoff, general)


@pytest.mark.parametrize("constant", [1, 2, Fraction(10618, 10000), 1.0618, np.float64(1.0618)])
def test_any_positive_constant_is_taken(constant):
    cost = positive_epsilon(student(constant)(8), Fraction(2))
    assert cost >= Fraction(constant) / 8 * 2
    assert float(cost) == pytest.approx(float(constant) / 4, rel=1e-15)


def test_a_float_is_rounded_up():
    for constant in (0.1, 1.0618, 1.5, 1e-300, 1e300):
        assert stated(constant) > Fraction(constant)
    assert stated(1) == 1


@pytest.mark.parametrize(
    ("constant", "reason"),
    [
        (None, "nobody has stated a Lipschitz constant"),
        (math.inf, "is not Lipschitz"),
        (0, "is not a positive number"),
        (-1, "is not a positive number"),
        (math.nan, "is not a positive number"),
    ],
)
def test_the_reason_is_the_true_one(constant, reason):
    with pytest.raises(NoGuaranteeError, match=reason):
        plan(constant).pure()


def chance(positive, scores):
    """P(these answers) by summing over the threshold noise, slice by slice of equal chance."""
    rho = Laplace(4).quantile((np.arange(20_000) + 0.5) / 20_000)
    value = np.ones_like(rho)
    for answer, score in zip(positive, scores, strict=True):
        sf = STUDENT.sf((rho - score) / 8)
        value = value * (sf if answer else 1 - sf)
    return float(value.mean())


def worst_loss(cutoff):
    """The largest loss over all answers and some neighbours, by enumeration."""
    answers = [
        (False, *[True] * cutoff),
        tuple([True] * cutoff),
        (True, False, *[True] * (cutoff - 1)),
    ]
    worst = 0.0
    for answer in answers:
        for level in (-40.0, -10.0, 0.0, 6.0, 10.0):
            here = [level] * len(answer)
            there = [level + (1 if not one else -1) for one in answer]
            worst = max(worst, math.log(chance(answer, here) / chance(answer, there)))
    return worst


def test_what_is_charged_covers_what_can_be_lost():
    whole = float(plan(Fraction(10618, 10000), cutoff=4).pure())
    loss = worst_loss(4)
    assert loss <= whole
    # The broken twin states a constant that is too small, and the enumeration catches it.
    assert loss > float(plan(Fraction(1, 5), cutoff=4).pure())


def test_the_check_knows_heavy_tails():
    check_noise(student(1.0618)(2))
    for wrong in (2.9, 3.1):
        with pytest.raises(ParameterError, match="variance must be"):
            check_noise(student(1.0618, variance=wrong)(2))
    with pytest.raises(ParameterError, match=r"a slope of 1\.0617"):
        check_noise(student(0.9)(2))


def test_a_noise_of_ones_own_is_set_for_all_of_epsilon():
    setting = Setting("0.5", 50, 10_000, 0)
    built = with_noise(student(1.0618))(setting)
    assert built.pure() == Fraction(1, 2)
    assert threshold_epsilon(built.bar.noise, built.reach.most) > 0
    assert built.correction > 0
    assert built.correction % built.grid == 0
    with pytest.raises(ParameterError, match="must state unit_log_survival_constant"):
        with_noise(student(None))(setting)


def test_a_correction_is_rounded_up_to_the_grid():
    assert Bar.on_grid(None, "2.3", "1/2").correction == Fraction(5, 2)
    assert Bar.on_grid(None, -2.3, 1).correction == -2
