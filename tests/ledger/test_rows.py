"""Rows are written in one way only, hashed over all before them; files are kept and closed."""

import hashlib
import json
import os
import random
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import overbar
from overbar.errors import LedgerError
from overbar.ledger import store
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.description import Description, StatedCost
from overbar.ledger.row_events import event_of
from overbar.ledger.rows import BEGINNING, BITS, Row, canonical, link, route, walk
from tests.frozen.damage import PLAN


def ask(request):
    return Description("batch", PLAN, Fraction(5), purpose=f"for {request}")


def test_text_is_sorted_tight_and_ascii():
    assert canonical({"b": [1, None], "a": "ü"}) == '{"a":"\\u00fc","b":[1,null]}'
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_other_readers_do_not_know_are_refused(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"a": value})


def test_a_hash_binds_a_row_to_all_before_it():
    first = link(BEGINNING, "one")
    assert first == hashlib.sha256(f"{BEGINNING}\none".encode()).hexdigest()
    assert len({first, link(BEGINNING, "two"), link(first, "one"), link(first, "two")}) == 4
    assert len(BEGINNING) == 64


def test_a_row_is_read_back_or_refused():
    fields = {"a": 1, "b": "text"}
    assert Row(3, canonical(fields), "").fields == fields
    for broken in ("", "{", "[1]", "7", json.dumps("text"), "null"):
        with pytest.raises(LedgerError, match="row 3 of the ledger is not readable"):
            _ = Row(3, broken, "").fields


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files cannot be counted here")
def test_no_file_stays_open(tmp_path):
    """A ledger is made, opened, read and asked many times, and holds nothing in between."""
    overbar.Ledger(tmp_path / "first.db").open("a", epsilon=1)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(20):
        overbar.Ledger(tmp_path / f"{number}.db").open("a", epsilon=1)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2


def test_a_new_file_s_folder_is_forced_to_the_disk(tmp_path, monkeypatch):
    folders = []
    real = os.fsync

    def watched(number):
        folders.append(stat.S_ISDIR(os.fstat(number).st_mode))
        real(number)

    monkeypatch.setattr(os, "fsync", watched)
    overbar.Ledger(tmp_path / "ledger.db").open("a", epsilon=1)
    assert folders == [True]
    overbar.Ledger(tmp_path / "ledger.db")
    assert folders == [True]  # once, when the name is new


def grown(chance, keys, rows):
    """Return links of random rows, and the newest row of each key by plain search."""
    nodes, newest, last = {}, {}, None
    for number in range(1, rows + 1):
        key = chance.choice(keys)
        before, levels = walk(last, route(key), nodes.__getitem__)
        assert before == newest.get(key)
        last = newest[key] = (number, f"hash {number}")
        nodes[last] = route(key), levels
    return nodes, newest, last


@pytest.mark.parametrize("seed", range(20))
def test_what_is_found_is_what_a_search_of_all_rows_finds(seed):
    chance = random.Random(seed)
    keys = [f"key {number}" for number in range(chance.choice([1, 2, 5, 40]))]
    nodes, newest, last = grown(chance, keys, 120)
    for key in [*keys, "absent", "never"]:
        pointer, levels = walk(last, route(key), nodes.__getitem__)
        assert pointer == newest.get(key)
        # Link k: the newest row that agrees in k bits and differs in the next.
        wanted = {}
        for other, row in newest.items():
            level = BITS - (route(other) ^ route(key)).bit_length()
            if level < BITS:
                wanted[level] = max(wanted.get(level, row), row)
        assert {level: row for level, row in enumerate(levels) if row is not None} == wanted


def test_the_way_is_short():
    chance = random.Random(1)
    nodes, _, last = grown(chance, [f"key {number}" for number in range(20_000)], 40_000)
    steps = []

    def at(pointer):
        steps[-1] += 1
        return nodes[pointer]

    for number in range(500):
        steps.append(0)
        walk(last, route(f"key {number}"), at)
    assert sum(steps) / len(steps) < 12  # half of log2, and one or two
    assert max(steps) < 30


def test_a_row_that_is_not_where_it_belongs_is_refused():
    nodes, newest, last = grown(random.Random(2), ["a", "b", "c", "d"], 30)
    wrong = dict.fromkeys(nodes, (route("a"), (last,) * 4))
    with pytest.raises(LedgerError, match="not where it belongs"):
        walk(last, route("b"), wrong.__getitem__)
    assert newest


def test_a_booking_reads_few_rows_whatever_the_history(tmp_path, monkeypatch):
    """With an id, without one, an answered one, and on a dataset that rested: never all rows."""
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    for name in ("rested", "sales"):
        ledger.open(name, epsilon=10**6)
    answer = StoredAnswer.of(["a"])
    numbers = []
    real = store.SqliteTable.row

    def counted(table, number):
        numbers.append(number)
        return real(table, number)

    def booked(dataset, request):
        numbers.clear()
        held = ledger.reserve(dataset, ask(request), request_id=request)
        if isinstance(held, overbar.ledger.reservation.Reservation):
            held.settle(positives=1, asked=True, answer=answer if request else None)
        return len(numbers)

    monkeypatch.setattr(store.SqliteTable, "row", counted)
    monkeypatch.setattr(store.SqliteTable, "oldest_first", None)  # the whole history
    few = [booked("sales", None), booked("sales", "first"), booked("rested", None)]
    for number in range(150):
        ledger.reserve("sales", ask(f"lost {number}"), request_id=f"lost {number}")
    many = [booked("sales", None), booked("sales", "next"), booked("rested", None)]
    assert booked("sales", "first") < 30  # the stored answer
    assert many[0] <= few[0] + 4
    assert max(many) < 80
    monkeypatch.undo()
    assert ledger.verify() == ledger.head


def test_a_reservation_reads_the_last_row_and_the_one_before_once(tmp_path, monkeypatch):
    """Where the dataset stands and what a new row says of older ones is found on one walk."""
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=4)
    ledger.booking("sales").spend(epsilon=1, neighbours="person")
    numbers, read = [], store.SqliteTable.row
    monkeypatch.setattr(
        store.SqliteTable,
        "row",
        lambda table, number: (numbers.append(number), read(table, number))[1],
    )
    cost = Description("other", StatedCost.of(1, 0), None)
    ledger.reserve("sales", cost)
    assert numbers == [None, 2]


def test_a_row_that_was_just_read_is_not_read_again(tmp_path):
    """To the letter: a row with another text is another."""
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=4)
    with ledger._store.reading() as rows:
        row = rows.last()
    assert event_of(Row(row.number, row.content, row.hash)) is event_of(row)
    other = replace(row, content=row.content.replace('"epsilon":"4"', '"epsilon":"5"'))
    assert event_of(other).budget.epsilon == 5
    with pytest.raises(LedgerError, match="'closed' of a row must be true or false"):
        event_of(replace(row, content=row.content.replace('"closed":false', '"closed":0')))
