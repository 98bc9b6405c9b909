"""A plan booked by its (ε, δ) takes its share of what is left, not of what once was."""

from decimal import ROUND_FLOOR
from fractions import Fraction

import pytest

import overbar
from overbar import BudgetError
from overbar._numbers import people_text
from overbar.ledger import Charge, Ledger
from overbar.ledger.budget import budget_of
from overbar.ledger.charges import APPROXIMATE, charge_of, reserved
from overbar.ledger.costs import Balance
from overbar.ledger.description import Description
from tests.queue_plans import queue_plan


@pytest.fixture(scope="module")
def plan():
    return queue_plan(
        epsilon="0.7", delta="4e-7", cutoff=5, noise="gumbel", monotonic=True, candidates=100
    )


def account_after(account, plan):
    """Return where a dataset stands once a run is reserved."""
    return reserved(account, plan, Fraction(0))[0]


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
    plan = overbar.plan(epsilon="1/2", cutoff=1, monotonic=True, candidates=2)
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
        account_after(now, overbar.plan(epsilon=3, cutoff=1, monotonic=True, candidates=2))


@pytest.fixture
def one_way_left(tmp_path):
    """A ledger in which a run without a pure ε, such as keys, leaves one order to count by."""
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=8, delta="1e-5")
    ledger.booking("sales").spend(rho="1/1000", neighbours="person")
    return ledger


def bare(epsilon, delta):
    """A plan without divergences, so that it is booked by its ε and δ."""
    return queue_plan(
        epsilon=epsilon, delta=delta, cutoff=1, noise="gumbel", threshold_noise="none", candidates=9
    )


def test_what_is_left_is_an_epsilon_and_a_delta_that_fit(one_way_left):
    """It said "ε = … at δ = 0", and no plan with a δ fitted that had no divergence."""
    account = one_way_left.show("sales")
    assert account.left == "ε = 5.17 and δ = 5e-6"
    assert Fraction("5.17701") <= account.remaining
    for share in (Fraction(1), Fraction(1, 3)):
        now = one_way_left.show("sales")
        delta = now.budget.additive - now.balance.total.delta
        plan = bare(now.remaining * share * (1 - Fraction(1, 10**6)), delta * share)
        with pytest.raises(BudgetError) as caught:
            account_after(now, bare(now.remaining * Fraction(101, 100), delta))
        unit = f"epsilon at delta {people_text(delta, ROUND_FLOOR)}"
        assert str(caught.value).startswith(f"{unit} must be at most")
        assert caught.value.remaining == now.remaining
        assert caught.value.requested > now.remaining
        then = account_after(now, plan)
        assert then.balance.total.delta <= now.budget.additive
        if share < 1:
            one_way_left.reserve("sales", Description("batch", plan, Fraction(5)))
            assert one_way_left.show("sales").balance.total == then.balance.total
    one_way_left.verify()


def test_what_is_left_may_be_spent_on_another_mechanism(one_way_left):
    account = one_way_left.show("sales")
    delta = account.budget.additive - account.balance.total.delta
    with pytest.raises(BudgetError):
        one_way_left.booking("sales").spend(
            epsilon=account.remaining * Fraction(101, 100),
            delta=delta,
            neighbours="person",
        )
    one_way_left.booking("sales").spend(epsilon=account.remaining, delta=delta, neighbours="person")
    assert one_way_left.show("sales").remaining < Fraction(1, 1000)


@pytest.mark.parametrize(
    ("epsilon", "delta", "left"),
    [
        (Fraction(2, 3), "4.9999e-7", "ε = 0.666 and δ = 4.99e-7"),
        (Fraction(1999999999, 10**9), "0.09996", "ε = 1.99 and δ = 0.0999"),
        (Fraction(3, 2), 0, "ε = 1.5"),
    ],
)
def test_what_is_left_is_rounded_down(tmp_path, epsilon, delta, left):
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=epsilon, delta=delta, additive=1)
    assert ledger.show("sales").left == left


@pytest.mark.parametrize("additive", [None, "1/2", 1])
@pytest.mark.parametrize("delta", ["1e-6", "1e-30", "1e-78", "1e-99"])
def test_what_is_left_of_a_tiny_delta_fits(tmp_path, delta, additive):
    """From 1e-77 on a δ was booked as 1e-30: more than all that there was, so that none fitted."""
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=1, delta=delta, additive=additive)
    for share in (3, 1):
        pairs = [part.split(" = ")[1] for part in ledger.show("sales").left.split(" and ")]
        epsilon, least = map(Fraction, pairs)
        assert least > 0
        ledger.booking("sales").spend(
            epsilon=epsilon / share, delta=least / share, neighbours="person"
        )
    ledger.verify()
