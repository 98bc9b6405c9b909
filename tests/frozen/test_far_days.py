"""Engines count days far beyond the years that Python knows: no such row may raise, anywhere."""

from __future__ import annotations

import datetime

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from overbar import ParameterError, ScoreError, frames
from tests.frozen import seam
from tests.frozen.engines import ENGINES

EPOCH = datetime.date(1970, 1, 1)
FIRST, LAST = ((end - EPOCH).days for end in (datetime.date.min, datetime.date.max))
#: Over the whole range of 32 bits, so that years that wrap at 16 bits come by in thousands.
DAYS = np.append(np.arange(-(2**31), 2**31, 99_991), [FIRST - 1, FIRST, LAST, LAST + 1, 2**31 - 1])
KNOWN = {EPOCH + datetime.timedelta(int(day)): 1 for day in DAYS if FIRST <= day <= LAST}
#: A day of the year 69,596, which Arrow calls 4060.
WRAPPED = 24_700_000

FAR = {
    "pyarrow": lambda table: table,
    "pandas, arrow": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "polars": polars.from_arrow,
    "polars, lazy": lambda table: polars.from_arrow(table).lazy(),
    "duckdb": ENGINES["duckdb"],
}


def pairs(items, persons=None):
    """Return an Arrow table from Arrow arrays."""
    return pyarrow.table({"what": items, "who": persons or pyarrow.array(range(len(items)))})


def days_of(days):
    return pyarrow.array(days, pyarrow.int32()).cast(pyarrow.date32())


@pytest.mark.parametrize("engine", FAR)
@pytest.mark.parametrize("most", [None, 1])
def test_days_of_all_32_bits(engine, most):
    one_person_each = FAR[engine](pairs(days_of(DAYS)))
    assert seam.scores(one_person_each, items_per_person=most) == KNOWN
    assert seam.scores(one_person_each, items_per_person=most, catalogue=list(KNOWN)) == KNOWN
    as_persons = FAR[engine](pairs(pyarrow.array([5] * len(DAYS)), days_of(DAYS)))
    assert seam.scores(as_persons, items_per_person=most) == {5: len(KNOWN)}
    two_items = pyarrow.table({"what": ["a", "b"] * len(DAYS), "who": days_of(np.repeat(DAYS, 2))})
    crowded = seam.scores(FAR[engine](two_items), items_per_person=1)
    assert sum(crowded.values()) == len(KNOWN)


@pytest.mark.parametrize("engine", FAR)
def test_keys_and_check_do_not_raise_either(engine):
    day = datetime.date(2024, 2, 29)
    rows = days_of([(day - EPOCH).days] * 2000 + [WRAPPED, -47_000_000])
    table = FAR[engine](pairs(rows))
    found = frames.keys(
        table, item="what", person="who", epsilon=5, delta="1e-6", rounds=2, counts=True
    )
    assert found.labels == (day,)
    looked = frames.check(table, item="what", person="who", catalogue=[day])
    assert (looked.items, looked.left_out) == (1, {"no item": 2})
    looked = frames.check(table, item="who", person="what", catalogue=[1])
    assert (looked.persons, looked.left_out) == (1, {"no person": 2})


def test_a_catalogue_with_a_far_day_is_refused():
    listed = pyarrow.chunked_array([days_of([0, WRAPPED])])
    with pytest.raises(ParameterError, match="nothing missing, got NoneType, date"):
        seam.scores(pairs(days_of([0])), catalogue=listed)


def test_control_days_by_their_years_are_caught(monkeypatch):
    seam.broken(monkeypatch, "days by their years")
    table = pairs(days_of([0, WRAPPED]))
    with pytest.raises(ScoreError, match="raised OverflowError"):
        frames.check(table, item="what", person="who", catalogue=[EPOCH])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_are_refused_by_the_schema_however_far(unit):
    for words in ([], [0], [0, 2**63 - 1], [0, -(2**62)]):
        moments = pyarrow.array(words, pyarrow.int64()).cast(pyarrow.timestamp(unit))
        for make in FAR.values():
            try:
                table = make(pairs(moments))
            except (pyarrow.ArrowInvalid, pandas.errors.OutOfBoundsDatetime):
                continue  # the engine does not hold it
            with pytest.raises(ParameterError, match="must be a column of text, whole numbers"):
                seam.scores(table)
            with pytest.raises(ParameterError, match="must be a column of text, whole numbers"):
                frames.check(table, item="what", person="who")
