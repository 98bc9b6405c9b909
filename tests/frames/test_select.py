"""select and top on tables: one answer on every engine, catalogues, ledgers."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import overbar
from overbar import ParameterError, frames
from overbar.frames.catalogue import catalogue_of
from overbar.frames.scoring import Scored, listed_batches
from tests.frames.engines import ENGINES, table_of

pytestmark = pytest.mark.one_in(3)

COLUMNS = {"item": "what", "person": "who"}
WORDS = ["tea", "rum", "ale", "é", "e\u0301", "gin", "", "port"]


def rows_of(seed, count=4000, items=WORDS):
    """Rows with popular and rare items, repeated rows and missing values."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(items) + 2)
    chosen = rng.choice([*items, None], count, p=weights / weights.sum())
    persons = [None if p == 0 else int(p) for p in rng.integers(0, 700, count)]
    return list(zip(chosen, persons, rng.integers(-4, 20, count) / 4, strict=True))


def in_turn(**asked):
    """Return a plan of counts, or sums, that are asked one by one."""
    return overbar.plan(monotonic=True, candidates=len(WORDS), **asked)


QUESTIONS = {
    "listed": {"catalogue": ["none", *WORDS], "threshold": 150, "cutoff": 3, "epsilon": "0.03"},
    "several rounds": {
        "catalogue": WORDS, "threshold": 300,
        "plan": in_turn(cutoff=3, epsilon="0.3", rounds=20),
    },
    "unlisted": {
        "items_per_person": 2, "threshold": 120, "delta": "0.8", "delta_is_large": True,
        "plan": in_turn(cutoff=4, epsilon="0.05", noise="exponential", items_per_person=2),
    },
    "sums": {
        "value": {"much": (0, 3)}, "catalogue": WORDS[:4], "items_per_person": 2,
        "threshold": 200,
        "plan": in_turn(cutoff=2, epsilon="0.02", sensitivity=3, mechanism="sparse-vector"),
    },
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_one_answer_on_every_engine(question, replace_entropy):
    """With the entropy replaced; engines return rows in orders of their own, and differ in it."""
    table = table_of(rows_of(1))
    shuffled = table.take(np.random.default_rng(2).permutation(table.num_rows))
    answers = set()
    for seed in range(4):
        given = set()
        for make in ENGINES.values():
            for some in (table, shuffled):
                replace_entropy(seed)
                found = frames.select(make(some), **COLUMNS, **QUESTIONS[question])
                given.add((found.labels, found.indices, found.spent))
        assert len(given) == 1
        answers |= given
    assert len(answers) > 1  # the seeds do matter


@pytest.mark.parametrize("engine", ENGINES)
def test_top_on_every_engine(engine):
    rows = [(item, person) for place, item in enumerate("abcde") for person in range(400 * place)]
    found = frames.top(
        ENGINES[engine](table_of(rows)), **COLUMNS, catalogue=list("zabcde"),
        cutoff=2, epsilon=10,
    )  # fmt: skip
    assert found.labels == ("e", "d")
    assert found.indices == (5, 4)


@pytest.mark.parametrize(
    "catalogue",
    [
        [9, 3, 5], range(9, 0, -3), np.array([9, 3, 5], dtype=np.int16), (9, 3, 5),
        pandas.Series([9, 3, 5]), polars.Series([9, 3, 5]), polars.DataFrame({"x": [9, 3, 5]}),
        pyarrow.array([9, 3, 5]),
        pyarrow.chunked_array([[9], [3, 5]]), pyarrow.table({"x": [9, 3, 5]}),
    ],
    ids=lambda value: type(value).__module__ + "." + type(value).__name__,
)  # fmt: skip
@pytest.mark.parametrize("most", [None, 5])
def test_catalogues_in_every_form(catalogue, most):
    rows = [(item, person) for item in (2, 3, 4) for person in range(500)]
    listed = catalogue_of(catalogue)
    for make in (ENGINES["pandas"], ENGINES["duckdb"]):
        found = frames.select(
            make(table_of(rows, "whole")), **COLUMNS, catalogue=catalogue, threshold=250, cutoff=2,
            epsilon=1, items_per_person=most,
        )  # fmt: skip
        assert found.labels == (3,)
        assert [listed.labels[place] for place in found.indices] == [3]


def test_a_frame_of_two_columns_is_no_catalogue():
    with pytest.raises(ParameterError, match="frame of one column, got 2 columns"):
        catalogue_of(polars.DataFrame({"x": [1], "y": [2]}))


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_places_in_ranges_are_arithmetic(engine):
    """A range is as good as the list of its numbers, in either direction and with any stride."""
    items = [*range(-30, 31), 2**62, -(2**62), 2**63 - 1, -(2**63)]
    rows = [(item, person) for item in items for person in range(abs(item) % 7 + 1)]
    frame = ENGINES[engine](table_of(rows, "whole"))
    column = pyarrow.chunked_array([items])
    for catalogue in (range(-4, 9), range(20, -25, -7), range(-29, 40, 4), range(3, 4)):
        places = catalogue_of(catalogue).places(polars.Series(column.to_pylist()))
        assert np.array_equal(places, catalogue_of(list(catalogue)).places(polars.Series(items)))
        assert [catalogue[p] for p in places if p >= 0] == [i for i in items if i in catalogue]
        found = frames.select(
            frame, **COLUMNS, catalogue=catalogue, threshold=-1000, cutoff=99, epsilon=10,
            items_per_person=3,
        )  # fmt: skip
        assert sorted(found.labels) == sorted(catalogue)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("catalogue", [range(-3, 9), [-3, 8, 2**62, 5], range(-3, 9, 4)])
def test_listed_items_beyond_what_a_column_can_hold(engine, catalogue):
    """By the schema alone: a column of small or unsigned numbers has none below zero or above."""
    for kind, largest in ((pyarrow.uint64(), 2**64 - 1), (pyarrow.int8(), 127)):
        items = pyarrow.array([5, 5, largest], kind)
        frame = ENGINES[engine](pyarrow.table({"what": items, "who": [1, 2, 3]}))
        if engine == "pandas" and 2**62 in catalogue:  # refused for every column of its numbers
            continue
        for most in (None, 1):
            found = frames.select(
                frame, **COLUMNS, catalogue=catalogue, threshold=-1000, cutoff=99, epsilon=10,
                items_per_person=most,
            )  # fmt: skip
            assert sorted(found.labels) == sorted(catalogue)


def test_a_hundred_million_listed_items_take_a_batch_of_memory():
    """The catalogue is never written out; one batch of scores is 8 MiB."""
    found = Scored(polars.Series([5, 99_999_999, 10**8, 10**9]), np.array([7, 8, 9, 9]))
    tracemalloc.start()
    seen, total = {}, 0
    for batch in listed_batches(found, catalogue_of(range(10**8))):
        for place in np.flatnonzero(batch.steps).tolist():
            seen[batch.labels[place]] = int(batch.steps[place])
        total += len(batch.steps)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == {5: 7, 99_999_999: 8}
    assert total == 10**8
    assert peak < 64 << 20


def test_labels_of_scores_are_public(replace_entropy):
    table = pyarrow.table({"what": ["c", "a", "b"], "n": [900, 0, 800]})
    ask = {"item": "what", "score": "n", "threshold": 400, "cutoff": 2, "epsilon": 1}
    for make in ENGINES.values():
        found = frames.select(make(table), **ask, sensitivity=(0, 1))
        assert sorted(found.labels) == ["b", "c"]
        assert sorted(found.indices) == [1, 2]  # among the labels in order
        assert found.unlisted_delta == 0
        # Without a catalogue the number of candidates is read off the labels.
        assert found.plan == overbar.plan(epsilon=1, cutoff=2, monotonic=True, candidates=3)
        best = frames.top(
            make(table), item="what", score="n", cutoff=1, epsilon=5,
            sensitivity=1,
        )  # fmt: skip
        assert best.labels == ("c",)


def test_an_empty_table_costs_what_a_full_one_costs():
    ask = {**COLUMNS, "items_per_person": 1, "threshold": 200, "cutoff": 2, "epsilon": 1}
    ask |= {"delta": "1e-6", "candidates": 5}
    empty = frames.select(table_of([]), **ask)
    low = frames.select(table_of([("a", 1)]), **ask)
    assert empty == low
    assert empty.spent == empty.plan.pure(0) > 0


@pytest.mark.parametrize("purpose", ["", "monthly list"])
def test_a_ledger_pays_and_a_request_is_answered_once(tmp_path, purpose):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=2)
    frame = polars.from_arrow(table_of([("tea", person) for person in range(900)]))
    ask = {**COLUMNS, "catalogue": ["rum", "tea"], "threshold": 400, "cutoff": 1, "epsilon": 1}
    book = {"booking": ledger.booking("sales", request_id="first", purpose=purpose)}
    found = frames.select(frame, **ask, **book)
    assert found.labels == ("tea",)
    assert ledger.remaining("sales") == 1
    assert frames.select(frame, **ask, **book) == found
    assert ledger.remaining("sales") == 1
    # Another question under the same id is noticed, whatever its purpose is called.
    for change in (
        {"item": "who", "person": "what", "catalogue": [1, 2]},
        {"catalogue": ["gin", "tea"]},
        {"items_per_person": 1},
        {"value": {"much": (0, 1)}},
    ):
        with pytest.raises(overbar.LedgerError, match=r"'first' was made before with another .*qu"):
            frames.select(frame, **{**ask, **change}, **book)
    # A table that cannot be read costs nothing.
    with pytest.raises(ParameterError, match="item must name a column"):
        frames.select(frame, **{**ask, "item": "x"}, booking=ledger.booking("sales"))
    assert ledger.remaining("sales") == 1
    with pytest.raises(ParameterError, match=r"write booking=ledger\.booking\('sales'\)"):
        frames.select(frame, **ask, booking=ledger)


def test_unlisted_items_are_paid_for_in_a_ledger(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=2, delta="1e-5")
    ask = {**COLUMNS, "items_per_person": 1, "threshold": 200, "cutoff": 1, "epsilon": 1}
    ask |= {"delta": "1e-6", "candidates": 5, "booking": ledger.booking("sales", request_id="one")}
    frame = table_of([("tea", person) for person in range(900)])
    found = frames.select(frame, **ask)
    assert found.labels == ("tea",)
    assert 0 < found.unlisted_delta <= 1e-6
    assert frames.select(frame, **ask) == found
    strict = overbar.Ledger(tmp_path / "strict.db")
    strict.open("sales", epsilon=2)
    with pytest.raises(overbar.NoGuaranteeError, match="the dataset's budget is pure"):
        frames.select(frame, **{**ask, "booking": strict.booking("sales")})
    assert strict.remaining("sales") == Fraction(2)
