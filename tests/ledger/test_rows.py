"""Rows are written in one way only, hashed over all before them; files are kept and closed."""

import hashlib
import json
import os
import stat
from pathlib import Path

import pytest

import overbar
from overbar.errors import LedgerError
from overbar.ledger.rows import BEGINNING, Row, canonical, link


def test_text_is_sorted_tight_and_ascii():
    assert canonical({"b": [1, None], "a": "ü"}) == '{"a":"\\u00fc","b":[1,null]}'
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_other_readers_do_not_know_are_refused(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"a": value})


def test_a_hash_binds_a_row_to_all_before_it():
    first = link(BEGINNING, "one")
    assert first == hashlib.sha256(f"{BEGINNING}\none".encode()).hexdigest()
    assert len({first, link(BEGINNING, "two"), link(first, "one"), link(first, "two")}) == 4
    assert len(BEGINNING) == 64


def test_a_row_is_read_back_or_refused():
    fields = {"a": 1, "b": "text"}
    assert Row(3, canonical(fields), "").fields == fields
    for broken in ("", "{", "[1]", "7", json.dumps("text"), "null"):
        with pytest.raises(LedgerError, match="row 3 of the ledger is not readable"):
            _ = Row(3, broken, "").fields


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files cannot be counted here")
def test_no_file_stays_open(tmp_path):
    """A ledger is made, opened, read and asked many times, and holds nothing in between."""
    overbar.Ledger(tmp_path / "first.db").open("a", epsilon=1)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(20):
        overbar.Ledger(tmp_path / f"{number}.db").open("a", epsilon=1)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2


def test_a_new_file_s_folder_is_forced_to_the_disk(tmp_path, monkeypatch):
    folders = []
    real = os.fsync

    def watched(number):
        folders.append(stat.S_ISDIR(os.fstat(number).st_mode))
        real(number)

    monkeypatch.setattr(os, "fsync", watched)
    overbar.Ledger(tmp_path / "ledger.db").open("a", epsilon=1)
    assert folders == [True]
    overbar.Ledger(tmp_path / "ledger.db")
    assert folders == [True]  # once, when the name is new
