"""A request that is made again costs what it cost before, and can always be given back."""

import numpy as np
import pytest

import overbar
from overbar.runs.batch import release
from overbar.runs.batch_run import BatchRun
from overbar.runs.positives import Batch
from tests.queue_plans import queue_plan

ASK = {"threshold": 10**5, "cutoff": 3, "epsilon": "0.3", "monotonic": True}


@pytest.fixture
def ask(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1)
    return {"booking": ledger.booking("data", request_id="monday"), **ASK}


@pytest.mark.parametrize("labels", [["tea", frozenset({1})], [frozenset({1}), "tea"]])
def test_an_answer_that_could_not_be_given_back_is_not_bought(ask, labels):
    """Otherwise it would be paid for, and a retry would only learn that it is lost.

    This is the door that tables and estimators use; select looks at labels for itself as well.
    """
    plan = queue_plan(epsilon="0.3", cutoff=1, monotonic=True, candidates=2)
    contest = BatchRun(plan, 10**5)
    booking = ask["booking"]
    with pytest.raises(
        overbar.ParameterError, match=r"labels of a request must be .* got frozenset"
    ):
        release(contest, [Batch(np.array([10**9, 0]), labels)], booking=booking)
    assert booking.ledger.show("data").entries == ()


def test_a_run_that_asked_nobody_is_free_when_it_is_made_again(ask):
    first = overbar.select([], **ask)
    again = overbar.select([], **ask)
    assert again.receipt.repeated
    assert first.spent == again.spent == 0


def test_a_run_without_positives_is_not_free_when_it_is_made_again(ask):
    """Its threshold was compared with: only a run that asked nobody is free."""
    first = overbar.select([-(10**9)], **ask)
    again = overbar.select([-(10**9)], **ask)
    assert again.receipt.repeated
    assert len(first) == 0
    assert first.spent == again.spent > 0
