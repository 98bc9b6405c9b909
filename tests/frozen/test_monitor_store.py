"""The store of a monitor: whose it is, older copies, damage, and who pays for it."""

import sqlite3

import pytest

import overbar
from overbar import LedgerError, ParameterError
from tests.frozen import seam

PLAN = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2, candidates=100)
WEIGHTS = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2, candidates=100, weights=True)
CROWD, FEW = range(10_000), range(3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "watch.db"


def watch(path=None, plan=PLAN, **changes):
    return overbar.Monitor(plan, **{"threshold": 1_000, "store": path} | changes)


def test_odd_texts_come_back_from_the_disk(path):
    odd = ["", "\0", "a\0b", "\ud800", "ü", "x" * 100_000, b"\xff\0", "7"]
    with watch(path, threshold=-1_000) as own:
        assert [own.ask(odd) for _ in range(2)] == [True, True]
    alarms, used, _ = seam.counted(path)
    assert alarms == 2
    assert len(used) >= 6
    assert set(used.values()) == {2}
    with watch(path) as again:  # all of them are left out
        assert not again.ask([*odd, *FEW])
    assert seam.counted(path)[1] == used


def test_a_store_goes_on_with_its_own_plan_alone(path):
    with watch(path) as own:
        assert own.ask(CROWD)
    assert watch(path, None).alarms == 1
    with watch(path, None, threshold=None) as own:
        assert own.plan == PLAN
        assert [own.ask(CROWD, threshold=1_000) for _ in range(2)] == [True, False]
        with pytest.raises(ParameterError, match="threshold must be given"):
            own.ask(CROWD)
    other = overbar.plan(epsilon=2, delta="1e-6", hits_per_person=2)
    with watch(path) as running:
        for plan in (WEIGHTS, other):
            with pytest.raises(ParameterError, match="made with another plan"):
                watch(path, plan)
        assert not running.ask(CROWD)  # who was refused has not taken it away


def test_an_older_copy_is_noticed_by_who_knows_the_alarms(path):
    own = watch(path)
    own.ask(CROWD)
    older = path.read_bytes()
    own.ask(CROWD)
    path.write_bytes(older)
    with pytest.raises(LedgerError, match="another copy was put in its place"):
        own.ask(CROWD)
    with pytest.raises(LedgerError, match="knows of 1 alarms and you of 2"):
        watch(path, known_alarms=2)
    assert watch(path, known_alarms=1).alarms == 1


def test_a_second_monitor_takes_the_store_over(path):
    first = watch(path)
    first.ask(CROWD)
    second = watch(path)
    with pytest.raises(LedgerError, match="another monitor has opened it since"):
        first.ask(CROWD)
    assert [second.ask(CROWD) for _ in range(2)] == [True, False]


def test_the_file_says_that_it_is_private(path):
    watch(path).ask(["ann"])
    assert path.stat().st_mode & 0o077 == 0
    written = path.read_bytes()
    assert b"as private as the data itself" in written
    assert b"Never put back an older copy" in written


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100, "another", "edited"])
def test_what_is_not_a_store_is_refused(path, content):
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "another":
        overbar.Ledger(path)
    else:
        watch(path)
        connection = sqlite3.connect(path)
        connection.execute("UPDATE about SET value = 'many' WHERE name = 'alarms'")
        connection.commit()
        connection.close()
    with pytest.raises(LedgerError, match=r"the store .* cannot be used"):
        watch(path, None)


def test_a_database_of_somebody_else_is_left_as_it_is(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("visits", epsilon=1)
    plain = tmp_path / "plain.db"
    connection = sqlite3.connect(plain)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE own (x)")
    connection.close()
    for name in ("budget.db", "plain.db"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(LedgerError, match="not the store of a monitor"):
            watch(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize(
    ("store", "words"),
    [(7, "store must be a path"), ("a\0b", "cannot be used"), ("/", "cannot be")],
)
def test_what_is_no_path_is_refused(store, words):
    with pytest.raises((ParameterError, LedgerError), match=words):
        watch(store)


def test_it_is_paid_once_and_nothing_goes_back(path, tmp_path):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("visits", epsilon=1, delta="1e-6")
    ledger.open("others", epsilon=1, delta="1e-6")
    booking = ledger.booking("visits")
    with watch(path, booking=booking) as own:
        own.ask(FEW)
    watch(path, booking=booking).close()
    watch(path).close()
    (entry,) = ledger.show("visits").entries
    assert entry.cost == entry.reserved
    assert entry.threshold == "1000"
    ledger.verify()
    with pytest.raises(LedgerError, match="paid for by dataset 'visits'"):
        watch(path, booking=ledger.booking("others"))
    with pytest.raises(overbar.BudgetError):
        watch(tmp_path / "new.db", booking=booking)
    with pytest.raises(LedgerError, match="not paid for"):
        watch(tmp_path / "new.db")
    with pytest.raises(ParameterError, match="no request_id"):
        watch(booking=ledger.booking("others", request_id="monday"))
    watch(booking=ledger.booking("others"))
    assert len(ledger.show("others").entries) == 1
    other = overbar.Ledger(tmp_path / "other.db")
    other.open("visits", epsilon=1, delta="1e-6")
    with pytest.raises(LedgerError, match="not there any more"):
        watch(path, booking=other.booking("visits"))
    ledger.open("replaced", epsilon=1, delta="1e-6", neighbours="replaced-person")
    with pytest.raises(LedgerError, match="which do not add up"):
        watch(booking=ledger.booking("replaced"))
