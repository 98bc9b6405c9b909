"""Labels above a length are missing, row by row, in words and parts of any size."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import numpy as np
import pyarrow
import pytest

from overbar import frames
from overbar.frames import arrow_words, contributions, texts
from overbar.frames.catalogue import Catalogue, catalogue_of
from tests.frames.engines import scores_of
from tests.frames.test_one_spelling import ENGINES, KEY, table_of
from tests.reference import frames as reference

ONE = Fraction(1)
LONG = 20
#: Around the limit, in bytes and not in signs.
LABELS = ["a" * 19, "a" * 20, "a" * 21, "é" * 10, "é" * 10 + "x", "é" * 11, "€" * 6, "€" * 7, "b"]


def drawn_rows():
    generator = np.random.default_rng(2)
    labels = [LABELS[place] for place in generator.integers(len(LABELS), size=800)]
    return list(zip(labels[::2], labels[1::2], strict=True))


def short(rows):
    return [row for row in rows if all(len(label.encode()) <= LONG for label in row)]


@pytest.fixture
def _short_limit(monkeypatch):
    monkeypatch.setattr(texts, "LONGEST", LONG)
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])


@pytest.mark.usefixtures("_short_limit")
@pytest.mark.parametrize("engine", [*ENGINES, "pyarrow, as if long"])
def test_long_labels_are_missing(engine, monkeypatch):
    rows = drawn_rows()
    if engine not in ENGINES:
        engine = "pyarrow"
        monkeypatch.setattr(arrow_words, "SHORT", 0)
    frame = ENGINES[engine](table_of(rows))
    assert scores_of(frame, grid=ONE) == reference.counts(short(rows))
    found = scores_of(frame, grid=ONE, items_per_person=1)
    assert found == reference.counts(short(rows), 1, KEY.hex())
    looked = frames.check(frame, item="what", person="who")
    assert looked.counted == len(short(rows))


@pytest.mark.usefixtures("_short_limit")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_combination_that_is_too_long_is_missing(engine):
    table = pyarrow.table({"x": ["ab", "é~" * 5, "/" * 8, "a" * 19], "y": ["cd", "e" * 8, "", ""]})
    frame = ENGINES[engine](table.append_column("who", pyarrow.array(["1", "2", "3", "4"])))
    found = scores_of(frame, grid=ONE, item=["x", "y"])
    assert found == {"ab/cd": 1, "~1" * 8 + "/": 1, "a" * 19 + "/": 1}


def test_items_that_are_not_listed_do_not_come_back(monkeypatch):
    rows = [(f"item {number}", str(number)) for number in range(5000)]
    sizes, coded = [], arrow_words.in_words

    def noted(table):
        sizes.append(len(table))
        return coded(table)

    monkeypatch.setattr(arrow_words, "in_words", noted)
    listed = catalogue_of(["item 7", "item 4999", "absent"])
    found = scores_of(ENGINES["duckdb"](table_of(rows)), grid=ONE, catalogue=listed)
    assert found == {"item 4999": 1, "item 7": 1}
    assert sizes == [2]
    # The broken twin looks nothing up: everything comes back.
    monkeypatch.setattr(Catalogue, "places", lambda _, items: np.zeros(len(items), dtype=np.intp))
    scores_of(ENGINES["duckdb"](table_of(rows)), grid=ONE, catalogue=listed)
    assert sizes == [2, 5000]


def test_words_of_arrow_have_wide_offsets(monkeypatch):
    """Groups of Arrow are made of numbers, whatever type the text came with."""
    kinds, coded = [], arrow_words.in_words

    def noted(table):
        found = coded(table)
        kinds.append(found.to_native().schema.field("item").type)
        return found

    monkeypatch.setattr(contributions, "in_words", noted)
    monkeypatch.setattr(arrow_words, "in_words", noted)
    monkeypatch.setattr(arrow_words, "SHORT", 0)
    wide = pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        table = table_of(drawn_rows()).cast(pyarrow.schema([("what", kind), ("who", kind)]))
        for frame in (table, duckdb.connect().from_arrow(table)):
            for most in (None, 1):
                scores_of(frame, grid=ONE, items_per_person=most)
    assert {*kinds} == {wide}


@pytest.mark.parametrize("most", [None, 1])
def test_only_what_is_listed_is_put_in_words(monkeypatch, most):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])
    rows = [(f"item {number % 70}", str(number % 90)) for number in range(9000)]
    listed = catalogue_of(["item 7", "item 69", "absent"])
    short = scores_of(table_of(rows), grid=ONE, items_per_person=most, catalogue=listed)
    monkeypatch.setattr(arrow_words, "SHORT", 0)
    long = scores_of(table_of(rows), grid=ONE, items_per_person=most, catalogue=listed)
    assert {name: long[name] for name in ("item 7", "item 69")} == {
        name: short[name] for name in ("item 7", "item 69")
    }
    assert {*long} == {"item 7", "item 69"}


def test_long_labels_make_parts_smaller(monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])
    monkeypatch.setattr(contributions, "BYTES_AT_ONCE", 1)
    rows = [(f"item {number % 700}", str(number % 90)) for number in range(9000)]
    found = scores_of(ENGINES["duckdb"](table_of(rows)), grid=ONE, items_per_person=3)
    assert found == reference.counts(rows, 3, KEY.hex())
