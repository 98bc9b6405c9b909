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
from overbar.frames import scoring
from tests.frames.engines import ENGINES, table_of
from tests.privacy.test_secrecy import shown

#: How many persons hold each item: numbers that no plan contains.
PLANTED = {"tea": 7319, "rum": 4919, "ale": 3}
MARKS = ("7319", "4919")
ASK = {"item": "what", "person": "who", "epsilon": 1, "cutoff": 2}
LISTED = {"catalogue": ["ale", "gin", "rum", "tea"], "threshold": 2000}
UNLISTED = {"items_per_person": 1, "threshold": 2000, "delta": "1e-6", "candidates": 10}


@pytest.fixture(scope="module")
def table():
    persons = iter(range(10**6, 2 * 10**6))
    rows = [(item, next(persons)) for item, count in PLANTED.items() for _ in range(count)]
    return table_of(rows)


#: Hashes, digests and the digits of seconds are as good as random, and may hold any four digits.
RANDOM = re.compile(r"[0-9a-f]{32,}|:[0-9]{2}\.[0-9]+")


def unmarked(text):
    return not any(mark in RANDOM.sub("", text) for mark in MARKS)


def test_what_is_as_good_as_random_is_left_out_and_nothing_else():
    assert unmarked("0" * 30 + "7319a" + "f" * 9)
    assert unmarked("2026-01-01T00:00:07.731900+00:00")
    assert not unmarked('{"score": 7319, "hash": "' + "e" * 64 + '"}')


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
    for text in (
        repr(found), found._repr_html_(), repr(vars(found)), str(found.to_frame()), caplog.text,
        pickle.dumps(found, protocol=0).decode("latin-1"), *capfd.readouterr(),
    ):  # fmt: skip
        assert unmarked(text)
    for file in tmp_path.iterdir():
        assert unmarked(file.read_bytes().decode("latin-1"))


def failing_draw(count):
    raise KeyboardInterrupt


def break_the_draw(monkeypatch, table):
    """The entropy fails when the scores are there."""
    monkeypatch.setattr("overbar.mechanism.batch.system", failing_draw)
    frames.select(table, **ASK, **LISTED)


def break_the_steps(monkeypatch, table):
    """Something fails where the counts are local variables."""

    def fail(scores, *_):
        secret = scores.to_list()
        raise RuntimeError(f"counts are {secret}")

    monkeypatch.setattr(scoring, "_steps", fail)
    frames.select(table, **ASK, **LISTED)


def break_the_engine(monkeypatch, table):
    """An error of the engine that quotes a count."""
    counted = duckdb.connect().from_arrow(table).aggregate("what, count(*) as n")
    quoting = counted.filter("cast(what || n as int) > 0").project("what, n as who")
    frames.select(quoting, **ASK, **LISTED)


def break_a_parameter(monkeypatch, table):
    frames.select(table, **ASK, **{**LISTED, "threshold": "high"})


def break_the_column(monkeypatch, table):
    frames.top(table, **{**ASK, "person": "whom"}, catalogue=["tea"])


@pytest.mark.parametrize(
    "fail",
    [break_the_draw, break_the_steps, break_the_engine, break_a_parameter, break_the_column],
)
def test_no_failure_shows_a_count(fail, table, monkeypatch):
    with pytest.raises((overbar.OverbarError, KeyboardInterrupt)) as caught:
        fail(monkeypatch, table)
    for text in shown(caught.value, skip=__file__):
        assert unmarked(text)


def test_control_an_unsealed_failure_does_show_them(table):
    def unsealed():
        counts = polars.from_arrow(table).group_by("what").len().to_dicts()
        raise RuntimeError(f"{len(counts)} counts")

    with pytest.raises(RuntimeError) as caught:
        unsealed()
    assert any(not unmarked(text) for text in shown(caught.value, skip=None))


def test_a_question_holds_no_data(table):
    question = frames.Question.select(item="what", person="who", **LISTED, epsilon=1, cutoff=2)
    before = repr(vars(question))
    question.run(table)
    assert repr(vars(question)) == before
    assert unmarked(pickle.dumps(question, protocol=0).decode("latin-1"))
    assert isinstance(table, pyarrow.Table)
