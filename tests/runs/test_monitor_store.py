"""The store of a monitor: what is on the disk, whose it is, and what a failing disk tells."""

import math
import os
import signal
import sqlite3
import sys

import pytest

from overbar import LedgerError, ParameterError
from overbar.runs import monitor, person_store
from overbar.runs.hits import read_persons
from overbar.runs.person_store import PersonStore
from tests.runs.test_forks import told_by_child
from tests.runs.test_monitor import CROWD, FEW, watch


@pytest.fixture
def path(tmp_path):
    return tmp_path / "watch.db"


def test_odd_texts_come_back_from_the_disk(path):
    odd = ["", "\0", "a\0b", "\ud800", "ü", "x" * 100_000, b"\xff\0", "7"]
    own = watch(path, threshold=-1_000)
    assert [own.ask(odd) for _ in range(2)] == [True, True]
    again = watch(path, threshold=-1_000)
    assert again._hits._used == dict.fromkeys(read_persons(odd), 2)
    assert again._hits.total(read_persons(odd)) == 0


def test_two_monitors_at_once_never_count_anyone_too_often(path, monkeypatch):
    """The second opens the store in the very moment before the first would write an alarm."""
    first = watch(path)
    passes = first._bar.passes

    class Late:
        def passes(self, *gap):
            watch(path).ask(CROWD)
            return passes(*gap)

    first._bar = Late()
    assert first.ask(CROWD) is False
    assert [watch(path).ask(CROWD) for _ in range(2)] == [True, False]


def failing(own, monkeypatch, reason="disk I/O error"):
    def write(*_):
        raise own._store.trouble(reason, person_store.DiskError)

    monkeypatch.setattr(own._store, "write", write)


def test_an_alarm_that_cannot_be_written_is_not_told_from_a_negative(path, monkeypatch):
    own = watch(path)
    monkeypatch.setattr(monitor, "BETWEEN_TRIES", math.inf)
    with monkeypatch.context() as broken:
        failing(own, broken)
        draws = []
        passes = own._bar.passes

        class Bar:
            def passes(self, *gap):
                draws.append(gap)
                return passes(*gap)

        own._bar = Bar()
        os.utime(path)  # as a write that failed halfway would leave it
        assert [own.ask(asked) for asked in (FEW, CROWD, CROWD, FEW)] == [False] * 4
        assert len(draws) == 2  # from the alarm on nothing is drawn
    assert own.alarms == 0
    # Its hits are on the disk before anything that depends on them is out.
    assert [own.ask(CROWD) for _ in range(2)] == [True, False]
    assert set(watch(path)._hits._used.values()) == {2}


@pytest.mark.parametrize("where", ["_hits.after", "_hits.charge", "_store.write"])
def test_an_alarm_that_memory_is_too_short_for_is_not_told_either(path, monkeypatch, where):
    own = watch(path)

    def full(*_):
        raise MemoryError

    part, name = where.split(".")
    with monkeypatch.context() as short:
        if part == "_hits":
            short.setattr(type(own._hits), name, full)
        else:
            short.setattr(own._store, name, full)
        assert [own.ask(asked) for asked in (FEW, CROWD, FEW)] == [False] * 3
    assert own.ask(CROWD)
    assert not own.ask(FEW)


def test_labels_of_alarms_are_in_the_store_once(path, monkeypatch):
    with watch(path) as own:
        assert [own.ask(who, label=name) for who, name in [(CROWD, "a"), (FEW, "b")]] == [
            True,
            False,
        ]
        assert own.labels == ("a",)
        assert own.ask(CROWD)  # without one
    own = watch(path)
    assert (own.labels, own.alarms, own._first, own._last) == (("a",), 2, "a", "b")
    monkeypatch.setattr(monitor, "BETWEEN_TRIES", math.inf)
    with monkeypatch.context() as broken:
        failing(own, broken)
        assert not own.ask(range(20_000, 30_000), label="c")
        assert own.labels == ("a",)
    assert not own.ask(FEW)
    assert own.labels == watch(path).labels == ("a", "c")  # it was an alarm, and is counted
    for label in (7, "a\0b", "\ud800", None):
        with pytest.raises(ParameterError, match="label must be text"):
            watch().ask(FEW, label=label)


def test_what_says_that_the_disk_fails_is_the_clock(path, monkeypatch):
    answers = []
    for crowd in (CROWD, FEW):
        own = watch(path)
        failing(own, monkeypatch)
        own.ask(crowd)
        monkeypatch.setattr(monitor, "BETWEEN_TRIES", 0)
        with pytest.raises(LedgerError, match="disk I/O error") as error:
            own.ask(crowd)
        answers.append(str(error.value))
        monkeypatch.undo()
    assert answers[0] == answers[1]
    assert "may be missing" in answers[0]
    own = watch(path)
    monkeypatch.setattr(monitor, "BETWEEN_TRIES", 0)
    monkeypatch.setattr(person_store, "ROOM", 1 << 70)
    with pytest.raises(LedgerError, match="are left on its disk"):
        own.ask(FEW)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_on_a_disk_that_really_fails(path):
    """No file may grow any more: SQLite itself fails, in the middle of an alarm."""
    import resource

    def asked():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        own, most = watch(path), resource.getrlimit(resource.RLIMIT_FSIZE)
        monitor.BETWEEN_TRIES = math.inf
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, most[1]))
        answers = [own.ask(crowd) for crowd in (FEW, CROWD, CROWD, FEW)]
        monitor.BETWEEN_TRIES = 0
        try:
            answers.append(own.ask(FEW))
        except LedgerError as error:
            answers.append("I/O error" in str(error))
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
        return [*answers, own.ask(CROWD), own.ask(CROWD)]

    assert told_by_child(os.fork, asked) == repr([False] * 4 + [True, True, False])
    assert set(watch(path)._hits._used.values()) == {2}


def test_an_interrupted_alarm_is_counted_before_the_next_answer(path, monkeypatch):
    own = watch(path)
    with monkeypatch.context() as broken:

        def interrupted(*_):
            raise KeyboardInterrupt

        broken.setattr(own._store, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            own.ask(CROWD)
    assert own.alarms == 0
    own.ask(FEW)
    assert set(PersonStore(path).take({})[1].values()) == {1}


@pytest.mark.parametrize("summed", [True, False])
def test_without_the_sums_a_person_would_be_forgotten(path, monkeypatch, summed):
    """The twin has a sum that is always zero: rows that are gone are not missed."""
    if not summed:
        monkeypatch.setattr(person_store, "crc32", lambda _: 0)
    with watch(path) as own:
        assert [own.ask(CROWD) for _ in range(3)] == [True, True, False]
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM persons")
    connection.commit()
    connection.close()
    if summed:
        with pytest.raises(LedgerError, match="may have forgotten who was counted"):
            watch(path)
    else:
        assert watch(path).ask(CROWD)
