"""A reservation is settled once, for a number of positives that a run can have given."""

from dataclasses import replace
from fractions import Fraction

import pytest

import overbar
from overbar import LedgerError
from overbar.errors import ParameterError
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.description import Description
from tests.queue_plans import queue_plan

PLAN = queue_plan(epsilon=1, cutoff=3, monotonic=True, candidates=100)


@pytest.fixture
def reservation(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=2)
    return ledger.reserve("data", Description("online", PLAN, Fraction(5)))


@pytest.mark.parametrize("wrong", [-1, 4, 1.5, True])
def test_impossible_numbers_of_positives_are_refused_and_nothing_is_settled(reservation, wrong):
    with pytest.raises(ParameterError, match="positives"):
        reservation.settle(positives=wrong, asked=True)
    reservation.settle(positives=3, asked=True)


@pytest.mark.parametrize("positives", [0, 3])
def test_once_and_not_again(reservation, positives):
    reservation.settle(positives=positives, asked=True)
    with pytest.raises(LedgerError, match="settled already"):
        reservation.settle(positives=positives, asked=True)


def test_a_closed_dataset_has_nothing_left(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=2)
    before = ledger.show("data")
    assert (before.remaining, before.closed) == (2, None)
    ledger.close("data")
    after = ledger.show("data")
    assert after.remaining == 0
    assert after.closed is not None
    assert after.budget == before.budget


def test_a_receipt_without_a_request_counts_no_tries(reservation):
    assert reservation.receipt.unfinished == 0
    assert not reservation.receipt.repeated
    assert reservation.receipt.request_id is None


def test_what_was_spent_and_what_is_held_are_told_apart(reservation):
    ledger = reservation.ledger
    before = ledger.show("data")
    assert (before.spent.pure, before.balance.held.pure) == (0, 1)
    reservation.settle(positives=3, asked=True)
    after = ledger.show("data")
    assert (after.spent.pure, after.balance.held.pure) == (1, 0)


def test_of_two_runs_of_one_request_the_first_to_settle_answers(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=2)
    asked = Description("batch", PLAN, Fraction(5))
    one, two = (ledger.reserve("data", asked, request_id="r") for _ in range(2))
    answers = [StoredAnswer.of(text) for text in ("a", "bc")]
    changes = ({"asked": False}, {"indices": (0, 1)}, {"labels": (7,)}, {"counts": ()})
    wrongs = [replace(answers[0], **change) for change in changes]
    for wrong in (None, {"labels": ["a"]}, answers[1], *wrongs):
        with pytest.raises(ParameterError, match="answer to a request must be"):
            one.settle(positives=1, asked=True, answer=wrong)
    first = one.settle(positives=1, asked=True, answer=answers[0])
    second = two.settle(positives=2, asked=True, answer=answers[1])
    assert first.answer == second.answer == answers[0]
    assert (first.receipt.repeated, second.receipt.repeated) == (False, True)
    assert [entry.superseded for entry in ledger.show("data").entries] == [False, True]
    assert ledger.verify() == ledger.head
    other = ledger.reserve("data", asked, request_id="r")
    assert other.answer == answers[0]


@pytest.mark.parametrize("positives", [0, 8, 9, 10])
def test_a_full_ranked_answer_may_cost_less_than_one_short_of_it(tmp_path, positives):
    """A full answer does not pay for its bar, so costs do not rise all the way."""
    plan = overbar.plan(epsilon=1, cutoff=10, monotonic=True, candidates=1000)
    costs = [plan.pure(found) for found in range(11)]
    assert costs[10] < costs[9] == 1
    assert costs[8] < costs[10]
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1)
    held = ledger.reserve("data", Description("batch", plan, Fraction(5)))
    held.settle(positives=positives, asked=True)
    assert ledger.show("data").spent.pure == costs[positives]
    assert ledger.verify() == ledger.head
