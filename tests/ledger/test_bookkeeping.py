"""The ledger against a list that adds up everything from the start, on random histories."""

import os
import pickle
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overbar
from overbar import BudgetError, LedgerError, ParameterError
from overbar.ledger import Budget, Charge
from overbar.ledger.costs import LONGEST_BITS, Balance, booked
from overbar.ledger.description import Description
from overbar.noise import Exponential, Laplace
from tests.queue_plans import queue_plan
from tests.reference.bookkeeping import PureBooks, RenyiBooks, Run
from tests.reference.plans import any_plan

#: In memory where there is such a place: what is checked here is sums, not disks.
FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None

PLANS = [
    queue_plan(epsilon="1/7", cutoff=3, monotonic=True, candidates=100),
    queue_plan(epsilon="0.3", cutoff=2, candidates=100),
    queue_plan(epsilon="0.1", cutoff=4, resample=True, candidates=100),
    any_plan(Exponential(7), Laplace(11), 0, 2),
]
GUMBEL = [
    queue_plan(
        epsilon="0.3", delta="1e-8", cutoff=3, noise="gumbel", threshold_noise=threshold,
        candidates=100,
    )
    for threshold in ("laplace", "none")
]  # fmt: skip

#: Reserve a plan, or end one of the runs under way with some positives; a run may never end.
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("reserve"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("settle"), st.integers(0, 9), st.integers(-1, 4)),
    ),
    max_size=25,
)


def play(ledger, books, plans, steps, allows):
    """Do the same in both; compare after each step."""
    under_way = []
    for what, choice, positives in steps:
        if what == "reserve":
            plan = plans[choice % len(plans)]
            description = Description("online", plan, Fraction(5))
            if allows(plan):
                reservation = ledger.reserve("data", description)
                run = Run(plan)
                books.runs.append(run)
                under_way.append((reservation, run))
            else:
                before = ledger.head
                with pytest.raises(BudgetError):
                    ledger.reserve("data", description)
                assert ledger.head == before
        elif under_way:
            reservation, run = under_way.pop(choice % len(under_way))
            run.ended, run.asked = True, positives >= 0
            run.positives = min(max(positives, 0), run.plan.cutoff)
            reservation.settle(positives=run.positives, asked=run.asked)
            with pytest.raises(LedgerError, match="settled already"):
                reservation.settle(positives=run.positives, asked=run.asked)
        yield


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, epsilon=st.sampled_from(["1/7", "0.5", "1", "7/3"]))
def test_a_pure_budget_is_exact(steps, epsilon):
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        ledger = overbar.Ledger(Path(folder) / "ledger.db")
        ledger.open("data", epsilon=epsilon)
        books = PureBooks(Fraction(epsilon))
        for _ in play(ledger, books, PLANS, steps, books.allows):
            assert ledger.remaining("data") == books.epsilon - books.total()
            assert books.really_spent() <= books.epsilon
        account = ledger.show("data")
        assert account.balance.total.pure == books.total()
        open_runs = [run for run in books.runs if not run.ended]
        assert account.held.pure == sum((PureBooks.truly(run) for run in open_runs), Fraction(0))
        ledger.verify()


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_a_budget_with_delta_follows_every_order(steps):
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        ledger = overbar.Ledger(Path(folder) / "ledger.db")
        ledger.open("data", epsilon=1, delta="1e-6", additive=0)
        budget = ledger.show("data").budget
        books = RenyiBooks(Fraction(1), dict(zip(budget.orders, budget.limits, strict=True)))

        def allows(plan):
            return bool(books.alive([*books.runs, Run(plan)]))

        for _ in play(ledger, books, [*PLANS, *GUMBEL], steps, allows):
            total, expected = ledger.show("data").balance.total, books.totals(books.runs)
            # Up to a part of 10^15 for the start of each run, and for each of 4 positives.
            slack = Fraction(5 * len(books.runs), 10**15)
            for order, cost in zip(budget.orders, total.renyi, strict=True):
                assert expected[order] <= cost <= expected[order] + slack
            if expected[None] is None:
                assert total.pure > 1
            else:
                assert total.pure == expected[None]
            assert books.alive(books.runs)
        ledger.verify()


def test_a_second_refund_would_overspend():
    """A control: books that give back twice allow more than the budget, and the test would see."""
    plan = PLANS[0]
    books = PureBooks(Fraction(1), refunds=2)
    while books.allows(plan) and len(books.runs) < 100:
        books.runs.append(Run(plan, ended=True, positives=1))
    assert books.really_spent() > books.epsilon


def test_a_balance_refuses_what_cannot_be():
    budget = Budget(Fraction(1), Fraction(0), Fraction(0), (), ())
    charge = Charge(Fraction(1, 3), (), Fraction(0))
    empty = Balance(budget.nothing, budget.nothing)
    with pytest.raises(LedgerError, match="settled before"):
        empty.settle(charge, charge)
    with pytest.raises(LedgerError, match="cannot cost more than was reserved"):
        empty.reserve(charge).settle(charge, charge + charge)
    assert empty.reserve(charge).settle(charge, charge).total == charge


def test_long_fractions_are_rounded_up_and_never_down():
    """Denominators of many odd costs would grow without end."""
    odd = [Fraction(1, 2**251 - number) for number in range(1, 200, 2)]
    assert all(booked(value) == value for value in odd)
    longer = Fraction(1, 3**400)
    assert longer < booked(longer) <= longer + Fraction(1, 10**30)
    zero = Charge(Fraction(0), (), Fraction(0))
    balance = Balance(zero, zero)
    for value in odd:
        charge = Charge(value, (), Fraction(0))
        balance = balance.reserve(charge).settle(charge, charge)
        assert balance.settled.pure.denominator.bit_length() <= LONGEST_BITS + 256
        assert balance.held.pure >= 0
    exact = sum(odd)
    assert exact <= balance.total.pure <= exact + Fraction(200, 10**30)


def test_opening_and_closing(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    assert ledger.datasets() == ()
    ledger.open("a", epsilon="1/3", note="people of 2024")
    ledger.open("b", epsilon=1, delta="1e-6")
    assert ledger.datasets() == ("a", "b")
    assert ledger.remaining("a") == Fraction(1, 3)
    assert ledger.show("a").note == "people of 2024"
    with pytest.raises(LedgerError, match="'a' has a budget already, which is never changed"):
        ledger.open("a", epsilon=5)
    for bad in ("", " ", "x" * 201, 3, None, "a\x00b", "\ud800", "a\x1b[31m"):
        with pytest.raises(overbar.ParameterError, match="dataset must be a name"):
            ledger.open(bad, epsilon=1)
    for bad in ("x" * 2001, 3, "\x1b[31m", "\ud800"):
        with pytest.raises(overbar.ParameterError, match="note must be printable text of at most"):
            ledger.open("c", epsilon=1, note=bad)
    ledger.open("déjà vu: 'quoted' %_;--", epsilon=1, note="two\n\tlines")
    assert ledger.remaining("déjà vu: 'quoted' %_;--") == 1
    assert ledger.show("déjà vu: 'quoted' %_;--").note == "two\n\tlines"
    reservation = ledger.reserve("a", Description("online", PLANS[0], None))
    ledger.close("a")
    assert ledger.show("a").closed is not None
    assert ledger.remaining("a") == 0
    with pytest.raises(LedgerError, match="is closed already"):
        ledger.close("a")
    with pytest.raises(LedgerError, match="is closed: nothing more is spent"):
        ledger.reserve("a", Description("online", PLANS[0], None))
    # A run that was under way is settled all the same, and the dataset stays closed.
    reservation.settle(positives=1, asked=True)
    with pytest.raises(LedgerError, match="is closed"):
        ledger.reserve("a", Description("online", PLANS[0], None))
    with pytest.raises(LedgerError, match="'nope' is not in this ledger"):
        ledger.show("nope")
    ledger.verify()
    assert repr(ledger) == f"Ledger({str(tmp_path / 'ledger.db')!r})"


def test_odd_file_names(tmp_path):
    path = tmp_path / "we?ird #%20 näme.db"
    overbar.Ledger(str(path)).open("a", epsilon=1)
    assert path.exists()
    assert overbar.Ledger(path).datasets() == ("a",)
    assert {entry.name for entry in tmp_path.iterdir()} == {path.name}


def test_budget_errors_can_be_carried_between_processes():
    error = BudgetError("epsilon", Fraction(1), Fraction(1, 3), "wait")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert (again.unit, again.requested, again.remaining) == ("epsilon", 1, Fraction(1, 3))


def test_a_path_with_a_null_character_is_refused():
    with pytest.raises(ParameterError, match="null character"):
        overbar.Ledger("a\0b")
