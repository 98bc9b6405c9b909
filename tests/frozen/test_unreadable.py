"""What cannot be read is left out, wherever it stands, and raises nothing."""

from __future__ import annotations

import sqlite3

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

from tests.frozen import seam


def rows(files, *named, **reading):
    return sorted(seam.file_rows(files, *(named or ("item", "person")), **reading), key=str)


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_no_line_of_json_is_asked_before_the_others(in_folder):
    """Not the first either, and none is too long: a person's line would tell by an error."""
    good = b'{"person":"ann","item":"tea"}\n'
    for someone in (
        b"not json\n",
        b'{"other":1}\n',
        b"\xff\n",
        b"[" * 100_000 + b"\n",
        b'{"person":"eve","item":"' + b"x" * 40_000_000 + b'"}\n',
    ):
        for text in (someone + good * 2, good * 2 + someone):
            (in_folder / "a.jsonl").write_bytes(text)
            assert rows(["a.jsonl"]).count(("tea", "ann")) == 2


@pytest.mark.parametrize("size", [1_899_990, 1_999_987, 2_000_000])
def test_where_a_line_stands_does_not_decide_whether_it_is_too_long(in_folder, size):
    """The engine itself reads a first line that is one byte longer than it reads others."""
    long = b"eve," + b"x" * size + b"\n"
    found = []
    for before in (b"", b"ann,tea\n"):
        (in_folder / "a.csv").write_bytes(before + long + b"ann,tea\n")
        lines = rows(["a.csv"], "2", "1", header_row=0)
        found.append("eve" in {person for _, person in lines})
    assert found == [size < 1_900_000] * 2


def test_text_that_is_not_utf8_is_left_out_of_stored_tables(in_folder):
    persons = [b"ann", b"\xff", b"b\xf6b", b"b?b", None, b"cat"]
    text = pyarrow.array(persons, pyarrow.binary()).view(pyarrow.string())
    table = pyarrow.table({"person": text, "item": ["tea"] * 6, "amount": range(6)})
    for name in ("a.parquet", "b.parquet"):
        pyarrow.parquet.write_table(table, name)
    want = [("ann", 0), (None, 1), (None, 2), ("b?b", 3), (None, 4), ("cat", 5)]
    found = rows(["*.parquet"], "item", "person", "amount")
    assert found == sorted([("tea", *row) for row in want * 2], key=str)
    with duckdb.connect("a.duckdb") as engine:  # which takes it behind a letter beyond ASCII
        beyond = pyarrow.table({"person": ["é"], "item": ["tea"], "amount": [0]})
        engine.register("rows", pyarrow.concat_tables([beyond, table]).combine_chunks())
        engine.execute("create table t as select * from rows")
    found = rows(["a.duckdb"])
    assert found == sorted([("tea", person) for person, _ in [("é", 0), *want]], key=str)
    with sqlite3.connect("a.db") as connection:
        connection.execute("create table t (person, item)")
        values = [(person, "tea") for person in persons]
        connection.executemany("insert into t values (cast(? as text), ?)", values)
    connection.close()
    found = rows(["a.db"], table="t")
    assert found == sorted([("tea", person) for person, _ in want], key=str)
