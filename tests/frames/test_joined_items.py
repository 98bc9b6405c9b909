"""Items that several columns name together: every engine against plain dictionaries."""

from __future__ import annotations

import datetime
from fractions import Fraction

import numpy as np
import pandas
import pyarrow
import pytest

import overbar
from overbar import ParameterError, frames
from overbar.frames import columns, contributions
from overbar.frames.catalogue import catalogue_of
from tests.frames.engines import ENGINES, scores_of
from tests.reference import frames as reference
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(5)

KEY = bytes(range(16))
ONE = Fraction(1)
WHAT = ["where", "what"]
ASK = {"item": WHAT, "person": "who"}
PLACES = ["a/b", "a", "~", "~1", "/", "", "é", None]
THINGS = {
    "text": ["b/c", "c", "/c", "0", "1", "", "~0", None],
    "whole": [0, 1, -7, 2**40, 11, 12, 13, None],
    "boolean": [True, False, None],
    "date": [datetime.date(1, 1, 1), datetime.date(2024, 2, 29), None],
}


@pytest.fixture(autouse=True)
def _known_key(monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])


def drawn(kind, size=400, seed=1):
    dice = np.random.default_rng(seed)
    things = THINGS[kind]
    return [
        ((PLACES[dice.integers(len(PLACES))], things[dice.integers(len(things))]), int(who))
        for who in dice.integers(0, 30, size)
    ]


def table_with(rows, kind="text"):
    whats, persons = zip(*rows, strict=True)
    where, what = zip(*whats, strict=True)
    types = {"whole": pyarrow.int64(), "boolean": pyarrow.bool_(), "date": pyarrow.date32()}
    what_type = types.get(kind, pyarrow.string())
    return pyarrow.table({
        "where": pyarrow.array(where, pyarrow.string()), "what": pyarrow.array(what, what_type),
        "who": list(persons),
    })  # fmt: skip


def as_texts(rows):
    """Return the rows with one text for each combination that has no part missing."""
    return [(reference.one_text(whats), who) for whats, who in rows if None not in whats]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", THINGS)
def test_scores_lots_and_lists_are_those_of_the_reference(engine, kind):
    rows = drawn(kind)
    frame, texts = ENGINES[engine](table_with(rows, kind)), as_texts(rows)
    assert scores_of(frame, grid=ONE, **ASK) == reference.counts(texts)
    bounded = scores_of(frame, grid=ONE, items_per_person=3, **ASK)
    assert bounded == reference.counts(texts, 3, KEY.hex())
    some = list(dict.fromkeys(whats for whats, _ in rows if None not in whats))[:9]
    listed = catalogue_of(some, WHAT)
    kept = scores_of(frame, grid=ONE, items_per_person=2, catalogue=listed, **ASK)
    wanted = {reference.one_text(whats) for whats in some}
    assert kept == reference.counts(texts, 2, KEY.hex(), wanted)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", THINGS)
def test_labels_come_back_as_tuples(engine, kind):
    if engine.startswith("pandas") and kind in ("boolean", "date"):
        pytest.skip("pandas has objects there, which are text")
    whats = [("a/b", THINGS[kind][0]), ("~", THINGS[kind][1])]
    rows = [(what, who) for what in whats for who in range(4000)] + [(("", None), 1)]
    frame = ENGINES[engine](table_with(rows, kind))
    asked = {"threshold": 2000, "cutoff": 2, "epsilon": 4, **ASK}
    found = frames.select(frame, delta="1e-9", items_per_person=2, candidates=5, **asked)
    assert set(found.labels) == set(whats)
    listed = [("nowhere", THINGS[kind][0]), *whats]
    found = frames.select(frame, catalogue=listed, **asked)
    assert {found.indices, tuple(sorted(found.indices))} >= {(1, 2)}
    assert set(found.labels) == set(whats)
    assert len(frames.top(frame, catalogue=listed, cutoff=1, epsilon=4, **ASK)) == 1


def test_all_engines_give_the_same_answer(monkeypatch):
    answers = set()
    for engine in ENGINES.values():
        source = seeded(5)
        monkeypatch.setattr("overbar.runs.batch.system", source)
        monkeypatch.setattr(contributions, "system", source)
        found = frames.select(
            engine(table_with(drawn("text", 4000))), threshold=8, cutoff=9, epsilon=60,
            delta="0.1", delta_is_large=True, items_per_person=20, candidates=50, **ASK,
        )  # fmt: skip
        answers.add(found.labels)
    assert len(answers) == 1
    assert answers != {()}


def moves(rows, **columns):
    """Return the most by which one person moves a score, and the most scores that one moves."""
    frame = ENGINES["polars"](table_with(rows))
    whole, far, many = scores_of(frame, grid=ONE, **ASK, **columns), 0, 0
    for person in {who for _, who in rows}:
        rest = table_with([row for row in rows if row[1] != person])
        others = scores_of(ENGINES["polars"](rest), grid=ONE, **ASK, **columns)
        changes = [whole.get(item, 0) - others.get(item, 0) for item in {*whole, *others}]
        far, many = max(far, *changes), max(many, sum(change != 0 for change in changes))
        assert min(changes) >= 0
    return far, many


def test_one_person_moves_each_combination_by_one():
    rows = drawn("text", 120)
    assert moves(rows)[0] == 1
    assert moves(rows, items_per_person=2) == (1, 2)


def test_control_texts_that_are_only_joined_take_two_combinations_for_one(monkeypatch):
    rows = [(("a/b", "c"), 1), (("a", "b/c"), 2)]
    assert set(scores_of(table_with(rows), grid=ONE, **ASK).values()) == {1}
    monkeypatch.setattr(columns, "_text", lambda name, _: columns.nw.col(name))
    assert set(scores_of(table_with(rows), grid=ONE, **ASK).values()) == {2}


@pytest.mark.parametrize("value", [7, True, 2.0])
def test_a_row_that_changes_a_type_of_pandas_renames_nothing(value):
    columns = {"where": ["x"] * 5, "what": [value] * 5, "who": [1, 2, 3, 4, 5]}
    table = pandas.DataFrame(columns)
    listed = catalogue_of([("x", int(value) if value == 2.0 else value)], WHAT)
    before = scores_of(table, grid=ONE, catalogue=listed, items_per_person=1, **ASK)
    assert list(before.values()) == [5]
    for odd in (None, "odd"):
        more = pandas.DataFrame({"where": ["y"], "what": [odd], "who": [6]})
        with_them = pandas.concat([table.astype({"what": object}), more])
        after = scores_of(with_them, grid=ONE, catalogue=listed, items_per_person=1, **ASK)
        assert after == before


def test_a_ledger_gives_the_same_tuples_again(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=10)
    day = datetime.date(2024, 2, 29)
    listed = [("north", day), ("south", day)]
    rows = [(listed[0], who) for who in range(500)]
    asked = {"catalogue": listed, "threshold": 200, "cutoff": 1, "epsilon": 1, **ASK}
    booking = ledger.booking("sales", request_id="one")
    first, again = (
        frames.select(table_with(rows, "date"), booking=booking, **asked) for _ in range(2)
    )
    assert again.labels == first.labels == (("north", day),)
    assert again.receipt.repeated
    assert ledger.verify() is not None


def test_what_is_asked_is_said_in_words():
    asked = {"threshold": 9, "cutoff": 1, "epsilon": 1, "catalogue": [("a", 1)], **ASK}
    question = frames.Question.select(**asked)
    assert str(question.measure) == "number of who for each where and what"
    alone = frames.Question.select(**asked | {"item": ["what"], "catalogue": [1]})
    assert alone.measure.item == "what"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"item": ["what", "what"]}, "each role needs a column of its own"),
        ({"item": []}, "item must be the name of a column"),
        ({"item": ["what", 3]}, "item must be the name of a column, got 3"),
        ({"catalogue": ["a", "b"]}, "catalogue must list tuples of where and what, each with 2"),
        ({"catalogue": [("a", "b"), ("a",)]}, "each with 2 parts"),
        ({"catalogue": [("a", 1), ("a", "b")]}, "items of one kind"),
        ({"catalogue": [("a", "b"), ("c", "d"), ("a", "b")]}, "number 3 stands there before"),
        ({"catalogue": pyarrow.table({"what": ["a"]})}, "no column 'where'"),
        ({"catalogue": []}, "at least one item"),
        (
            {"catalogue": pandas.DataFrame([["a", "b", "c"]], columns=["where", "what", "what"])},
            "catalogue must list tuples of where and what, got several columns of one name",
        ),
        ({"item": ["where", "much"]}, "item must name a column, got 'much'"),
    ],
)
def test_what_is_refused(changes, message):
    asked = {"catalogue": [("a", "b")], "threshold": 9, "cutoff": 1, "epsilon": 1, **ASK}
    with pytest.raises(ParameterError, match=message):
        frames.select(table_with([(("a", "b"), 1)]), **asked | changes)


def test_a_catalogue_may_be_a_frame_with_these_columns():
    listed = pyarrow.table({"what": ["tea", "rum"], "more": [1, 2], "where": ["north", "south"]})
    assert list(catalogue_of(listed, WHAT).labels) == [("north", "tea"), ("south", "rum")]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("kind", "part", "fits"),
    [
        ("boolean", "true", False),
        ("boolean", 1, False),
        ("whole", True, False),
        ("whole", datetime.date(2024, 2, 29), False),
        ("text", True, False),
        ("text", 1, True),
        ("whole", "1", True),
        ("date", "2024-02-29", True),
    ],
)
def test_a_part_that_no_column_of_this_type_holds_is_refused(engine, kind, part, fits):
    """Nothing was found, and it was paid for. In pandas a row may choose the type of a column."""
    frame = ENGINES[engine](table_with([(("a", THINGS[kind][1]), 1)], kind))
    asked = {"threshold": 9, "cutoff": 1, "epsilon": 1, "catalogue": [("a", part)], **ASK}
    if fits or engine == "pandas":
        listed = catalogue_of(asked["catalogue"], WHAT)
        scores_of(frame, grid=ONE, catalogue=listed, **ASK)
        return
    with pytest.raises(ParameterError, match=f"column 'what' holds, which is {kind}, got"):
        frames.select(frame, **asked)


@pytest.mark.parametrize("part", ["a", 1, True, datetime.date(2024, 2, 29)])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_of_nothing_is_refused_for_no_kind(engine, part):
    """Some engines choose such a type by the rows."""
    empty = pyarrow.table({"where": ["a"], "what": pyarrow.nulls(1), "who": [1]})
    listed = catalogue_of([("a", part)], WHAT)
    found = scores_of(ENGINES[engine](empty), grid=ONE, catalogue=listed, items_per_person=1, **ASK)
    assert found == {}


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_of_a_listed_frame_are_whole_numbers_on_every_engine(engine):
    """Rows of Int64 of pandas hold numbers of NumPy, which were refused."""
    listed = ENGINES[engine](pyarrow.table({"where": ["north", "south"], "what": [1, 2]}))
    if engine in ("polars, lazy", "duckdb"):
        with pytest.raises(ParameterError, match="got a query"):
            catalogue_of(listed, WHAT)
    else:
        assert list(catalogue_of(listed, WHAT).labels) == [("north", 1), ("south", 2)]


def test_keys_take_one_column():
    with pytest.raises(ParameterError, match="item must be one column here"):
        frames.keys(table_with([(("a", "b"), 1)]), epsilon=1, delta="1e-6", **ASK)
