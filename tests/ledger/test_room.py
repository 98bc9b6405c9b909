"""What is left of a budget as one pure ε: allowed, and a hair more would not be."""

from dataclasses import replace
from fractions import Fraction

import pytest

import overbar
from overbar import Ledger
from overbar.ledger.budget import Budget, budget_of, by_potential
from overbar.ledger.charges import charge_of, falls_short
from overbar.ledger.costs import Balance, Charge
from overbar.privacy.orders import pure_renyi
from overbar.words.account_report import (
    CLOSED,
    WOULD_CLOSE,
    account_report,
    what_would_be_left,
)
from tests.queue_plans import queue_plan

NONE = Fraction(0)


def pure(epsilon):
    return Budget(Fraction(epsilon), NONE, NONE, (), ())


@pytest.mark.parametrize(("spent", "left"), [("0", "1"), ("1/3", "2/3"), ("1", "0"), ("7/5", "0")])
def test_without_delta_it_is_what_was_not_spent(spent, left):
    assert pure(1).remaining(Charge(Fraction(spent), (), NONE)) == Fraction(left)


def test_a_delta_that_is_used_up_leaves_nothing():
    budget = Budget(Fraction(1), Fraction(1, 100), Fraction(1, 200), (), ())
    assert budget.remaining(Charge(NONE, (), Fraction(1, 200))) == 1
    assert budget.remaining(Charge(NONE, (), Fraction(1, 199))) == 0


@pytest.mark.parametrize("order", [2, 9, 60])
@pytest.mark.parametrize("limit", [Fraction(1, 50), Fraction(1), Fraction(30)])
def test_an_order_gives_the_pure_epsilon_whose_divergence_fits(order, limit):
    budget = Budget(NONE, Fraction(1, 100), NONE, (order,), (limit,))
    spent = limit / 3
    left = budget.remaining(Charge(NONE, (spent,), NONE))
    room = float(limit - spent)
    assert pure_renyi(float(left), order) <= room
    assert pure_renyi(float(left) * (1 + 1e-6), order) > room
    assert left.denominator <= 10**12
    for used_up in (limit, limit + 1):
        assert budget.remaining(Charge(NONE, (used_up,), NONE)) == 0


def test_the_best_of_all_orders_counts():
    budget = Budget(Fraction(1), Fraction(1, 100), NONE, (2, 9), (Fraction(1), Fraction(1)))
    alone = []
    for order in (2, 9):
        single = Budget(NONE, Fraction(1, 100), NONE, (order,), (Fraction(1),))
        alone.append(single.remaining(Charge(NONE, (NONE,), NONE)))
    assert budget.remaining(Charge(NONE, (NONE, NONE), NONE)) == max(Fraction(1), *alone)


@pytest.mark.parametrize("parts", ["1/10", "13/10", "7/2", "9999/10", "98765"])
def test_what_is_left_in_the_gaussian_potential_can_be_spent_by_a_plan(parts):
    """Costs of plans are rounded up to parts of 10^15, also where nothing else is left."""
    budget = by_potential(budget_of(1, "1e-6", None))
    spent = budget.potential.limit - Fraction(parts) / 10**15
    closed = tuple(2 * limit for limit in budget.limits)
    total = Charge(2 * budget.epsilon, closed, budget.additive, spent)
    left = budget.remaining(total)
    if parts == "1/10":
        assert left == 0
        return
    plan = queue_plan(epsilon=left, cutoff=2, monotonic=True, candidates=100)
    assert charge_of(plan, budget, Balance(total, budget.nothing), NONE)


def test_a_cost_in_the_potential_is_compared_exactly():
    budget = by_potential(budget_of(1, "1e-6", None))
    plan = queue_plan(epsilon="0.01", cutoff=5, candidates=100)
    form, charge = charge_of(plan, budget, budget.unspent, NONE)
    assert not falls_short(plan, form, charge, budget, NONE)
    less = replace(charge, gaussian=charge.gaussian - Fraction(1, 10**15))
    assert falls_short(plan, form, less, budget, NONE)


def test_a_run_that_closes_the_potential_is_said(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1, delta="1e-6")
    spend = ledger.booking("data").spend
    spend(epsilon="0.01", neighbours="person")
    assert ledger.show("data").budget.potential is not None
    assert CLOSED not in as_text(account_report([ledger.show("data")], runs=True))
    small, medium = (
        overbar.plan(epsilon=epsilon, cutoff=1, candidates=9) for epsilon in ("0.01", "0.2")
    )
    assert WOULD_CLOSE not in what_would_be_left(ledger.show("data"), small)
    assert WOULD_CLOSE in what_would_be_left(ledger.show("data"), medium)
    spend(epsilon="0.2", neighbours="person")
    assert WOULD_CLOSE not in what_would_be_left(ledger.show("data"), medium)
    assert CLOSED in as_text(account_report([ledger.show("data")], runs=True))


def as_text(report):
    return " ".join(sentence for section in report.sections for sentence in section.sentences)
