"""What every connection to a ledger's file asks of SQLite, and a clock that goes backwards."""

import datetime
from fractions import Fraction

import pytest

import overbar
from overbar.ledger import row_events
from tests.frozen.hammer import ask

EACH = Fraction(1, 50)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "ledger.db"
    overbar.Ledger(file).open("shared", epsilon=1)
    assert ask(overbar.Ledger(file), "first") is not None
    return file


def test_every_connection_forces_its_commits_to_the_disk(path):
    with overbar.Ledger(path)._store._connected() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA busy_timeout").fetchone()[0] >= 10_000


def test_a_clock_that_goes_backwards_changes_nothing(path, monkeypatch):
    times = iter(["2031-01-01T00:00:00+00:00", "1970-01-01T00:00:00+00:00"] * 10)
    monkeypatch.setattr(row_events, "_now", lambda: datetime.datetime.fromisoformat(next(times)))
    ledger = overbar.Ledger(path)
    for number in range(3):
        assert ask(ledger, f"request {number}") is not None
    assert ask(ledger, "request 1") == ask(ledger, "request 1")
    ledger.verify()
    numbers = [entry.number for entry in ledger.show("shared").entries]
    assert numbers == sorted(numbers)
    assert ledger.remaining("shared") == 1 - 4 * EACH
