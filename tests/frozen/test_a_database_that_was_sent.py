"""A DuckDB file from somebody else: its views read its own tables, and nothing else here."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pytest

#: Ways to another file, and to a file of one's own choice that is written.
READING = {
    "csv": "read_csv('{other}')",
    "name alone": "'{other}'",
    "text": "(select content as item, 'ann' as person from read_text('{other}'))",
    "names of files": "(select file as item, file as person from glob('{folder}/*'))",
    "a macro": "others('{other}')",
    "a query in a text": "query('select * from read_csv(''{other}'')')",
    "another database": "read_duckdb('{database}')",
    "the folder for what does not fit": "read_csv('{folder}/spill/other.csv')",
    "a log": "(select 'a' as item, 'b' as person from enable_logging(storage = 'file', "
    "storage_path = '{folder}/written'))",
    "a profile": "(select 'a' as item, 'b' as person from enable_profiling(format = 'json', "
    "save_location = '{folder}/written'))",
}


ROWS = "create table t as select 'p' || i as person, '{}' as item from range(300) r(i)"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "spill").mkdir()
    lines = "person,item\n" + "".join(f"p{number},secret\n" for number in range(300))
    for place in ("other.csv", "spill/other.csv"):
        (tmp_path / place).write_text(lines)
    with duckdb.connect(tmp_path / "other.duckdb") as file:
        file.execute(
            "create table t as select 'p' || i as person, 'secret' as item from range(9) r(i)"
        )
    with duckdb.connect(tmp_path / "sent.duckdb") as file:
        file.execute(ROWS.format("tea"))
        file.execute("create macro others(place) as table select * from read_csv(place)")
        file.execute("create macro loud(word) as upper(word)")
        file.execute("create view v as select person, loud(item) as item from t")
    return tmp_path


def asked(folder, table, *more):
    """Ask for what many have, of the columns of a view, and return how it ended."""
    columns = ["--item", "item", "--person", "person", "--table", table, *more]
    question = ["select", str(folder / "sent.duckdb"), *columns, "--threshold", "50"]
    listed = ["--catalogue", "secret,tea,TEA", "--cutoff", "3", "--epsilon", "50"]
    command = [sys.executable, "-m", "overbar", *question, *listed, "--format", "csv"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("way", READING)
def test_a_view_reads_no_other_file(folder, way):
    places = {"other": folder / "other.csv", "database": folder / "other.duckdb", "folder": folder}
    view = READING[way].format(**places)
    with duckdb.connect(folder / "sent.duckdb") as file:
        file.execute(f"create view sent as select person, item from {view}")
    found = asked(folder, "sent", "--temp-folder", str(folder / "spill"))
    assert found.returncode == 2, found.stdout
    assert "secret" not in found.stdout + found.stderr
    assert "Traceback" not in found.stderr
    assert not (folder / "written").exists()


@pytest.mark.parametrize("table", ["t", "v"])
def test_tables_and_views_of_the_file_itself_are_read(folder, table):
    found = asked(folder, table, "--temp-folder", str(folder / "spill"), "--memory", "100MB")
    assert found.returncode == 0, found.stderr
    assert (",TEA\n" if table == "v" else ",tea\n") in found.stdout


def test_what_does_not_fit_goes_to_the_folder_and_leaves_it(folder):
    with duckdb.connect(folder / "sent.duckdb") as file:
        file.execute(
            "create table many as select 'p' || i || repeat('x', 40) as person, 'tea' as item "
            "from range(1500000) r(i)"
        )
    alone = asked(folder, "many", "--memory", "60MB")
    assert alone.returncode == 2  # the control: it does not fit
    found = asked(folder, "many", "--memory", "60MB", "--temp-folder", str(folder / "spill"))
    assert found.returncode == 0, found.stderr
    assert [each.name for each in (folder / "spill").iterdir()] == ["other.csv"]


def test_what_is_refused_says_what_to_write_instead(folder):
    with duckdb.connect(folder / "sent.duckdb") as file:
        file.execute(f"create view sent as select * from read_csv('{folder / 'other.csv'}')")
    said = asked(folder, "sent").stderr
    assert "sent is a view of other files, and only this file is opened" in said
    assert "write what it shows into a table of this file" in said
