"""What counts as a label, on every engine: types, missing values, mixtures."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import overbar
from overbar import ParameterError, ScoreError, frames
from overbar.frames.catalogue import Catalogue, catalogue_of
from overbar.frames.discretion import discreetly
from tests.frames.engines import ENGINES, scores_of, table_of

pytestmark = pytest.mark.one_in(3)

ONE = Fraction(1)
DAY = datetime.date(2024, 2, 29)


def counts_of(frame, **how):
    return scores_of(frame, grid=ONE, **how)


def pairs(items, persons=None):
    """Return an Arrow table from Arrow arrays."""
    return pyarrow.table({"what": items, "who": persons or pyarrow.array(range(len(items)))})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("most", [None, 1])
@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (pyarrow.array([DAY, DAY, None], pyarrow.date32()), {DAY: 2}),
        (pyarrow.array([True, False, True, None]), {False: 1, True: 2}),
        (pyarrow.array([5, None, 5], pyarrow.int8()), {5: 2}),
        (pyarrow.array([2**63 - 1, 2**63 - 1, -(2**63)]), {-(2**63): 1, 2**63 - 1: 2}),
        (pyarrow.array([2**64 - 1, 0], pyarrow.uint64()), {0: 1, 2**64 - 1: 1}),
        (pyarrow.array(["b", None, "b", "a"]).dictionary_encode(), {"a": 1, "b": 2}),
        (pyarrow.array([7.0, 7.5, float("nan"), None, float("inf"), 1e300, -0.0]), {0: 1, 7: 1}),
        (pyarrow.array([None, None], pyarrow.string()), {}),
    ],
    ids=["date", "boolean", "int8", "int64", "uint64", "categories", "float", "nothing"],
)
def test_kinds_of_labels(engine, most, items, expected):
    frame = ENGINES[engine](pairs(items))
    found = counts_of(frame, items_per_person=most)
    if engine.startswith("pandas") and frame["what"].dtype == object:
        expected = {str(label): count for label, count in expected.items()}
    if engine == "pandas":  # whose integers are floats as soon as one is missing
        expected = {k: n for k, n in expected.items() if type(k) is not int or abs(k) < 2**53}
    assert found == expected
    assert {type(label) for label in found} <= {str, int, bool, datetime.date}


def test_items_are_looked_up_before_a_ledger_pays(tmp_path, monkeypatch):
    """Whatever goes wrong there, nothing was drawn yet."""

    def fail(catalogue, items):
        raise UnicodeError(f"SECRET {items.to_list()}")

    monkeypatch.setattr(Catalogue, "places", fail)
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("rows", epsilon=1)
    how = {"threshold": 1000, "cutoff": 1, "epsilon": 1, "booking": ledger.booking("rows")}
    with pytest.raises(ScoreError, match="raised UnicodeError") as caught:
        frames.select(table_of([("tea", 1)]), item="what", person="who", catalogue=["tea"], **how)
    assert caught.value.__context__ is None
    assert ledger.remaining("rows") == 1


def test_errors_that_are_no_exceptions_are_not_repeated_either():
    class Panic(BaseException):
        pass

    with pytest.raises(ScoreError, match="raised Panic"), discreetly():
        raise Panic("SECRET")
    with pytest.raises(KeyboardInterrupt), discreetly():
        raise KeyboardInterrupt
    with pytest.raises(ScoreError, match="raised ColumnNotFoundError"):
        counts_of(polars.LazyFrame({"what": ["a"]}).select("SECRET"))


@pytest.mark.parametrize("engine", ENGINES)
def test_persons_of_every_kind(engine):
    day = pyarrow.array([DAY, DAY, None, DAY], pyarrow.date32())
    floats = pyarrow.array([1.0, 1.0, float("nan"), 2.5])
    for persons in (day, floats, pyarrow.array([True, True, None, True])):
        table = pairs(pyarrow.array(["a", "a", "a", "b"]), persons)
        expected = {"a": 1} if persons is floats else {"a": 1, "b": 1}
        assert counts_of(ENGINES[engine](table)) == expected
        bound = counts_of(ENGINES[engine](table), items_per_person=1)
        assert sum(bound.values()) == 1


class Unprintable:
    def __str__(self):
        raise RuntimeError("no text")


def test_an_object_column_is_compared_as_text():
    mixed = ["1", 1, 1.0, None, float("nan"), pandas.NA, pandas.NaT, True, Unprintable(), "\ud800"]
    frame = pandas.DataFrame({"what": pandas.Series(mixed, dtype=object), "who": range(len(mixed))})
    assert counts_of(frame) == {"1": 3, "True": 1}
    frame["what"] = [object(), [object()], lambda: 1, frame.sum, Unprintable, *"abcde"]
    assert set(counts_of(frame)) == {*"abcde", str(Unprintable)}  # no places in memory
    persons = pandas.Series([1, "1", None], dtype=object)
    frame = pandas.DataFrame({"what": ["a", "b", "b"], "who": persons})
    assert counts_of(frame) == {"a": 1, "b": 1}
    assert counts_of(frame, items_per_person=1) in ({"a": 1}, {"b": 1})
    frame.index = [7, 7, 7]
    assert counts_of(frame) == {"a": 1, "b": 1}


def test_categories_of_pandas_are_text():
    categories = pandas.Categorical([3, 5, 3, None], categories=[1, 3, 5])
    assert counts_of(pandas.DataFrame({"what": categories, "who": range(4)})) == {"3": 2, "5": 1}
    enum = polars.Series(["b", None], dtype=polars.Enum(["a", "b"]))
    assert counts_of(polars.DataFrame({"what": enum, "who": [1, 2]})) == {"b": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_catalogue_of_another_kind_is_refused_by_the_schema_alone(engine):
    for rows in ([], [("7", 1)]):
        frame = ENGINES[engine](table_of(rows))
        if engine == "pandas":  # where a row can change the type, they meet as text
            assert counts_of(frame, catalogue=catalogue_of([7])) == ({7: 1} if rows else {})
            continue
        with pytest.raises(ParameterError, match="catalogue must hold what the column 'what' hol"):
            frames.select(
                frame, item="what", person="who", catalogue=[7], threshold=9, cutoff=1, epsilon=1
            )


NOTHING = {
    "polars": lambda: polars.Series([None, None]),
    "polars, lazy": lambda: polars.Series([None, None]),
    "pyarrow": lambda: pyarrow.nulls(2),
    "duckdb": lambda: pyarrow.nulls(2),
    "pandas": lambda: pandas.array([None, None], dtype=pandas.ArrowDtype(pyarrow.null())),
}


@pytest.mark.parametrize("engine", NOTHING)
@pytest.mark.parametrize("most", [None, 1])
def test_a_column_of_nothing_holds_missing_values(engine, most):
    """Engines choose such a type where no row has a value: one more row has another."""
    columns = {"what": NOTHING[engine](), "who": [1, 2], "n": NOTHING[engine]()}
    if engine == "pandas":
        frame = pandas.DataFrame(columns)
    elif engine.startswith("polars"):
        frame = polars.DataFrame(columns)
        frame = frame.lazy() if "lazy" in engine else frame
    else:
        table = pyarrow.table(columns)
        frame = table if engine == "pyarrow" else duckdb.connect().from_arrow(table)
    for listed in (None, ["a"], [1], range(5), [True], [DAY]):
        known = None if listed is None else catalogue_of(listed)
        assert counts_of(frame, items_per_person=most, catalogue=known) == {}
    assert counts_of(frame, item="who", person="what", items_per_person=most) == {}
    assert counts_of(frame, item="who", person=None, score="n", sensitivity=1) == {1: 0, 2: 0}
    amounts = {"item": "n", "person": "who", "value": "what", "value_range": (0, 1)}
    assert counts_of(frame, **amounts) == {}


def test_columns_without_a_meaning_are_refused_by_the_schema_alone():
    moment = pyarrow.array([None], pyarrow.timestamp("us"))
    for frame in (pairs(moment), polars.DataFrame({"what": [[1]], "who": [1]})):
        with pytest.raises(ParameterError, match="item must be a column of text, whole numbers"):
            counts_of(frame)
    with pytest.raises(ParameterError, match="person must be a column of text, whole numbers"):
        counts_of(pairs(pyarrow.array(["a"]), moment))
    table = pyarrow.table({"what": ["a"], "who": [1], "much": ["2"]})
    with pytest.raises(ParameterError, match="value must be a column of numbers, got 'much'"):
        counts_of(table, value="much", value_range=(0, 1))
    with pytest.raises(ParameterError, match="score must be a column of numbers, got 'much'"):
        counts_of(table, person=None, score="much", sensitivity=1)


def test_missing_columns_are_named():
    with pytest.raises(ParameterError, match="item must name a column, got 'wat'; there are 'wh"):
        counts_of(table_of([]), item="wat")
    with pytest.raises(ParameterError, match="value must name a column, got 'x'"):
        counts_of(table_of([]), value="x", value_range=(0, 1))
    with pytest.raises(ParameterError, match="frame must be a table of pandas, Polars"):
        counts_of({"what": [1]})
    with pytest.raises(ParameterError, match="frame must be a table of pandas, Polars"):
        counts_of(polars.Series([1]))


def test_odd_column_names():
    odd = {"what": 'a "b" c', "who": "select", "much": "x;y"}
    table = table_of([("a", 1, 2.0), ("a", 2, 9.0)]).rename_columns(list(odd.values()))
    for make in ENGINES.values():
        columns = {"item": odd["what"], "person": odd["who"]}
        assert counts_of(make(table), **columns) == {"a": 2}
        sums = {"value": odd["much"], "value_range": (0, 5)}
        assert counts_of(make(table), **columns, **sums) == {"a": 7}


def test_scores_in_a_column_stay_exact():
    score = {"person": None, "score": "n", "sensitivity": 1}
    whole = pyarrow.table({"what": ["a", "a", "b", "c", None], "n": [2**53 + 1, 5, None, -3, 9]})
    for name, make in ENGINES.items():
        expected = {"a": 2**53 + 1, "b": 0, "c": -3}
        if name.startswith("pandas"):
            expected["a"] = 2**53  # pandas made floats of the column before we saw it
        assert counts_of(make(whole), **score) == expected
    numbers = [Decimal("1.5"), Decimal("2.49"), None, Decimal("-0.5"), None]
    decimals = whole.set_column(1, "n", pyarrow.array(numbers))
    for name in ("pyarrow", "polars", "duckdb"):
        assert counts_of(ENGINES[name](decimals), **score) == {"a": 2, "b": 0, "c": 0}


def test_scores_of_half_precision_on_arrow():
    halves = pyarrow.array(np.array([1.5, np.nan, np.inf], dtype=np.float16))
    table = pyarrow.table({"what": ["a", "b", "c"], "n": halves})
    score = {"person": None, "score": "n", "sensitivity": 1}
    for frame in (table, polars.from_arrow(table), table.to_pandas(types_mapper=pandas.ArrowDtype)):
        assert counts_of(frame, **score) == {"a": 2, "b": 0, "c": 0}
        assert counts_of(frame, **score, value_range=(0, 9)) == {"a": 2, "b": 0, "c": 9}


def test_sums_of_whole_numbers_and_decimals():
    for numbers in ([7, None, 1], [Decimal("7.25"), None, Decimal("1.00")]):
        table = pyarrow.table({"what": ["a"] * 3, "who": [1, 2, 3], "much": numbers})
        for name in ("pyarrow", "polars", "polars, lazy", "duckdb"):
            assert counts_of(ENGINES[name](table), value="much", value_range=(0, 5)) == {"a": 6}


@pytest.mark.parametrize("engine", ENGINES)
def test_scores_of_floats_never_raise(engine):
    inf, nan = float("inf"), float("nan")
    table = pyarrow.table({"what": list("abcdd"), "n": [inf, -inf, nan, 2.0, nan]})
    score = {"person": None, "score": "n", "sensitivity": 1}
    frame = ENGINES[engine](table)
    assert counts_of(frame, **score) == {"a": 0, "b": 0, "c": 0, "d": 2}
    clamped = counts_of(frame, **score, value_range=(-5, 7))
    assert clamped == {"a": 7, "b": -5, "c": 0, "d": 2}


def test_what_an_engine_says_about_a_row_stays_there():
    rows = "(values ('7319021x')) as t(x)"
    where = "cast(x as int) > 0"  # a column that fails at a row has no value there
    relation = duckdb.connect().sql(f"select x as who, 'a' as what from {rows} where {where}")
    with pytest.raises(ScoreError, match="its engine raised ConversionException") as caught:
        counts_of(relation)
    assert "7319021" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_what_numpy_is_told_to_raise_does_not_depend_on_rows():
    rows = [("a", 1, float("inf")), ("a", 1, float("-inf"))]
    with np.errstate(all="raise"):
        found = counts_of(table_of(rows).to_pandas(), value="much", value_range=(0, 1))
    assert found == {"a": 0}


def test_labels_come_back_as_plain_python_values():
    for make in ENGINES.values():
        frame = make(table_of([(5, person) for person in range(300)], "whole"))
        found = frames.select(
            frame, item="what", person="who", items_per_person=1, threshold=150, cutoff=1,
            epsilon=1, delta="1e-6", candidates=10,
        )  # fmt: skip
        assert found.labels == (5,)
        assert type(found.labels[0]) is int
        assert found.indices is None
        assert isinstance(found, overbar.Selection)
