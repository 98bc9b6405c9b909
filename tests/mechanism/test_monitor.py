"""A monitor: who counts, what is written, and what nobody is told."""

import copy
import json
import math
import os
import pickle
import sqlite3
import subprocess
import sys
import threading
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import overbar
from overbar import HaltedError, LedgerError, NoGuaranteeError, ParameterError, SecrecyError
from overbar.accuracy.detection import detection
from overbar.mechanism import monitor, person_store
from overbar.mechanism.hits import read_persons, read_weights
from overbar.mechanism.person_store import PersonStore
from overbar.mechanism.scores import Ruler
from overbar.noise import Gumbel
from overbar.plans import Bar, MonitorPlan, Reach

PLAN = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2, candidates=100)
WEIGHTS = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2, candidates=100, weights=True)
CROWD, FEW = range(10_000), range(3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "watch.db"


def watch(path=None, plan=PLAN, **changes):
    return overbar.Monitor(plan, **{"threshold": 1_000, "store": path} | changes)


def test_everyone_counts_in_so_many_alarms_and_then_in_none():
    own = watch()
    assert [own.ask(CROWD) for _ in range(4)] == [True, True, False, False]
    assert own.ask(range(10_000, 20_000))
    assert own.ask([*range(5_000), *range(20_000, 30_000)])
    assert not own.ask(FEW)
    assert (own.asked, own.alarms) == (7, 4)
    assert repr(own) == "Monitor: 7 asked, 4 alarms given, each person counts in at most 2 alarms"


def test_a_negative_answer_costs_nothing():
    own = watch(threshold=10**6)
    assert not any(own.ask(CROWD) for _ in range(20))
    assert [own.ask(CROWD, threshold=1_000) for _ in range(3)] == [True, True, False]


def test_weights_last_by_their_square(path):
    own = watch(path, WEIGHTS)
    assert [own.ask(CROWD) for _ in range(3)] == [True, True, False]
    half = {f"half {person}": 0.5 for person in CROWD}
    answers = [own.ask(half) for _ in range(20)]
    given = answers.index(False)
    assert given > 8
    assert not any(answers[given:])
    assert not watch(path, WEIGHTS).ask(half)
    assert not own_total(own, dict.fromkeys(FEW, 0))


def own_total(own, weights):
    return own._hits.total(own._weights(weights))


def test_weights_are_clamped_and_missing_ones_are_zero():
    own = watch(plan=WEIGHTS)
    odd = {"a": 7, "b": -3, "c": math.nan, "d": None, "e": math.inf, "f": Decimal("0.2")}
    assert own_total(own, odd) == 1000 + 1000 + 200
    signed = MonitorPlan(Gumbel(20), Bar(None), 2, Reach(-1, 1), Fraction(1, 10))
    own = watch(plan=signed)
    assert own_total(own, odd | {"g": -0.25, "h": np.nan, "i": pd.NA}) == 10 - 10 + 10 + 2 - 2
    with pytest.raises(ParameterError, match=r"knows no weights.*weights=True"):
        watch().ask({"a": 1})


def test_an_id_is_its_text_and_counts_once():
    same = [7, "7", 7.0, np.int64(7), b"7", Decimal(7), np.float32(7)]
    assert read_persons(same) == {"7"}
    key = uuid.uuid4()
    assert read_persons([key, str(key)]) == {str(key)}
    nobody = [
        None,
        math.nan,
        math.inf,
        7.5,
        2.0**53,
        pd.NA,
        pd.NaT,
        Decimal("sNaN"),
        Decimal("0.5"),
    ]
    assert read_persons([*nobody, 10**5000]) == {hex(10**5000)}
    assert read_persons([10**5000]) == {hex(10**5000)}
    columns = [np.array([1, 2, 2]), pd.Series([1, 2]), pa.array([1, 2, None]), {1, 2}, (1, "2")]
    for column in [*columns, iter([1, 2]), np.ma.masked_array([1, 2, 9], mask=[0, 0, 1])]:
        assert read_persons(column) == {"1", "2"}
    twice = {7: 0.25, "7": 0.75, 7.5: 1, None: 1}
    assert read_weights(twice, Ruler.of(Fraction(1, 100), (0, 1))) == {"7": 75}


@pytest.mark.parametrize(
    "ids", ["ann", b"ann", 7, np.zeros((2, 2)), pd.DataFrame({"a": [1]}), [["a"]], [object()], None]
)
def test_what_is_no_list_of_ids_is_refused(ids):
    with pytest.raises(ParameterError, match="ids must be a list") as refusal:
        watch().ask(ids)
    assert "ann" not in str(refusal.value)


def test_odd_texts_come_back_from_the_disk(path):
    odd = ["", "\0", "a\0b", "\ud800", "ü", "x" * 100_000, b"\xff\0", "7"]
    own = watch(path, threshold=-1_000)
    assert [own.ask(odd) for _ in range(2)] == [True, True]
    again = watch(path, threshold=-1_000)
    assert again._hits._used == dict.fromkeys(read_persons(odd), 2)
    assert again._hits.total(read_persons(odd)) == 0


def test_a_store_goes_on_with_its_own_plan_alone(path):
    with watch(path) as own:
        assert own.ask(CROWD)
    assert watch(path, None).alarms == 1
    with watch(path, None, threshold=None) as own:
        assert own.plan == PLAN
        assert [own.ask(CROWD, threshold=1_000) for _ in range(2)] == [True, False]
        with pytest.raises(ParameterError, match="threshold must be given"):
            own.ask(CROWD)
    same = {"epsilon": 1, "delta": "1e-6", "hits_per_person": 2}
    assert not watch(path, None, **same).ask(CROWD)
    with watch(path) as running:
        for other in ({"plan": WEIGHTS}, {"plan": None, **same, "epsilon": 2}):
            with pytest.raises(ParameterError, match="made with another plan"):
                watch(path, **other)
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


def test_the_file_says_that_it_is_private(path):
    watch(path).ask(["ann"])
    assert path.stat().st_mode & 0o077 == 0
    connection = sqlite3.connect(path)
    first = connection.execute("SELECT name FROM sqlite_master").fetchone()
    assert first == ("as_private_as_the_data",)
    (notice,) = connection.execute("SELECT * FROM as_private_as_the_data").fetchone()
    assert "as private as the data itself" in notice
    assert "Never put back an older copy" in notice
    connection.close()


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


def failing(own, monkeypatch, reason="disk I/O error"):
    def write(*_):
        raise own._store._trouble(reason, person_store.DiskError)

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
    code = (
        "import overbar, resource, signal\n"
        "from overbar.mechanism import monitor\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"plan = overbar.Plan.from_json({PLAN.to_json()!r})\n"
        f"own = overbar.Monitor(plan, threshold=1_000, store={str(path)!r})\n"
        "most = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "def said(crowd):\n"
        "    try:\n        return own.ask(crowd)\n"
        "    except overbar.LedgerError as error:\n        return 'I/O error' in str(error)\n"
        "monitor.BETWEEN_TRIES = 1e9\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, most[1]))\n"
        "print(*(own.ask(range(number)) for number in (3, 10_000, 10_000, 3)))\n"
        "monitor.BETWEEN_TRIES = 0\n"
        "print(said(range(3)))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, most)\n"
        "print(*(own.ask(range(10_000)) for _ in range(2)))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.stdout.split() == ["False"] * 4 + ["True", "True", "False"], result.stderr
    assert set(watch(path)._hits._used.values()) == {2}


@pytest.mark.parametrize(
    ("store", "words"),
    [(7, "store must be a path"), ("a\0b", "cannot be used"), ("/", "cannot be")],
)
def test_what_is_no_path_is_refused(store, words):
    with pytest.raises((ParameterError, LedgerError), match=words):
        watch(store)


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


def test_a_closed_monitor_answers_no_more(path):
    own = watch(path)
    own.close()
    own.close()
    with pytest.raises(HaltedError, match="open its store again"):
        own.ask(FEW)


def test_it_is_never_copied_nor_carried_into_a_fork(path):
    own = watch(path)
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SecrecyError):
            act(own)
    own._forks -= 1
    with pytest.raises(SecrecyError, match="forked process"):
        own.ask(FEW)


def test_threads_share_the_hits(path):
    own, answers = watch(path), []
    threads = [threading.Thread(target=lambda: answers.append(own.ask(CROWD))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False] * 6 + [True] * 2


def test_nothing_is_said_about_who_was_left_out(path, caplog):
    own = watch(path)
    before = dir(own)
    for _ in range(4):
        own.ask(CROWD)
    assert dir(own) == before
    public = {name for name in before if not name.startswith("_")}
    assert public == {"alarms", "ask", "asked", "close", "labels", "outlook", "plan", "receipt"}
    assert not caplog.records
    assert own.outlook() == watch(path).outlook()  # from the alarms alone


def test_the_outlook_is_from_public_numbers():
    own = watch(threshold=100)
    fresh = own.outlook(persons=100_000)
    assert fresh.used_up == 0
    assert 1_600 < fresh.until_half < 1_700
    chance = overbar.accuracy.chances(PLAN, fresh.sure - 100).above
    assert chance >= 0.95 > overbar.accuracy.chances(PLAN, fresh.sure - 101).above
    assert fresh.hardly < 100 < fresh.sure
    for _ in range(2):
        own.ask(CROWD)
    assert "from 146 persons on" in str(own.outlook(100_000))
    assert "2 were given so far" in str(own.outlook())
    assert own.outlook(100).used_up > 0.5
    assert watch(threshold=None).outlook().used_up is None


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "epsilon must be given, or a plan"),
        ({"epsilon": 1}, "delta must be given"),
        ({"epsilon": 1, "delta": "1e-6"}, "hits_per_person must be given"),
        ({"epsilon": 1, "delta": 0, "hits_per_person": 2}, "no pure guarantee"),
        ({"epsilon": 1, "delta": "1e-6", "hits_per_person": 0}, "hits_per_person must be"),
        ({"plan": PLAN, "epsilon": 1}, "a plan brings its own numbers"),
        ({"plan": overbar.plan(epsilon=1, cutoff=2, candidates=9)}, "one for a monitor"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ParameterError, match=words):
        overbar.Monitor(**{"threshold": 5} | parameters)


def test_a_plan_for_a_monitor_is_for_nothing_else():
    for run in (
        lambda: overbar.select([5], threshold=3, plan=PLAN),
        lambda: overbar.SparseVector(PLAN, threshold=3),
        lambda: overbar.simulate(PLAN, [5], threshold=3, runs=1, seed=1),
    ):
        with pytest.raises(ParameterError, match="must be one for"):
            run()
    assert "places" not in detection(PLAN).in_words(100, "persons")
    weak = MonitorPlan(Gumbel("0.01"), Bar(None), 2, Reach(0, 1))
    with pytest.raises(NoGuaranteeError):
        watch(plan=weak)


def test_a_real_fork_is_refused(path):
    code = (
        "import os, overbar, sys\n"
        f"plan = overbar.Plan.from_json({PLAN.to_json()!r})\n"
        f"own = overbar.Monitor(plan, threshold=1, store={str(path)!r})\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n        own.ask([1])\n    except overbar.SecrecyError:\n        os._exit(7)\n"
        "    os._exit(0)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), own.ask(range(100)))\n"
    )
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["7", "True"]


def test_a_plan_in_a_file_is_the_same_plan():
    for own in (PLAN, WEIGHTS):
        assert overbar.Plan.from_json(own.to_json()) == own
        assert json.loads(own.to_json())["kind"] == "monitor"
