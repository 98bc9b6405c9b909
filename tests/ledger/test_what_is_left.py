"""A plan booked by its (ε, δ) takes its share of what is left, not of what once was."""

from fractions import Fraction

import pytest

import overbar
from overbar import BudgetError
from overbar.ledger import Balance, Charge
from overbar.ledger.charges import APPROXIMATE, charge_of
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
