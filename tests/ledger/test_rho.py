"""Datasets opened in ρ: every charge, refusal and word, in a file and in a database."""

import json
from fractions import Fraction

import pandas as pd
import pytest

import overbar
from overbar import BudgetError, LedgerError, NoGuaranteeError, ParameterError
from overbar.accounting.instalments import pure_rho, rho_instalments
from overbar.ledger.budget import budget_in_rho
from overbar.ledger.description import Description
from overbar.words.account_report import account_fields, what_is_left, what_would_be_left
from tests.frozen import seam
from tests.queue_plans import queue_plan

PURE = queue_plan(epsilon="0.1", cutoff=3, candidates=100)
RACE = queue_plan(
    epsilon="0.1", delta="1e-8", cutoff=50, noise="gumbel", monotonic=True, candidates=1000
)
BARE = queue_plan(
    epsilon="0.1", delta="1e-8", cutoff=5, noise="gumbel", threshold_noise="none", candidates=100
)
SCORES = {f"item {number}": number for number in range(40)}


@pytest.fixture
def sales(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("sales", rho="0.1")
    return ledger


def gone(ledger):
    return ledger.show("sales").balance.total.rho


def test_runs_and_other_mechanisms_add_up(place):
    ledger = place.ledger()
    ledger.open("sales", rho="0.1", neighbours="person")
    held = ledger.reserve("sales", Description("online", PURE, Fraction(5)))
    held.settle(positives=1, asked=True)
    total = pure_rho(Fraction(1, 10))
    assert gone(ledger) == total < Fraction(1, 200)  # nothing comes back of a pure run
    held = ledger.reserve("sales", Description("online", RACE, Fraction(5)))
    way = rho_instalments(RACE)
    assert way.whole <= held.charge.rho <= way.whole * (1 + Fraction(1, 10**20))
    cost = held.settle(positives=10, asked=True).receipt.cost.rho
    assert (
        way.start + 10 * way.each <= cost <= (way.start + 10 * way.each) * (1 + Fraction(1, 10**20))
    )
    total += cost
    ledger.booking("sales").spend(rho="1/50", neighbours="person")
    ledger.booking("sales").spend(epsilon="1/5", neighbours="person")
    total += Fraction(1, 50) + pure_rho(Fraction(1, 5))
    assert gone(ledger) == total
    found = overbar.top(
        SCORES, cutoff=5, epsilon="0.1", delta="1e-8", booking=ledger.booking("sales")
    )
    assert gone(ledger) - total == ledger.show("sales").entries[-1].cost.rho
    assert float(gone(ledger) - total) == pytest.approx(float(rho_instalments(found.plan).whole))
    assert ledger.verify() == ledger.head
    copy = ledger.copy_to(place.another().where)
    assert copy.show("sales").budget == budget_in_rho("0.1")


def test_all_of_it_can_be_spent_and_no_more(sales):
    spend = sales.booking("sales").spend
    spend(rho="0.06", neighbours="person")
    with pytest.raises(BudgetError, match=r"^rho must be at most 0\.04, .* got 0\.05;") as caught:
        spend(rho="0.05", neighbours="person")
    assert (caught.value.requested, caught.value.remaining) == (Fraction(1, 20), Fraction(1, 25))
    left = sales.remaining("sales")
    assert pure_rho(left) <= Fraction(1, 25) < pure_rho(left * (1 + Fraction(1, 10**5)))
    spend(epsilon=left, neighbours="person")
    with pytest.raises(BudgetError):
        spend(epsilon="0.001", neighbours="person")


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda book: overbar.SparseVector(BARE, threshold=5, booking=book), "no rho is proved"),
        (lambda book: book.spend(epsilon=1, delta="0.1", neighbours="person"), "a delta has no"),
        (lambda book: book.spend(renyi={8: 1}, neighbours="person"), "nothing about the others"),
        (
            lambda book: overbar.frames.keys(
                pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"]}),
                person="user", item="item", epsilon="0.1", delta="1e-6", booking=book,
            ),
            "cost a delta",
        ),
    ],
    ids=["bare", "pair", "divergences", "keys"],
)  # fmt: skip
def test_what_has_no_rho_is_refused_and_nothing_is_written(sales, use, message):
    head = sales.head
    with pytest.raises(NoGuaranteeError, match=message) as caught:
        use(sales.booking("sales"))
    assert "or open a dataset with epsilon and a positive delta" in str(caught.value)
    assert sales.head == head


@pytest.mark.parametrize(
    "budget",
    [{}, {"epsilon": 1, "rho": 1}, {"rho": 1, "delta": "1e-6"}, {"rho": 1, "additive": "1/2"}],
)
def test_a_budget_is_in_one_of_the_two(tmp_path, budget):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    with pytest.raises(ParameterError, match="or in rho alone"):
        ledger.open("sales", **budget)
    with pytest.raises(ParameterError, match="rho must be positive"):
        ledger.open("sales", rho=0)
    assert ledger.datasets() == ()


def test_what_is_said(sales):
    sales.booking("sales").spend(rho="0.03", neighbours="person")
    account = sales.show("sales")
    assert (account.granted, account.left) == ("ρ = 0.1", "ρ = 0.07")
    assert what_is_left(account) == ["Of the budget of ρ = 0.1 for sales, ρ = 0.07 is left."]
    assert "ρ = 0.06" in what_would_be_left(account, PURE)[1]
    assert "does not fit: no rho is proved" in what_would_be_left(account, BARE)[1]
    fields = json.loads(json.dumps(account_fields(account)))
    assert fields["budget"]["rho"] == "1/10"
    assert fields["spent"]["rho"] == fields["runs"][0]["cost"]["rho"] == "3/100"
    sales.close("sales")
    assert sales.show("sales").left == "ρ = 0"


@pytest.mark.parametrize(
    "alter",
    [
        lambda row: row["charge"].update(rho="1/300"),
        lambda row: row["charge"].update(pure="1/10"),
        lambda row: row.update(form="approximate"),
        lambda row: row["budget"].update(epsilon="1"),
        lambda row: row["budget"].update(rho="1"),
    ],
    ids=["less", "another way", "a pair", "both", "more"],
)
def test_forged_rows_are_noticed(sales, alter):
    sales.reserve("sales", Description("online", PURE, Fraction(5)))
    path = sales._store.path
    rows = seam.rows(path)
    alter(rows[1])
    charge = rows[1]["charge"]
    rows[1]["balance"]["held"] = charge
    seam.forge(path, dict(enumerate(rows)))
    with pytest.raises(LedgerError):
        overbar.Ledger(path).verify()


def test_a_charge_of_another_kind_of_budget_is_noticed(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("pure", epsilon=1)
    ledger.reserve("pure", Description("online", PURE, Fraction(5)))
    rows = seam.rows(ledger._store.path)
    rows[1]["charge"]["rho"] = rows[1]["balance"]["held"]["rho"] = "1/300"
    seam.forge(ledger._store.path, dict(enumerate(rows)))
    with pytest.raises(LedgerError, match="does not fit its budget"):
        ledger.verify()
