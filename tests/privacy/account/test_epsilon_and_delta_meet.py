"""For every theorem: the ε of a δ keeps that δ, a smaller one would not, and zero means zero."""

import math

import pytest

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy.capped import CAPPED
from overbar.privacy.race import RACE, race_of
from overbar.privacy.renyi import RESAMPLED
from tests.reference.plans import any_plan

CASES = {
    "laplace threshold": (RACE, any_plan(Gumbel(20), Laplace(9), 0, 4)),
    "gaussian threshold": (RACE, any_plan(Gumbel(20), Gaussian(9), 0, 4, monotonic=True)),
    "much loss": (RACE, any_plan(Gumbel(2), Laplace(1), 0, 9)),
    "bare, one way": (RACE, any_plan(Gumbel(20), None, 0, 4, monotonic=True)),
    "bare, both ways": (RACE, any_plan(Gumbel(20), None, 0, 4)),
    "race redrawn": (RACE, any_plan(Gumbel(20), Laplace(9), 0, 4, resample=True)),
    "one redrawn": (RESAMPLED, any_plan(Exponential(9), Laplace(9), 0, 1, resample=True)),
    "many redrawn": (RESAMPLED, any_plan(Exponential(90), Laplace(90), 0, 40, resample=True)),
    "capped": (CAPPED, any_plan(Gaussian(60), Gaussian(40), 0, 3, max_queries=20)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("delta", [0.9, 0.3, 0.05, 0.004, 1e-6, 1e-14])
def test_they_meet(name, delta):
    theorem, plan = CASES[name]
    epsilon = theorem.epsilon(plan, delta)
    # A bound through Rényi orders finds its best order anew, to seven digits.
    hair = 1e-5 if name in ("capped", "race redrawn") else 1e-8
    # A float is read at its shortest decimal form, rounded down: up to a last digit less.
    assert theorem.delta(plan, epsilon) <= delta * (1 + max(hair, 1e-9))
    if epsilon == 0:
        assert theorem.delta(plan, 0) <= delta
    else:
        assert theorem.delta(plan, epsilon * (1 - hair)) > delta


@pytest.mark.parametrize("name", [name for name in CASES if name != "capped"])
def test_no_loss_is_left_at_the_pure_epsilon(name):
    theorem, plan = CASES[name]
    if plan.threshold_noise is None or isinstance(plan.threshold_noise, Gaussian):
        return
    pure = theorem.epsilon(plan, 0)
    assert theorem.delta(plan, pure * (1 + 1e-13)) == 0
    assert theorem.delta(plan, pure * (1 - 1e-6)) > 0


def test_logs_of_deltas_too_small_for_a_float():
    plan = any_plan(Gumbel(200), Gaussian(90), 0, 1, monotonic=True)
    assert RACE.delta(plan, 2) == math.ulp(0.0)
    assert -math.inf < race_of(plan).log_delta(2.0) < -800
    assert race_of(plan).log_delta(0.1) == pytest.approx(math.log(RACE.delta(plan, "0.1")))
