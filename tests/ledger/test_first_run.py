"""How runs of an (ε, δ) budget add up is settled by its first run, before anything is drawn."""

import contextlib
import json
import math
import re
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

import overbar
from overbar import BudgetError, LedgerError
from overbar.ledger import Budget
from overbar.ledger.budget import (
    LIMIT_PARTS,
    budget_of,
    by_orders,
    by_potential,
    by_sums,
    within_delta,
)
from overbar.ledger.description import Description
from overbar.ledger.fields import from_fields, to_fields
from tests.ledger.chaining import chained
from tests.ledger.places import FilePlace
from tests.ledger.test_filter import with_orders, worst
from tests.queue_plans import queue_plan

pytestmark = pytest.mark.one_in(5)

KINDS = {
    "race": {"noise": "gumbel", "monotonic": True},
    "bare": {"noise": "gumbel", "threshold_noise": "none"},
    "resampled": {"resample": True},
    "auto": {"noise": "auto"},
}


def plan_of(kind="race", **changes):
    ask = {"epsilon": 1, "delta": "1e-6", "cutoff": 20, "candidates": 1000}
    return queue_plan(**ask | KINDS[kind] | changes)


def description(plan, **more):
    return Description("online", plan, Fraction(5), **more)


@pytest.fixture
def ledger(tmp_path):
    found = overbar.Ledger(tmp_path / "ledger.db")
    found.open("data", epsilon=1, delta="1e-6")
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-6"), ("0.1", "1e-9"), (3, "0.001")])
def test_a_first_run_may_use_up_all_of_it(tmp_path, kind, epsilon, delta):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=epsilon, delta=delta)
    plan = plan_of(kind, epsilon=epsilon, delta=delta)
    ledger.reserve("data", description(plan)).settle(positives=3, asked=True)
    account = ledger.show("data")
    assert account.budget.settled
    assert account.budget.allows(account.balance.total)
    assert account.balance.total.pure <= account.budget.epsilon
    with pytest.raises(BudgetError) as caught:
        ledger.reserve("data", description(plan))
    assert re.match(r"(epsilon|delta)[^;]* must be at most ", str(caught.value))
    for jargon in ("order", "divergence", "additive"):
        assert jargon not in str(caught.value)
    assert ledger.verify() == ledger.head


@pytest.mark.parametrize("epsilon", ["0.1", "1/3"])
def test_a_plan_at_exactly_its_own_epsilon_and_delta_fits(tmp_path, epsilon):
    """Both of its numbers are rounded up, each by itself: δ at that ε may be a hair above."""
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    delta = Fraction(1, 1000)
    plan = overbar.plan(cutoff=5, candidates=10, noise="laplace", epsilon=epsilon, delta=delta)
    proved = overbar.guarantee(plan)
    # A part in 10⁸ less than was asked for, in as many digits as are booked.
    ask = {"epsilon": Fraction(math.ceil(proved.at(delta) * 10**12), 10**12), "delta": delta}
    ledger.open("data", **ask)
    assert proved.implies(**ask)
    assert abs(Fraction(proved.delta(ask["epsilon"])) - delta) < delta / 10**10
    ledger.reserve("data", description(plan)).settle(positives=5, asked=True)
    total = ledger.show("data").balance.total
    assert total.pure <= ask["epsilon"]
    assert total.delta <= ask["delta"]
    with pytest.raises(BudgetError):
        ledger.reserve("data", description(plan))
    assert ledger.verify() == ledger.head


def test_half_and_half_of_it_fit_as_well(ledger):
    half = plan_of(epsilon="0.5", delta="5e-7")
    for _ in range(2):
        ledger.reserve("data", description(half)).settle(positives=20, asked=True)


def test_what_does_not_fit_is_told_as_epsilon_and_delta_and_what_would_fit(ledger):
    with pytest.raises(BudgetError) as caught:
        ledger.reserve("data", description(plan_of(epsilon="1.5")))
    assert str(caught.value) == (
        "epsilon at delta 1e-6 must be at most 1, what is left of the budget, got 1.5; "
        "use a smaller epsilon or cutoff"
    )
    assert not ledger.show("data").budget.settled  # a refusal settles nothing
    ledger.reserve("data", description(plan_of()))


@pytest.mark.parametrize(
    ("request_", "settled"),
    [
        ({"epsilon": "0.02"}, by_potential),
        ({"epsilon": "0.1", "delta": "1e-8", "noise": "laplace"}, by_orders),
    ],
)
def test_small_first_runs_add_up_by_the_potential_or_by_divergences(ledger, request_, settled):
    """By the first of the two that has room for them: their ε's may add up to more than 1."""
    small = queue_plan(cutoff=5, monotonic=True, candidates=100, **request_)
    runs = 0
    with contextlib.suppress(BudgetError):
        while runs < 60:
            ledger.reserve("data", description(small))
            runs += 1
    assert runs * float(request_["epsilon"]) > 1
    assert ledger.show("data").budget == settled(budget_of(1, "1e-6", None))
    assert ledger.verify() == ledger.head


@pytest.mark.parametrize("unlisted", ["4e-7", "6e-7"])
def test_a_delta_for_unlisted_candidates_counts(ledger, unlisted):
    small = queue_plan(epsilon="0.05", cutoff=5, monotonic=True, candidates=100)
    ledger.reserve("data", description(small, unlisted_delta=Fraction(unlisted)))
    assert bool(ledger.show("data").budget.orders) == (unlisted == "4e-7")
    assert ledger.verify() == ledger.head


def test_it_is_settled_once(ledger):
    ledger.reserve("data", description(plan_of(epsilon="0.1"))).settle(positives=0, asked=False)
    settled = ledger.show("data").budget
    assert settled.orders
    assert ledger.show("data").balance.total == settled.nothing
    with pytest.raises(BudgetError):  # although nothing was asked, and nothing is spent
        ledger.reserve("data", description(plan_of()))
    assert ledger.show("data").budget == settled


def test_it_may_be_settled_when_the_dataset_is_opened(ledger):
    ledger.open("split", epsilon=1, delta="1e-6", additive="1/2")
    ledger.open("sums", epsilon=1, delta="1e-6", additive=1)
    with pytest.raises(BudgetError):
        ledger.reserve("split", description(plan_of()))
    ledger.reserve("sums", description(plan_of()))
    ledger.close("data")  # never used
    assert ledger.verify() == ledger.head


# Why it is sound, and what would not be -----------------------------------------------------------


def test_either_way_no_adversary_gets_more_than_delta():
    """Once it is settled one of the two games is played, whatever made the first run be chosen."""
    opened = budget_of(1, "0.1", None)
    assert 0.4 < worst(by_orders(opened)) <= 1
    assert 0.4 < worst(with_orders(by_orders(budget_of(1, "0.05", None)), 6)) <= 1
    assert 0.4 < worst(by_sums(opened)) <= 1


def test_settling_after_the_first_answer_fails():
    """A control: either way will do, as long as one of them still allows it."""
    opened = budget_of(1, "0.05", None)
    split, sums = with_orders(by_orders(opened), 6), by_sums(opened)

    def allows(total):
        return split.allows(total) or (total.pure <= sums.epsilon and total.delta <= sums.additive)

    assert worst(split, allows=allows) > 1.2


# The file -----------------------------------------------------------------------------------------


def rewritten(path, change):
    """Put changed rows in place of all rows, with right hashes and links."""
    place = FilePlace(path)
    place.write(chained([change(json.loads(content)) for _, content, _ in place.rows()]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (to_fields(budget_of(1, "1e-6", None)), "does not fit its budget"),
        ({"settled": False}, "'budget' of a row cannot be"),
        ({"epsilon": "2"}, "does not settle how runs add up"),
        ({"delta": "1/10"}, "does not settle how runs add up"),
        ({"additive": "1/500000"}, "'budget' of a row cannot be"),
        ({"additive": "1/1000000"}, "limits are more than its delta allows"),
        ({"additive": "3/4000000"}, "limits are more than its delta allows"),
        ({"limits": ["7/10"]}, "limits are more than its delta allows"),
        ({"limits": []}, "'budget' of a row cannot be"),
        ({"orders": ["1/2"]}, "'budget' of a row cannot be"),
        ({"potential": {"delta": "1/4000000", "limit": "1/20", "reserve": "1/700"}}, "limits are"),
        ({"potential": {"delta": "1/800000", "limit": "1/20", "reserve": "1/700"}}, "cannot be"),
        ({"potential": {"delta": "1/4000000", "limit": "1/20", "reserve": "0"}}, "cannot be"),
    ],
)
def test_a_forged_settling_is_noticed(ledger, change, message):
    ledger.reserve("data", description(plan_of(epsilon="0.1")))
    path = ledger._store.path

    def forge(fields):
        return (
            fields | {"budget": fields["budget"] | change}
            if fields["kind"] == "reserved"
            else fields
        )

    assert ledger.verify()
    rewritten(path, forge)
    with pytest.raises(LedgerError, match=message):
        overbar.Ledger(path).verify()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda own: None, "does not fit its budget"),
        (lambda own: own | {"limit": "1/18"}, "limits are more"),
        (lambda own: own | {"delta": "3/4000000"}, "limits are more"),
        (lambda own: own | {"reserve": "1/100"}, "limits are more"),
        (lambda own: own | {"reserve": "1/10000"}, "less than its plan costs"),
    ],
)
def test_a_forged_potential_is_noticed(ledger, change, message):
    small = queue_plan(epsilon="0.02", cutoff=5, monotonic=True, candidates=100)
    ledger.reserve("data", description(small))

    def forge(fields):
        budget = fields["budget"]
        if fields["kind"] == "reserved":
            fields = fields | {"budget": budget | {"potential": change(budget["potential"])}}
        return fields

    rewritten(ledger._store.path, forge)
    with pytest.raises(LedgerError, match=message):
        overbar.Ledger(ledger._store.path).verify()


def test_a_row_with_another_budget_is_noticed(ledger):
    ledger.reserve("data", description(plan_of(epsilon="0.1"))).settle(positives=0, asked=True)
    richer = budget_of(2, "1e-6", "1/2")

    def forge(fields):
        return fields | {"budget": to_fields(richer)} if fields["kind"] == "settled" else fields

    rewritten(ledger._store.path, forge)
    with pytest.raises(LedgerError, match="its budget is another"):
        ledger.verify()


def test_limits_within_delta():
    budget = budget_of(1, "1e-6", "1/2")
    assert within_delta(budget)
    more = tuple(limit + Fraction(1, 10**6) for limit in budget.limits)
    assert not within_delta(replace(budget, limits=more))
    assert from_fields(Budget, to_fields(by_sums(budget))) == by_sums(budget)
    opened = budget_of(1, "1e-6", None)
    assert from_fields(Budget, to_fields(opened)) == opened
    assert budget_of(1, 0, None) == budget_of(1, 0, 1)


def share_of_delta(budget, limit):
    """Return what a limit gives away at the first order, as a part of its share of δ."""
    with mpmath.workdps(60):
        order, limit, epsilon, share = (
            mpmath.mpf(value.numerator) / value.denominator
            for value in (budget.orders[0], limit, budget.epsilon, budget.delta - budget.additive)
        )
        given = (1 - 1 / order) ** order / (order - 1) * mpmath.exp((order - 1) * (limit - epsilon))
        return given / share


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-6", "1e-3", "1", "1e3", "1e6"])
@pytest.mark.parametrize("delta", ["1e-100", "1e-6", "0.9"])
def test_the_largest_limit_that_passes_is_within_delta(epsilon, delta):
    """However small ε is: the old way, an absolute tolerance of 1e-9, was no promise at 1e-9."""
    budget = budget_of(epsilon, delta, "1/2")
    (limit,) = budget.limits
    passes, fails = 0, int(limit * LIMIT_PARTS)  # so many parts more
    assert not within_delta(replace(budget, limits=(limit + Fraction(fails, LIMIT_PARTS),)))
    while fails - passes > 1:
        middle = (passes + fails) // 2
        if within_delta(replace(budget, limits=(limit + Fraction(middle, LIMIT_PARTS),))):
            passes = middle
        else:
            fails = middle
    assert share_of_delta(budget, limit + Fraction(passes, LIMIT_PARTS)) <= 1
    if epsilon == "1e-9" and delta != "0.9":
        assert share_of_delta(budget, limit + Fraction(1, 10**9)) > 1000
