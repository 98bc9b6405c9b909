"""A look for the owner's eyes: true numbers, marked as such, and in no file, log or ledger."""

from __future__ import annotations

import json
import logging
import os
import random
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from overbar import frames
from overbar.cli import check_table, screen
from overbar.cli.check_table import in_engine
from overbar.frames.owner_check import WARNING
from tests.cli.shop import BOUGHT, CATALOGUE, PAID, UNLISTED, run
from tests.cli.workbook import write_workbook

COLUMNS = ["--item", "product", "--person", "customer"]


def everything(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("form", [[], ["--format", "json"], ["--show-true-counts"]])
def test_the_warning_is_in_every_form_and_nothing_is_written(here, form, caplog):
    run("ledger", "open", "budget.db", "sales", "--epsilon", "2")
    before = everything(here)
    with caplog.at_level(logging.DEBUG):
        found = run("check", "sales.csv", *COLUMNS, "--catalogue", "products.txt", *form)
    assert found.exit_code == 0, found.output
    assert everything(here) == before
    assert caplog.text == ""
    assert found.stderr == ""
    if "json" in form:
        told = json.loads(found.stdout)
        assert next(iter(told.values())) == WARNING
        assert told["persons"] == max(BOUGHT.values())
        assert told["catalogue"] == {
            "listed": len(CATALOGUE), "occurring": len(BOUGHT), "unlisted_rows": 0,
        }  # fmt: skip
    else:
        lines = found.stdout.splitlines()
        assert lines[0] == lines[-1] == WARNING
    # True counts of items come with the flag that says so, and without it they do not.
    assert ("  rum é       3,000\n" in found.stdout) == ("--show-true-counts" in form)


def test_no_option_books_or_writes(here):
    for option in ("--ledger", "--out", "--out", "--request"):
        refused = run("check", "sales.csv", *COLUMNS, option, "x")
        assert refused.exit_code == 2
        assert f"leave out {option}, which is for top, select or keys" in refused.stderr
    assert not os.path.exists("x")


def test_a_question_that_is_typed_as_a_look_is_refused_in_one_sentence(here):
    refused = run(
        "check", "sales.csv", *COLUMNS, "--epsilon=1", "--cutoff", "3", "--threshold", "9"
    )
    assert refused.exit_code == 2
    assert "leave out --epsilon, --cutoff, --threshold, which are for top" in refused.stderr
    assert "No such option: --eppsilon" in run("check", "a.csv", "--eppsilon", "1").stderr


def test_a_long_look_tells_how_far_it_is_in_a_pipe_too(here, monkeypatch):
    monkeypatch.setattr(screen, "EVERY_LINE", 0.001)
    found = run("check", "sales.csv", *COLUMNS)
    assert found.stderr.startswith("reading sales.csv: 0 s")
    assert "reading" not in found.stdout
    assert "reading" not in run("select", "sales.csv", *UNLISTED).stderr  # an answer tells nothing


def test_nothing_of_a_look_reaches_a_ledger_or_a_report(here):
    """A release after a look leaves what it leaves without one."""
    run("ledger", "open", "budget.db", "sales", "--epsilon", "2")
    run("check", "sales.csv", *COLUMNS)
    found = run("select", "sales.csv", *PAID, "--out", "a.html", "--out", "a.json")
    assert found.exit_code == 0, found.output
    for path in here.iterdir():
        if not path.is_symlink():
            assert b"NOT PRIVATE" not in path.read_bytes()


def test_forms_of_python_carry_the_warning():
    rows = polars.DataFrame({"product": ["tea", "rum<b>"], "customer": [1, 1]})
    found = frames.check(rows, item="product", person="customer", show_true_counts=True)
    assert repr(found).splitlines()[0] == repr(found).splitlines()[-1] == WARNING
    assert found._repr_html_().count(WARNING) >= 2
    assert "rum&lt;b&gt;" in found._repr_html_()
    assert next(iter(found.to_dict().values())) == WARNING


def tables(rows):
    data = {name: [row[at] for row in rows] for at, name in enumerate(("item", "person", "value"))}
    arrow = pyarrow.table(data)
    engine = duckdb.connect()
    engine.register("given", arrow)
    yield pandas.DataFrame(data)
    yield polars.DataFrame(data)
    yield polars.LazyFrame(data)
    yield arrow
    yield engine.sql("select * from given")


def test_numbers_are_those_of_plain_dictionaries_on_every_engine():
    chance = random.Random(7)
    rows = [
        (chance.choice(["tea", "rum ", "Ale", "e\u0301", None]), chance.choice([*"abcdefg", None]),
         chance.choice([1.0, None]))
        for _ in range(400)
    ]  # fmt: skip
    good = [row for row in rows if row[0] and row[1]]
    each = {person: len({row[0] for row in good if row[1] == person}) for _, person, _ in good}
    for table in tables(rows):
        found = frames.check(
            table, item="item", person="person", value="value", catalogue=["tea", "rum", "ale", "é"]
        )
        assert found.rows == 400
        assert found.counted == len(good)
        assert found.left_out == {
            "no item": sum(row[0] is None for row in rows),
            "no person": sum(row[0] is not None and row[1] is None for row in rows),
        }
        assert (found.items, found.persons) == (4, len(each))
        assert found.per_person == {n: list(each.values()).count(n) for n in set(each.values())}
        assert (found.listed, found.occurring) == (4, 1)
        assert found.unlisted_rows == sum(row[0] != "tea" for row in good)
        assert found.no_number == sum(row[2] is None for row in good)
        assert "3 items would be on the catalogue but for blanks" in found.notes[0]
        assert found.largest is None


def test_percentiles_are_what_persons_have_at_most():
    persons = [person for person in range(100) for _ in range(1 + (person >= 90))]
    items = [str(number % 2) for number in range(len(persons))]
    table = polars.DataFrame({"item": items, "person": persons})
    found = frames.check(table, item="item", person="person")
    assert [found.share_has(share) for share in (50, 90, 91, 100)] == [1, 1, 2, 2]


def test_long_identifiers_of_pandas_are_told():
    table = pandas.DataFrame({"item": ["tea"] * 3, "person": [2**53, -(2**60), 7]})
    found = frames.check(table, item="item", person="person")
    assert found.left_out == {"no person": 2}
    assert "2 whole numbers in 'person' are 2**53 or more" in found.notes[0]
    text = frames.check(table.astype({"person": "Int64"}), item="item", person="person")
    assert (text.left_out, text.notes) == ({}, ())


def test_every_line_is_accounted_for(tmp_path, monkeypatch):
    """What was read and what was left out add up to the lines of the file."""
    monkeypatch.chdir(tmp_path)
    lines = [b"person,item,more", b"1,tea,", b"2,t\xe4a,", b'3,"tea,', b"4", b"5,,x", b",tea,", b""]
    lines += [b"6," + b"x" * 2_000_000, b'"7","a ""b"""', b",,", b'"8"']
    lines += [b"9,tea,green,x", b'"10","tea",green,', b"11,tea,\x1f,"]
    Path("a.csv").write_bytes(b"\r\n".join(lines))
    found = run("check", "a.csv", "--item", "item", "--person", "person", "--format", "json")
    told = json.loads(found.stdout)
    assert told["left_out"] == {
        "lines too long": 1,
        "quotes that do not end": 1,
        "too few fields": 2,
        "too many fields": 3,
        "no item": 2,
        "no person": 1,
    }
    assert (told["rows"], told["counted"], told["items"]) == (13, 3, 3)
    assert "1 lines are no UTF-8 and were read as Windows-1252" in told["notes"][0]


def test_an_empty_answer_points_to_the_look(here):
    nothing = ["--threshold", "1000000", "--epsilon", "100", "--cutoff", "1"]
    found = run("select", "sales.csv", *COLUMNS, *nothing, "--catalogue", "products.txt")
    assert found.exit_code == 0, found.output
    assert "Nothing was found. Was the file read as it should be? overbar check" in found.stderr
    some = run("select", "sales.csv", *UNLISTED)
    assert "overbar check" not in some.stderr
    keys = ["--epsilon", "1", "--delta", "1e-6", "--at-least", "1000000"]
    assert "overbar check" in run("keys", "sales.csv", *COLUMNS, *keys).stderr
    for verb in ("select", "top", "keys"):
        assert "overbar check" in " ".join(run(verb, "--help").stdout.split())


def test_control_a_look_that_writes_is_noticed(here, monkeypatch):
    honest = check_table.check_report

    def leaking(found):
        Path("leak.txt").write_text(str(found.rows))
        return honest(found)

    monkeypatch.setattr(check_table, "check_report", leaking)
    before = everything(here)
    run("check", "sales.csv", *COLUMNS)
    assert everything(here) != before


def test_nan_in_parquet_is_no_number_whatever_the_statistics_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for last in (1.5, 2.5):  # the second makes least and greatest differ
        values = [float("nan")] * 498 + [1.5, last]
        table = {"item": ["tea"] * 500, "person": list(range(500)), "value": values}
        pyarrow.parquet.write_table(pyarrow.table(table), "a.parquet")
        options = ["--item", "item", "--person", "person", "--value", "value", "--format", "json"]
        assert json.loads(run("check", "a.parquet", *options).stdout)["no_number"] == 498


def test_rows_are_read_once(here, monkeypatch):
    """All numbers come from pairs that are kept: a look takes about as long as an answer."""
    plans = []

    def keep(rows):
        kept = in_engine(rows)
        plans.extend([rows.to_native().explain(), kept.to_native().explain()])
        return kept

    monkeypatch.setattr(check_table, "in_engine", keep)
    found = run("check", "sales.csv", *COLUMNS, "--catalogue", "products.txt", "--show-true-counts")
    assert found.exit_code == 0, found.output
    assert ["kept_" in plan for plan in plans] == [False, True, True, True]


def test_what_does_not_fit_is_read_again(here, monkeypatch):
    def full(*_):
        raise duckdb.OutOfMemoryException

    before = run("check", "sales.csv", *COLUMNS).stdout
    monkeypatch.setattr(duckdb.DuckDBPyRelation, "create", full)
    assert run("check", "sales.csv", *COLUMNS).stdout == before


@pytest.mark.parametrize(
    ("name", "text", "rows", "left_out", "columns"),
    [
        ("a.csv", "who;what;much\n1;tea;2\n2;rum\n", 2, {"too few fields": 1}, "who what much"),
        ("a.tsv", "who\twhat\n1\ttea\n", 1, {}, "who what"),
        ("a.jsonl", '{"a": 1}\n{"b": [2]}\nx\n', 3, {"no JSON object": 1}, "a b"),
        ("a.json", '[{"a": 1}, {"b": 2}]', 2, {}, "a b"),
        ("a.csv", "", None, None, None),
    ],
)
def test_a_file_alone_shows_its_columns_and_rows(
    tmp_path, monkeypatch, name, text, rows, left_out, columns
):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    found = run("check", name, "--format", "json")
    if columns is None:
        assert found.exit_code == 2
        assert "is empty" in found.stderr
        return
    told = json.loads(found.stdout)
    assert next(iter(told.values())) == WARNING
    assert (told["rows"], told["left_out"]) == (rows, left_out)
    assert told["columns"] == columns.split()
    shown = run("check", name).stdout.splitlines()
    assert shown[0] == shown[-1] == WARNING
    listed = [line.split(maxsplit=1)[1] for line in shown if line[:5].strip().isdigit()]
    assert listed == told["columns"]
    assert "add --item COLUMN" in " ".join(shown)


def test_a_typed_file_alone_shows_its_columns_and_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("a.duckdb") as engine:
        engine.execute("create table t as select 'x' as who, [1, 2] as several from range(3)")
        engine.execute("copy t to 'a.parquet'")
        engine.execute("copy (select [1] as several) to 'b.parquet'")
    write_workbook("a.xlsx", s=[["who", "several"], ["a", "1"], ["b", "2"], ["c", "3"]])
    for name in ("a.parquet", "a.duckdb", "a.xlsx"):
        told = json.loads(run("check", name, "--format", "json").stdout)
        assert (told["rows"], told["columns"]) == (3, ["who", "several"])
    assert "no column of text, numbers or dates" in run("check", "b.parquet").stderr


def test_items_that_look_the_same_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("customer,product\nann,tea\nbob,tea \ncat,rum \n")
    shown = " ".join(
        run("check", "a.csv", "--item", "product", "--person", "customer").stdout.split()
    )
    assert "some items differ in blanks at their ends alone, such as 'tea ' and 'tea':" in shown
