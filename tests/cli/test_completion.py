"""What Tab offers: public names, and nothing of a table."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from overbar.cli import completion
from overbar.ledger import Ledger


def offered(complete, incomplete="", **typed):
    return complete(SimpleNamespace(params=typed), incomplete)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("complete", "incomplete", "names"),
    [
        (completion.noises, "", ["auto", "exponential", "gumbel", "laplace", "gaussian"]),
        (completion.noises, "g", ["gumbel", "gaussian"]),
        (completion.threshold_noises, "n", ["none"]),
        (completion.allocations, "", ["variance", "appending"]),
        (completion.corrections, "opt", ["optimal", "optimal-shared"]),
        (completion.rounds, "u", ["unlimited"]),
        (completion.formats, "", ["table", "csv", "json"]),
        (completion.input_formats, "p", ["parquet"]),
    ],
)
def test_choices(complete, incomplete, names):
    assert sorted(offered(complete, incomplete)) == sorted(names)


def test_datasets_of_a_ledger(folder):
    Ledger("budget.db").open("sales", epsilon=1)
    assert offered(completion.datasets, ledger="budget.db") == ["sales"]
    assert offered(completion.datasets, path="budget.db") == ["sales"]
    assert offered(completion.datasets, "x", ledger="budget.db") == []


@pytest.mark.parametrize("typed", [{}, {"path": "none.db"}, {"ledger": "none.db"}])
def test_what_goes_wrong_offers_nothing_and_makes_nothing(folder, typed):
    assert offered(completion.datasets, **typed) == []
    assert list(folder.iterdir()) == []
