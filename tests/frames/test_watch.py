"""Alarms over days: who is counted is compared with a plain loop; what goes on loses nothing."""

from __future__ import annotations

import json
import os
import random
from datetime import UTC, date, datetime, timedelta

import duckdb
import pandas
import polars
import pyarrow
import pytest
from typer.testing import CliRunner

import overbar
from overbar import LedgerError, ParameterError, ScoreError, frames
from overbar.cli import app
from overbar.frames import watching
from overbar.frames.watching import WatchQuestion, _by_day
from overbar.runs.hits import read_persons
from overbar.runs.person_store import PersonStore
from tests.cli.workbook import DAY, MOMENT, styled, write_workbook
from tests.frames.engines import ENGINES

FIRST, LAST = date(2024, 1, 1), date(2024, 1, 4)
DAYS = [FIRST + timedelta(days=n) for n in range(4)]
ITEMS = ["north", "a/b", "~1", "é", "", "7"]
WHENS = {
    "text": [
        *(
            "2024-01-01",
            "2024-01-02 08:15",
            "2024-01-03T23:59:59-05:00",
            "2024-01-04",
            "2023-12-31",
        ),
        *("2024-01-05", "2024-1-1", "2024-01-0", "", "2024-01-01/x", "é", "9999-12-31", None),
    ],
    "date": [*DAYS, date(2023, 12, 31), date(2024, 1, 5), date(1, 1, 1), date(9999, 12, 31), None],
    "moment": [
        *(datetime(2024, 1, 1), datetime(2024, 1, 2, 23, 59, 59, 999_999), datetime(2024, 1, 4, 7)),
        *(datetime(2024, 1, 5), datetime(2023, 12, 31, 23), datetime(1700, 1, 1), None),
    ],
}
KINDS = {"text": pyarrow.string(), "date": pyarrow.date32(), "moment": pyarrow.timestamp("us")}
PERSONS = {
    "text": (["7", "7.0", "007", "x", "é", "", "nan", None], pyarrow.string()),
    "whole": ([7, 8, 10**12, 0, -1, None], pyarrow.int64()),
    "float": ([7.0, 7.5, float("nan"), float("inf"), -0.0, None], pyarrow.float64()),
}
ASK = {
    "item": "region", "person": "user", "time": "day", "catalogue": ["north", "south"],
    "threshold": 100, "epsilon": 1, "delta": "1e-6", "hits_per_person": 2,
}  # fmt: skip


def nasty(when, who, size=400):
    draw = random.Random(f"{when} {who}")
    persons = PERSONS[who][0]
    return [
        (draw.choice(WHENS[when]), draw.choice([*ITEMS, None]), draw.choice(persons))
        for _ in range(size)
    ]


def table_of(rows, when, who):
    whens, items, persons = zip(*rows, strict=True)
    return pyarrow.table(
        {
            "day": pyarrow.array(whens, KINDS[when]),
            "region": pyarrow.array(items, pyarrow.string()),
            "user": pyarrow.array(persons, PERSONS[who][1]),
        }
    )


def person_text(person):
    if person is None or (isinstance(person, float) and person != person // 1):
        return None
    return {"7.0": "7"}.get(person, str(int(person)) if isinstance(person, float) else str(person))


def in_a_loop(rows):
    """Return who has which item on which day."""
    sets = {}
    for when, item, person in rows:
        who = person_text(person)
        if when is None or item is None or who is None:
            continue
        if str(when)[:10] in map(str, DAYS):
            sets.setdefault((str(when)[:10], item), set()).add(who)
    return sets


def sets_of(frame):
    """Return the same, as the library reads it."""
    question = WatchQuestion.of(**ASK | {"days": (FIRST, LAST)})
    sets = {}
    for day, persons in _by_day(frame, question.measure, DAYS):
        for text, whose in persons.items():
            item = text.replace("~1", "/").replace("~0", "~")
            sets[str(day), item] = set(map(str, read_persons(whose)))
    return sets


@pytest.mark.parametrize(
    ("when", "who"),
    [("text", "text"), ("text", "whole"), ("date", "float"), ("moment", "text"), ("date", "text")],
)
def test_who_is_counted_is_who_a_loop_counts(when, who, monkeypatch):
    monkeypatch.setattr(watching, "BATCH_ROWS", 7)  # a day is in several parts
    rows = nasty(when, who)
    table, expected = table_of(rows, when, who), in_a_loop(rows)
    assert len(expected) > 10
    for name, make in ENGINES.items():
        assert sets_of(make(table)) == expected, name


def test_moments_that_no_calendar_has_are_on_no_day():
    far = pyarrow.array([2**62, -(2**62), 1_704_067_200_000_000]).cast(pyarrow.timestamp("us"))
    table = pyarrow.table({"day": far, "region": ["north"] * 3, "user": [1, 2, 3]})
    for make in (lambda x: x, polars.from_arrow, ENGINES["duckdb"]):
        assert sets_of(make(table)) == {("2024-01-01", "north"): {"3"}}


def test_objects_of_pandas_are_read_one_by_one():
    whens = [date(2024, 1, 1), datetime(2024, 1, 2, 8), "2024-01-03", None, 7, "é"]
    whens.append(datetime(2024, 1, 4, 23, tzinfo=UTC))
    frame = pandas.DataFrame({"day": whens, "region": "north", "user": ["7", 7, 7.0, 1, 2, 3, "x"]})
    frame["user"] = frame["user"].astype(object)
    expected = {(str(day), "north"): {"7"} for day in DAYS[:3]} | {("2024-01-04", "north"): {"x"}}
    assert sets_of(frame) == expected


@pytest.mark.parametrize("kind", [pyarrow.timestamp("us", "UTC"), pyarrow.timestamp("s")])
def test_moments_of_which_the_day_is_not_clear_are_refused_by_their_type(kind):
    table = pyarrow.table({"day": pyarrow.array([None], kind), "region": ["a"], "user": [1]})
    for make in (lambda x: x, polars.from_arrow):
        if kind.tz or make(table) is table:
            with pytest.raises(ParameterError, match="clear when a day ends"):
                sets_of(make(table))


def crowd(*events, size=600):
    """Return rows: on each of these days all of so many persons have an item."""
    rows = [(str(day), item, who) for day, item in events for who in range(size)]
    return table_of(rows, "text", "whole") if rows else table_of([(None,) * 3], "text", "whole")


def watch(rows, last=LAST, **changes):
    return frames.watch(rows, **ASK | {"days": (FIRST, last)} | changes)


EVENTS = [(DAYS[0], "north"), (DAYS[2], "south")]


def test_the_same_question_goes_on_tomorrow_and_asks_no_day_twice(tmp_path):
    store = tmp_path / "watch.db"
    rows = crowd(*EVENTS)
    first = watch(rows, last=DAYS[1], store=store)
    assert first.labels == ((DAYS[0], "north"),)
    assert repr(first).startswith("Alarms: 1 alarm; ApproximateDP(epsilon=1 at delta=1e-6)")
    assert asked(store) == 4
    assert watch(rows, last=DAYS[1], store=store).labels == first.labels
    assert asked(store) == 4
    more = watch(rows, store=store, persons=1_000)
    assert more.labels == tuple(EVENTS)
    assert asked(store) == 8
    assert more.outlook.alarms == 2
    assert "a typical person can count in 1.8 more" in str(more.outlook)
    assert watch(crowd(), store=store, days=(DAYS[2], LAST)).labels == tuple(EVENTS[1:])
    assert (
        watch(rows, last=LAST, store=store, catalogue=["north", "south", "west"]).labels
        == more.labels
    )
    assert asked(store) == 8
    later = LAST + timedelta(days=1)
    assert watch(crowd((later, "north")), later, store=store).labels == tuple(EVENTS)  # used up
    assert asked(store) == 10


def asked(store):
    return int(PersonStore(store).take({})[0]["asked"])


def test_a_day_and_an_item_without_rows_are_asked_all_the_same(monkeypatch):
    questions = []

    def ask(_, ids, *, label):
        questions.append((label, len(ids)))

    monkeypatch.setattr(overbar.Monitor, "ask", ask)
    watch(crowd((DAYS[1], "south"), (DAYS[1], "elsewhere"), size=3))
    listed = [json.dumps([str(day), item]) for day in DAYS for item in ("north", "south")]
    assert [label for label, _ in questions] == listed
    assert [size for _, size in questions] == [0, 0, 0, 3, 0, 0, 0, 0]


def test_what_a_store_cannot_go_on_with_is_refused(tmp_path):
    store = tmp_path / "watch.db"
    watch(crowd(), store=store)
    for changes, words in [
        ({"hits_per_person": 3}, "made for 2 hits per person"),
        ({"epsilon": "0.5"}, "goes on with these alone"),
        (
            {"days": ("2023-12-31", LAST)},
            "the first of days must be between 2024-01-01 and 2024-01-05",
        ),
        ({"days": ("2024-01-06", "2024-01-07")}, "the first of days must be between"),
    ]:
        with pytest.raises(ParameterError, match=words):
            watch(crowd(), store=store, **changes)
    other = tmp_path / "other.db"
    plan = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=2)
    overbar.Monitor(plan, threshold=1, store=other).close()
    with pytest.raises(ParameterError, match="made for ids that are no column"):
        watch(crowd(), store=other)
    with overbar.Monitor(threshold=1, store=store) as own:
        own.ask([1], label="noon")
    with pytest.raises(ParameterError, match="not asked by days"):
        watch(crowd(), store=store)
    with pytest.raises(ParameterError, match="days must be two dates"):
        watch(crowd(), days=("2024-01-01", "tomorrow"))
    with pytest.raises(ParameterError, match="days must go forward"):
        watch(crowd(), days=(LAST, FIRST))
    with pytest.raises(ParameterError, match="catalogue must be given"):
        watch(crowd(), catalogue=None)
    with pytest.raises(ParameterError, match="time must name a column"):
        watch(crowd(), time="daz")
    rows = crowd(*EVENTS, size=1)
    with pytest.raises(ParameterError, match="part of the table itself"):
        watch(rows, catalogue=rows["region"])


def test_whoever_was_killed_while_making_the_store_begins_again(tmp_path):
    store = tmp_path / "watch.db"
    store.touch()
    assert watch(crowd(*EVENTS), store=store).labels == tuple(EVENTS)


def test_a_crash_on_a_day_goes_on_behind_the_last_alarm(tmp_path, monkeypatch):
    store = tmp_path / "watch.db"
    events = [(DAYS[1], "north"), (DAYS[1], "south")]
    rows, ask = crowd(*events), overbar.Monitor.ask

    class Killed(BaseException):
        pass

    def killed(own, ids, *, label):
        answer = ask(own, ids, label=label)
        if label == json.dumps([str(DAYS[1]), "north"]):
            os.rename(store, tmp_path / "kept.db")  # nothing that comes later is written
            raise Killed
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(overbar.Monitor, "ask", killed)
        with pytest.raises((Killed, LedgerError)):
            watch(rows, store=store)
    os.rename(tmp_path / "kept.db", store)
    found = watch(rows, store=store)
    assert found.labels == tuple(events)
    _, used, labels = PersonStore(store).take({})
    assert set(used.values()) == {2}  # one hit for each alarm, and none of them twice
    assert len(labels) == 2


def test_a_table_that_cannot_be_read_costs_nothing_and_is_said_later_on(tmp_path, monkeypatch):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("visits", epsilon=1, delta="1e-6")
    store = tmp_path / "watch.db"
    with pytest.raises(ParameterError, match="user"):
        watch(crowd().drop_columns("user"), store=store, booking=ledger.booking("visits"))
    assert not store.exists()
    assert not ledger.show("visits").entries
    rows = watching._rows

    def broken(*about):
        yield from rows(*about)
        raise RuntimeError("patient 7")

    with monkeypatch.context() as patched:
        patched.setattr(watching, "_rows", broken)
        with pytest.raises(ScoreError, match="read to its end") as bad:
            watch(crowd(*EVENTS), store=store, booking=ledger.booking("visits"))
    assert "patient" not in str(bad.value)
    assert watch(crowd(*EVENTS), store=store, booking=ledger.booking("visits")).labels == tuple(
        EVENTS
    )
    assert len(ledger.show("visits").entries) == 1
    with pytest.raises(LedgerError, match="what is left"):
        watch(crowd(), store=tmp_path / "second.db", booking=ledger.booking("visits"))


def test_postgres_counts_whom_the_others_count(database):
    rows = [row for row in nasty("date", "text") if row[0] != date(1, 1, 1)]
    table = database.table('"day" date, "region" text, "user" text', rows)
    assert sets_of(table) == in_a_loop(rows)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = crowd(*EVENTS)
    polars.from_arrow(rows).write_csv("events.csv")
    polars.from_arrow(rows).with_columns(polars.col("day").str.to_datetime()).write_parquet(
        "events.parquet"
    )
    with duckdb.connect("events.duckdb") as file:
        file.execute("create table events as select day::date as day, region, user from rows")
    (tmp_path / "regions.txt").write_text("north\nsouth\n")
    return tmp_path


TYPED = (
    *("--person", "user", "--item", "region", "--time", "day", "--threshold", "100"),
    *("--hits-per-person", "2", "--epsilon", "1", "--delta", "1e-6"),
    *("--catalogue", "regions.txt", "--from", "2024-01-01"),
)


def run(*words, code=0):
    found = CliRunner().invoke(app, list(words))
    assert found.exit_code == code, found.output
    assert "Traceback" not in found.output
    return found


@pytest.mark.parametrize("name", ["events.parquet", "events.duckdb", "events.xlsx"])
def test_the_verb_reads_every_kind_of_file(here, name):
    if name.endswith("xlsx"):
        serials = {"2024-01-01": styled(45292, DAY), "2024-01-03": styled(45294.75, MOMENT)}
        rows = [(serials[day], *rest) for day, *rest in polars.read_csv("events.csv").rows()]
        odd = [(styled(-1, DAY), "north", 1), ("soon", "south", 2), (styled(1e9, DAY), "north", 3)]
        write_workbook(name, events=[("day", "region", "user"), *rows, *odd])
    shown = run("watch", name, *TYPED, "--to", "2024-01-04", "--format", "csv").stdout
    assert shown == "found,day,region\n1,2024-01-01,north\n2,2024-01-03,south\n"


def test_the_verb_goes_on(here):
    words = ("watch", "events.csv", *TYPED, "--store", "watch.db")
    dry = run(*words, "--to", "2024-01-02", "--dry-run")
    assert "nothing was spent" in dry.output
    assert not (here / "watch.db").exists()
    first = run(*words, "--to", "2024-01-02", "--save", "question.toml", "--format", "csv")
    assert first.stdout == "found,day,region\n1,2024-01-01,north\n"
    assert "to go on costs nothing" in run(*words, "--dry-run").output
    outs = [word for kind in ("json", "html", "parquet") for word in ("--out", f"alarms.{kind}")]
    shown = run(
        *words, "--to", "2024-01-04", "--persons", "10000", "--format", "table", *outs
    ).output
    assert "2 alarms; (ε, δ)-differential privacy with ε = 1 and δ = 1e-6" in shown
    assert "a typical person can count in 2.0 more" in " ".join(shown.split())
    fields = json.loads((here / "alarms.json").read_text())
    assert fields["labels"] == [["2024-01-01", "north"], ["2024-01-03", "south"]]
    assert fields["question"]["days"] == ["2024-01-01", "2024-01-04"]
    assert "2 alarms, in the order of days" in (here / "alarms.html").read_text()
    assert polars.read_parquet("alarms.parquet")["day"].to_list() == [day for day, _ in EVENTS]
    again = run("run", "question.toml")
    assert again.stdout == first.stdout


def test_without_a_last_day_it_is_yesterday(here):
    yesterday = datetime.now().astimezone().date() - timedelta(days=1)
    words = [str(yesterday) if word == "2024-01-01" else word for word in TYPED]
    assert f"from {yesterday} to {yesterday}" in " ".join(
        run("watch", "events.csv", *words, "--dry-run").output.split()
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (TYPED[:-2], "--from must be given: the first day"),
        ((*TYPED[:-4], *TYPED[-2:]), "--catalogue must be given"),
        ((*TYPED, "--to", "2023-01-01"), "days must go forward"),
        ((*TYPED, "--to", "soon"), "days must be two dates"),
        ((*TYPED, "--store", "regions.txt"), "file is not a database"),
        ((*TYPED, "--store", "new.csv", "--out", "new.csv"), "is the store that this run reads"),
        ((*TYPED, "--request", "a"), "--request goes with --ledger"),
        ((*TYPED[:4], "--time", "dax", *TYPED[6:], "--to", "2024-01-02"), "for --time"),
    ],
)
def test_bad_use_is_one_line(here, words, said):
    before = sorted(os.listdir(here))
    assert said in " ".join(run("watch", "events.csv", *words, code=2).output.split())
    assert sorted(os.listdir(here)) == before
