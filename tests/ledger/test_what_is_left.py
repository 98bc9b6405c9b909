"""A plan booked by its (ε, δ) takes its share of what is left, not of what once was."""

from fractions import Fraction

import pytest

import overbar
from overbar import BudgetError
from overbar.ledger import Balance, Charge, Ledger
from overbar.ledger.charges import APPROXIMATE, account_after, charge_of
from overbar.ledger.orders import budget_of
from tests.queue_plans import queue_plan


@pytest.fixture(scope="module")
def plan():
    return queue_plan(
        epsilon="0.7", delta="4e-7", cutoff=5, noise="gumbel", monotonic=True, candidates=100
    )


def after(budget, pure):
    """Return a balance of which so much pure ε is spent."""
    return Balance(Charge(Fraction(pure), (), Fraction(0)), budget.nothing)


def test_a_share_of_what_is_left_is_booked(plan):
    budget = budget_of(1, "1e-6", 1)
    balance = after(budget, "0.3")
    form, charge = charge_of(plan, budget, balance, Fraction(0))
    assert form == APPROXIMATE
    share = charge.pure / Fraction("0.7")
    assert Fraction(9, 10) < share < 1
    assert share.denominator <= 1000
    assert (
        Fraction(overbar.guarantee(plan).delta(charge.pure)) <= charge.delta <= share * budget.delta
    )


def test_all_that_is_left_may_be_booked(plan):
    budget = budget_of(1, "4e-7", 1)
    balance = after(budget, "0.3")
    form, charge = charge_of(plan, budget, balance, Fraction(0))
    assert form == APPROXIMATE
    assert balance.reserve(charge).total.pure == budget.epsilon


@pytest.mark.parametrize("spent", ["0.8", 1, "1.1"])
def test_a_plan_larger_than_what_is_left_is_refused(plan, spent):
    budget = budget_of(1, "1e-6", 1)
    with pytest.raises(BudgetError):
        charge_of(plan, budget, after(budget, spent), Fraction(0))


@pytest.mark.parametrize(("epsilon", "delta"), [(2, 0), (2, "1e-5")])
def test_what_a_run_would_leave_is_what_it_leaves(tmp_path, epsilon, delta):
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=epsilon, delta=delta)
    plan = overbar.calibrate(epsilon="1/2", cutoff=1, monotonic=True, candidates=2)
    for _ in range(2):
        then = account_after(ledger.show("sales"), plan)
        overbar.select(
            {"tea": 10**6, "rum": 0}, threshold=10**5, plan=plan, booking=ledger.booking("sales")
        )
        now = ledger.show("sales")
        assert (then.left, then.budget, then.balance.total) == (
            now.left,
            now.budget,
            now.balance.total,
        )
    with pytest.raises(overbar.BudgetError):
        account_after(now, overbar.calibrate(epsilon=3, cutoff=1, monotonic=True, candidates=2))
