"""Guesses at the noise of races and picks, the best split, and plans that are made of them.

`make campaign NAME=requests` draws 500 requests; a test run draws some.
"""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.errors import ParameterError
from overbar.planning.races import best_budget, rough_range, rough_step, shift_of
from overbar.privacy import guarantee
from overbar.privacy.arrivals import race
from overbar.privacy.orders import epsilon_from_renyi
from overbar.privacy.pairs import Pick
from overbar.privacy.reading import epsilon_of, log_delta_of
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift
from tests.reference.plans import any_plan, other_plan

REQUESTS = int(os.environ.get("OVERBAR_REQUESTS", "4"))
MILLIONTH = Fraction(1, 10**6)


def requests(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        epsilon = Fraction(f"{10 ** rng.uniform(-2, 1):.3g}")
        delta = Fraction(f"{10 ** rng.uniform(-12, -3):.3g}")
        cutoff = int(10 ** rng.uniform(0, 2.5))
        threshold = ("laplace", "gaussian", "none")[int(rng.integers(3))]
        yield epsilon, delta, cutoff, threshold, bool(rng.integers(2))


def test_plans_meet_the_request_and_waste_nothing():
    for epsilon, delta, cutoff, threshold, monotonic in requests(2, REQUESTS):
        plan = overbar.plan(
            epsilon=epsilon, delta=delta, cutoff=cutoff, threshold_noise=threshold, grid=1,
            monotonic=monotonic, noise="gumbel", mechanism="sparse-vector", correction="none",
        )  # fmt: skip
        assert epsilon * (1 - MILLIONTH) <= guarantee(plan).at(delta) <= epsilon
        assert guarantee(plan).delta(epsilon) <= delta
        # control: a millionth less noise breaks the request
        noise = overbar.noise.Gumbel(plan.query_noise.scale * (1 - MILLIONTH))
        assert guarantee(other_plan(plan, query_noise=noise)).at(delta) > epsilon


@pytest.mark.one_in(3)
@pytest.mark.parametrize("share", [0.02, 0.6, 0.95, 0.999])
@pytest.mark.parametrize("cutoff", [1, 30])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.3])
def test_a_guess_is_near_the_largest_step(share, cutoff, delta):
    """Also for a threshold that takes most of the budget: the first guess is far too large."""
    epsilon = Fraction(4, 5)
    budget = float(epsilon) * share
    for threshold in (LaplaceShift(budget, 1), GaussianShift(budget / 9, 1)):
        told = {"threshold": threshold, "back": Fraction(0), "query_noise": "laplace"}
        try:
            step = rough_step(epsilon, Fraction(delta), cutoff, **told)
        except ParameterError:
            # Refused only where a hardly noticeable step is already too much.
            tiny = race(cutoff, float(epsilon) / cutoff * 1e-9, 0.0, threshold).steps
            assert log_delta_of(tiny, float(epsilon) * (1 - 1e-9)) > math.log(delta)
            continue
        less, more = (
            log_delta_of(race(cutoff, by * step, 0.0, threshold).steps, float(epsilon))
            for by in (0.98, 1.02)
        )
        assert less < math.log(delta) < more


@pytest.mark.one_in(2)
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("cutoff", [1, 50])
def test_a_guess_at_gumbel_noise_is_near_what_the_best_shift_allows(cutoff, monotonic):
    back = Fraction(not monotonic)
    step = rough_step(Fraction(1), MILLIONTH, cutoff, threshold=LaplaceShift(0.05, 64), back=back)

    def epsilon(by):
        noise = overbar.noise.Gumbel(1 / Fraction(step / (1 + back) * by))
        told = {"monotonic": monotonic, "grid": Fraction(1, 64)}
        return guarantee(any_plan(noise, overbar.noise.Laplace(20), 0, cutoff, **told)).at("1e-6")

    assert epsilon(0.95) < 1 < epsilon(1.05)


@pytest.mark.parametrize(("count", "epsilon"), [(1, 1.0), (2, 0.3), (5, 3.0), (3, 0.01)])
def test_a_guess_at_the_range_is_safe_and_a_plan_has_the_widest(count, epsilon):
    guess = rough_range(Fraction(epsilon), MILLIONTH, count)
    assert guess >= epsilon / count

    def needed(range_):
        return epsilon_of((Pick(range_, times=count),), math.log(1e-6))

    assert needed(guess) <= epsilon * (1 + 1e-12)
    told = {"top": True, "epsilon": epsilon, "delta": "1e-6", "cutoff": count, "monotonic": True}
    range_ = float(1 / overbar.plan(**told, noise="gumbel").query_noise.scale)
    assert needed(range_) <= epsilon < needed(range_ * (1 + 1e-6))


@pytest.mark.parametrize(
    ("count", "epsilon", "owed"),
    [(20, "1", 0.1055), (50, "1", 0.0663), (200, "1", 0.0331), (50, "0.1", 0.0077)],
)
def test_so_little_noise_is_enough_for_the_top(count, epsilon, owed):
    plan = overbar.plan(top=True, epsilon=epsilon, delta="1e-6", cutoff=count, monotonic=True)
    assert float(1 / plan.query_noise.scale) >= owed
    proved = guarantee(plan)
    assert proved.implies(epsilon, "1e-6")
    assert proved.at("1e-6") >= Fraction(epsilon) * (1 - Fraction(1, 10**8))
    by_orders, _ = epsilon_from_renyi(proved.renyi, math.log(1e-6))
    assert by_orders > 1.045 * float(epsilon)


@pytest.mark.parametrize("steps", [1, 64])
@pytest.mark.parametrize(
    ("noise", "unit", "epsilon", "delta", "cutoff"),
    [("laplace", 2, Fraction(1), MILLIONTH, 50),
     # Its budget is a distance in standard deviations, which a large δ allows to exceed ε.
     ("gaussian", 1, Fraction(1, 10), Fraction(1, 10), 2)],
)  # fmt: skip
def test_the_split_of_least_variance_has_no_better_neighbour(
    noise, unit, epsilon, delta, cutoff, steps
):
    told = {"back": Fraction(0), "query_noise": "gumbel"}
    budget = best_budget(epsilon, delta, cutoff, threshold_noise=noise, steps=steps, **told)

    def variance(budget):
        shift = shift_of(noise, budget, steps)
        step = rough_step(epsilon, delta, cutoff, threshold=shift, **told)
        return unit / float(budget) ** 2 + math.pi**2 / 6 / step**2

    assert (budget > 2 * epsilon) == (noise == "gaussian")
    for factor in (0.5, 0.9, 1.1):
        assert variance(budget * Fraction(factor)) > variance(budget)


def test_the_step_alone_has_no_interior_optimum():
    steps = [
        rough_step(Fraction(1), MILLIONTH, 50, threshold=LaplaceShift(share, 1), back=Fraction(0))
        for share in (0.001, 0.01, 0.05, 0.2)
    ]
    assert steps == sorted(steps, reverse=True)


def test_a_threshold_that_takes_all_is_refused():
    with pytest.raises(ParameterError, match="alone uses up epsilon"):
        rough_step(Fraction(1), MILLIONTH, 10, threshold=LaplaceShift(2.0), back=Fraction(0))
