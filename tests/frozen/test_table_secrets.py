"""Counts planted in a table turn up nowhere: not in answers, errors, tracebacks, logs, ledgers."""

from __future__ import annotations

import logging
import pickle
import re

import duckdb
import polars
import pyarrow
import pytest

import overbar
from overbar import frames
from tests.frozen import seam
from tests.frozen.engines import ENGINES, table_of
from tests.frozen.shown import shown, struck

#: How many persons hold each item: numbers that no plan contains.
PLANTED = {"tea": 7319, "rum": 4919, "ale": 3}
MARKS = ("7319", "4919")
ASK = {"item": "what", "person": "who", "epsilon": 1, "cutoff": 2}
LISTED = {"catalogue": ["ale", "gin", "rum", "tea"], "threshold": 2000}
UNLISTED = {"items_per_person": 1, "threshold": 2000, "delta": "1e-6", "candidates": 10}


def planted():
    persons = iter(range(10**6, 2 * 10**6))
    rows = [(item, next(persons)) for item, count in PLANTED.items() for _ in range(count)]
    return table_of(rows)


@pytest.fixture(scope="module")
def table():
    return planted()


#: Hashes, digests and the digits of seconds are as good as random, and may hold any four digits.
RANDOM = re.compile(r"[0-9a-f]{32,}|:[0-9]{2}\.[0-9]+")


def unmarked(text):
    return not any(mark in RANDOM.sub("", text) for mark in MARKS)


def test_what_is_as_good_as_random_is_left_out_and_nothing_else():
    assert unmarked("0" * 30 + "7319a" + "f" * 9)
    assert unmarked("2026-01-01T00:00:07.731900+00:00")
    assert not unmarked('{"score": 7319, "hash": "' + "e" * 64 + '"}')


def texts_of(found):
    """Return all that an answer shows."""
    return (
        repr(found), found._repr_html_(), repr(vars(found)), str(found.to_frame()), str(found),
        pickle.dumps(found, protocol=0).decode("latin-1"),
    )  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", [LISTED, UNLISTED], ids=["listed", "unlisted"])
def test_an_answer_holds_no_count(engine, how, table, tmp_path, caplog, capfd):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=2, delta="1e-5")
    with caplog.at_level(logging.DEBUG):
        found = frames.select(
            ENGINES[engine](table), **ASK, **how, booking=ledger.booking("sales", request_id="one")
        )
    assert sorted(found.labels) == ["rum", "tea"]
    for text in (*texts_of(found), caplog.text, *capfd.readouterr()):
        assert unmarked(text)
    for file in tmp_path.iterdir():
        assert unmarked(file.read_bytes().decode("latin-1"))


def _persons(steps, found):
    return [int(one * found.plan.grid) for one in steps]


@pytest.mark.parametrize("engine", ENGINES)
def test_control_scores_in_a_repr_are_caught(engine, table, monkeypatch):
    heard = []
    seam.overheard(monkeypatch, heard.extend)
    monkeypatch.setattr(overbar.Selection, "__repr__", lambda found: f"{_persons(heard, found)}")
    found = frames.select(ENGINES[engine](table), **ASK, **LISTED)
    assert not all(map(unmarked, texts_of(found)))


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_anywhere_shows_no_count(engine, table):
    """Whatever functions there are: one in ten is struck, where it is called last."""
    given, strikes = ENGINES[engine](table), 0
    question = frames.Question.select(item="what", person="who", **LISTED, epsilon=1, cutoff=2)
    for code, error in struck(lambda: question.run(given), one_in=10):
        strikes += 1
        for text in shown(error, __file__):
            assert unmarked(text), code
    assert strikes > 3


def break_the_engine(table):
    """An error of the engine that quotes a count."""
    counted = duckdb.connect().from_arrow(table).aggregate("what, count(*) as n")
    quoting = counted.filter("cast(what || n as int) > 0").project("what, n as who")
    frames.select(quoting, **ASK, **LISTED)


def break_a_parameter(table):
    frames.select(table, **ASK, **{**LISTED, "threshold": "high"})


def break_the_column(table):
    frames.top(table, **{**ASK, "person": "whom"}, catalogue=["tea"])


@pytest.mark.parametrize("fail", [break_the_engine, break_a_parameter, break_the_column])
def test_no_failure_shows_a_count(fail, table):
    with pytest.raises(overbar.OverbarError) as caught:
        fail(table)
    for text in shown(caught.value, __file__):
        assert unmarked(text)


def test_control_an_unsealed_failure_does_show_them(table):
    def unsealed():
        counts = polars.from_arrow(table).group_by("what").len().to_dicts()
        raise RuntimeError(f"{len(counts)} counts")

    with pytest.raises(RuntimeError) as caught:
        unsealed()
    assert any(not unmarked(text) for text in shown(caught.value, None))


def test_a_question_holds_no_data(table):
    question = frames.Question.select(item="what", person="who", **LISTED, epsilon=1, cutoff=2)
    before = repr(vars(question))
    question.run(table)
    assert repr(vars(question)) == before
    assert unmarked(pickle.dumps(question, protocol=0).decode("latin-1"))
    assert isinstance(table, pyarrow.Table)
