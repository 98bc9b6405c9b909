"""The potential, ρ and instalments at 30 settings each, against plain floats that share no code.

What many runs together reach is added up loss by loss: never above what is promised, and near it.
"""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import integrate

from overbar.accounting.gaussian_potential import potential_cost, pure_cost, step_cost
from overbar.accounting.instalments import pure_rho, renyi_instalments, rho_instalments
from overbar.ledger.budget import budget_of, by_potential
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from tests.reference.plain_losses import (
    CELLS,
    Losses,
    arrivals,
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


# ρ

RACES = [(9, 11, 5), (3, 2, 4), (20, 30, 40), (6, 1, 9)]
SETTINGS = {
    **{f"pure {e}": (any_plan(Exponential(Fraction(2 / e)), Laplace(Fraction(2 / e)), 0, 1,
                              monotonic=True), [(two_points(e, -e), 1)])
       for e in (0.01, 0.1, 0.5, 1.0, 2.0, 4.0)},
    **{f"race {s}, {b}, {c}": (any_plan(Gumbel(s), Laplace(b), 0, c, monotonic=True),
                               [(two_points(1 / b, -1 / b), 1), (arrivals(1 / s), c)])
       for s, b, c in RACES},
    **{f"race {s}, gaussian {b}, {c}": (any_plan(Gumbel(s), Gaussian(b), 0, c, monotonic=True),
                                        [(gaussian(1 / b), 1), (arrivals(1 / s), c)])
       for s, b, c in RACES},
    **{f"top {s}, {c}": (any_plan(Gumbel(s), None, 0, c, mechanism="ranked", is_top=True,
                                  monotonic=True), [(two_points(0.5 / s, -0.5 / s), c)])
       for s, c in itertools.product((2, 5, 20), (1, 30))},
    **{f"histogram {s}, {m}": (any_plan(Gaussian(s), None, 0, 5, mechanism="histogram",
                                        items_per_person=m), [(gaussian(1 / s), m)])
       for s, m in ((2, 1), (9, 4), (30, 100), (5, 7), (60, 1000))},
    **{f"bare set {s}, {m}": (any_plan(Gaussian(s), None, 0, 5, items_per_person=m),
                              [(gaussian(1 / s), m)])
       for s, m in ((2, 1), (9, 4), (30, 100), (5, 7), (60, 1000))},
}  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
def test_rho_is_not_below_what_is_reached(name):
    plan, laws = SETTINGS[name]
    rho = float(rho_instalments(plan).whole)
    ratios = [
        sum(n * divergence(law, order) for law, n in laws) / (rho * order)
        for order in (1.05, 1.5, 3.0, 8.0, 30.0)
    ]
    assert 0.8 < max(ratios) <= 1 + 1e-6
    # As many runs as add up to ρ = 0.1, at some ε, by the conversion of every order.
    runs = max(1, int(0.1 / rho))
    total = rho * runs
    for epsilon in (total + math.sqrt(total), total + 4 * math.sqrt(total)):
        span = 2 * epsilon + 12 * math.sqrt(2 * total)
        together = [Losses.of(span, *law).times(n * runs) for law, n in laws]
        reached = together[0] if len(together) == 1 else together[0].and_(together[1])
        assert reached.delta(epsilon) <= promised(total, epsilon)


def test_there_are_thirty():
    assert len(SETTINGS) == 30 == 2 * 3 * len(PROMISED)


def promised(rho, epsilon):
    """δ at ε of what is ρ-zero-concentrated, at the best of many orders."""
    orders = 1 + np.geomspace(1e-3, 1e5, 4000)
    logs = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders)
    return math.exp(np.min(logs - np.log(orders - 1)))


def test_a_smaller_rho_is_caught():
    """Half of it for a pure run, or a tenth less for values."""
    pure, values = SETTINGS["pure 0.1"], SETTINGS["histogram 9, 4"]
    assert divergence(pure[1][0][0], 1.5) > 1.5 * float(pure_rho(Fraction(1, 10))) / 2
    rho = float(rho_instalments(values[0]).whole)
    assert 4 * divergence(gaussian(1 / 9), 3.0) > 3.0 * 0.9 * rho


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
        assert way.whole <= way.start + 5 * way.each
