"""Pandas chooses types by the rows: nothing that one row makes of a column may tell of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas
import pytest

from overbar.frames import columns, scoring
from tests.frames.engines import scores_of

#: The size of identifiers that carry a time, as many services give them.
LONG = 1_750_000_000_000_000_000
MANY = 2_000
ONE = Fraction(1)


def counts_of(frame, **how):
    return scores_of(frame, grid=ONE, **how)


def neighbours(what, who, item, person):
    """Return a table, and the one with a row more, as pandas types them."""
    rows = list(zip(what, who, strict=True))
    tables = (rows, [*rows, (item, person)])
    return [pandas.DataFrame(rows, columns=["what", "who"]) for rows in tables]


def furthest(tables):
    """Return how far one score moves between two tables."""
    one, other = (counts_of(table) for table in tables)
    return max((abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other}), default=0)


LONG_LABELS = {
    "items": lambda: neighbours([LONG] * MANY, range(MANY), np.nan, MANY),
    "negative items": lambda: neighbours([-LONG] * MANY, range(MANY), np.nan, MANY),
    "the lowest item": lambda: neighbours([-(2**63)] * MANY, range(MANY), np.nan, MANY),
    "unsigned items": lambda: neighbours([2**64 - 1] * MANY, range(MANY), np.nan, MANY),
    "persons": lambda: neighbours([1] * MANY, range(LONG, LONG + MANY), 1, np.nan),
    "persons and a float": lambda: neighbours([1] * MANY, range(LONG, LONG + MANY), 1, 7.5),
}


@pytest.mark.parametrize("make", LONG_LABELS.values(), ids=LONG_LABELS)
def test_a_missing_label_drops_nobody_elses(make, monkeypatch):
    tables = make()
    assert tables[0].dtypes.tolist() != tables[1].dtypes.tolist()
    assert furthest(tables) <= 1
    # The broken twin takes the labels of each type as they are.
    monkeypatch.setattr(scoring, "number_kind", lambda table, name: table.collect_schema()[name])
    assert furthest(tables) >= MANY - 1


def test_whole_numbers_that_floats_hold_are_labels():
    numbers = [2**53 - 1, 1 - 2**53, 5, 2**53, -(2**53), 2**63 - 1]
    for kind in ("int64", "float64"):
        frame = pandas.DataFrame({"what": pandas.Series(numbers, dtype=kind), "who": range(6)})
        assert counts_of(frame) == {2**53 - 1: 1, 1 - 2**53: 1, 5: 1}
    for kind in ("Int64", "int64[pyarrow]"):
        frame = pandas.DataFrame({"what": pandas.Series(numbers, dtype=kind), "who": range(6)})
        assert counts_of(frame) == dict.fromkeys(numbers, 1)


def test_scores_of_pandas_are_clipped_where_floats_are_exact(monkeypatch):
    """A missing score makes floats of all; then one that nobody changed would move by 100."""
    score = {"person": None, "score": "n", "sensitivity": 1}
    tables = [
        pandas.DataFrame({"what": ["a", "b", "c"], "n": [2**60 + 100, -(2**60), last]})
        for last in (1, None)
    ]
    one, other = (counts_of(table, **score) for table in tables)
    assert one == {"a": 2**53, "b": -(2**53), "c": 1}
    assert other == {**one, "c": 0}
    ranged = [counts_of(table, **score, value_range=(0, 2**61)) for table in tables]
    assert ranged[0] == {"a": 2**53, "b": 0, "c": 1}
    assert ranged[1] == {**ranged[0], "c": 0}
    # The broken twin takes the scores of each type as they are.
    monkeypatch.setattr(scoring, "number_kind", lambda table, name: table.collect_schema()[name])
    monkeypatch.setattr(columns, "EXACT", 2**70)
    one, other = (counts_of(table, **score) for table in tables)
    assert one["a"] - other["a"] == 100
