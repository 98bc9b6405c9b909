"""Ledgers in a file and in a database; one with a pure budget and one with a δ."""

import pytest

import overbar
from tests.ledger.places import DatabasePlace, FilePlace


@pytest.fixture(params=["file", "database"])
def place(request, tmp_path):
    """Every place a ledger can be kept in."""
    if request.param == "file":
        yield FilePlace(tmp_path / "ledger.db")
        return
    found = DatabasePlace(request.getfixturevalue("server"))
    yield found
    found.close()


@pytest.fixture
def ledger(tmp_path):
    found = overbar.Ledger(tmp_path / "ledger.db")
    found.open("pure", epsilon=1)
    found.open("both", epsilon=1, delta="1e-6")
    return found
