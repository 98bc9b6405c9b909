"""A ledger has STRICT tables: with an SQLite that has none it says so, and leaves no file."""

import sqlite3

import pytest

import overbar


def test_an_sqlite_that_is_too_old_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.36.0")
    with pytest.raises(
        overbar.LedgerError, match=r"needs SQLite 3\.37 or newer, and this Python has 3\.36\.0"
    ):
        overbar.Ledger(tmp_path / "budget.db")
    assert not list(tmp_path.iterdir())


def test_the_first_that_is_new_enough_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 37, 0))
    overbar.Ledger(tmp_path / "budget.db")
    assert (tmp_path / "budget.db").exists()
