"""Rows are found along links, as a search of all rows finds them; and in few steps."""

import random

import pytest

import overbar
from overbar.errors import LedgerError
from overbar.ledger import store
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.rows import BITS, route, walk
from tests.ledger.damage import ask


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
