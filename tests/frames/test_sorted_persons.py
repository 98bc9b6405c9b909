"""Persons of a DuckDB table are bounded part by part, in one reading, and never cut in two."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import numpy as np
import pyarrow
import pytest

from overbar.frames import contributions, sorted_persons
from tests.frames.engines import scores_of, table_of
from tests.reference import frames as reference

KEY = bytes(range(16))
MOST = 4
ENGINE = duckdb.connect(config={"threads": "8", "preserve_insertion_order": "false"})


@pytest.fixture(autouse=True)
def _known_key(monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])
    monkeypatch.setattr(sorted_persons, "ROWS_AT_ONCE", 50)


def drawn_rows(person=str, size=3000):
    """Persons with very different numbers of items; many rows come again."""
    generator = np.random.default_rng(3)
    persons = generator.geometric(0.02, size).tolist()
    items = generator.geometric(0.05, size).tolist()
    rows = [(f"item {item}", person(who)) for item, who in zip(items, persons, strict=True)]
    return [rows[place] for place in generator.permutation(size)]


def scores(rows, person="text"):
    table = table_of(rows, "text", person)
    return scores_of(ENGINE.from_arrow(table), grid=Fraction(1), items_per_person=MOST)


def cut_anywhere(ordered):
    """The broken twin: a part ends where it ends, so that a person may be in two."""
    for batch in ordered:
        rows = pyarrow.table(batch).group_by(["person", "item"]).aggregate([])
        yield rows.sort_by("person")


def worst(rows, bounded_scores):
    """Return the most scores that one person moves, and the most by which one of them moves."""
    whole, most, far = bounded_scores(rows), 0, 0
    for person in {person for _, person in rows}:
        rest = bounded_scores([row for row in rows if row[1] != person])
        moves = [abs(whole.get(item, 0) - rest.get(item, 0)) for item in {*whole, *rest}]
        most, far = max(most, sum(move > 0 for move in moves)), max(far, *moves)
    return most, far


@pytest.mark.parametrize(("kind", "person"), [("text", str), ("whole", int)])
def test_many_parts_give_what_one_person_at_a_time_gives(kind, person):
    rows = drawn_rows(person)
    assert scores(rows, kind) == reference.counts(rows, MOST, KEY.hex())


def test_one_person_with_more_than_a_part():
    rows = [*((f"item {n % 400:03}", "a") for n in range(900)), ("tea", "b"), ("rum", "")]
    assert scores(rows) == reference.counts(rows, MOST, KEY.hex())
    assert sum(scores(rows).values()) == MOST + 2


def test_one_person_moves_so_many_scores_by_one():
    assert worst(drawn_rows(size=100), scores) == (MOST, 1)


def test_control_persons_cut_in_two_move_more(monkeypatch):
    monkeypatch.setattr(sorted_persons, "_whole_persons", cut_anywhere)
    rows = [(f"item {n:03}", who) for who in "abcdef" for n in range(30)]
    assert worst(rows, scores)[0] > MOST


def test_a_table_that_can_be_read_once():
    """It was read to be counted first, and then again, which the engine refused."""
    rows = drawn_rows()
    reader = table_of(rows, "text", "text").to_reader()
    once = duckdb.connect().from_arrow(reader)
    found = scores_of(once, grid=Fraction(1), items_per_person=MOST)
    assert found == reference.counts(rows, MOST, KEY.hex())


def test_only_persons_over_their_limit_need_a_lot(monkeypatch):
    asked = []
    starts = sorted_persons._kept

    def noted(pairs, most, key, engine):
        held = pairs.group_by("person").aggregate([([], "count_all")])["count_all"].to_pylist()
        asked.append(max(held, default=0) > most)
        return starts(pairs, most, key, None if not asked[-1] else engine)

    monkeypatch.setattr(sorted_persons, "_kept", noted)
    few = [(f"item {n}", str(person)) for person in range(99) for n in range(MOST)]
    assert scores(few) == dict.fromkeys((f"item {n}" for n in range(MOST)), 99)
    assert not any(asked)
    assert len(asked) > 3
