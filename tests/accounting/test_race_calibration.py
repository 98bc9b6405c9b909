"""The largest step and the best split, re-evaluated.

`make campaign NAME=requests` draws 500 requests; a test run draws some.
"""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest

from overbar.accounting import guarantee
from overbar.accounting.hazard import scale_for_hazard_step
from overbar.accounting.race import Race
from overbar.accounting.race_calibration import (
    best_split,
    largest_hazard_step,
    largest_rate,
)
from overbar.accounting.threshold_loss import GaussianShift, LaplaceShift
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Gaussian, Gumbel, Laplace
from tests.reference.plans import any_plan

REQUESTS = int(os.environ.get("OVERBAR_REQUESTS", "10"))


def requests(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        epsilon = float(10 ** rng.uniform(-2, 1))
        delta = float(10 ** rng.uniform(-12, -3))
        cutoff = int(10 ** rng.uniform(0, 3))
        share = float(rng.uniform(0.01, 0.3))
        steps = int(rng.choice([1, 2, 10]))
        threshold = (
            LaplaceShift(share * epsilon, steps),
            GaussianShift(share * epsilon / 5, steps),
            None,
        )[int(rng.integers(3))]
        yield epsilon, delta, cutoff, threshold, bool(rng.integers(2))


def test_the_largest_step_meets_the_request_and_wastes_nothing():
    for epsilon, delta, cutoff, threshold, monotonic in requests(2, REQUESTS):
        step = largest_hazard_step(
            epsilon, delta, cutoff, threshold=threshold, back=Fraction(not monotonic)
        )
        race = Race(cutoff, step, threshold, monotonic)
        again = race.epsilon(math.log(delta))
        assert again <= epsilon
        assert again >= epsilon * (1 - 1e-6)
        assert race.log_delta(epsilon) <= math.log(delta)


@pytest.mark.parametrize("share", [0.6, 0.95, 0.999])
@pytest.mark.parametrize("cutoff", [1, 30])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.3])
def test_a_threshold_that_takes_most_of_the_budget(share, cutoff, delta):
    """The first guess at a step is far too large there, by much or by little."""
    epsilon = 0.8
    for threshold in (LaplaceShift(share * epsilon, 1), GaussianShift(share * epsilon / 9, 1)):
        try:
            step = largest_hazard_step(
                epsilon, delta, cutoff, threshold=threshold, back=Fraction(0)
            )
        except ParameterError:
            # Refused only where a hardly noticeable step is already too much.
            tiny = Race(cutoff, epsilon / cutoff * 1e-9, threshold, True)
            assert tiny.log_delta(epsilon * (1 - 1e-9)) > math.log(delta)
            continue
        race = Race(cutoff, step, threshold, True)
        assert race.log_delta(epsilon) <= math.log(delta)
        larger = Race(cutoff, step * (1 + 1e-6), threshold, True)
        assert larger.log_delta(epsilon) > math.log(delta)


def test_control_a_step_a_millionth_larger_breaks_the_request():
    for epsilon, delta, cutoff, threshold, monotonic in requests(3, REQUESTS):
        step = largest_hazard_step(
            epsilon, delta, cutoff, threshold=threshold, back=Fraction(not monotonic)
        )
        race = Race(cutoff, step * (1 + 1e-6), threshold, monotonic)
        assert race.log_delta(epsilon) > math.log(delta)


@pytest.mark.parametrize("noise", ["laplace", "gaussian", "none"])
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("objective", ["variance", "step"])
def test_a_split_becomes_a_plan_that_keeps_the_request(noise, monotonic, objective):
    epsilon, delta = Fraction(7, 10), Fraction(1, 10**7)
    split = best_split(
        epsilon,
        delta,
        20,
        threshold_noise=noise,
        back=Fraction(not monotonic),
        steps=4,
        objective=objective,
    )
    made = {"laplace": Laplace, "gaussian": Gaussian, "none": None}[noise]
    shift = Fraction(1) if noise == "none" or monotonic else Fraction(2)
    plan = any_plan(
        Gumbel(scale_for_hazard_step("gumbel", shift, split.step)),
        made and made(1 / split.threshold_budget),
        0,
        20,
        monotonic=monotonic,
        grid=Fraction(1, 4),
    )
    assert guarantee(plan).delta(epsilon) <= delta
    assert epsilon * Fraction(998, 1000) <= guarantee(plan).at(delta) <= epsilon
    assert split.step == pytest.approx(float(shift / plan.query_noise.scale), rel=1e-9)


@pytest.mark.parametrize("steps", [1, 64])
def test_the_split_of_least_variance_has_no_better_neighbour(steps):
    split = best_split(Fraction(1), Fraction(1, 10**6), 50, back=Fraction(0), steps=steps)

    def variance(budget):
        share = LaplaceShift(float(budget), steps)
        rate = largest_rate(1, 1e-6, 50, threshold=share, back=Fraction(0))
        return 2 / float(budget) ** 2 + math.pi**2 / 6 / rate**2

    best = variance(split.threshold_budget)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert variance(split.threshold_budget * Fraction(factor)) > best


def test_the_step_alone_has_no_interior_optimum():
    steps = [
        largest_hazard_step(1, 1e-6, 50, threshold=LaplaceShift(share, 1), back=Fraction(0))
        for share in (0.001, 0.01, 0.05, 0.2)
    ]
    assert steps == sorted(steps, reverse=True)


def test_a_pure_step_keeps_the_request_in_exact_fractions():
    rng = np.random.default_rng(7)
    for _ in range(200):
        epsilon, share, cutoff = (
            float(rng.uniform(0.1, 3)),
            rng.uniform(0.01, 0.99),
            rng.integers(1, 99),
        )
        threshold = LaplaceShift(epsilon * float(share))
        step = largest_hazard_step(
            Fraction(epsilon), 0, int(cutoff), threshold=threshold, back=Fraction(0)
        )
        used = int(cutoff) * Fraction(step) + Fraction(threshold.epsilon)
        assert Fraction(epsilon) * (1 - Fraction(1, 10**13)) <= used <= Fraction(epsilon)


def test_pure_and_refusals():
    step = largest_hazard_step(1, 0, 10, threshold=LaplaceShift(0.1), back=Fraction(0))
    assert step == pytest.approx(0.09)
    with pytest.raises(NoGuaranteeError, match="no pure guarantee"):
        largest_hazard_step(1, 0, 10, threshold=None, back=Fraction(0))
    with pytest.raises(ParameterError, match="alone uses up epsilon"):
        largest_hazard_step(1, 0, 10, threshold=LaplaceShift(2.0), back=Fraction(0))
    with pytest.raises(ParameterError, match="alone uses up epsilon"):
        largest_hazard_step(1, 1e-6, 10, threshold=LaplaceShift(2.0), back=Fraction(0))


def test_gaussian_noise_on_the_threshold_may_take_more_than_epsilon():
    """Its budget is a distance in standard deviations, which a large δ allows to exceed ε."""
    epsilon, delta = Fraction(1, 10), Fraction(1, 10)
    split = best_split(epsilon, delta, 2, threshold_noise="gaussian", back=Fraction(0), steps=1)
    assert split.threshold_budget > 2 * epsilon

    def variance(budget):
        threshold = GaussianShift(float(budget), 1)
        step = largest_hazard_step(epsilon, delta, 2, threshold=threshold, back=Fraction(0))
        return 1 / float(budget) ** 2 + math.pi**2 / 6 / step**2

    best = variance(split.threshold_budget)
    for factor in (0.5, 0.9, 1.1):
        assert variance(split.threshold_budget * Fraction(factor)) > best


def test_unknown_words_are_refused():
    budget = Fraction(1), Fraction(1, 10**6), 5
    with pytest.raises(ParameterError, match="threshold_noise"):
        best_split(*budget, threshold_noise="cauchy", back=Fraction(0))
    with pytest.raises(ParameterError, match="query_noise"):
        best_split(*budget, query_noise="gaussian", back=Fraction(0))
    with pytest.raises(ParameterError, match="objective"):
        best_split(*budget, objective="speed", back=Fraction(0))
    with pytest.raises(ParameterError, match="epsilon"):
        best_split(Fraction(0), Fraction(1, 10**6), 5, back=Fraction(0))
    with pytest.raises(ParameterError, match="cutoff"):
        largest_hazard_step(1, 1e-6, 0, threshold=LaplaceShift(0.1, 1), back=Fraction(0))
