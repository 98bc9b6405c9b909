"""Every engine's scores against plain dictionaries; what one person can do to them."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.frames import contributions
from overbar.frames.catalogue import catalogue_of
from tests.frames.engines import ENGINES, scores_of, table_of
from tests.reference import frames as reference

pytestmark = pytest.mark.one_in(5)

KEY = bytes(range(16))
GRID = Fraction(1, 8)
#: One letter in two forms, an empty label, labels that look like numbers, missing values and NULs.
WORDS = ["é", "e\u0301", "", " ", "1", "01", "NULL", "nan", "a'b", 'a"b', "𝔘", "ﬀ", "a\x00b", "|"]
texts = st.one_of(st.none(), st.sampled_from(WORDS), st.text(max_size=3))
wholes = st.one_of(st.none(), st.integers(-5, 5), st.integers(-(2**53) + 1, 2**53 - 1))
quarters = st.integers(-40, 40).map(lambda number: number / 4)
values = st.one_of(st.none(), st.just(float("nan")), quarters)


def rows_of(items, persons):
    return st.lists(st.tuples(items, persons, values), max_size=25)


tables = st.one_of(
    st.tuples(st.just("text"), st.just("whole"), rows_of(texts, wholes)),
    st.tuples(st.just("whole"), st.just("text"), rows_of(wholes, texts)),
)
few = st.tuples(
    st.just("whole"),
    st.just("whole"),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), values), min_size=1, max_size=16),
)


@pytest.fixture(autouse=True)
def _known_key():
    with mock.patch.object(contributions, "system", lambda count: KEY[:count]):
        yield


def as_read(engine, rows):
    """Return rows as an engine has them: in pandas, text with a NUL is missing."""
    if not engine.startswith("pandas"):
        return rows
    return [tuple(None if "\0" in str(cell) else cell for cell in row) for row in rows]


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=20, deadline=None)
@given(table=st.one_of(tables, few), most=st.integers(1, 3))
def test_counts_sums_and_bounds(engine, table, most):
    item, person, rows = table
    frame = ENGINES[engine](table_of(rows, item, person))
    rows = as_read(engine, rows)
    unit = int(1 / GRID)

    def steps(counts):
        return {label: unit * count for label, count in counts.items()}

    assert scores_of(frame, grid=GRID) == steps(reference.counts(rows))
    bound = reference.counts(rows, most, KEY.hex())
    assert scores_of(frame, grid=GRID, items_per_person=most) == steps(bound)
    amounts = {"value": "much", "value_range": (-2, 3)}
    assert scores_of(frame, grid=GRID, **amounts) == reference.sums(rows, -2, 3, GRID)
    assert scores_of(frame, grid=GRID, items_per_person=most, **amounts) == reference.sums(
        rows, -2, 3, GRID, most, KEY.hex()
    )


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=10, deadline=None)
@given(table=st.one_of(tables, few), most=st.integers(1, 3), data=st.data())
def test_persons_are_bounded_among_listed_items(engine, table, most, data):
    item, person, rows = table
    there = sorted({row[0] for row in rows if row[0] is not None})
    absent = "absent" if item == "text" else 6
    listed = [absent, *(data.draw(st.lists(st.sampled_from(there), unique=True)) if there else [])]
    frame = ENGINES[engine](table_of(rows, item, person))
    found = scores_of(
        frame, grid=Fraction(1), catalogue=catalogue_of(listed), items_per_person=most
    )
    assert found == reference.counts(as_read(engine, rows), most, KEY.hex(), listed)


def worst_moves(score, rows):
    """Return by how much, and how many, scores move at most when one person leaves."""
    everyone, lowest, highest, most = score(rows), 0, 0, 0
    for person in {row[1] for row in rows} - {None}:
        others = score([row for row in rows if row[1] != person])
        moves = [everyone.get(i, 0) - others.get(i, 0) for i in {*everyone, *others}]
        lowest, highest = min([lowest, *moves]), max([highest, *moves])
        most = max(most, sum(move != 0 for move in moves))
    return lowest, highest, most


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@settings(max_examples=6, deadline=None)
@given(table=few)
def test_one_person_moves_each_score_by_at_most_the_sensitivity(engine, table):
    *_, rows = table

    def score(**how):
        def scores(some):
            return scores_of(ENGINES[engine](table_of(some, "whole")), grid=GRID, **how)

        return scores

    steps = int(1 / GRID)
    lowest, highest, _ = worst_moves(score(), rows)
    assert lowest == 0
    assert highest <= steps
    lowest, highest, most = worst_moves(score(items_per_person=2), rows)
    assert lowest == 0
    assert highest <= steps
    assert most <= 2
    lowest, highest, _ = worst_moves(score(value="much", value_range=(0, 3)), rows)
    assert lowest == 0
    assert highest <= 3 * steps
    lowest, highest, _ = worst_moves(score(value="much", value_range=(-3, 2)), rows)
    assert -3 * steps <= lowest
    assert highest <= 2 * steps


def test_control_broken_twins_are_caught():
    rows = [("tea", 1), ("tea", 1), ("rum", 1), ("rum", 2), ("tea", 3), ("ale", 3), ("rum", 3)]
    assert worst_moves(reference.row_counts, rows)[1] == 2
    assert worst_moves(reference.counts, rows)[:2] == (0, 1)
    # Whether the others' tea or rum counts depends on who is in the table.
    twin = [("tea", 1), ("rum", 1), ("tea", 2), ("rum", 2), ("tea", 3)]
    lowest, _, most = worst_moves(lambda some: reference.popular_counts(some, 1), twin)
    assert lowest < 0 or most > 1


@pytest.mark.parametrize("engine", ENGINES)
def test_infinite_and_enormous_values_are_clamped(engine):
    inf = float("inf")
    rows = [("a", 1, inf), ("b", 1, -inf), ("c", 1, inf), ("c", 1, -inf), ("d", 1, 1e308)]
    rows += [("d", 1, 1e308), ("e", 1, 5e-324), ("e", 2, 2.5)]
    found = scores_of(ENGINES[engine](table_of(rows)), grid=GRID, value="much", value_range=(-2, 3))
    assert found == {"a": 24, "b": -16, "c": 0, "d": 24, "e": 20}


@pytest.mark.parametrize("engine", ENGINES)
def test_no_float_takes_a_share_out_of_the_range(engine):
    """The ends of the range are no floats, and their quotients by the grid are rounded."""
    rows = [("a", 1, 5.0), ("b", 1, -5.0)]
    grid = Fraction(1, 10) / 3
    found = scores_of(
        ENGINES[engine](table_of(rows)),
        grid=grid,
        value="much",
        value_range=(Fraction(-1, 10), Fraction(1, 10)),
    )
    assert found == {"a": 3, "b": -3}


@settings(max_examples=10, deadline=None)
@given(table=st.one_of(tables, few), most=st.integers(1, 3))
def test_what_does_not_fit_in_memory_is_sorted_in_parts(table, most):
    item, person, rows = table
    frame = ENGINES["duckdb"](table_of(rows, item, person))
    with (
        mock.patch.object(contributions, "ROWS_AT_ONCE", 3),
        mock.patch.object(contributions, "TOTALS_AT_ONCE", 1),
    ):
        found = scores_of(frame, grid=Fraction(1), items_per_person=most)
        amounts = scores_of(
            frame, grid=GRID, items_per_person=most, value="much", value_range=(-2, 3)
        )
    assert found == reference.counts(rows, most, KEY.hex())
    assert amounts == reference.sums(rows, -2, 3, GRID, most, KEY.hex())
