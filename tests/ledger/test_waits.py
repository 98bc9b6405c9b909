"""How long a reader of a ledger waits: for an answer, and for a lock."""

import sqlite3

import pytest

import overbar
from overbar import LedgerError
from overbar.ledger import store
from tests.frozen import seam
from tests.frozen.forged import PLAN, write


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "ledger.db"
    write(file)
    return file


def test_an_answer_that_does_not_come_is_given_up(path, monkeypatch):
    monkeypatch.setattr(store, "STEPS", 1)
    monkeypatch.setattr(store.FileStore, "_size", lambda _: 0)
    with pytest.raises(LedgerError, match="reading it does not come to an end"):
        overbar.Ledger(path).verify()


def test_a_lock_that_is_never_given_up_is_told(path, monkeypatch):
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    ledger = overbar.Ledger(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="locked"):
        seam.reserve(ledger, "data", PLAN)
    other.execute("ROLLBACK")
    other.close()
    seam.reserve(ledger, "data", PLAN)
