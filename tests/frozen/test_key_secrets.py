"""Keys that were not released, and counts, turn up nowhere: answers, errors, logs, ledgers."""

from __future__ import annotations

import logging
import pickle
import re

import pyarrow.parquet
import pytest

import overbar
from overbar import frames
from tests.frozen import seam
from tests.frozen.engines import ENGINES, table_of
from tests.frozen.shown import shown, struck

ASK = {"item": "what", "person": "who", "epsilon": 1, "delta": "1e-15"}
#: Two keys come out. Of the others there are 4919, and 7319 is how many persons hold the first.
MARKS = ("7319", "4919", "4921", "hidden ")
#: Hashes and times of a ledger, in which four digits turn up by chance.
BY_CHANCE = re.compile(r"[0-9a-f]{32,}|\d{4}-\d\d-\d\d[T ][\d:.+]+|\d{9,}[.\d]*")


def planted():
    rows = [("tea", n) for n in range(10**6, 10**6 + 7319)]
    rows += [("rum", n) for n in range(10**6, 10**6 + 2999)]
    rows += [(f"hidden {n}", 2 * 10**6 + n) for n in range(4919)]
    return table_of(rows)


@pytest.fixture(scope="module")
def table():
    return planted()


@pytest.fixture
def seeded_noise():
    """A noisy count could be the true one by chance: not with this noise."""
    with seam.drawn_from(9):
        yield


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


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb"])
def test_ctrl_c_anywhere_shows_no_key_and_no_count(engine, table):
    """Whatever functions there are: one in twenty is struck, where it is called last."""
    given, strikes = ENGINES[engine](table), 0
    question = frames.Question.keys(**ASK, counts=True)
    for code, error in struck(lambda: question.run(given), one_in=20):
        strikes += 1
        for text in shown(error, __file__):
            assert unmarked(text), code
    assert strikes > 1


def break_the_engine(table):
    """A filter that fails: a column that fails at a row has no value there."""
    quoting = ENGINES["duckdb"](table).filter("cast(what as int) > 0")
    frames.keys(quoting, **ASK)


def break_the_column(table):
    frames.keys(table, **{**ASK, "item": "which"})


@pytest.mark.parametrize("fail", [break_the_engine, break_the_column])
def test_no_failure_shows_a_key_or_a_count(fail, table):
    with pytest.raises(overbar.OverbarError) as caught:
        fail(table)
    for text in shown(caught.value, __file__):
        assert unmarked(text)


def test_control_an_unsealed_failure_does_show_them(table):
    def unsealed():
        keys = table["what"].to_pylist()[-3:]
        raise RuntimeError(f"{len(keys)} keys")

    with pytest.raises(RuntimeError) as caught:
        unsealed()
    assert any(not unmarked(text) for text in shown(caught.value, None))


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize("ending", ["csv", "json", "parquet", "html"])
def test_a_file_has_what_came_out_and_nothing_else(ending, table, tmp_path, monkeypatch):
    """The same as that of a table without the keys that stay hidden, but for the noisy numbers."""
    contents, path = [], tmp_path / f"answer.{ending}"
    monkeypatch.chdir(tmp_path)
    asked = [word for name, value in ASK.items() for word in (f"--{name}", value)]
    for rows in (table, table.slice(0, 7319 + 2999)):
        pyarrow.parquet.write_table(rows, "sales.parquet")
        said = seam.command("keys", "sales.parquet", *asked, "--counts", "--out", path, "--force")
        assert said.exit_code == 0, said.output
        assert unmarked(path.read_bytes().decode("latin-1"))
        if ending == "parquet":
            read = pyarrow.parquet.read_table(path)
            texts = [str(read.schema), str(read.schema.metadata), str(read["what"].to_pylist())]
        else:
            texts = [path.read_text(encoding="utf-8")]
        contents.append([re.sub(r"[\d.,]*\d", "0", text) for text in texts])
    assert contents[0] == contents[1]
