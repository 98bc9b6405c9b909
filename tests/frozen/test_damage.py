"""Damaged copies: an error of ours or no harm.

All 15,000 of them: ``make campaign NAME=damage``.
"""

import contextlib
import sqlite3
import sys
import tempfile
from pathlib import Path

import pytest

import overbar
from tests.frozen import seam
from tests.frozen.damage import DATASETS, FAST, PLAN, ask, damage, good, tried

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and alarms")


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory(dir=FAST) as name:
        yield Path(name)


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


@pytest.mark.parametrize("name", [seam.TABLE, seam.BY_NUMBER, seam.SETTLED_ONCE])
def test_a_page_of_an_earlier_day_does_no_harm(folder, name):
    made, content = with_early_page(folder, name)
    assert set(tried(folder / "copy.db", content, made)) <= {"refused", "done"}


@pytest.mark.parametrize("name", [seam.TABLE, seam.BY_NUMBER])
def test_a_stale_page_is_told(folder, name):
    """The table and the index have the last row, so a page of one alone cannot take rows back."""
    _, content = with_early_page(folder, name)
    path = folder / "copy.db"
    path.write_bytes(content)
    ledger = overbar.Ledger(path)
    for dataset in ("full", "spare"):
        with pytest.raises(overbar.LedgerError, match="an index does not agree with the rows"):
            ask(ledger, dataset)
        with pytest.raises(overbar.LedgerError, match="an index does not agree with the rows"):
            ask(ledger, dataset, "request 23")
    if name == seam.BY_NUMBER:
        assert ledger.datasets() == DATASETS  # the table has them


def test_balances_of_a_stale_table_are_caught(folder, monkeypatch):
    """A control: who does not ask the index as well spends what is gone."""
    made, content = with_early_page(folder, seam.TABLE)
    with monkeypatch.context() as patch:
        seam.broken(patch, "the index has no say")
        told = set(tried(folder / "copy.db", content, made))
    assert "AssertionError: full was overspent" in told
    assert "AssertionError: there is more left of full than there was" in told


def emptied(path, name):
    """Put an empty page in the place of an index."""
    page = page_of(path, name)
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    content[(page - 1) * size : (page - 1) * size + 8] = b"\n\0\0\0\0" + content[16:18] + b"\0"
    path.write_bytes(content)


def test_an_index_that_is_lost_is_told(folder):
    good(folder)
    path = folder / "good.db"
    emptied(path, seam.BY_NUMBER)
    ledger, last = overbar.Ledger(path), "request 23"
    for purpose in (f"for {last}", "for another"):
        with pytest.raises(overbar.LedgerError, match="an index does not agree with the rows"):
            seam.reserve(ledger, "spare", PLAN, request=last, purpose=purpose)


# Rows that are not what later ones say ------------------------------------------------------------


def without_a_link(fields, wanted):
    """Take out every link to the rows of one request, as if it had never been made."""
    for way in ("datasets", "requests"):
        levels = fields["links"][way]
        fields["links"][way] = [
            one if one is None or one[0] not in wanted else None for one in levels
        ]


def one_row_changed(path, number, change):
    """Change a row and its hash and nothing after it."""
    fields = seam.rows(path)[number - 1]
    change(fields)
    seam.alter(path, number, fields)


def numbers_of(path, **wanted):
    return [one["number"] for one in seam.rows(path) if wanted.items() <= one.items()]


def test_an_answer_that_no_row_leads_to_is_not_drawn_anew(folder, monkeypatch):
    """The last row of the request is not named any more by the only row that leads there."""
    good(folder)
    path = folder / "good.db"
    wanted = numbers_of(path, request="request 3")
    leads = [
        row["number"] for row in seam.rows(path)
        if any(one and one[0] in wanted for one in row["links"]["requests"])
    ]  # fmt: skip
    assert leads
    for number in leads:
        one_row_changed(path, number, lambda fields: without_a_link(fields, wanted))
    ledger = overbar.Ledger(path)
    with pytest.raises(overbar.LedgerError, match="was edited"):
        ask(ledger, "spare", "request 3")
    ask(ledger, "spare")  # without an id nothing depends on it
    with monkeypatch.context() as patch:
        seam.broken(patch, "a row is believed")
        assert ask(ledger, "spare", "request 3").labels is None


def test_a_balance_that_later_rows_do_not_confirm_is_not_spent(folder, monkeypatch):
    """A dataset that rested: its last row is old, and is changed together with its own hash."""
    good(folder)
    path = folder / "good.db"
    ledger = overbar.Ledger(path)
    for number in range(8):
        ask(ledger, "spare", f"later {number}")

    def richer(fields):
        fields["balance"]["held"]["pure"] = "0"

    one_row_changed(path, numbers_of(path, dataset="full")[-1], richer)
    for use in (lambda: ask(ledger, "full"), lambda: ledger.remaining("full")):
        with pytest.raises(overbar.LedgerError, match="was edited"):
            use()
    with monkeypatch.context() as patch:
        seam.broken(patch, "a row is believed")
        ask(ledger, "full")
