"""Rényi curves of pure mechanisms, their composition, and the way to (ε, δ)."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Exponential, Gaussian, Laplace
from overbar.privacy import guarantee, orders
from overbar.privacy.orders import (
    composed_epsilon,
    composed_log_delta,
    epsilon_at,
    epsilon_from_renyi,
    log_delta_at,
    log_delta_from_renyi,
    pure_renyi,
)
from tests.reference.plans import any_plan


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("order", [1.0001, 1.5, 2.0, 7.3, 100.0, 1e6])
def test_the_curve_of_randomised_response(epsilon, order):
    with mpmath.workdps(60):
        p = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        a = mpmath.mpf(order)
        exact = mpmath.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
    value = pure_renyi(epsilon, order)
    assert value == pytest.approx(float(exact), rel=1e-10)
    assert value <= min(epsilon, order * epsilon**2 / 2) * (1 + 1e-12)


def test_one_conversion_is_the_inverse_of_the_other():
    for order in (1.1, 3.0, 50.0):
        epsilon = epsilon_at(0.3, order, math.log(1e-7))
        assert log_delta_at(0.3, order, epsilon) == pytest.approx(math.log(1e-7), rel=1e-9)


@pytest.mark.parametrize("distance", [0.05, 0.5, 2.0])
def test_the_conversion_is_an_upper_bound_for_the_gaussian_and_not_far_off(distance):
    """Against the exact profile of the Gaussian mechanism; a control shows which way is wrong."""

    def exact(epsilon):
        below = distance / 2 - epsilon / distance
        return special.ndtr(below) - math.exp(epsilon) * special.ndtr(below - distance)

    def curve(order):
        return order * distance**2 / 2

    for delta in (1e-4, 1e-8):
        epsilon, order = epsilon_from_renyi(curve, math.log(delta))
        assert exact(epsilon) <= delta
        assert exact(epsilon * 0.85) > delta
        assert order > 1
        assert log_delta_from_renyi(curve, epsilon) <= math.log(delta) + 1e-6
        # The older conversion R + ln(1/δ)/(a - 1) is valid too and worse.
        older = min(curve(a) - math.log(delta) / (a - 1) for a in 1 + np.logspace(-2, 3, 2000))
        assert epsilon < older


QUERY, THRESHOLD = Exponential(40), Laplace(20)


def plan(cutoff=20, query=QUERY, threshold=THRESHOLD, *, resample=True):
    return any_plan(query, threshold, 0, cutoff, resample=resample)


def test_each_run_is_pure():
    assert plan(1).pure() == Fraction(1, 20) + Fraction(2, 40)
    assert guarantee(plan()).renyi(3.0) == pytest.approx(20 * pure_renyi(0.1, 3.0))
    assert guarantee(plan(200)).at(0) == 20


def test_optimal_composition_is_never_worse_than_renyi():
    made = guarantee(plan(200))
    for delta in (1e-3, 1e-9):
        by_renyi, _ = epsilon_from_renyi(made.renyi, math.log(delta))
        epsilon = made.at(delta)
        assert made.delta(epsilon) <= delta * (1 + 1e-9)
        assert 0.8 * by_renyi < epsilon < by_renyi


def test_the_pure_total_is_not_rounded_down():
    for cutoff in (3, 7, 19, 77, 1001):
        exact = plan(cutoff, Exponential(7), Laplace(11)).pure()
        found = Fraction(composed_epsilon(rounded_up(exact / cutoff), cutoff, -math.inf))
        assert exact <= found <= exact * (1 + Fraction(1, 10**14))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (plan(query=Gaussian(5)), "gaussian noise on queries"),
        (plan(threshold=Gaussian(5)), "gaussian noise on the threshold"),
        (any_plan(Exponential(4), None, 0, 3, resample=True), "threshold without noise"),
    ],
)
def test_refusals(made, words):
    with pytest.raises(NoGuaranteeError, match=words):
        made.pure()
    with pytest.raises(ParameterError, match="order must be above 1"):
        pure_renyi(0.1, 1.0)


@pytest.mark.parametrize("cutoff", [20_000, 100_001, 1_000_000])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 4.0, 8.0])
def test_a_sum_around_the_mean_is_the_whole_sum(cutoff, epsilon, monkeypatch):
    each = 1 / math.sqrt(cutoff) / 4
    near = composed_log_delta(each, cutoff, epsilon)
    assert near < -0.01
    monkeypatch.setattr(orders, "WHOLE_SUM", cutoff)
    whole = composed_log_delta(each, cutoff, epsilon)
    assert near == pytest.approx(whole, abs=1e-11)
    # The control: a window that leaves out too much is noticed.
    monkeypatch.setattr(orders, "WHOLE_SUM", 1)
    monkeypatch.setattr(orders, "TAIL", 4.0)
    assert composed_log_delta(each, cutoff, epsilon) > whole + 1e-3


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 4.0, 8.0])
def test_the_bound_for_huge_cutoffs_is_above_the_sum(epsilon, monkeypatch):
    each = 1 / math.sqrt(10**5) / 4
    whole = composed_log_delta(each, 10**5, epsilon)
    monkeypatch.setattr(orders, "LARGEST_SUM", 10)
    assert whole < composed_log_delta(each, 10**5, epsilon) < min(1e-9, whole + 4)


@pytest.mark.parametrize("cutoff", [10**8, 10**12, 10**18])
def test_a_huge_cutoff_takes_little_memory(cutoff):
    plan = any_plan(
        Exponential(10 * math.isqrt(cutoff)), Laplace(10 * math.isqrt(cutoff)), 0, cutoff,
        monotonic=True, resample=True, rounds=1, grid=1,
    )  # fmt: skip
    tracemalloc.start()
    try:
        assert "at delta=1e-6" in repr(guarantee(plan))
        assert tracemalloc.get_traced_memory()[1] < 200 * 2**20
    finally:
        tracemalloc.stop()
