"""Rows are written in one way only, and hashed over everything before them."""

import hashlib
import json

import pytest

from overbar.errors import LedgerError
from overbar.ledger.chain import BEGINNING, Row, canonical, link


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
