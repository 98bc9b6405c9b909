"""A ledger in a file: one dataset has a pure budget and one has a δ."""

import pytest

import overbar


@pytest.fixture
def ledger(tmp_path):
    found = overbar.Ledger(tmp_path / "ledger.db")
    found.open("pure", epsilon=1)
    found.open("both", epsilon=1, delta="1e-6")
    return found
