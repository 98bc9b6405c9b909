"""Keys that were not released, and counts, turn up nowhere: answers, errors, logs, ledgers."""

from __future__ import annotations

import logging
import pickle
import re

import pyarrow.parquet
import pytest

import overbar
from overbar import frames
from overbar.cli.answer_files import save
from overbar.frames import contributions, key_search
from overbar.mechanism import counting
from overbar.words.plan_report import promised_by
from overbar.words.released_answer import Answer
from tests.frames.engines import ENGINES, table_of
from tests.privacy.test_secrecy import shown
from tests.reference.sampling import seeded

ASK = {"item": "what", "person": "who", "epsilon": 1, "delta": "1e-15"}
#: Two keys come out. Of the others there are 4919, and 7319 is how many persons hold the first.
MARKS = ("7319", "4919", "4921", "hidden ")
#: Hashes and times of a ledger, in which four digits turn up by chance.
BY_CHANCE = re.compile(r"[0-9a-f]{32,}|\d{4}-\d\d-\d\d[T ][\d:.+]+|\d{9,}[.\d]*")


@pytest.fixture(scope="module")
def table():
    rows = [("tea", n) for n in range(10**6, 10**6 + 7319)]
    rows += [("rum", n) for n in range(10**6, 10**6 + 2999)]
    rows += [(f"hidden {n}", 2 * 10**6 + n) for n in range(4919)]
    return table_of(rows)


@pytest.fixture
def seeded_noise(monkeypatch):
    """A noisy count could be the true one by chance: not with this noise."""
    source = seeded(9)
    monkeypatch.setattr(key_search, "system", source)
    monkeypatch.setattr(contributions, "system", source)


def unmarked(text):
    text = BY_CHANCE.sub("", text)
    return not any(mark in text for mark in MARKS)


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize("counts", [False, True], ids=["keys", "counts"])
@pytest.mark.parametrize("engine", ENGINES)
def test_an_answer_holds_only_what_came_out(engine, counts, table, tmp_path, caplog, capfd):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=2, delta="1e-5")
    with caplog.at_level(logging.DEBUG):
        found = frames.keys(
            ENGINES[engine](table),
            **ASK,
            counts=counts,
            booking=ledger.booking("sales", request_id="one"),
        )
    assert found.labels == ("rum", "tea")
    assert (found.counts is not None) == counts
    for text in (
        repr(found), repr(vars(found)), repr(found.plan), found._repr_html_(),
        str(found.to_frame()), pickle.dumps(found, protocol=0).decode("latin-1"), caplog.text,
        *capfd.readouterr(),
    ):  # fmt: skip
        assert unmarked(text)
    for file in tmp_path.iterdir():
        assert unmarked(file.read_bytes().decode("latin-1"))


@pytest.mark.parametrize("counts", [False, True], ids=["keys", "counts"])
def test_a_ledger_row_is_as_long_whatever_the_table_holds(counts, table, tmp_path):
    """Without a request id nothing of the answer is kept, not even how long it is."""
    rows = []
    for name, rest in (("many", table), ("none", table.slice(0, 0))):
        ledger = overbar.Ledger(tmp_path / name)
        ledger.open("sales", epsilon=1, delta="1e-6")
        frames.keys(rest, **ASK, counts=counts, booking=ledger.booking("sales"))
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

    monkeypatch.setattr(key_search, "totals", fail)
    frames.keys(table, **ASK)


def break_the_second_round(monkeypatch, table):
    def fail(pairs, out):
        if out:
            raise RuntimeError(f"out are {out} of 4921")
        return pairs

    monkeypatch.setattr(key_search, "_without", fail)
    frames.keys(table, **ASK)


def break_the_counting(monkeypatch, table):
    def fail(pairs, most, out):
        secret = pairs.collect()["item"].to_list()
        raise RuntimeError(f"out are {out} of {len(secret)}, {secret}")

    monkeypatch.setattr(key_search, "counted", fail)
    frames.keys(table, **ASK, counts=True)


def break_the_noise(monkeypatch, table):
    def fail(scores, **_):
        raise KeyboardInterrupt

    monkeypatch.setattr(counting, "noisy_values", fail)
    frames.keys(table, **ASK, counts=True)


def break_the_engine(monkeypatch, table):
    """A filter that fails: a column that fails at a row has no value there."""
    quoting = ENGINES["duckdb"](table).filter("cast(what as int) > 0")
    frames.keys(quoting, **ASK)


def break_the_column(monkeypatch, table):
    frames.keys(table, **{**ASK, "item": "which"})


@pytest.mark.parametrize(
    "fail",
    [
        break_the_draw, break_the_weights, break_the_second_round, break_the_counting,
        break_the_noise, break_the_engine, break_the_column,
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


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize("ending", ["csv", "json", "parquet", "html"])
def test_a_file_has_what_came_out_and_nothing_else(ending, table, tmp_path):
    """The same as that of a table without the keys that stay hidden, but for the noisy numbers."""
    contents, path = [], tmp_path / f"answer.{ending}"
    for rows in (table, table.slice(0, 7319 + 2999)):
        question = frames.Question.keys(**ASK, counts=True)
        found = question.run(rows)
        answer = Answer(
            selection=found, question=question, promised=promised_by(question), source="sales"
        )
        assert save(answer, [(path, ending)]) == []
        assert unmarked(path.read_bytes().decode("latin-1"))
        if ending == "parquet":
            read = pyarrow.parquet.read_table(path)
            texts = [str(read.schema), str(read.schema.metadata), str(read["what"].to_pylist())]
        else:
            texts = [path.read_text(encoding="utf-8")]
        contents.append([re.sub(r"[\d.,]*\d", "0", text) for text in texts])
    assert contents[0] == contents[1]
