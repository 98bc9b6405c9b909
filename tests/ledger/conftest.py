"""A ledger with a pure budget and one with a δ."""

import pytest

import overbar


@pytest.fixture
def ledger(tmp_path):
    found = overbar.Ledger(tmp_path / "ledger.db")
    found.open("pure", epsilon=1)
    found.open("both", epsilon=1, delta="1e-6")
    return found
