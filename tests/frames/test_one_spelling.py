"""One person under several spellings counts once, on every engine."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest

from overbar import frames
from overbar.frames import contributions, one_spelling, texts
from tests.frames.engines import scores_of
from tests.reference import frames as reference

ONE = Fraction(1)
KEY = bytes(range(16))
#: Texts, and whom they stand for: the first of equal ones.
PERSONS = {
    "1": "1", "1.0": "1", "1.00": "1", "01": "01", "01.0": "01", "-1": "-1", "-1.0": "-1",
    "0": "0", "0.0": "0", "-0.0": "0", "-00.0": "00", "10": "10", "10.0": "10", "100.000": "100",
    "9007199254740993": "9007199254740993", "9007199254740993.0": "9007199254740993",
    "9" * 400: "9" * 400, "9" * 400 + ".0": "9" * 400, "1.": "1.", "-0": "-0", ".0": ".0",
    "1e0": "1e0", "1e400": "1e400", "1e400.0": "1e400.0", " 1 ": " 1 ", "１": "１", "１.0": "１.0",
    "1.0\n": "1.0\n", "1.0 ": "1.0 ", "+1.0": "+1.0", "--1.0": "--1.0", "1.0.0": "1.0.0",
    "1.5": "1.5", "NaN": "NaN", "nan.0": "nan.0", "a.0": "a.0", "ann@x.0": "ann@x.0", "": "",
    "1,0": "1,0", "x\n1.0": "x\n1.0", "1.0\n1.0": "1.0\n1.0", "é.0": "é.0", "٣.0": "٣.0",
}  # fmt: skip
ENGINES = {
    "pyarrow": lambda table: table,
    "pyarrow, words": lambda table: table.drop_columns("who").append_column(
        "who", table["who"].dictionary_encode()
    ),
    "pandas": lambda table: table.to_pandas(),
    "pandas, objects": lambda table: table.to_pandas().astype({"who": object}),
    "pandas, arrow": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "polars": polars.from_arrow,
    "polars, lazy": lambda table: polars.from_arrow(table).lazy(),
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
    "duckdb, nocase": lambda table: duckdb.connect(
        config={"default_collation": "nocase"}
    ).from_arrow(table),
}


def drawn_rows():
    """Everybody under every spelling, with some items under each."""
    generator = np.random.default_rng(5)
    rows = [(f"item {generator.integers(40)}", text) for text in PERSONS for _ in range(9)]
    return [rows[place] for place in generator.permutation(len(rows))]


ROWS = drawn_rows()
SPELLED = [(item, PERSONS[text]) for item, text in ROWS]


def table_of(rows):
    whats, whos = zip(*rows, strict=True)
    return pyarrow.table({"what": whats, "who": whos})


@pytest.mark.parametrize("engine", ENGINES)
def test_spellings_of_a_number_are_one_person(engine, monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])
    frame = ENGINES[engine](table_of(ROWS))
    assert scores_of(frame, grid=ONE) == reference.counts(SPELLED)
    found = scores_of(frame, grid=ONE, items_per_person=2)
    assert found == reference.counts(SPELLED, 2, KEY.hex())
    looked = frames.check(frame, item="what", person="who")
    assert looked.persons == len({*PERSONS.values()})


def test_the_rule_is_a_function_of_one_value():
    assert {text: one_spelling.one_text(text) for text in PERSONS} == PERSONS


def test_objects_of_all_kinds_are_one_person():
    ones = ["1", "1.0", 1, 1.0, Decimal("1.00"), np.int8(1), np.float32(1), np.str_("1.0")]
    column = pandas.Series([*ones, True, float("nan"), -0.0, "0", None, 2.0**60], dtype=object)
    table = pandas.DataFrame({"what": "tea", "who": column})
    assert scores_of(table, grid=ONE) == {"tea": 3}  # 1, True and 0
    categories = pandas.DataFrame({"what": "tea", "who": pandas.Categorical([1.0, "1", "1.00"])})
    assert scores_of(categories, grid=ONE) == {"tea": 1}
    mixed = polars.DataFrame(
        {"who": polars.Series([1, "1.0", Decimal("1.0")], dtype=polars.Object)}
    )
    assert scores_of(mixed.with_columns(what=polars.lit("tea")), grid=ONE) == {"tea": 1}


def test_items_keep_their_spelling():
    table = pyarrow.table({"what": ["1", "1.0"], "who": ["a", "b"]})
    for make in ENGINES.values():
        assert scores_of(make(table), grid=ONE) == {"1": 1, "1.0": 1}


def test_control_two_spellings_are_two_persons(monkeypatch):
    """The broken twin takes the text as it is: one person moves a score by four."""
    for name in ("of_arrow", "of_polars", "of_duckdb", "one_text"):
        monkeypatch.setattr(texts.one_spelling, name, lambda text: text)
    table = table_of([("tea", text) for text in ("1", "1.0", "1.00", "1.000")])
    for make in ENGINES.values():
        assert scores_of(make(table), grid=ONE) == {"tea": 4}
