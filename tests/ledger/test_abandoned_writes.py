"""A writer that fails lets go of the file at once, even while its error is being looked at."""

import pytest

import overbar
from overbar.ledger import Standing, store
from overbar.ledger.budget import budget_of
from overbar.ledger.row_events import Opened, record


def give_up(ledger, half_read):
    """Read some rows, write one, and fail."""
    with ledger._store.writing() as rows:
        half_read.append(rows.all())
        next(half_read[0])
        budget = budget_of(1, 0, None)
        record(rows, Opened, Standing("never", budget, budget.unspent, False), note="")
        raise RuntimeError("given up")


def test_the_next_writer_need_not_wait_for_an_abandoned_one(tmp_path, monkeypatch):
    """A half-read list of rows keeps a closed connection alive, and its lock unless given up."""
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("first", epsilon=1)
    ledger.open("second", epsilon=1)
    before = ledger.head
    monkeypatch.setattr(store, "PATIENCE", 0.0)
    half_read = []
    with pytest.raises(RuntimeError, match="given up"):
        give_up(ledger, half_read)
    assert ledger.head == before
    ledger.open("third", epsilon=1)
    assert ledger.datasets() == ("first", "second", "third")
