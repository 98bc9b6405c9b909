"""Calibration: what is given back keeps what was asked for, and bad requests say what to write."""

import logging
import math
import os
import random
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms import Reach, SparseVectorPlan
from overbar.mechanisms.way import Request
from overbar.noise import Gumbel, Laplace
from overbar.planning.choice import alternatives
from overbar.planning.search import roughly
from overbar.privacy import guarantee
from tests.queue_plans import queue_plan

BASIC = {"epsilon": 1, "cutoff": 50, "candidates": 10_000}


@pytest.mark.parametrize(
    ("setting", "cutoff", "candidates", "b", "s", "r"),
    [
        ("monotonic", 50, 10_000, 11.772173, 54.641589, 292.377992),
        ("general", 50, 10_000, 18.099759, 105.848035, 564.485573),
        ("general", 1, 50, 2.259921, 3.587401, 15.776922),
        ("monotonic", 5, 120, 3.320794, 7.154435, 24.719994),
    ],
)
def test_reference_plans(setting, cutoff, candidates, b, s, r):
    plan = queue_plan(
        epsilon=1, cutoff=cutoff, candidates=candidates, monotonic=setting == "monotonic",
        grid="0.000001",
    )  # fmt: skip
    assert float(plan.threshold_noise.scale) == pytest.approx(b, rel=1e-6)
    assert float(plan.query_noise.scale) == pytest.approx(s, rel=1e-6)
    assert float(plan.correction) == pytest.approx(r, rel=1e-6)
    # On the default grid the correction is rounded up by less than a step.
    usual = queue_plan(
        epsilon=1, cutoff=cutoff, candidates=candidates, monotonic=setting == "monotonic"
    )
    assert 0 <= usual.correction - Fraction(r) < usual.grid


def test_the_appending_split_and_a_users_own():
    assert queue_plan(**BASIC, allocation="appending").threshold_noise.scale == 100
    assert queue_plan(**BASIC, allocation=3).threshold_noise.scale == 4
    assert queue_plan(**BASIC, allocation="0.25").threshold_noise.scale == Fraction(5, 4)
    resampled = queue_plan(**BASIC, allocation=3, resample=True)
    assert resampled.threshold_noise.scale == 200


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "grid"),
    [(1, 1, 1), (1000, 1, Fraction(1, 2**9)), ("0.001", 5, 5), (1, "0.1", Fraction(1, 10))],
)
def test_the_default_grid(epsilon, sensitivity, grid):
    plan = queue_plan(epsilon=epsilon, cutoff=50, sensitivity=sensitivity, candidates=1000)
    assert plan.grid == grid
    assert (plan.reach.most / plan.grid).denominator == 1
    smallest = min(plan.query_noise.scale, plan.threshold_noise.scale)
    assert plan.grid * 8 <= smallest
    assert (plan.correction / plan.grid).denominator == 1


def test_extreme_requests():
    for epsilon in ("1e-6", 1000):
        for cutoff in (1, 10**6):
            plan = queue_plan(epsilon=epsilon, cutoff=cutoff, candidates=10**13)
            assert guarantee(plan).at() == Fraction(str(epsilon))
            assert math.isfinite(plan.correction)


def test_corrections():
    s = queue_plan(**BASIC).query_noise.scale
    assert queue_plan(**BASIC, correction="none").correction == 0
    assert 0 <= queue_plan(**BASIC, correction="mean").correction - s < 1
    assert queue_plan(**BASIC, correction=17).correction == 17
    assert queue_plan(**BASIC, correction="-2.5").correction == -2
    optimal = queue_plan(**BASIC).correction
    assert queue_plan(**BASIC, correction="optimal-shared").correction < optimal
    assert queue_plan(**BASIC, rounds=10).correction > optimal
    assert queue_plan(**BASIC, tolerance=100).correction < optimal
    assert queue_plan(**BASIC, rounds=None).correction == optimal
    by_limit = queue_plan(epsilon=1, cutoff=50, max_queries=10_000)
    assert by_limit.correction == optimal


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            {"threshold_noise": "exponential", "delta": "1e-6", "noise": "gumbel"},
            "has a proof at delta = 0 alone.*'laplace', or delta=0",
        ),
        ({"threshold_noise": "gumbel"}, "cannot be drawn exactly.*'exponential'"),
        ({"threshold_noise": "gaussian"}, "no pure guarantee.*'laplace', or allow delta > 0"),
        ({"threshold_noise": "none"}, "no pure guarantee.*'laplace', or allow delta > 0"),
        ({"noise": "gaussian"}, "only with delta > 0 and max_queries"),
        ({"noise": "gaussian", "delta": "1e-6"}, "only with delta > 0 and max_queries"),
        ({"noise": "gaussian", "max_queries": 9}, "only with delta > 0 and max_queries"),
        (
            {"noise": "gaussian", "delta": "1e-6", "max_queries": 9, "threshold_noise": "none"},
            "no proof with threshold_noise='none'.*'laplace' or 'gaussian'",
        ),
        (
            {"delta": "1e-6", "noise": "exponential"},
            "counterexample.*noise='gumbel', resample=True, or delta=0",
        ),
        (
            {"delta": "1e-6", "resample": True, "threshold_noise": "gaussian"},
            "no pure guarantee",
        ),
    ],
)
def test_refused_with_the_reason_and_a_way_out(request_, message):
    with pytest.raises(NoGuaranteeError, match=message):
        queue_plan(**{**BASIC, **request_})


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"epsilon": 0}, "epsilon must be positive, got 0"),
        ({"epsilon": -1}, "epsilon must be positive, got -1"),
        ({"delta": 1}, "delta must be below 1, got 1"),
        ({"cutoff": 0}, "cutoff must be a positive whole number, got 0"),
        ({"cutoff": 2.5}, "cutoff must be a positive whole number, got 2.5"),
        ({"sensitivity": 0}, "sensitivity must be positive, got 0"),
        ({"monotonic": "yes"}, "monotonic must be True or False, got 'yes'"),
        ({"noise": "uniform"}, "noise must be one of 'laplace', 'exponential'"),
        ({"threshold_noise": "uniform"}, "threshold_noise must be one of"),
        ({"allocation": "best"}, "allocation must be 'variance', 'appending' or a positive ratio"),
        ({"allocation": -1}, "allocation must be positive"),
        ({"correction": "best"}, "correction must be one of 'halfway', 'none', 'mean', 'optimal'"),
        ({"candidates": None}, "candidates must be given: about how many"),
        ({"candidates": 0}, "candidates must be a positive whole number"),
        ({"tolerance": -1}, "tolerance must be zero or positive"),
        ({"tolerance": 5, "correction": "mean"}, "tolerance goes with correction='optimal'"),
        ({"rounds": 0}, "rounds must be a positive whole number"),
        ({"grid": "0.3"}, "grid must divide the sensitivity 1, got 0.3"),
        ({"grid": 2}, "grid must divide the sensitivity 1, got 2"),
    ],
)
def test_bad_numbers(request_, message):
    with pytest.raises(ParameterError, match=message):
        queue_plan(**{**BASIC, **request_})


def test_random_requests_with_delta_are_kept_tightly():
    """Never more than was asked for, and within a millionth of it."""
    generator = random.Random(7)
    for _ in range(int(os.environ.get("OVERBAR_REQUESTS", "50")) // 5):
        epsilon = f"{10 ** generator.uniform(-2, 1):.4g}"
        delta = f"{10 ** generator.uniform(-12, -2):.3g}"
        kind = generator.choice(
            [
                {"noise": "gumbel", "allocation": "appending"},
                {"noise": "gumbel", "allocation": generator.choice([5, 20, 99])},
                {"noise": "gumbel", "threshold_noise": "none"},
                {"noise": "laplace", "allocation": "appending"},
                {"noise": "exponential", "resample": True},
            ]
        )
        plan = queue_plan(
            epsilon=epsilon, delta=delta, cutoff=generator.choice([1, 3, 20, 300]),
            monotonic=generator.random() < 0.5, correction="mean", **kind,
        )  # fmt: skip
        proved = guarantee(plan).at(delta)
        assert proved <= Fraction(epsilon)
        assert float(proved) >= float(epsilon) * (1 - 1e-6), (epsilon, delta, kind)


@pytest.mark.parametrize("threshold_noise", ["gaussian", "laplace"])
def test_gaussian_queries(threshold_noise):
    plan = queue_plan(
        epsilon=1, delta="1e-6", cutoff=5, noise="gaussian", threshold_noise=threshold_noise,
        max_queries=1000,
    )  # fmt: skip
    assert 1 - 1e-6 <= guarantee(plan).at("1e-6") <= 1


def test_auto_takes_the_most_accurate_and_says_why(caplog):
    pure = queue_plan(**BASIC, noise="auto")
    assert pure == queue_plan(**BASIC)
    with caplog.at_level(logging.INFO, logger="overbar"):
        raced = queue_plan(**BASIC, delta="1e-6", noise="auto", monotonic=True)
    assert isinstance(raced.query_noise, Gumbel)
    assert isinstance(raced.threshold_noise, Laplace)
    assert "chosen: sparse-vector, gumbel noise" in caplog.text
    assert "against" in caplog.text
    # With few positives and a tiny δ the pure plan is.
    few = queue_plan(epsilon=1, delta="1e-30", cutoff=1, candidates=50, noise="auto")
    assert few == queue_plan(epsilon=1, cutoff=1, candidates=50, threshold_noise="exponential")
    redrawn = queue_plan(**BASIC, delta="1e-6", noise="auto", resample=True)
    assert redrawn.repeats.resample
    assert redrawn.query_noise.scale < queue_plan(**BASIC, resample=True).query_noise.scale


@pytest.mark.one_in(3)
@pytest.mark.parametrize("allocation", ["variance", "appending"])
def test_a_bare_threshold_where_positives_are_very_many(allocation):
    """In general it is better than all of the shift."""
    many = {"epsilon": 1, "cutoff": 500, "candidates": 10_000, "delta": "1e-6", "noise": "auto"}
    bare = queue_plan(**many, allocation=allocation, grid=1)
    assert bare.threshold_noise is None
    shifted = queue_plan(**many, allocation=allocation)
    assert shifted.query_noise.scale < bare.query_noise.scale
    assert queue_plan(**many, monotonic=True).threshold_noise is not None


def test_alternatives_are_sorted():
    request = Request(
        Fraction(1), Fraction(1, 10**6), 50, Reach(0, 1), "auto", "auto", False,
        "appending", None, None, "sparse-vector",
    )  # fmt: skip
    found = alternatives([roughly(way) for way in SparseVectorPlan.ways(request)])
    rates = [1 / alternative.found.scale for alternative in found]
    assert rates == sorted(rates, reverse=True)
    assert len({str(alternative) for alternative in found}) == len(found) == 4
    # The figure of partial shift at c = 50, ε = 1, δ = 1e-6: 3.5 times the pure rate.
    assert float(rates[0]) == pytest.approx(0.0646811, rel=1e-5)


@pytest.mark.parametrize("delta", ["0.3", "0.99"])
@pytest.mark.parametrize("cutoff", [10**12, 10**18])
@pytest.mark.parametrize("noise", ["auto", "laplace"])
def test_huge_cutoffs_at_a_large_delta_keep_what_was_asked_for(delta, cutoff, noise):
    """Floats round in the ninth digit of ε there: a hair more noise makes up for it."""
    asked = {"epsilon": 1, "delta": delta, "cutoff": cutoff, "candidates": 10**18}
    plan = queue_plan(**asked, noise=noise, monotonic=True)
    assert 0.999 < guarantee(plan).at(delta) <= 1


@pytest.mark.parametrize("noise", ["auto", "gumbel", "exponential"])
def test_a_grid_that_does_not_divide_is_refused_before_anything_is_computed(noise):
    with pytest.raises(ParameterError, match="grid must divide the sensitivity 1, got 2"):
        queue_plan(epsilon=1, delta="1e-6", cutoff=5, candidates=1000, noise=noise, grid=2)


@pytest.mark.parametrize("top", [False, True])
@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_a_reach_is_between_both_kinds_of_a_sensitivity(top, delta):
    asked = {"epsilon": 1, "cutoff": 20, "delta": delta}
    asked |= {"top": True} if top else {"candidates": 1000}
    plan = overbar.plan(**asked, reach=Reach(-10, 100))
    assert plan.reach == Reach(-10, 100)
    assert guarantee(plan).at(delta) <= 1
    ends = [overbar.plan(**asked, sensitivity=100, monotonic=flag) for flag in (True, False)]
    scales = [one.query_noise.scale for one in (ends[0], plan, ends[1])]
    assert scales == sorted(scales)
    if not delta:
        assert scales[1] < scales[2] * Fraction(3, 5)
    assert overbar.plan(**asked, reach=Reach(0, 100)) == ends[0]


@pytest.mark.parametrize("beside", [{"sensitivity": 1}, {"monotonic": False}])
def test_a_reach_stands_alone(beside):
    with pytest.raises(ParameterError, match="must be left out with reach, which says both"):
        overbar.plan(epsilon=1, cutoff=1, reach=Reach(-1, 2), candidates=9, **beside)
    with pytest.raises(ParameterError, match="reach must be a Reach"):
        overbar.plan(epsilon=1, cutoff=1, reach=(-1, 2), candidates=9)


def test_a_delta_next_to_one_is_refused():
    with pytest.raises(ParameterError, match=r"delta must be at most 0\.999999999"):
        queue_plan(**BASIC, delta=1 - Fraction(1, 10**30), noise="auto", resample=True)


@pytest.mark.parametrize("mechanism", ["auto", "sparse-vector"])
def test_what_numpy_is_told_about_rounding_changes_nothing(mechanism):
    """Underflow is expected; a user may have made it an error."""
    asked = {"epsilon": 1, "delta": "1e-6", "cutoff": 50, "candidates": 1000}
    plan = overbar.plan(**asked, mechanism=mechanism)
    proved = guarantee(plan)
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError):  # control: it would be raised
            np.exp(np.float64(-1000.0))
        assert overbar.plan(**asked, mechanism=mechanism) == plan
        assert guarantee(plan).at("1e-7") == proved.at("1e-7")
        assert guarantee(plan).delta("0.5") == proved.delta("0.5")
        assert guarantee(plan).renyi(3) == proved.renyi(3)


@pytest.mark.parametrize("share", [True, "0.2", "0.9999"])
def test_counts_on_a_coarse_grid_leave_something_to_a_bare_race(share):
    """A scale of 1e100 was tried, as their noise costs more beside labels there."""
    asked = {"epsilon": 20, "delta": "1e-3", "cutoff": 1, "candidates": 3, "monotonic": True}
    for more in ({}, {"noise": "gumbel", "threshold_noise": "none"}):
        plan = overbar.plan(counts=share, **asked, **more)
        assert guarantee(plan).implies(20, "1e-3")
        assert plan.query_noise.scale < 1000
