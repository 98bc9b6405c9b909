"""Of tests with many cases some are run: at least one of each, always the same, or all if asked."""

from types import SimpleNamespace

import pytest

from conftest import pytest_collection_modifyitems


class Item:
    def __init__(self, nodeid, one_in):
        self.nodeid, self.one_in = nodeid, one_in

    def get_closest_marker(self, name):
        assert name == "one_in"
        return self.one_in and SimpleNamespace(args=(self.one_in,))


def kept(names, one_in):
    items = [Item(name, one_in) for name in names]
    left = []

    def pytest_deselected(items):
        left.extend(items)

    hook = SimpleNamespace(pytest_deselected=pytest_deselected)
    pytest_collection_modifyitems(SimpleNamespace(hook=hook), items)
    assert len(items) + len(left) == len(names)
    return [item.nodeid for item in items]


@pytest.fixture(autouse=True)
def _usual(monkeypatch):
    monkeypatch.delenv("OVERBAR_ALL_CASES", raising=False)


MANY = [f"tests/test_a.py::test_{test}[{case}]" for test in "ab" for case in range(10)]


def test_some_cases_of_each_test_are_run_in_their_order():
    chosen = kept(MANY, 3)
    assert [sum(f"test_{test}[" in name for name in chosen) for test in "ab"] == [4, 4]
    assert chosen == sorted(chosen, key=MANY.index)
    assert chosen == kept(MANY, 3)


def test_a_case_that_is_named_is_run():
    assert all(kept([name], 8) == [name] for name in MANY)


def test_all_are_run_where_nothing_is_marked_or_all_are_asked_for(monkeypatch):
    assert kept(MANY, None) == MANY
    monkeypatch.setenv("OVERBAR_ALL_CASES", "1")
    assert kept(MANY, 3) == MANY
