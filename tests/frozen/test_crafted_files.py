"""Files made to mislead or to keep a reader waiting: refused at once, and left as they are."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

import overbar
from overbar import LedgerError
from tests.frozen import seam
from tests.frozen.forged import PLAN, write

USE = """
import sys
import overbar

for path in sys.argv[1:]:
    for use in (
        lambda: overbar.Ledger(path),
        lambda: overbar.Ledger(path, create=False),
        lambda: overbar.Ledger(path).verify(),
        lambda: overbar.Ledger(path).show("data"),
        lambda: overbar.Ledger(path).open("more", epsilon=1),
    ):
        try:
            use()
        except overbar.LedgerError as error:
            print(error)
        else:
            print("done")
"""


def used(*paths):
    """Use files in a process of its own, which is ended if it waits; return what each was told."""
    told = subprocess.run(
        [sys.executable, "-c", USE, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    lines = told.stdout.splitlines()
    return [set(lines[start : start + 5]) for start in range(0, len(lines), 5)]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "ledger.db"
    write(file)
    return file


def crafted(path, script):
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


ENDLESS = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS number,
'' AS content, '' AS hash, '' AS kind, '' AS dataset, '' AS request, 0 AS run FROM n"""
SCRIPTS = [
    f"DROP TABLE events; CREATE VIEW events AS {ENDLESS};",
    f"CREATE VIEW more AS {ENDLESS};",
    "CREATE TRIGGER also AFTER INSERT ON events BEGIN SELECT 1; END;",
    "DROP INDEX by_number;",
    "CREATE TABLE more (x); INSERT INTO more VALUES (1);",
    "DROP TABLE events;",
]


def test_other_declarations_are_refused_before_anything_is_read(path):
    files = [path.with_name(f"{number}.db") for number in range(len(SCRIPTS))]
    for file, script in zip(files, SCRIPTS, strict=True):
        shutil.copy(path, file)
        crafted(file, script)
    before = [file.read_bytes() for file in files]
    for file, told in zip(files, used(*files), strict=True):
        assert told == {f"the ledger '{file}' cannot be used: its tables were changed"}
    assert [file.read_bytes() for file in files] == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_a_pipe_is_not_waited_for(path):
    files, endings = [], ("", "-wal", "-shm", "-journal")
    for ending in endings:
        files.append(path.with_name(f"pipe{ending}.db"))
        if ending:
            shutil.copy(path, files[-1])
        os.mkfifo(f"{files[-1]}{ending}")
    for file, ending, told in zip(files, endings, used(*files), strict=True):
        assert told == {f"the ledger '{file}' cannot be used: {file.name}{ending} is not a file"}


def test_a_folder_is_not_a_ledger(tmp_path):
    with pytest.raises(LedgerError, match="is not a file"):
        overbar.Ledger(tmp_path)


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "7", "null", '{"a":1e999}', "\x1b[31m"])
def test_rows_that_cannot_be_read_are_refused(path, text):
    whole = path.read_bytes()
    last = len(seam.rows(path)) - 1
    try:
        seam.forge(path, {last: text})
    except sqlite3.Error:  # the file itself will not have it
        path.write_bytes(whole)
        return
    ledger = overbar.Ledger(path)
    with pytest.raises(LedgerError) as caught:
        ledger.verify()
    assert str(caught.value).isprintable()
    for use in (
        ledger.datasets,
        lambda: ledger.show("data"),
        lambda: seam.reserve(ledger, "data", PLAN),
    ):
        with contextlib.suppress(LedgerError):
            use()


def test_a_row_of_another_type_is_refused(path):
    crafted(
        path,
        """DROP TRIGGER never_edited; PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')') WHERE name = 'events';""",
    )
    crafted(path, "UPDATE events SET hash = x'00' WHERE number = 6;")
    crafted(
        path,
        """PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = sql || ' STRICT' WHERE name = 'events';""",
    )
    crafted(
        path,
        """CREATE TRIGGER never_edited BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never edited'); END""",
    )
    with pytest.raises(LedgerError, match="a row is not text"):
        seam.reserve(overbar.Ledger(path), "data", PLAN)


def test_reading_leaves_an_empty_file_alone(tmp_path):
    for name in ("empty.db", "nowhere.db"):
        path = tmp_path / name
        if name == "empty.db":
            path.touch()
        with pytest.raises(LedgerError, match="there is no ledger"):
            overbar.Ledger(path, create=False)
    assert [entry.name for entry in tmp_path.iterdir()] == ["empty.db"]
    assert (tmp_path / "empty.db").read_bytes() == b""


def journal(content):
    """Return a rollback journal that brings back this content, page by page."""
    size = int.from_bytes(content[16:18], "big")
    pages = [content[place : place + size] for place in range(0, len(content), size)]
    numbers = (len(pages), 0, len(pages), 512, size)  # records, nonce, pages, sector, page size
    made = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"".join(n.to_bytes(4, "big") for n in numbers)
    made = made.ljust(512, b"\0")
    for number, page in enumerate(pages, 1):
        check = sum(page[place] for place in range(size - 200, 0, -200))
        made += number.to_bytes(4, "big") + page + check.to_bytes(4, "big")
    return made


def test_a_journal_brings_back_an_older_state_and_only_the_head_tells(path):
    early, old = path.read_bytes(), overbar.Ledger(path).head
    ledger = overbar.Ledger(path)
    seam.reserve(ledger, "data", PLAN)
    head = ledger.head
    path.with_name(f"{path.name}-journal").write_bytes(journal(early))
    assert overbar.Ledger(path).verify() == old
    with pytest.raises(LedgerError, match=f"the head {head} is not in it: an older copy"):
        overbar.Ledger(path).verify(head)
    with pytest.raises(LedgerError, match=r"row 7, .* is not in the ledger any more"):
        ledger.verify()
