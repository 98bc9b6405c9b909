"""What is paid on the way: never below what is proved of the whole."""

from fractions import Fraction

import mpmath
import pytest

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import guarantee
from overbar.privacy.instalments import renyi_instalments
from overbar.privacy.orders import pure_renyi
from tests.reference.plans import any_plan

ORDERS = (1 + 1e-6, 1.1, 1.5, 2, 4, 16, 200, 1e4)


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
def test_what_is_paid_in_all_is_above_what_is_proved_at_every_order(plan):
    for order in ORDERS:
        for way in renyi_instalments(plan, order)[:1]:
            assert way.start + plan.cutoff * way.each >= way.whole * (1 - Fraction(1, 10**12))
            assert guarantee(plan).renyi(order) <= float(way.whole) * (1 + 1e-12)


def test_a_tiny_divergence_is_not_zero():
    for epsilon in (1e-155, 1e-162, 1e-200, 1e-300):
        with mpmath.workdps(60):
            exact = 3 * mpmath.mpf(epsilon) ** 2 / 2
            assert mpmath.mpf(pure_renyi(epsilon, 3.0)) >= exact * (1 - mpmath.mpf(10) ** -50)
    assert pure_renyi(0.0, 3.0) == 0
