"""Keys that were not released, and counts, turn up nowhere: answers, errors, logs, ledgers."""

from __future__ import annotations

import logging
import pickle

import pytest

import overbar
from overbar import frames
from overbar.frames import key_search, key_weights
from tests.frames.engines import ENGINES, table_of
from tests.privacy.test_secrecy import shown

ASK = {"item": "what", "person": "who", "epsilon": 1, "delta": "1e-15"}
#: Two keys come out. Of the others there are 4919, and 7319 is how many persons hold the first.
MARKS = ("7319", "4919", "4921", "hidden")


@pytest.fixture(scope="module")
def table():
    rows = [("tea", n) for n in range(10**6, 10**6 + 7319)]
    rows += [("rum", n) for n in range(10**6, 10**6 + 2999)]
    rows += [(f"hidden {n}", 2 * 10**6 + n) for n in range(4919)]
    return table_of(rows)


def unmarked(text):
    return not any(mark in text for mark in MARKS)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_answer_holds_only_what_came_out(engine, table, tmp_path, caplog, capfd):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=2, delta="1e-5")
    with caplog.at_level(logging.DEBUG):
        found = frames.keys(
            ENGINES[engine](table), **ASK, booking=ledger.booking("sales", request_id="one")
        )
    assert found.labels == ("rum", "tea")
    for text in (
        repr(found), repr(vars(found)), repr(vars(found.question)), str(found.to_frame()),
        pickle.dumps(found, protocol=0).decode("latin-1"), caplog.text, *capfd.readouterr(),
    ):  # fmt: skip
        assert unmarked(text)
    for file in tmp_path.iterdir():
        assert unmarked(file.read_bytes().decode("latin-1"))


def test_a_ledger_row_is_as_long_whatever_the_table_holds(table, tmp_path):
    """Without a request id nothing of the answer is kept, not even how long it is."""
    rows = []
    for name, rest in (("many", table), ("none", table.slice(0, 0))):
        ledger = overbar.Ledger(tmp_path / name)
        ledger.open("sales", epsilon=1, delta="1e-6")
        frames.keys(rest, **ASK, booking=ledger.booking("sales"))
        with ledger._store.reading() as found:
            rows.append([[*sorted(row.fields), len(row.content)] for row in found.all()])
    assert rows[0] == rows[1]


def break_the_draw(monkeypatch, table):
    def fail(count):
        raise KeyboardInterrupt

    monkeypatch.setattr(key_search, "system", fail)
    frames.keys(table, **ASK)


def break_the_weights(monkeypatch, table):
    def fail(shared, *_):
        secret = shared.collect()["item"].to_list()
        raise RuntimeError(f"keys are {secret}")

    monkeypatch.setattr(key_weights, "totals", fail)
    frames.keys(table, **ASK)


def break_the_second_round(monkeypatch, table):
    def fail(pairs, out):
        if out:
            raise RuntimeError(f"out are {out} of 4921")
        return pairs

    monkeypatch.setattr(key_weights, "_without", fail)
    frames.keys(table, **ASK)


def break_the_engine(monkeypatch, table):
    quoting = ENGINES["duckdb"](table).project("what, cast(what as int) as who")
    frames.keys(quoting, **ASK)


def break_the_column(monkeypatch, table):
    frames.keys(table, **{**ASK, "item": "which"})


@pytest.mark.parametrize(
    "fail",
    [
        break_the_draw, break_the_weights, break_the_second_round, break_the_engine,
        break_the_column,
    ],
)  # fmt: skip
def test_no_failure_shows_a_key_or_a_count(fail, table, monkeypatch):
    with pytest.raises((overbar.OverbarError, KeyboardInterrupt)) as caught:
        fail(monkeypatch, table)
    for text in shown(caught.value, skip=__file__):
        assert unmarked(text)


def test_control_an_unsealed_failure_does_show_them(table):
    def unsealed():
        keys = table["what"].to_pylist()[-3:]
        raise RuntimeError(f"{len(keys)} keys")

    with pytest.raises(RuntimeError) as caught:
        unsealed()
    assert any(not unmarked(text) for text in shown(caught.value, skip=None))
