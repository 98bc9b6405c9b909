"""What a monitor costs: the scales it needs, how long weights last, and what is refused."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

import overbar
from overbar import NoGuaranteeError, ParameterError
from overbar.mechanisms import Bar, MonitorPlan, Reach
from overbar.mechanisms.monitor import FULL, charges_of, weight_cost
from overbar.noise import Gumbel, Laplace
from overbar.privacy import guarantee


def plan(**changes):
    usual = {"epsilon": 1, "delta": "1e-6", "hits_per_person": 5, "candidates": 100}
    return overbar.plan(**usual | changes)


def scale(**changes):
    return float(plan(**changes).query_noise.scale)


def test_scales_for_so_many_hits():
    """Those of a run with a cutoff of 1, 2, 5, 10, 20 and a bare threshold, and no limit at all."""
    wanted = {1: 10.92, 2: 12.59, 5: 15.92, 10: 19.72, 20: 25.16}
    assert all(0.999 * most < scale(hits_per_person=hits) <= most for hits, most in wanted.items())
    run = overbar.plan(
        epsilon=1, delta="1e-6", cutoff=5, monotonic=True, candidates=100,
        mechanism="sparse-vector", noise="gumbel", threshold_noise="none",
    )  # fmt: skip
    assert run.query_noise == plan().query_noise


def test_how_long_weights_last():
    own = plan(weights=True)
    assert scale(weights=True) < 18.35
    costs, most = charges_of(own)
    lasting = [most // costs[steps] for steps in (1000, 500, 200, 100, 50)]
    assert lasting[0] == 5
    assert all(many >= few for many, few in zip(lasting[1:], (36, 283, 1202, 4946), strict=True))


def test_charges_are_whole_numbers_that_are_never_too_small():
    own = plan(weights=True)
    order, step = float(own.renyi_order), 1 / float(own.query_noise.scale)
    costs, most = charges_of(own)
    assert (costs[0], costs[-1], most) == (0, FULL, 5 * FULL)
    assert list(costs) == sorted(costs)
    full = weight_cost(step, order)
    for steps in (1, 7, 50, 333, 999):
        wanted = weight_cost(step * steps / 1000, order) / full * FULL
        assert wanted < costs[steps] < wanted * (1 + 1e-8) + 1
    assert charges_of(plan()) == ((0, 1), 5)


@pytest.mark.parametrize("epsilon", ["0.01", 1, 20])
@pytest.mark.parametrize("hits", [1, 7, 1000])
@pytest.mark.parametrize("weights", [False, True])
def test_every_plan_keeps_what_it_was_asked_for(epsilon, hits, weights):
    own = plan(epsilon=epsilon, hits_per_person=hits, weights=weights)
    proved = guarantee(own)
    assert proved.implies(epsilon, "1e-6")
    noise = own.query_noise
    less = replace(own, query_noise=Gumbel(noise.scale * Fraction(999, 1000)))
    assert not guarantee(less).implies(epsilon, "1e-6")
    with pytest.raises(NoGuaranteeError):
        proved.at(0)


def test_one_order_is_bounded_and_all_below():
    own = plan(weights=True)
    order = float(own.renyi_order)
    most = 5 * weight_cost(1 / float(own.query_noise.scale), order)
    assert guarantee(own).renyi(order) == pytest.approx(most)
    assert guarantee(own).renyi(2.0) == guarantee(own).renyi(order)
    assert math.isinf(guarantee(own).renyi(order + 1))
    level = guarantee(own).at("1e-6")
    assert guarantee(own).delta(level) == pytest.approx(1e-6)


def test_weights_of_either_sign_cost_what_the_best_adversary_gets():
    assert scale(monotonic=False) > scale()
    one = plan(monotonic=False, hits_per_person=1)
    step = 1 / float(one.query_noise.scale)
    # The best adversary's closed form for one positive.
    best = math.tanh(step / 2) * math.exp(-1 / math.expm1(step))
    assert best == pytest.approx(1e-6, rel=0.02)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cutoff": 5}, "leave out cutoff"),
        ({"mechanism": "ranked"}, "leave out cutoff and mechanism"),
        ({"hits_per_person": None, "mechanism": "monitor"}, "hits_per_person must be given"),
        ({"hits_per_person": None, "weights": True}, "hits_per_person must be given"),
        ({"hits_per_person": None}, "cutoff must be"),
        ({"delta": 0}, "no pure guarantee"),
        ({"noise": "exponential"}, "proof for gumbel noise"),
        ({"threshold_noise": "laplace"}, "none on the threshold"),
        ({"counts": True}, "counts must be left out"),
        ({"items_per_person": 3}, "items_per_person must be left out"),
        ({"groups": 3, "groups_per_person": 1}, "groups must be left out"),
        ({"top": True, "candidates": None}, "top must be left out"),
        ({"resample": True}, "sparse vector run"),
    ],
)
def test_what_a_monitor_has_not_is_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        plan(**changes)


def test_a_plan_by_hand():
    own = MonitorPlan(Gumbel(20), Bar(None), 5, Reach(0, 1))
    assert own.counts_persons
    assert guarantee(own).delta(1) < 1e-6
    for wrong, words in (
        ({"bar": Bar(Laplace(1))}, "a Bar without noise"),
        ({"hits": 0}, "hits must be"),
        ({"hits": 10**7}, "hits must be at most"),
        ({"renyi_order": 1}, "renyi_order must be above 1"),
        ({"grid": Fraction(1, 10**6)}, "grid must be at least"),
    ):
        with pytest.raises(ParameterError, match=words):
            replace(own, **wrong)
    for unproved in (
        replace(own, query_noise=Laplace(20)),
        replace(own, query_noise=Gumbel("0.01")),
        replace(own, renyi_order=1000),
    ):
        with pytest.raises(NoGuaranteeError):
            guarantee(unproved)
