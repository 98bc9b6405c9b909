"""Damaged copies: an error of ours or no harm. All 15,000 of them: ``make damage``."""

import contextlib
import sqlite3
import sys
import tempfile
from pathlib import Path

import pytest

import overbar
from overbar.ledger.rows import Rows
from tests.ledger.damage import DATASETS, FAST, ask, damage, good, tried

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and alarms")


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory(dir=FAST) as name:
        yield Path(name)


def by_index(rows, dataset):
    """The old way to find where a dataset stands, kept as a twin that must be caught."""
    found = rows.table.indexed(dataset)
    return None if found is None else next(rows.backwards(found))


def test_damaged_copies_are_refused_or_harmless(folder):
    found = damage(folder, 0, 100)
    assert found.wrong == []
    assert found.copies == 100
    assert found.refused == 100  # what is gone is refused even where nothing is broken


def page_of(path, name):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return connection.execute(asked, (name,)).fetchone()[0]


def with_early_page(folder, name):
    """Return a ledger one page of which is of an earlier day."""
    made = good(folder)
    place = (page_of(folder / "good.db", name) - 1) * made.page
    content = bytearray(made.whole)
    content[place : place + made.page] = made.early[place : place + made.page]
    return made, bytes(content)


@pytest.mark.parametrize("name", ["events", "by_dataset", "by_request", "settled_once"])
def test_a_page_of_an_earlier_day_does_no_harm(folder, name):
    made, content = with_early_page(folder, name)
    assert set(tried(folder / "copy.db", content, made)) <= {"refused", "done"}


def test_a_stale_index_is_told(folder):
    _, content = with_early_page(folder, "by_dataset")
    path = folder / "copy.db"
    path.write_bytes(content)
    ledger = overbar.Ledger(path)
    for name in ("full", "spare"):
        with pytest.raises(overbar.LedgerError, match="an index does not agree with the rows"):
            ledger.reserve(name, ask())
    assert ledger.datasets() == DATASETS  # the table has them


def emptied(path, name):
    """Put an empty page in the place of an index."""
    page = page_of(path, name)
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    content[(page - 1) * size : (page - 1) * size + 8] = b"\n\0\0\0\0" + content[16:18] + b"\0"
    path.write_bytes(content)


def request_by_index(rows, dataset, request, kind):
    """The old way to find a request, kept as a twin that must be caught."""
    found = rows.table.connection.execute(
        "SELECT number FROM events WHERE dataset = ? AND request = ? AND kind = ?",
        (dataset, request, kind),
    ).fetchall()
    return [next(rows.backwards(number)) for (number,) in found]


def test_an_answer_that_an_index_has_lost_is_not_drawn_anew(folder, monkeypatch):
    good(folder)
    path = folder / "good.db"
    emptied(path, "by_request")
    ledger, last = overbar.Ledger(path), "request 23"
    for question in (ask(last), ask("another")):
        with pytest.raises(overbar.LedgerError, match="an index does not agree with the rows"):
            ledger.reserve("spare", question, request_id=last)
    ledger.reserve("spare", ask())  # without an id nothing depends on it
    monkeypatch.setattr(Rows, "requests", request_by_index)  # a control
    assert isinstance(
        ledger.reserve("spare", ask(last), request_id=last), overbar.ledger.Reservation
    )


def test_balances_by_an_index_are_caught(folder, monkeypatch):
    """A control: who asks the index spends what is gone."""
    made, content = with_early_page(folder, "by_dataset")
    monkeypatch.setattr(Rows, "latest", by_index)
    told = set(tried(folder / "copy.db", content, made))
    assert "AssertionError: full was overspent" in told
    assert "AssertionError: there is more left of full than there was" in told
