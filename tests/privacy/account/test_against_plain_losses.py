"""The potential and instalments at 30 settings each, against plain floats that share no code.

What many runs together reach is added up loss by loss: never above what is promised, and near it.
"""

import math
from fractions import Fraction
from functools import cache

import pytest
from scipy import integrate

from overbar.ledger.budget import budget_of, by_potential
from overbar.noise import Gaussian, Gumbel, Laplace
from overbar.privacy.gaussian_potential import potential_cost, pure_cost, step_cost
from overbar.privacy.instalments import renyi_instalments
from tests.reference.plain_losses import (
    CELLS,
    Losses,
    divergence,
    gaussian,
    laplace_on_a_grid,
    two_points,
)
from tests.reference.plans import any_plan

# The Gaussian potential

PROMISED = [(0.5, 1e-4), (1.0, 1e-6), (1.0, 1e-3), (2.0, 1e-5), (3.0, 1e-8)]


def histogram_cost(mu, reserve):
    fine = any_plan(
        Gaussian(1 / Fraction(mu)), None, 0, 5, mechanism="histogram", items_per_person=1,
        grid=Fraction(1, 1024),
    )  # fmt: skip
    return potential_cost(fine, reserve)


@cache
def potential(epsilon, delta):
    return by_potential(budget_of(epsilon, delta, None)).potential


@pytest.mark.parametrize("share", [1 / 3000, 1 / 400])
@pytest.mark.parametrize("kind", ["values", "picks", "pure"])
@pytest.mark.parametrize(("epsilon", "delta"), PROMISED)
def test_as_many_runs_as_the_potential_takes_are_within_its_delta(kind, epsilon, delta, share):
    own = potential(epsilon, delta)
    size = math.sqrt(share * float(own.limit))
    if kind == "values":
        cost = histogram_cost(size, own.reserve)
    else:
        picked = step_cost(Fraction(2 * size), own.reserve)
        cost = picked if kind == "picks" else pure_cost(Fraction(size), own.reserve)
    runs = int(own.limit / cost)
    assert runs > 0.7 / share
    span = 2 * epsilon + 12 * size * math.sqrt(runs)
    if kind == "values":
        law = Losses.of(span, *gaussian(size * math.sqrt(runs)))
    else:  # a whole number of cells
        span = CELLS / 2 * size / int(CELLS / 2 * size / span)
        law = Losses.of(span, *two_points(size, -size)).times(runs)
    least = 0.45 if share < 1 / 1000 else 0.05  # larger runs take more of the reserve
    assert least * own.delta < law.delta(epsilon) <= own.delta


def test_a_tenth_more_runs_is_caught():
    own = potential(1.0, 1e-6)
    total = math.sqrt(1.1 * float(own.limit))
    assert Losses.of(6.0, *gaussian(total)).delta(1.0) > 1.2 * own.delta


# Instalments

ORDERS = (1.3, 2.0, 5.0, 12.0, 40.0)
RACES_ON_GRIDS = [(9, 11, 4), (3, 2, 1), (20, 30, 4), (6, 4, 2), (50, 25, 8), (15, 9, 3)]


def wait(order, step):
    """The divergence of an exponential wait of rate e^step from one of rate 1, by quadrature."""
    rate, more = math.exp(step), order - 1
    fall = rate + more * (rate - 1)  # of the first density and of the power of the ratio
    if fall <= 0:
        return math.inf

    def term(x):
        return rate * math.exp(more * step - fall * x)

    whole, _ = integrate.quad(term, 0, 60 / fall, epsabs=0, epsrel=1e-11, limit=200)
    return math.log(whole) / more


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("scale", "bar", "steps"), RACES_ON_GRIDS)
def test_each_way_to_pay_is_that_of_a_shift(scale, bar, steps, order):
    """Of every way there is a shift of the threshold by whole steps that costs as much, not more.

    Where the threshold's noise moves by k of n steps, the log-hazard rises by k/n of its step or
    falls by the rest.
    """
    plan = any_plan(Gumbel(scale), Laplace(bar), 0, 5, monotonic=True, grid=Fraction(1, steps))
    wanted = []
    for k in range(steps + 1):
        start = divergence(laplace_on_a_grid(1 / (bar * steps), k), order) if k else 0.0
        rise = k / steps / scale
        each = max(wait(order, rise), wait(order, rise - 1 / scale))
        wanted.append((start, each))
    ways = renyi_instalments(plan, order)
    assert ways
    for way in ways:
        paid = float(way.start), float(way.each)
        near = [
            pair
            for pair in wanted
            if all(abs(p - w) <= 1e-6 * w for p, w in zip(paid, pair, strict=True))
        ]
        assert near
        assert any(w <= p * (1 + 1e-9) for p, w in zip(paid, near[0], strict=True))
        assert way.whole <= (way.start + 5 * way.each) * (1 + Fraction(1, 10**11))
