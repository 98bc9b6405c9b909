"""Ranked runs through the doors people use: the law of what comes out, batches, costs, refusals."""

import itertools
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import overbar
from overbar import ParameterError
from overbar.noise import Exponential, Gumbel, Laplace
from tests.planned_calls import planned_top
from tests.reference.plans import any_plan

pytestmark = pytest.mark.one_in(3)


def test_far_scores_and_huge_scores_come_in_order():
    """No upper bound is needed, however far apart scores are."""
    scores = [10**30, 5, 10**17, -(10**25), 10**12, 0]
    for noise in ("exponential", "gumbel"):
        found = planned_top(scores, cutoff=4, epsilon=20, noise=noise, monotonic=True)
        assert found.indices == (0, 2, 4, 1)


def test_costs_follow_the_theorem():
    plan = overbar.plan(epsilon=1, cutoff=4, monotonic=True, candidates=100)
    assert plan.labels.kind == "ranked"
    assert plan.query_noise.scale == plan.threshold_noise.scale == 4
    spent = [overbar.privacy.spent(plan, k) for k in range(5)]
    assert spent == [Fraction(k, 4) for k in (1, 2, 3, 4, 4)]
    general = overbar.plan(epsilon=1, cutoff=4, candidates=100)
    assert general.query_noise.scale == 2 * general.threshold_noise.scale == 8
    assert overbar.guarantee(general) == overbar.PureDP(1)
    top = overbar.plan(top=True, epsilon=1, cutoff=4, monotonic=True)
    assert top.threshold_noise is None
    assert overbar.guarantee(top) == overbar.PureDP(1)


def test_a_top_plan_with_delta_needs_no_threshold():
    """Picks of bounded range, by their profile: 0.0670 at c = 50, (1, 1e-6)."""
    plan = overbar.plan(top=True, epsilon=1, delta="1e-6", cutoff=50, monotonic=True)
    assert isinstance(plan.query_noise, Gumbel)
    assert plan.threshold_noise is None
    assert float(1 / plan.query_noise.scale) == pytest.approx(0.0670, abs=1e-4)
    assert overbar.guarantee(plan).implies(1, "1e-6")


@pytest.mark.parametrize(
    "made",
    [
        lambda: any_plan(Laplace(1), Exponential(1), 0, 1, mechanism="ranked"),
        lambda: any_plan(Exponential(1), None, 0, 1, mechanism="ranked"),
        lambda: any_plan(Laplace(1), None, 0, 1, mechanism="ranked", is_top=True),
        lambda: any_plan(Exponential(1), None, 0, 1, mechanism="histogram", items_per_person=1),
    ],
)
def test_what_has_no_proof_is_refused(made):
    with pytest.raises(overbar.NoGuaranteeError):
        overbar.guarantee(made())
    run = overbar.top if made().for_top else partial(overbar.select, threshold=0)
    with pytest.raises(overbar.NoGuaranteeError):
        run([1], plan=made())


def test_a_bare_bar_has_a_guarantee_with_delta_alone():
    proved = overbar.guarantee(any_plan(Gumbel(20), None, 0, 1, mechanism="ranked"))
    assert proved.pure is None
    assert proved.at("1e-6") < 1


def test_a_ranked_plan_does_not_run_online():
    plan = overbar.plan(epsilon=1, cutoff=4, candidates=100)
    with pytest.raises(ParameterError, match="asked one by one"):
        overbar.SparseVector(plan, threshold=1)


def test_what_only_a_queue_has_chooses_it():
    asked = {"epsilon": 1, "cutoff": 4, "candidates": 100}
    named = [{"rounds": 3}, {"rounds": "unlimited"}, {"resample": True}, {"max_queries": 9},
             {"allocation": 3}, {"noise": "laplace"}]  # fmt: skip
    for words in named:
        assert overbar.plan(**asked, **words).labels.kind == "sparse-vector"
        with pytest.raises(ParameterError, match="are for a sparse vector run"):
            overbar.plan(**asked, **words, mechanism="ranked")
    assert overbar.plan(**asked, noise="gumbel").labels.kind == "ranked"
    top = overbar.plan(top=True, epsilon=1, cutoff=4, threshold_noise="laplace")
    assert top.labels.kind == "sparse-vector"


def test_more_rounds_never_raise_the_bar():
    asked = {"epsilon": 1, "cutoff": 4, "candidates": 1000, "mechanism": "sparse-vector"}
    bars = [
        overbar.plan(**asked, rounds=rounds).correction for rounds in (1, 2, 9, 99, "unlimited")
    ]
    assert all(later <= first for first, later in itertools.pairwise(bars))


def test_unlisted_items_of_a_ranked_run_cost_the_chance_of_one():
    """Against the sum over the bar's noise, point by point."""
    from overbar.privacy import unlisted_delta

    plan = any_plan(Exponential(3), Exponential(2), 4, 5, monotonic=True, mechanism="ranked")
    steps = np.arange(400)
    bar = np.exp(-steps / 2) * -np.expm1(-1 / 2)
    gap = 20 + 4 - 1 + steps
    exact = 7 * float(np.sum(bar * np.exp(-gap / 3)))
    assert exact <= unlisted_delta(plan, 20, 7) <= exact * (1 + 1e-8)
    top = overbar.plan(top=True, epsilon=1, cutoff=4)
    with pytest.raises(overbar.NoGuaranteeError, match="sooner or later"):
        unlisted_delta(top, 20, 7)
