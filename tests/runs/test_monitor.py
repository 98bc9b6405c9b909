"""A monitor: who counts, what is written, and what nobody is told."""

import contextlib
import copy
import json
import math
import os
import pickle
import sqlite3
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
import overbar_lab
from overbar import HaltedError, NoGuaranteeError, ParameterError, SecrecyError
from overbar.accuracy.detection import detection
from overbar.mechanisms import Bar, MonitorPlan, Reach
from overbar.mechanisms.monitor import Charges
from overbar.noise import Gumbel
from overbar.runs import hits as hits_module
from overbar.runs.hits import LONGEST, Hits, read_persons, read_weights
from overbar.runs.scores import Ruler
from tests.runs.test_forks import told_by_child

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
    half = {f"half {person}": 0.5 for person in range(3_000)}
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
        assert set(map(str, read_persons(column))) == {"1", "2"}
    twice = {7: 0.25, "7": 0.75, 7.5: 1, None: 1}
    assert read_weights(twice, Ruler.of(Fraction(1, 100), (0, 1))) == {"7": 75}


LARGE = [10**18, 10**3999, -(10**4000) + 1, 10**4000, -(10**4001)]


@pytest.mark.parametrize("person", [0, 7, -7, *LARGE], ids=lambda person: len(hex(person)))
def test_a_whole_number_and_its_text_are_left_out_together(person):
    text = str(person) if abs(person) < 10**4000 else hex(person)
    forms = [person], [text], [text.encode()], [Decimal(person)], [person, "other"]
    for first in forms[:4]:
        hits = Hits(Charges((0, 1), 2), 1, {})
        for left in (1, 1, 0):
            assert [hits.total(read_persons(ids)) for ids in forms] == [left] * 4 + [1 + left]
            hits.charge(hits.after(read_persons(first)))
        assert hits._used == {text: 2}
        again = Hits(Charges((0, 1), 2), 1, {text: 2})
        assert [again.total(read_persons(ids)) for ids in forms] == [0] * 4 + [1]


@pytest.mark.parametrize("near", ["07", "-0", "+7", " 7", "7\n", "7_0", "٧", "0x7", "--7", "-"])
def test_a_text_that_only_looks_like_a_number_is_somebody_else(near):
    hits = Hits(Charges((0, 1), 1), 1, {near: 1})
    assert hits.total(read_persons([7, 0, -7, 70])) == 4
    assert hits.total(read_persons([near])) == 0


def test_an_id_that_no_store_can_hold_is_nobody(path, monkeypatch):
    monkeypatch.setattr(hits_module, "LONGEST", 10)
    long = ["x" * 11, b"x" * 11, b"\xff" * 11, 10**4000, Decimal(10) ** 11]
    assert [read_persons([one]) for one in long] == [frozenset()] * 5
    assert read_persons(["x" * 10, "x" * 11, "y"]) == {"x" * 10, "y"}
    assert read_weights(dict.fromkeys(long, 1), Ruler.of(Fraction(1), (0, 1))) == {}
    own = watch(path, threshold=-1_000)
    assert [own.ask(ids) for ids in (long, ["x" * 11], CROWD)] == [True] * 3
    assert max(map(len, watch(path)._hits._used)) < 10


def test_a_store_can_hold_the_longest_id():
    # Four bytes are the most that a character takes.
    with contextlib.closing(sqlite3.connect(":memory:")) as file:
        assert file.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) >= 4 * LONGEST


@pytest.mark.parametrize(
    "ids", ["ann", b"ann", 7, np.zeros((2, 2)), pd.DataFrame({"a": [1]}), [["a"]], [object()], None]
)
def test_what_is_no_list_of_ids_is_refused(ids):
    with pytest.raises(ParameterError, match="ids must be a list") as refusal:
        watch().ask(ids)
    assert "ann" not in str(refusal.value)


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
    given = {"alarms", "ask", "asked", "close", "is_new", "labels", "outlook", "plan", "receipt"}
    assert public == given
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
    ("make", "words"),
    [
        (lambda: watch(plan=None), r"plan must be given.*overbar\.plan\(.*hits_per_person="),
        (lambda: watch(plan=overbar.plan(epsilon=1, cutoff=2, candidates=9)), "one for a monitor"),
        (lambda: overbar.plan(epsilon=1, delta=0, hits_per_person=2), "no pure guarantee"),
        (lambda: overbar.plan(epsilon=1, delta="1e-6", hits_per_person=0), "hits_per_person must"),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_a_hundred_questions_a_day_if_nothing_is_said():
    assert overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2) == PLAN


def test_a_plan_for_a_monitor_is_for_nothing_else():
    for run in (
        lambda: overbar.select([5], threshold=3, plan=PLAN),
        lambda: overbar.SparseVector(PLAN, threshold=3),
        lambda: overbar_lab.simulate(PLAN, [5], threshold=3, runs=1, seed=1),
    ):
        with pytest.raises(ParameterError, match=r"must be one for|nothing says how"):
            run()
    assert "places" not in detection(PLAN).in_words(100, "persons")
    weak = MonitorPlan(Gumbel("0.01"), Bar(None), 2, Reach(0, 1))
    with pytest.raises(NoGuaranteeError):
        watch(plan=weak)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_real_fork_is_refused(path):
    own = watch(path)
    assert told_by_child(os.fork, lambda: own.ask(FEW)) == "refused"
    assert own.ask(CROWD)


def test_a_plan_in_a_file_is_the_same_plan():
    for own in (PLAN, WEIGHTS):
        assert overbar.Plan.from_json(own.to_json()) == own
        assert json.loads(own.to_json())["kind"] == "monitor"
