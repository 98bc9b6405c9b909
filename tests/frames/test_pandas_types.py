"""Pandas chooses types by the rows: nothing that one row makes of a column may tell of it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pyarrow
import pytest

from overbar import ParameterError
from overbar.frames import columns, contributions, narwhals_table, texts
from overbar.frames.catalogue import catalogue_of
from overbar.frames.measure import measure_of
from overbar.frames.scoring import listed_batches, scored
from tests.frames.engines import scores_of

#: The size of identifiers that carry a time, as many services give them.
LONG = 1_750_000_000_000_000_000
MANY = 2_000
ONE = Fraction(1)


def as_typed(table, name):
    """Return what broken twins read: each column by its own type."""
    return table.collect_schema()[name]


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
    monkeypatch.setattr(
        narwhals_table, "number_kind", lambda table, name: table.collect_schema()[name]
    )
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
    monkeypatch.setattr(
        narwhals_table, "number_kind", lambda table, name: table.collect_schema()[name]
    )
    monkeypatch.setattr(columns, "EXACT", 2**70)
    one, other = (counts_of(table, **score) for table in tables)
    assert one["a"] - other["a"] == 100


def listed(frame, catalogue, **how):
    """Return {item of the catalogue: score}, as a release has them."""
    known = catalogue_of(catalogue)
    measure = measure_of(item="what", person="who", **how)
    batches = list(listed_batches(scored(frame, measure, ONE, known), known, len(known)))
    return {label: score for b in batches for label, score in zip(b.labels, b.steps, strict=True)}


DAY = datetime.date(2024, 2, 29)
#: What the rows of others hold, a catalogue, its scores, and the item of one more person.
CHANGED = {
    "whole numbers and one missing": ([1, 2, 2], [1, 2], [1, 2], None),
    "whole numbers and a text": ([1, 2, 2], [1, 2], [1, 2], "x"),
    "whole numbers and a range": ([1, 2, 2], range(1, 3), [1, 2], "x"),
    "whole numbers and a list of texts": ([1, 2, 2], ["1", "2"], [1, 2], "x"),
    "halves and a text": ([1.0, 7.5, 7.5], ["1", "7.5"], [1, 0], "x"),
    "booleans and one missing": ([True, False, True], [True, False], [2, 1], None),
    "booleans and a list of texts": ([True, False, True], ["True", "x"], [2, 0], "y"),
    "booleans and whole numbers": ([True, False, True], [1, 0], [0, 0], "y"),
    "dates and a text": ([DAY, DAY, None], [DAY], [2], "x"),
    "texts and a number": (["a", "a\0b", "a\0b"], ["a", "a\0b"], [1, 0], 5),
    "texts that are numbers": (["1", "2", "01"], [1, 2], [1, 1], 5),
    "nothing and a text": ([np.nan, np.nan], ["tea"], [0], "x"),
    "nothing and a date": ([np.nan, np.nan], [DAY], [0], "x"),
    "no rows": ([], [1], [0], 5),
    "no rows, and a text": ([], ["1"], [0], "x"),
    "long numbers as text": (["1", str(LONG)], ["1", str(LONG)], [1, 1], 5),
    "long numbers": ([LONG, LONG], [str(LONG)], [0], "x"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("most", [None, 1])
def test_a_row_that_changes_the_type_changes_nothing_else(case, most):
    others, catalogue, expected, more = case
    tables = neighbours(others, range(len(others)), more, 99)
    tables.append(tables[0].astype(object))
    for table in tables:
        found = listed(table, catalogue, items_per_person=most)
        assert [type(label) for label in found] == [type(label) for label in catalogue]
        changed = {label for label in catalogue if more in (label, str(label))}
        for label, score in zip(catalogue, expected, strict=True):
            assert found[label] == score or (label in changed and found[label] == score + 1)


@pytest.mark.parametrize(("item", "person"), [(None, 9), (True, None)])
def test_a_missing_boolean_redraws_nobodys_lots(item, person, monkeypatch):
    """It makes objects of the column, which are spelled otherwise: so the lots of all were new."""
    monkeypatch.setattr(contributions, "system", bytes)
    what = [bool(n % 2) for n in range(400)] if item is None else list(range(400))
    who = [n // 2 for n in range(400)] if item is None else [bool(n % 2) for n in range(400)]
    tables = neighbours(what, who, item, person)
    assert tables[0].dtypes.tolist() != tables[1].dtypes.tolist()
    one, other = (listed(table, sorted(set(what)), items_per_person=1) for table in tables)
    assert one == other
    one, other = (counts_of(table, items_per_person=1) for table in tables)
    assert {*map(str, one)} == {*map(str, other)}
    # The broken twin takes booleans as they are.
    monkeypatch.setattr(narwhals_table, "spelled", lambda table, names: table)
    one, other = (listed(table, sorted(set(what)), items_per_person=1) for table in tables)
    assert one != other


def test_a_range_is_not_written_out_for_objects():
    table = pandas.DataFrame({"what": ["5", 7, None], "who": range(3)})
    known = catalogue_of(range(10**12))
    found = scored(table, measure_of(item="what", person="who"), ONE, known)
    assert known.places(found.items).tolist() == [5, 7]


def test_a_catalogue_of_longer_numbers_is_refused_by_the_schema():
    wanted = "below 2\\*\\*53.*; make the column Int64, a type of Arrow, or text"
    for column in ([LONG], [LONG, None], [1.0], [], ["a"], [LONG, "a"]):
        frame = pandas.DataFrame({"what": column, "who": range(len(column))})
        for catalogue in ([1, LONG], [-(2**53)], range(2**53 - 1, 2**53 + 1)):
            with pytest.raises(ParameterError, match=wanted):
                listed(frame, catalogue)
    for kind in ("Int64", "int64[pyarrow]"):
        frame = pandas.DataFrame({"what": pandas.Series([LONG, None], dtype=kind), "who": [1, 2]})
        assert listed(frame, [1, LONG]) == {1: 0, LONG: 1}


def test_text_with_a_nul_is_missing_in_every_type_of_pandas():
    drinks = ["a\0b", "tea", "tea\0", None]
    for kind in (object, "str", "string[python]", "string[pyarrow]", "large_string[pyarrow]"):
        column = pandas.Series(drinks, dtype=kind)
        assert counts_of(pandas.DataFrame({"what": column, "who": range(4)})) == {"tea": 1}
        assert counts_of(pandas.DataFrame({"what": 1, "who": column})) == {1: 1}
        category = pandas.DataFrame({"what": column.astype("category"), "who": range(4)})
        assert counts_of(category) == {"tea": 1}
    words = pandas.ArrowDtype(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))
    column = pandas.Series(pandas.array(["a\0b", "tea"], dtype=words))
    assert counts_of(pandas.DataFrame({"what": column, "who": range(2)})) == {"tea": 1}


def test_control_text_with_a_nul_by_its_type_is_caught(monkeypatch):
    tables = neighbours(["a\0b"] * MANY, range(MANY), 5, MANY)
    assert furthest(tables) <= 1
    monkeypatch.setattr(texts, "_without_nul", lambda column: column)
    assert furthest(tables) == MANY


def test_a_missing_decimal_score_raises_nothing():
    kind = pandas.ArrowDtype(pyarrow.decimal128(10, 2))
    score = {"person": None, "score": "n", "sensitivity": 1}
    numbers = pandas.array([Decimal(3), None], dtype=kind)
    frame = pandas.DataFrame({"what": ["a", "b"], "n": numbers})
    assert counts_of(frame, **score) == {"a": 3, "b": 0}
    assert counts_of(frame, **score, value_range=(-5, 5)) == {"a": 3, "b": 0}
