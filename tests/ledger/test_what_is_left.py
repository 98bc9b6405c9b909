"""A plan booked by its (ε, δ) is booked at the ε that is left, not at what it once was."""

from fractions import Fraction

import pytest

import overbar
from overbar import BudgetError
from overbar.ledger import Balance, Charge
from overbar.ledger.charges import APPROXIMATE, charge_of
from overbar.ledger.orders import budget_of


@pytest.fixture(scope="module")
def plan():
    return overbar.calibrate(
        epsilon="0.7", delta="4e-7", cutoff=5, noise="gumbel", monotonic=True, candidates=100
    )


def after(budget, pure):
    """Return a balance of which so much pure ε is spent."""
    return Balance(Charge(Fraction(pure), (), Fraction(0)), budget.nothing)


def test_all_that_is_left_is_booked_and_not_more(plan):
    budget = budget_of(1, "1e-6", 1)
    balance = after(budget, "0.3")
    form, charge = charge_of(plan, budget, balance, Fraction(0))
    assert form == APPROXIMATE
    assert charge.pure == Fraction("0.7")
    assert charge.delta >= Fraction(overbar.guarantee(plan).delta("0.7"))
    assert balance.reserve(charge).total.pure == budget.epsilon


@pytest.mark.parametrize("spent", ["0.8", 1, "1.1"])
def test_a_plan_larger_than_what_is_left_is_refused(plan, spent):
    budget = budget_of(1, "1e-6", 1)
    with pytest.raises(BudgetError):
        charge_of(plan, budget, after(budget, spent), Fraction(0))
