"""Nothing that is said steers a terminal, and no answer is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pyarrow.parquet
import pytest

import overbar
from overbar import cli
from overbar.cli import answer_files as forms
from overbar.cli.answer_files import no_formula
from tests.cli.shop import LISTED, SELECT, run

pytestmark = pytest.mark.one_in(2)

RED = "\x1b[31mred\x9b0m\x07"


def said(*arguments, code=2):
    result = run(*arguments)
    assert result.exit_code == code, result.output
    for sign in ("\x1b", "\x9b", "\x07"):
        assert sign not in result.output
    return result.output


def test_names_in_files_do_not_steer_the_terminal(here):
    with duckdb.connect("odd.duckdb") as engine:
        engine.execute(f'create table "{RED}" (a integer)')
        engine.execute(f'create table t (item struct("{RED}" integer), "{RED}" integer)')
        engine.execute("copy t to 't.parquet' (format parquet)")
    connection = sqlite3.connect("odd.db")
    connection.execute(f'create table "{RED}" (a, "{RED}")')
    connection.close()
    for table in (["odd.duckdb", "--table", "no"], ["odd.db", "--table", "no"]):
        assert "\\x1b[31mred" in said("select", *table, *LISTED)
    for part in ("item", "no"):
        ask = ["--item", part, "--person", RED, *LISTED[4:]]
        assert "\\x1b[31mred" in said("select", "odd.duckdb", "--table", "t", *ask)
        assert "\\x1b[31mred" in said("select", "t.parquet", *ask)
    assert "\\x1b[31mred" in said("select", "odd.db", "--table", RED, *LISTED)


def test_names_of_files_columns_and_outputs_do_not(here):
    name = f"{RED}.csv"
    Path(name).write_text("customer,product\nann,tea\n")
    said("select", name, "--item", "no", *LISTED[2:])
    said("select", f"no{RED}.csv", *LISTED)
    said("select", "sales.csv", *LISTED, "--out", name)
    said("select", "sales.csv", "--item", RED, *LISTED[2:], "--dry-run", code=0)
    said("plan", "--epsilon", "1", "--cutoff", "3", "-n", "9", "--out", f"{RED}.json", code=0)
    said("datasets", "--data-dir", RED)
    said("reproduce", RED)
    said("ledger", "show", RED)


def test_a_forged_ledger_does_not(here, monkeypatch):
    """Nobody can write such words through the front door, but the file is trusted by nobody."""
    for room in ("overbar.ledger.ledger", "overbar.ledger.booking"):
        monkeypatch.setattr(f"{room}.checked_words", lambda what, words: words)
        monkeypatch.setattr(f"{room}.checked_name", lambda what, name: name)
    ledger = overbar.Ledger("budget.db")
    ledger.open(RED, epsilon=1)
    with pytest.raises(overbar.LedgerError, match="it was edited"):
        ledger.remaining(RED)
    assert "it was edited" in said("ledger", "show", "budget.db")
    assert "it was edited" in said("ledger", "show", "budget.db", RED)
    assert "it was edited" in said("ledger", "show", "budget.db", RED, "--format", "json")


def test_there_is_one_door_to_the_terminal():
    """Whatever is printed goes through `exit` or a console whose words are clean."""
    folder = Path(cli.__file__).parent
    doors = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if re.search(r"\btyper\.echo\(|\bclick\.echo\(|(?<![.\w\"'])print\(", path.read_text())
    }
    assert doors == {"exit.py", "__init__.py"}


FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\tx",
    "\rx",
    "\nx",
    "＝1",
]


def test_a_csv_answer_holds_no_formula(here):
    with duckdb.connect("odd.duckdb") as engine:
        engine.execute('create table t ("=item" varchar, who integer)')
        for label in [*FORMULAS, "tea", "-12", "+3,5"]:
            engine.execute("insert into t select ?, range from range(3000)", [label])
    ask = [
        "select", "odd.duckdb", "--table", "t", "--item", "=item", "--person", "who", "--cutoff",
        "20", "--threshold", "1500", "--epsilon", "9", "--delta", "1e-6", "--items-per-person",
        "20", "--candidates", "20", "--out", "a.csv", "--out", "a.json", "--out", "a.parquet",
    ]  # fmt: skip
    result = run(*ask)
    assert result.exit_code == 0, result.stderr
    with Path("a.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == list(csv.reader(io.StringIO(result.stdout, newline="")))
    assert rows[0] == ["found", "'=item"]
    exact = {*FORMULAS, "tea", "-12", "+3,5"}
    assert {row[1] for row in rows[1:]} == {
        *(f"'{label}" for label in FORMULAS), "tea", "-12", "+3,5"
    }  # fmt: skip
    assert set(json.loads(Path("a.json").read_text())["labels"]) == exact
    assert set(pyarrow.parquet.read_table("a.parquet")["=item"].to_pylist()) == exact


#: Formulas behind what may end a cell, and how they are written.
BEHIND = {
    "x;=1+1": "x;'=1+1",
    "a\t=1+1": "a\t'=1+1",
    "-tea\r=cmd": "'-tea\r'=cmd",
    "tea\n@SUM(1)": "tea\n'@SUM(1)",
    'x;"=1+1"': 'x;\'"=1+1"',
    'a,b;=1&"': "a,b;'=1&\"",
    "x; \u00a0=1": "x;' \u00a0=1",
    "a;;＝1;-1;+b": "a;;'＝1;-1;'+b",
    "\t=1": "'\t'=1",
    " =1": "' =1",
}


def listed(item, *labels):
    """An answer with these labels in a column."""
    return SimpleNamespace(
        columns={item: labels},
        rest=None,
        selection=SimpleNamespace(counts=None, ranks=range(1, len(labels) + 1)),
    )


def computed(label, written):
    """Tell whether a spreadsheet has a formula in a cell, whichever sign it takes for the end."""
    answer = listed("item", label)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "no_formula", written)
        text = forms.csv_text(answer)
    cells = (
        cell.strip('" \u00a0')
        for end in ",;\t"
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=end)
        for cell in row
    )
    return any(cell.startswith(tuple("=+-@＝")) and cell != "-1" for cell in cells)


@pytest.mark.parametrize("label", BEHIND)
def test_no_formula_stands_behind_what_may_end_a_cell(label):
    assert no_formula(label) == BEHIND[label]
    assert not computed(label, no_formula)
    # Control: an apostrophe at the very beginning alone, as it was.
    signs = ("=", "+", "-", "@", "\t", "\r", "\n", "＝")
    assert computed(label, lambda text: f"'{text}" if text.startswith(signs) else text)


def test_other_readers_find_one_cell():
    """Where semicolons and tabs end a cell as well, quotes hold a label together."""
    answer = listed("a;b", "x;y", "x\ty")
    assert forms.csv_text(answer) == 'found,"a;b"\n1,"x;y"\n2,"x\ty"\n'


def test_numbers_are_no_formulas():
    for label in ("-1", "+49", "-1.5", "1=2", "tea", -7, 0, True):
        assert no_formula(label) == label
    for label in ("-", "-1-1", "+49 30", "--1", "-1.5.2", "=1"):
        assert no_formula(label) == f"'{label}"


@pytest.mark.parametrize("name", ["p.json", "p.html"])
def test_a_plan_replaces_nothing_unasked(here, name):
    ask = ["plan", "--epsilon", "1", "--cutoff", "3", "-n", "9", "--out", name]
    Path(name).write_text("mine")
    assert f"{name} exists already; write --force to replace it" in said(*ask)
    assert Path(name).read_text() == "mine"
    said(*ask, "--force", code=0)
    assert Path(name).read_text() != "mine"


def test_a_plan_does_not_replace_what_it_reads(here):
    said("plan", "--epsilon", "1", "--cutoff", "3", "-n", "9", "--out", "p.json", code=0)
    Path("q.html").symlink_to("p.json")
    before = Path("p.json").read_text()
    for name in ("./p.json", "q.html"):
        text = said("plan", "--plan", "p.json", "--out", name, "--force")
        assert "is the plan that this run reads" in text
    assert Path("p.json").read_text() == before
    both = said("plan", "--epsilon", "1", "--cutoff", "3", "-n", "9", "--out", "r", "--out", "./r")
    assert "r must be named once" in both
    assert not Path("r").exists()


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_no_output_replaces_a_ledger(here, force):
    """Not even one that the run does not use, by any name: what was spent would be forgotten."""
    overbar.Ledger("budget.db").open("sales", epsilon=2)
    before = Path("budget.db").read_bytes()
    for name in ("a.csv", "a.html"):
        Path(name).symlink_to("budget.db")
    plan = ["plan", "--epsilon", "1", "--cutoff", "3", "-n", "9"]
    for ask in (
        [*plan, "--out", "budget.db"],
        [*plan, "--out", "a.html"],
        ["select", "sales.csv", *LISTED, "--out", "a.csv"],
        ["select", "sales.csv", *LISTED, "--out", "a.html", "--dry-run"],
    ):
        text = said(*ask, *force)
        assert f"{ask[-1 - ('--dry-run' in ask)]} is a database or a part of one" in text
        assert Path("budget.db").read_bytes() == before
    Path("a.csv").unlink()
    Path("a.csv").symlink_to("nowhere.csv")
    if force:
        said(*plan, "--out", "a.csv", *force, code=0)
        assert Path("nowhere.csv").exists()


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_no_output_takes_a_file_that_belongs_to_a_ledger(here, ending):
    """What was reserved last may be nowhere else; and SQLite would drop what it does not know."""
    overbar.Ledger("budget.db").open("sales", epsilon=2)
    ask = ["plan", "--epsilon", "1", "--cutoff", "3", "-n", "9", "--force", "--out"]
    for there in (False, True):
        if there:
            Path(f"budget.db{ending}").write_bytes(b"rows")
            Path("a.json").symlink_to(f"budget.db{ending}")
        for name in (f"budget.db{ending}", *(["a.json"] * there)):
            assert f"{name} is a database or a part of one, perhaps a ledger" in said(*ask, name)
        assert Path(f"budget.db{ending}").exists() is there
    said(*ask, f"plan{ending}", code=0)  # a name that belongs to no database


def test_no_output_replaces_a_duckdb_database(here):
    with duckdb.connect("own.duckdb") as engine:
        engine.execute("create table sales as select 1 as customer")
    before = Path("own.duckdb").read_bytes()
    ask = ["plan", "--epsilon", "1", "--cutoff", "3", "-n", "9", "--force", "--out"]
    for name in ("own.duckdb", "own.duckdb.wal"):
        assert f"{name} is a database or a part of one" in said(*ask, name)
    assert Path("own.duckdb").read_bytes() == before


def test_what_may_not_be_read_is_not_replaced(here, monkeypatch):
    Path("p.json").write_text("mine")

    def shut(*_):
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", shut)
        text = said("plan", "--epsilon", "1", "--cutoff", "3", "--out", "p.json", "--force")
    assert "p.json may not be read, so it is not replaced" in text


def test_select_replaces_nothing_unasked(here):
    Path("a.csv").write_text("mine")
    text = said("select", "sales.csv", *SELECT, "--catalogue", "products.txt", "--out", "a.csv")
    assert "a.csv exists already; write --force" in text
