"""The least noise that keeps a request, the best split of it, and what a search must not miss.

`make campaign NAME=requests` draws 500 requests; a test run draws some.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.mechanisms import RankedPlan, Reach, SparseVectorPlan
from overbar.mechanisms.way import Request, Split
from overbar.planning import choice
from overbar.planning.counts import together
from overbar.planning.search import exactly, excess_of, roughly
from overbar.privacy import guarantee
from overbar.privacy.account import Account, Near, account_of
from overbar.privacy.orders import epsilon_from_renyi
from overbar.privacy.pairs import Pick
from overbar.privacy.reading import epsilon_of
from tests.reference.plans import other_plan

REQUESTS = int(os.environ.get("OVERBAR_REQUESTS", "4"))
MILLIONTH = Fraction(1, 10**6)


def asked(**changes):
    fields = {
        "epsilon": Fraction(1), "delta": MILLIONTH, "cutoff": 5, "reach": Reach(0, 1),
        "noise": "gumbel", "threshold_noise": "laplace", "resample": False,
        "allocation": "variance", "max_queries": None, "grid": None, "mechanism": "sparse-vector",
    }  # fmt: skip
    return Request(**fields | changes)


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


@pytest.mark.one_in(2)
@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
@pytest.mark.parametrize("bar", ["laplace", "gaussian"])
@pytest.mark.parametrize("reach", [Reach(0, 1), Reach(-1, 1)])
def test_the_split_of_least_variance_has_no_better_neighbour(noise, bar, reach):
    request = asked(noise=noise, threshold_noise=bar, reach=reach)
    best = exactly(roughly(SparseVectorPlan.ways(request)[0]))
    ratio = Split(best.split.share / best.scale)

    def variance(found):
        return found.plan.query_noise.variance + found.plan.threshold_noise.variance

    for aside in (-0.7, -0.2, 0.2, 0.7):
        other = replace(best, split=ratio.moved(aside))
        scale = excess_of(other).confirmed(float(best.scale))
        assert variance(replace(other, scale=Fraction(scale))) > variance(best)


def test_a_split_by_orders_alone_is_worse():
    """A control: it is where the search begins, and here half a per cent more noise."""
    request = asked(noise="laplace", counts=True, epsilon=Fraction("0.2"), delta=Fraction("1e-4"))
    (way, *_) = map(together, SparseVectorPlan.ways(request))
    first = roughly(way)
    last = exactly(first)
    by_orders = replace(first, scale=Fraction(excess_of(first).confirmed(float(first.scale))))
    spread = [one.plan.query_noise.variance + one.plan.threshold_noise.variance
              for one in (by_orders, last)]  # fmt: skip
    assert spread[1] < spread[0]


CLIFF = {"epsilon": "0.2", "delta": "1e-6", "cutoff": 1, "monotonic": True, "candidates": 1000}
CLIFF |= {"mechanism": "sparse-vector", "allocation": 3, "correction": 7}


def test_what_says_most_beside_a_pure_proof_is_found():
    assert float(overbar.plan(**CLIFF).query_noise.scale) == pytest.approx(6.633553, rel=1e-6)


TWO_VALLEYS = {"epsilon": 1, "delta": "1e-4", "cutoff": 5, "candidates": 100}
TWO_VALLEYS |= {"reach": Reach(-3, 10), "mechanism": "sparse-vector", "allocation": "appending"}


def test_what_says_most_away_from_what_looks_best_is_found():
    assert float(overbar.plan(**TWO_VALLEYS).query_noise.scale) == pytest.approx(54.4056, rel=1e-5)


def test_a_search_that_looks_at_a_glance_alone_misses_it(monkeypatch):
    best = Account.best
    monkeypatch.setattr(choice, "_planned", choice._planned.__wrapped__)  # nothing is kept
    monkeypatch.setattr(
        Account, "best", lambda self, *told, **how: best(self, *told, **how | {"closely": False})
    )
    assert overbar.plan(**TWO_VALLEYS).query_noise.scale > Fraction("54.8")


@pytest.mark.parametrize(
    ("asked_for", "most"),
    [
        # Divergences say little of so small an ε, and of what is left by counts with nearly all.
        ({"epsilon": "1e-4", "delta": "0.01", "cutoff": 7, "monotonic": True}, 71),
        ({"epsilon": "0.01", "delta": "0.01", "cutoff": 100, "counts": "0.95"}, 1700),
    ],
)
def test_where_divergences_say_little_noise_is_small_too(asked_for, most):
    plan = overbar.plan(**asked_for, candidates=10**5)
    assert guarantee(plan).implies(asked_for["epsilon"], asked_for["delta"])
    assert plan.query_noise.scale < most


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("cutoff", [1, 5])
def test_who_looks_near_alone_finds_a_delta_that_holds(counts, cutoff):
    """Also beside counts with Laplace noise, which is pure: each of two answers is looked for."""
    way = together(RankedPlan.ways(asked(counts=counts, cutoff=cutoff))[0])
    found, near = roughly(way), Near()
    for scale in (found.scale, found.scale * Fraction(21, 20), found.scale * 2):
        account = account_of(replace(found, scale=scale).plan)
        for level in (0.9, 1.0):
            least = account.log_delta(level)
            assert least <= account.log_delta(level, near) <= least / 2


def test_a_pure_plan_costs_what_is_asked_exactly():
    request = asked(delta=Fraction(0), epsilon=Fraction(1, 3), counts=Fraction(1, 7), cutoff=7)
    for way in RankedPlan.ways(replace(request, threshold_noise="auto", noise="auto")):
        assert exactly(roughly(together(way))).plan.pure() == Fraction(1, 3)


@pytest.mark.parametrize(("count", "epsilon"), [(1, 1.0), (2, 0.3), (5, 3.0), (3, 0.01)])
def test_picks_have_the_widest_range(count, epsilon):
    def needed(range_):
        return epsilon_of((Pick(range_, times=count),), math.log(1e-6))

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


@pytest.mark.parametrize("delta", ["0.4", "0.5"])
def test_a_large_delta_is_planned_and_read_alike(delta):
    """Divergences say little there: ε at δ was found by another sequence than δ at ε."""
    made = overbar.plan(epsilon=1, cutoff=5, candidates=100, delta=delta, monotonic=True)
    assert 0.99 <= overbar.guarantee(made).at(delta) <= 1
