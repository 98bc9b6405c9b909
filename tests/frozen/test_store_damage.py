"""Damaged stores of a monitor: refused in words, or nobody is forgotten.

All 1,400 of them: ``make campaign NAME=store``.
"""

import sqlite3
from contextlib import closing

import pytest

import overbar
from overbar import LedgerError
from tests.frozen.store_damage import FORGOTTEN, KINDS, OPENED, PLAN, damage, good, opened, wrong

CROWD = range(1000)


def watch(path, plan=PLAN, **more):
    return overbar.Monitor(plan, threshold=10, store=path, **more)


def altered(path, *statements):
    """Alter a store as whole rows, so that no page is damaged."""
    with closing(sqlite3.connect(path)) as file:
        for statement in statements:
            file.execute(statement)
        file.commit()


@pytest.fixture
def path(tmp_path):
    with watch(tmp_path / "watch.db") as own:
        assert [own.ask(CROWD, label=f"day {day}") for day in range(3)] == [True, True, False]
    return tmp_path / "watch.db"


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_refused_or_forgets_nobody(kind):
    assert not wrong(damage(20, kinds=(kind,)))


def test_who_is_forgotten_is_seen(tmp_path):
    """The control: a store that never heard of the last alarm, and one that never heard of any."""
    made = good(tmp_path)
    copy = tmp_path / "copy.db"
    assert opened(copy, made.whole, None, made.labels) == OPENED
    assert opened(copy, made.earlier, None, made.labels) == FORGOTTEN
    with overbar.Monitor(PLAN, threshold="0.5", store=tmp_path / "none.db"):
        pass
    assert opened(copy, (tmp_path / "none.db").read_bytes(), None, made.labels) == FORGOTTEN


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM persons WHERE id = CAST('7' AS BLOB)",
        "UPDATE persons SET used = 1 WHERE id = CAST('7' AS BLOB)",
        "UPDATE persons SET id = CAST('1000' AS BLOB) WHERE id = CAST('7' AS BLOB)",
        "UPDATE alarms SET label = 'day 7' WHERE number = 1",
        "DELETE FROM alarms WHERE number = 1",
        "UPDATE about SET value = '1' WHERE name = 'alarms'",
        "UPDATE about SET value = replace(value, '\"hits\": 2', '\"hits\": 3') WHERE name = 'plan'",
        "DELETE FROM about WHERE name = 'asked'",
    ],
)
def test_rows_that_are_not_those_that_were_written_are_refused(path, statement):
    altered(path, statement)
    for plan in (None, PLAN):
        with pytest.raises(LedgerError, match="it is damaged, and may have forgotten") as refusal:
            watch(path, plan)
        assert "'7'" not in str(refusal.value)


def test_an_empty_id_is_not_forgotten_either(tmp_path):
    path = tmp_path / "watch.db"
    with watch(path) as own:
        assert own.ask(["", *map(str, CROWD)])
    altered(path, "DELETE FROM persons WHERE id = x''")
    with pytest.raises(LedgerError, match="may have forgotten"):
        watch(path)


def test_a_value_of_another_type_is_refused(path):
    """It is put in while the table is declared to take any."""
    declared = "STRICT, WITHOUT ROWID"
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA writable_schema = ON")
        loose = "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'persons'"
        file.execute(loose, (declared, "WITHOUT ROWID"))
    altered(path, "UPDATE persons SET used = 'many' WHERE id = CAST('7' AS BLOB)")
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA writable_schema = ON")
        file.execute(loose, ("WITHOUT ROWID", declared))
    with pytest.raises(LedgerError, match="it is damaged"):
        watch(path)


def test_hits_that_moved_from_one_person_to_another_are_refused(tmp_path):
    with watch(tmp_path / "watch.db") as own:
        assert own.ask(CROWD)
        assert own.ask(range(500))
    altered(tmp_path / "watch.db", "UPDATE persons SET used = 3 - used")
    with pytest.raises(LedgerError, match="it is damaged"):
        watch(tmp_path / "watch.db")


def test_damage_under_a_running_monitor_is_not_written_over(path):
    """The store goes on being written; the next who opens it is told all the same."""
    with watch(path) as own:
        own.ask(range(1000, 2000))
        altered(path, "UPDATE persons SET used = 0 WHERE id = CAST('1007' AS BLOB)")
        own.ask(range(1000, 2000))
    with pytest.raises(LedgerError, match="it is damaged"):
        watch(path)
    assert not list(path.parent.glob("*-journal"))


def test_what_a_running_monitor_finds_altered_it_does_not_sign(path):
    own = watch(path)
    altered(path, "UPDATE about SET value = '0' WHERE name = 'alarms'")
    with pytest.raises(LedgerError, match="it is damaged"):
        own.ask(CROWD)
    with pytest.raises(LedgerError, match="it is damaged"):
        watch(path)


def test_a_file_in_which_nothing_seems_to_be_is_no_new_store(path):
    """Of the first page the number of its tables is zero: everything else is still there."""
    content = bytearray(path.read_bytes())
    content[103:105] = bytes(2)
    path.write_bytes(content)
    with pytest.raises(LedgerError, match="cannot be used"):
        watch(path)


def test_a_monitor_says_whether_it_begins_anew(path, tmp_path):
    assert not watch(path).is_new
    assert not watch(path, None).is_new
    assert watch(tmp_path / "another.db").is_new
    assert not watch(tmp_path / "another.db").is_new
    assert overbar.Monitor(PLAN, threshold=10).is_new
    path.write_bytes(b"")  # cut to nothing: that is told, and who counts alarms refuses it
    with pytest.raises(LedgerError, match="nothing is in it yet"):
        watch(path, None)
    with pytest.raises(LedgerError, match="knows of 0 alarms and you of 2"):
        watch(path, known_alarms=2)
    path.write_bytes(b"")
    assert watch(path).is_new
