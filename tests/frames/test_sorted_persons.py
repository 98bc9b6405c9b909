"""Persons of a DuckDB table are bounded part by part, in one reading, and never cut in two."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import duckdb
import numpy as np
import pyarrow
import pytest

from overbar import ScoreError
from overbar.frames import contributions
from tests.frames.engines import ENGINES, scores_of, table_of
from tests.reference import frames as reference

pytestmark = pytest.mark.one_in(2)

KEY = bytes(range(16))
MOST = 4
EIGHT = duckdb.connect(config={"threads": "8", "preserve_insertion_order": "false"})


@pytest.fixture(autouse=True)
def _known_key(monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])
    monkeypatch.setattr(contributions, "ROWS_AT_ONCE", 50)


def drawn_rows(person=str, size=3000):
    """Persons with very different numbers of items; many rows come again."""
    generator = np.random.default_rng(3)
    persons = generator.geometric(0.02, size).tolist()
    items = generator.geometric(0.05, size).tolist()
    rows = [(f"item {item}", person(who)) for item, who in zip(items, persons, strict=True)]
    return [rows[place] for place in generator.permutation(size)]


def scores(rows, person="text"):
    table = table_of(rows, "text", person)
    return scores_of(EIGHT.from_arrow(table), grid=Fraction(1), items_per_person=MOST)


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
    monkeypatch.setattr(contributions, "_whole_persons", cut_anywhere)
    rows = [(f"item {n:03}", who) for who in "abcdef" for n in range(30)]
    assert worst(rows, scores)[0] > MOST


def test_a_table_that_can_be_read_once():
    """It was read to be counted first, and then again, which the engine refused."""
    rows = drawn_rows()
    reader = table_of(rows, "text", "text").to_reader()
    once = duckdb.connect().from_arrow(reader)
    found = scores_of(once, grid=Fraction(1), items_per_person=MOST)
    assert found == reference.counts(rows, MOST, KEY.hex())


@pytest.mark.parametrize("setting", ["arrow_large_buffer_size", "produce_arrow_string_view"])
def test_how_the_engine_writes_text_makes_no_difference(setting):
    """Where long text was asked for, a table was refused as soon as one person had too many."""
    few = [("tea", "a"), ("rum", "b")]
    for rows in ([], few, [*few, *((f"item {n}", "c") for n in range(MOST + 1))]):
        table = duckdb.connect(config={setting: "true"}).from_arrow(table_of(rows, "text", "text"))
        found = scores_of(table, grid=Fraction(1), items_per_person=MOST)
        assert found == reference.counts(rows, MOST, KEY.hex())


def test_long_texts_do_not_fill_a_batch(monkeypatch):
    """The texts of a batch have 2 GiB. In a batch of a million rows one person could fill them."""
    monkeypatch.undo()
    sizes, some = [], contributions._some

    def noted(ordered):
        batches = list(some(ordered))
        sizes.extend(map(len, batches))
        return batches

    monkeypatch.setattr(contributions, "_some", noted)
    rows = [(f"item {n}", "a") for n in range(9000)]
    assert sum(scores(rows).values()) == MOST
    assert sum(sizes) == len(rows)
    assert max(sizes) <= 2048


def test_an_error_in_the_middle_lets_go_of_the_table(monkeypatch):
    table = duckdb.connect().from_arrow(table_of(drawn_rows(), "text", "text"))
    error = ValueError("item 7 of person 3")  # it is kept, with all frames that it went through

    def broken(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(contributions, "_kept", broken)
        with pytest.raises(ScoreError, match="engine raised ValueError"):
            scores_of(table, grid=Fraction(1), items_per_person=MOST)
    found = scores_of(table, grid=Fraction(1), items_per_person=MOST)
    assert found == reference.counts(drawn_rows(), MOST, KEY.hex())


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_kept_rests_on_no_hash(engine, monkeypatch):
    """The claim is about any function in the place of MD5: also about one that is always zero.

    Of equal numbers the order of rows chose, which is not the person's own.
    """
    connect = duckdb.connect

    def without_a_hash(*settings, **more):
        made = connect(*settings, **more)
        made.execute("create macro md5_number(text) as 0")
        return made

    monkeypatch.setattr(duckdb, "connect", without_a_hash)
    zero = mock.Mock(**{"md5.return_value.digest.return_value": bytes(16)})
    monkeypatch.setattr(contributions, "hashlib", zero)
    rows = [(f"item {n:03}", who) for who in "abcdef" for n in range(30)]
    wanted = {f"item {n:03}": 6 for n in range(MOST)}
    for seed in range(5):
        drawn = np.random.default_rng(seed).permutation(len(rows))
        table = table_of([rows[place] for place in drawn], "text", "text")
        found = scores_of(ENGINES[engine](table), grid=Fraction(1), items_per_person=MOST)
        assert found == wanted


def test_only_persons_over_their_limit_need_a_lot(monkeypatch):
    asked = []
    starts = contributions._kept

    def noted(pairs, most, key, engine, groups):
        held = pairs.group_by("person").aggregate([([], "count_all")])["count_all"].to_pylist()
        asked.append(max(held, default=0) > most)
        return starts(pairs, most, key, None if not asked[-1] else engine, groups)

    monkeypatch.setattr(contributions, "_kept", noted)
    few = [(f"item {n}", str(person)) for person in range(99) for n in range(MOST)]
    assert scores(few) == dict.fromkeys((f"item {n}" for n in range(MOST)), 99)
    assert not any(asked)
    assert len(asked) > 3
