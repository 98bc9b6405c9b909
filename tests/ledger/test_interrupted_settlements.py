"""Ctrl-C while the last commit is under way stays a Ctrl-C, and nothing is settled twice."""

import pytest

import overbar
from overbar import LedgerError
from overbar.ledger.store import FileStore
from tests.ledger.booked import ASK, HIGH, SCORES, plan, total

PLAN = plan()


@pytest.fixture(params=["before", "after"])
def interrupted(request, monkeypatch):
    """Let Ctrl-C strike around the commit of a settlement: nothing, or all of it, is written."""
    real = FileStore.writing

    def strike(store, *hints):
        class Writing:
            def __enter__(self):
                self.inner = real(store, *hints)
                self.rows = self.inner.__enter__()
                return self.rows

            def __exit__(self, *error):
                settles = self.rows.last().fields["kind"] == "settled"
                if settles:
                    monkeypatch.setattr(FileStore, "writing", real)
                if settles and request.param == "before":
                    self.inner.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
                done = self.inner.__exit__(*error)
                if settles:
                    raise KeyboardInterrupt
                return done

        return Writing()

    monkeypatch.setattr(FileStore, "writing", strike)
    return request.param


def test_an_online_run_leaves_by_ctrl_c_and_is_settled_once(ledger, interrupted):
    def used():
        with overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("pure")) as run:
            runs.append(run)
            for _ in range(PLAN.cutoff):
                run.ask(HIGH)

    runs = []
    with pytest.raises(KeyboardInterrupt):
        used()
    (run,) = runs
    assert run.halted
    assert run.receipt.cost.pure == total(ledger).pure == overbar.privacy.spent(PLAN)
    (entry,) = ledger.show("pure").entries
    assert not entry.open
    assert ledger.verify(run.receipt.head) == ledger.head == run.receipt.head
    run.close()  # once more, and nothing happens
    assert ledger.head == run.receipt.head


def test_closing_is_tried_again(ledger, interrupted):
    run = overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("pure"))
    run.ask(0)
    with pytest.raises(KeyboardInterrupt):
        run.close()
    run.close()
    assert total(ledger).pure == run.receipt.cost.pure < overbar.privacy.spent(PLAN)
    ledger.verify()


def test_a_request_comes_back_if_it_was_settled(ledger, interrupted):
    with pytest.raises(KeyboardInterrupt):
        overbar.select(SCORES, booking=ledger.booking("pure", request_id="r"), **ASK)
    again = overbar.select(SCORES, booking=ledger.booking("pure", request_id="r"), **ASK)
    assert again.receipt.repeated is (interrupted == "after")
    assert set(again.labels) == {"b", "d"}
    ledger.verify()


def test_a_reservation_knows_whether_it_was_settled(ledger):
    run = overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("pure"))
    held = run._reservation
    assert held.settled() is None
    run.close()
    assert held.settled() == run.receipt
    with pytest.raises(LedgerError, match="settled already"):
        held.settle(positives=0, asked=True)
