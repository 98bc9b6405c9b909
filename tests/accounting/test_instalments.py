"""ρ of plans: never below what divergences of any order say, and what is known in closed form."""

import math
from fractions import Fraction

import mpmath
import pytest

from overbar.accounting import guarantee
from overbar.accounting.hazard import base_renyi
from overbar.accounting.instalments import pure_rho, renyi_instalments, rho_instalments
from overbar.accounting.pure import pure_epsilon
from overbar.accounting.race import RACE
from overbar.accounting.renyi import pure_renyi
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from tests.reference.plans import any_plan

ORDERS = (1 + 1e-6, 1.1, 1.5, 2, 4, 16, 200, 1e4)


@pytest.mark.parametrize("epsilon", ["1e-60", "1e-6", "0.01", "0.3", 1, 3, 8, 30, 1000])
def test_the_rho_of_a_pure_run_is_above_every_order_and_hardly(epsilon):
    rho = pure_rho(Fraction(epsilon))
    assert rho <= Fraction(epsilon) ** 2 / 2
    with mpmath.workdps(80):
        exact = mpmath.mpf(str(epsilon)) * mpmath.tanh(mpmath.mpf(str(epsilon)) / 2)
        ours = mpmath.mpf(rho.numerator) / rho.denominator
        assert exact * (1 - mpmath.mpf(10) ** -70) <= ours
        assert ours <= exact * (1 + mpmath.mpf("0.05"))
    for order in ORDERS:
        assert pure_renyi(float(epsilon), order) <= float(rho) * order * (1 + 1e-9)


@pytest.mark.parametrize("step", [1e-9, 1e-3, 0.1, 0.8, 2.0, 4.5, 10.0])
def test_a_positive_of_a_race_costs_its_kullback_leibler_divergence(step):
    """κ - 1 + e^-κ is where orders tend to one, and enough for all of them."""
    plan = any_plan(Gumbel(1 / Fraction(step)), Laplace(2), 0, 3, monotonic=True)
    each = float(rho_instalments_of_race(plan).each)
    exact = step + math.expm1(-step)
    assert each * (1 + 1e-12) >= exact if step > 1e-3 else each == pytest.approx(step**2 / 2, 1e-3)
    assert each <= step**2 / 2
    for order in ORDERS:
        assert base_renyi(step, order) <= each * order * (1 + 1e-6)


def rho_instalments_of_race(plan):
    from overbar.accounting.instalments import _rho_of_race

    (way,) = _rho_of_race(RACE.bound(plan))
    return way


PLANS = {
    "pure": any_plan(Exponential(7), Laplace(11), 0, 3),
    "drawn anew": any_plan(Exponential(7), Laplace(11), 0, 3, resample=True),
    "race": any_plan(Gumbel(9), Laplace(11), 0, 5, monotonic=True),
    "race, drawn anew": any_plan(Gumbel(9), Gaussian(5), 0, 5, resample=True),
    "race, gaussian threshold": any_plan(Gumbel(9), Gaussian(11), 0, 5),
    "race, laplace queries": any_plan(Laplace(9), Laplace(11), 0, 5),
    "top": any_plan(Gumbel(9), None, 0, 5, mechanism="ranked", is_top=True),
    "histogram": any_plan(Gaussian(9), None, 0, 5, mechanism="histogram", items_per_person=4),
    "bare set": any_plan(Gaussian(9), None, 0, 5, items_per_person=4),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_rho_is_above_what_is_proved_at_every_order(plan):
    """Beyond the orders of a race's partial shift its own bound counts, which has no end."""
    way = rho_instalments(plan)
    assert way.start + plan.cutoff * way.each >= way.whole > 0
    for order in ORDERS:
        assert guarantee(plan).renyi(order) <= float(way.whole) * order * (1 + 1e-6)
        for other in renyi_instalments(plan, order)[:1]:
            assert guarantee(plan).renyi(order) <= float(other.whole) * (1 + 1e-12)


def test_known_values():
    top, gauss = rho_instalments(PLANS["top"]), rho_instalments(PLANS["histogram"])
    width = PLANS["top"].reach.width / 9
    assert float(top.whole) == pytest.approx(5 * float(width) ** 2 / 8)
    assert (gauss.start, gauss.each) == (Fraction(4, 2 * 81), 0)
    pure = rho_instalments(PLANS["pure"])
    assert (pure.start, pure.each) == (pure_rho(pure_epsilon(PLANS["pure"])), 0)
    assert rho_instalments(any_plan(Gumbel(9), None, 0, 5)) is None
    capped = any_plan(Gaussian(9), Gaussian(9), 0, 2, max_queries=9)
    assert rho_instalments(capped) is None


def test_a_tiny_divergence_is_not_zero():
    for epsilon in (1e-155, 1e-162, 1e-200, 1e-300):
        with mpmath.workdps(60):
            exact = 3 * mpmath.mpf(epsilon) ** 2 / 2
            assert mpmath.mpf(pure_renyi(epsilon, 3.0)) >= exact * (1 - mpmath.mpf(10) ** -50)
    assert pure_renyi(0.0, 3.0) == 0
