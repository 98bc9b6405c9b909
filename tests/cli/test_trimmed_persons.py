"""What `check` says to do about persons with blanks at their ends can be done, in every door."""

from __future__ import annotations

import sqlite3

import duckdb
import polars
import pytest

from overbar import frames
from tests.cli.shop import run
from tests.cli.workbook import write_workbook

ROWS = [(f"p{number}", "tea") for number in range(9)] + [
    ("p1 ", "rum"),
    (" p2", "rum"),
    ("p1", "rum"),
]
ASK = ("--item", "item", "--person", "person")
ADVICE = "by TRIM in a spreadsheet, by a view with trim() in a database, by str.strip() in a data"
VIEW = "CREATE VIEW clean AS SELECT trim(person) AS person, item FROM visits"


def told(*words):
    """Return what check says of a table, in one line."""
    result = run("check", *words, *ASK)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def is_told_and_then_right(before, after):
    assert "4 persons in 'person' may be 2" in before
    assert ADVICE in before
    assert "may be 2" not in after
    assert "persons 9 " in after


def test_a_view_of_sqlite(tmp_path):
    place = tmp_path / "shop.sqlite"
    with sqlite3.connect(place) as shop:
        shop.execute("CREATE TABLE visits (person TEXT, item TEXT)")
        shop.executemany("INSERT INTO visits VALUES (?, ?)", ROWS)
        shop.execute(VIEW)
    shop.close()
    is_told_and_then_right(*(told(str(place), "--table", name) for name in ("visits", "clean")))


def test_a_view_of_duckdb(tmp_path):
    place = tmp_path / "shop.duckdb"
    with duckdb.connect(str(place)) as shop:
        shop.execute("CREATE TABLE visits (person TEXT, item TEXT)")
        shop.executemany("INSERT INTO visits VALUES (?, ?)", ROWS)
        shop.execute(VIEW)
    is_told_and_then_right(*(told(str(place), "--table", name) for name in ("visits", "clean")))


def test_a_view_of_postgresql(database):
    database.table("person text, item text", ROWS, name="visits")
    database.sql(VIEW)
    is_told_and_then_right(*(told(database.plain, "--table", name) for name in ("visits", "clean")))


def test_copies_of_files(tmp_path):
    for ending in ("csv", "xlsx"):
        said = []
        for name, rows in (("before", ROWS), ("after", [(p.strip(), i) for p, i in ROWS])):
            place = tmp_path / f"{name}.{ending}"
            table = [("person", "item"), *rows]
            if ending == "xlsx":
                write_workbook(place, visits=table)
            else:
                place.write_text("\n".join(",".join(row) for row in table) + "\n")
            said.append(told(str(place)))
        is_told_and_then_right(*said)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_data_frames(kind):
    table = polars.DataFrame(ROWS, schema=["person", "item"], orient="row")
    clean = table.with_columns(polars.col("person").str.strip_chars())
    if kind == "pandas":
        table = table.to_pandas()
        clean = table.assign(person=table["person"].str.strip())
    before, after = (frames.check(one, item="item", person="person") for one in (table, clean))
    assert any(ADVICE in note for note in before.notes)
    assert after.notes == ()
    assert after.persons == 9
