"""Plans in groups: what is proved about them, and that calibration keeps to it."""

from fractions import Fraction

import pytest

import overbar
from overbar import NoGuaranteeError, ParameterError, Plan, guarantee
from overbar.integrations.loss_distribution import loss_distribution
from overbar.mechanisms.together import MOST_RUNS
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.privacy import spent, unlisted_delta
from tests.reference.plans import any_plan, other_plan

pytestmark = pytest.mark.one_in(5)

ASKED = {"epsilon": 1, "cutoff": 3, "monotonic": True}
#: Each with what a plan is calibrated for beside the groups.
WAYS = {
    "pure": {},
    "pure with counts": {"counts": True},
    "δ": {"delta": "1e-6"},
    "δ with counts": {"delta": "1e-6", "counts": True, "noise": "gumbel"},
    "a bare threshold": {"delta": "1e-6", "noise": "gumbel", "threshold_noise": "none"},
    "a noisy threshold": {"delta": "1e-6", "noise": "gumbel", "threshold_noise": "laplace"},
    "few items": {"items_per_person": 2},
    "few items, δ": {"items_per_person": 2, "delta": "1e-6", "mechanism": "histogram"},
    "resampled": {"resample": True, "delta": "1e-6"},
    "capped": {
        "noise": "gaussian", "threshold_noise": "laplace", "max_queries": 50, "delta": "1e-6",
    },
}  # fmt: skip


def in_groups(way, groups, runs):
    asked = ASKED | WAYS[way]
    return overbar.plan(**asked, candidates=100, groups=groups, groups_per_person=runs)


@pytest.mark.parametrize("way", WAYS)
def test_one_group_each_costs_what_one_run_costs(way):
    alone = overbar.plan(**ASKED | WAYS[way], candidates=100)
    assert in_groups(way, 12, 1) == other_plan(alone, groups=12, groups_per_person=1)


@pytest.mark.parametrize("runs", [2, 12])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_calibrated_keeps_its_epsilon_and_uses_it(way, runs):
    plan, delta = in_groups(way, 12, runs), WAYS[way].get("delta", 0)
    proved = guarantee(plan)
    assert proved.implies(1, delta)
    assert float(proved.at(delta)) > 1 - 1e-5
    # Control: that of one run is far from it, so the parts are there.
    assert guarantee(other_plan(plan, groups_per_person=1)).at(delta) < 0.9


def test_delta_makes_many_groups_cost_as_the_root_of_their_number():
    few, many = (in_groups("δ", 100, runs).query_noise.scale for runs in (4, 100))
    assert many / few < 6


def test_pure_costs_are_added_up_and_nothing_is_given_back():
    plan = any_plan(
        Exponential(5), Exponential(5), 0, 4, monotonic=True, mechanism="ranked",
        groups=9, groups_per_person=3,
    )  # fmt: skip
    one = other_plan(plan, groups=None, groups_per_person=None)
    assert plan.pure() == 3 * one.pure()
    assert plan.pure(0) == spent(plan, 1) == plan.pure()
    assert one.pure(0) < one.pure()
    assert spent(plan, plan.most_found) == plan.pure()
    with pytest.raises(ParameterError, match="at most 36, got 37"):
        spent(plan, 37)
    alone = other_plan(plan, groups_per_person=1)
    assert spent(alone, 0) == one.pure()


def test_costs_by_order_are_all_of_it():
    bare = {"threshold_noise": None, "mechanism": "ranked", "is_top": True, "monotonic": True}
    plan = any_plan(Gumbel(9), correction=0, cutoff=3, groups=4, groups_per_person=2, **bare)
    assert plan.paid() == (any_plan(Gumbel(9), correction=0, cutoff=6, **bare),)
    queue = any_plan(Gumbel(9), Laplace(9), 0, 3, monotonic=True, groups=4, groups_per_person=2)
    assert len(queue.paid()) == 2
    for some in (plan, queue, other_plan(queue, groups_per_person=1)):
        one = guarantee(other_plan(some, groups_per_person=1)).renyi(3.0)
        assert guarantee(some).renyi(3.0) == pytest.approx(some.groups.per_person * one, rel=1e-9)
        open_bar = other_plan(queue, threshold_noise=None, groups_per_person=some.groups.per_person)
        assert spent(open_bar, 0).renyi(3.0) == guarantee(open_bar).renyi(3.0)
    twice, once = (
        loss_distribution(other_plan(plan, groups_per_person=runs)).delta(0.1) for runs in (2, 1)
    )
    assert twice > once


def test_a_plan_in_groups_is_read_back():
    plan = in_groups("δ with counts", 12, 3)
    assert Plan.from_json(plan.to_json()) == plan
    assert "in each of 12 groups by itself, of which a person is in at most 3" in str(plan)
    assert overbar.plan(top=True, **ASKED, groups=3, groups_per_person=7).groups.per_person == 3


@pytest.mark.parametrize(
    "groups",
    [
        {"groups": 3},
        {"groups": 3, "groups_per_person": 4},
        {"groups": 9 * MOST_RUNS, "groups_per_person": MOST_RUNS + 1},
        {"groups": 0, "groups_per_person": 1},
        {"groups": 2, "groups_per_person": 1, "first": any_plan(Laplace(1), Laplace(1), 0, 1)},
    ],
)
def test_odd_groups_are_refused(groups):
    with pytest.raises(ParameterError, match="groups"):
        any_plan(Laplace(1), Laplace(1), 0, 1, **groups)


def test_many_groups_of_a_person_are_added_up():
    plan = in_groups("pure", MOST_RUNS, MOST_RUNS)
    assert guarantee(plan).at(0) == 1
    assert plan.query_noise.scale == Fraction(3 * MOST_RUNS)
    with pytest.raises(ParameterError, match="groups_per_person goes with groups"):
        overbar.plan(**ASKED, candidates=9, groups_per_person=2)


HUGE = 10**16
TOO_MANY = {
    "cutoff": {"cutoff": HUGE},
    "items_per_person": {"items_per_person": HUGE},
}


@pytest.mark.parametrize("delta", [0, "1e-6"])
@pytest.mark.parametrize("name", TOO_MANY)
@pytest.mark.parametrize("top", [False, True])
def test_what_is_too_much_in_all_groups_is_told_as_it_was_typed(top, name, delta):
    """It named the product, as a cutoff that nobody had written."""
    asked = ASKED | TOO_MANY[name] | {"delta": delta, "groups": HUGE, "groups_per_person": 1000}
    asked |= {"top": True} if top else {"candidates": 9}
    message = f"groups_per_person times {name} must be at most 1e18, got 1000 times {HUGE}"
    with pytest.raises(ParameterError, match=f"^{message}$"):
        overbar.plan(**asked)
    plan = overbar.plan(**asked | {"groups_per_person": 1})
    with pytest.raises(ParameterError, match=f"^{message}$"):
        other_plan(plan, groups_per_person=1000)


@pytest.mark.parametrize("mechanism", ["ranked", "histogram", "sparse-vector"])
def test_items_that_are_read_off_the_data_have_no_proof_in_groups(mechanism):
    """It gave the δ of one group, whatever the plan."""
    asked = ASKED | {"mechanism": mechanism, "items_per_person": 2, "candidates": 9}
    alone = overbar.plan(**asked)
    assert 0 < unlisted_delta(alone, 100, 2) < 1
    for runs in (1, 3):
        plan = other_plan(alone, groups=4, groups_per_person=runs)
        with pytest.raises(NoGuaranteeError, match="in groups has no proof; give a public"):
            unlisted_delta(plan, 100, 2)
