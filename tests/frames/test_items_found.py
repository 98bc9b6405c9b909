"""A number of items that is found first, in `select` and `top`: engines, ledger, words."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import polars
import pytest
from typer.testing import CliRunner

import overbar
from overbar import ParameterError, frames
from overbar.accounting.pure import pure_epsilon
from overbar.calibration.bounds_kind import SURELY_PART, WRONG, bounds_plan, spread
from overbar.cli import app
from overbar.frames import Question
from overbar.frames.bounds_first import FEWER, WORTH, ladder_for
from overbar.frames.catalogue import catalogue_of
from overbar.frames.found_first import within
from overbar.frames.ladders import Ladder
from overbar.frames.measure import measure_of
from overbar.frames.scoring import items_within
from overbar.mechanism.guess_and_check import found_bounds
from overbar.sampling.entropy import system
from tests.frames.engines import ENGINES, table_of

LADDER = Ladder("items, the last for all", tuple(map(Fraction, (1, 2, 3, 5, 6))))
LISTED = ["tea", "rum", "é", "gin", "ale", "absent"]
ITEM_NAMES = [*LISTED[:5], "", "Tea", "other", None]
ASK = {"item": "what", "person": "who", "catalogue": LISTED, "items_per_person": "auto"}


def nasty_rows(seed, size=200):
    draw = random.Random(seed)
    return [(draw.choice(ITEM_NAMES), draw.choice([None, *range(60)]), 0.0) for _ in range(size)]


def in_a_loop(rows, listed=None):
    pairs = {(what, who) for what, who, _ in rows if what is not None and who is not None}
    held = Counter(who for what, who in pairs if listed is None or what in listed)
    return [*(sum(n <= rung for n in held.values()) for rung in (1, 2, 3, 5)), len(held)]


def measured(frame, listed=None):
    measure = measure_of(item="what", person="who")
    catalogue = None if listed is None else catalogue_of(listed)
    return items_within(frame, measure, LADDER, catalogue).tolist()


@pytest.mark.parametrize("listed", [None, LISTED])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_as_a_loop_does(engine, listed):
    rows = nasty_rows(1)
    assert measured(ENGINES[engine](table_of(rows)), listed) == in_a_loop(rows, listed)


def test_a_database_counts_as_a_loop_does(database):
    rows = nasty_rows(3)
    there = database.table("what text, who bigint, much float8", rows)
    for listed in (None, LISTED):
        assert measured(there, listed) == in_a_loop(rows, listed)


def test_one_person_is_one_more_from_a_rung_on():
    rows = nasty_rows(5, 120)
    whole = np.array(in_a_loop(rows))
    for who in range(0, 60, 7):
        moved = whole - in_a_loop([row for row in rows if row[1] != who])
        assert set(moved) <= {0, 1}
        assert (np.diff(moved) >= 0).all()


def test_no_more_have_more_than_is_said():
    plan, runs = bounds_plan(Fraction(1, 20), rungs=5, inside=Fraction(9, 10), surely=True), 600
    assert plan.most == 180

    def often(persons, at_most):
        places = [found_bounds(plan, [np.array(persons)], system)[0] for _ in range(runs)]
        missed = sum(persons[-1] - persons[place] > at_most for place in places)
        assert missed <= WRONG * runs + 6 * (WRONG * runs) ** 0.5
        return places

    # The limit, a share of a table of few persons, and of one of nearly none.
    assert often([9000, 9800, 9995, 9999, 10_000], 180).count(2) > runs / 2
    assert often([800, 890, 990, 1000, 1000], 100).count(2) > runs / 3
    assert often([0, 20, 40, 50, 60], 6).count(4) > runs / 2


def visits(persons=20_000):
    draw = np.random.default_rng(2)
    who = np.repeat(np.arange(persons), draw.integers(1, 4, persons))
    what = np.array(LISTED[:5])[draw.integers(0, 5, len(who))]
    return polars.DataFrame({"what": what, "who": who})


SETTINGS = [
    {"cutoff": 20, "epsilon": 1},
    {"cutoff": 4, "epsilon": "0.3", "counts": True},
    {"cutoff": 10, "epsilon": 1, "delta": "1e-6", "counts": True},
    {"cutoff": 10, "epsilon": 1, "counts": "0.2", "threshold": 100},
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_all_ways_keep_what_is_left_and_are_worth_it(setting):
    question = (Question.select if "threshold" in setting else Question.top)(**ASK, **setting)
    plan, level = question.plan, Fraction(setting["epsilon"])
    assert overbar.guarantee(plan).implies(level, setting.get("delta", 0))
    assert question.guarantee == overbar.guarantee(plan)
    assert pure_epsilon(plan.bounds) == SURELY_PART * level
    usual, *few = plan.ways
    assert usual.labels.items_per_person is None
    assert [way.items_per_person for way in few] == list(FEWER[: len(few)])
    for way in few:
        assert overbar.guarantee(way).implies((1 - SURELY_PART) * level, setting.get("delta", 0))
        assert spread(way) <= WORTH * spread(usual)
    for most in (0, 1):
        inside = within(question, (Fraction(most),))
        assert (inside.measure.items_per_person or 0) == most
        assert overbar.guarantee(inside.plan).at("1e-6") == question.guarantee.at("1e-6")
    assert ladder_for(plan).rungs[-1] == few[-1].items_per_person + 1


def test_where_it_is_not_worth_it_nothing_is_paid_for_it():
    asked = {**ASK, "cutoff": 1, "epsilon": 1}
    usual = Question.top(**{**asked, "items_per_person": None})
    assert Question.top(**asked).plan == usual.plan
    assert Question.top(**asked).measure == usual.measure


def test_keys_that_are_found_first(monkeypatch):
    from overbar.frames import bounds_first

    monkeypatch.setattr(bounds_first, "FEWER", (3,))  # each takes a while
    asked = {**ASK, "catalogue": None, "cutoff": 50, "epsilon": 1, "delta": "1e-6"}
    question = Question.top(**asked)
    assert question.plan.keys.items_per_person == 100
    assert [way.items_per_person for way in question.plan.ways] == [None, 3]
    assert {way.keys for way in question.plan.ways} == {question.plan.keys}
    assert question.guarantee.implies(1, "1e-6")
    answer = question.run(visits())
    assert answer.bounds == (3,)
    assert set(answer.labels) <= set(LISTED)
    assert answer.guarantee.at("1e-6") == question.guarantee.at("1e-6")


@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_one_row_pays_and_a_retry_is_the_same(tmp_path, delta):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("visits", epsilon=5, delta="1e-5", neighbours="person")
    ask = {**ASK, "cutoff": 5, "epsilon": 1, "counts": True, "delta": delta}
    ask["booking"] = ledger.booking("visits", request_id="a")
    table = visits()
    answer = frames.top(table, **ask)
    assert answer.bounds == (3,)
    assert answer.plan.labels.items_per_person == 3
    assert "at most 3 items count" in str(answer)
    if not delta:
        assert answer.spent == 1
    before, left = ledger.head, ledger.remaining("visits")
    assert left < 5
    again = frames.top(table, **ask)
    assert again.receipt.repeated
    assert (again.labels, again.counts, again.bounds) == (
        answer.labels,
        answer.counts,
        answer.bounds,
    )
    assert again.plan == answer.plan
    assert (ledger.head, ledger.remaining("visits")) == (before, left)
    ledger.verify()


def test_in_a_small_table_all_items_count():
    few = visits(50)
    answers = [frames.top(few, **ASK, cutoff=20, epsilon=1) for _ in range(8)]
    # Each is for all items with 95 %: none of eight with less than 1e-10.
    assert any(answer.bounds == (0,) for answer in answers)
    assert any("All items of each person count" in str(answer) for answer in answers)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"value": {"much": (0, 1)}}, "must be a number with value"),
        ({"groups": {"where": ["a"]}, "groups_per_person": 1}, "must be a number with"),
        ({"score": "much", "person": None, "sensitivity": 1}, "items_per_person"),
        ({"plan": overbar.plan(top=True, epsilon=1, cutoff=2), "epsilon": None}, "plan"),
        ({"items_per_person": "some"}, "items_per_person"),
        ({"epsilon": None}, "epsilon"),
    ],
)
def test_what_cannot_be_is_refused(wrong, why):
    with pytest.raises(ParameterError, match=why):
        frames.top(visits(10), **{**ASK, "cutoff": 2, "epsilon": 1, **wrong})


def test_its_plan_is_refused_where_nothing_is_looked_for(tmp_path):
    """Nothing would be found first, and yet paid for."""
    plan = Question.top(**ASK, cutoff=20, epsilon=1).plan
    ledger = overbar.Ledger(tmp_path / "x.db")
    ledger.open("sales", epsilon=3)
    with pytest.raises(ParameterError, match="without bounds that are found first"):
        overbar.top({"a": 5, "b": 9}, plan=plan, booking=ledger.booking("sales", request_id="a"))
    assert ledger.show("sales").entries == ()


def test_several_columns_that_name_an_item():
    table = visits(4000).with_columns(where=polars.lit("a"))
    listed = [(place, name) for place in "ab" for name in LISTED]
    answer = frames.top(
        table,
        **{**ASK, "item": ["where", "what"], "catalogue": listed},
        cutoff=5,
        epsilon=3,
        counts=True,
    )
    assert answer.bounds in {(3,), (5,), (8,), (0,)}
    assert all(label[0] == "a" for label in answer.labels)


def test_the_command_line(tmp_path):
    visits().write_csv(tmp_path / "visits.csv")
    (tmp_path / "list.txt").write_text("\n".join(LISTED))
    page, kept = tmp_path / "a.html", tmp_path / "q.toml"
    words = ["top", str(tmp_path / "visits.csv"), "--item=what", "--person=who", "--counts"]
    words += [f"--catalogue={tmp_path / 'list.txt'}", "--cutoff=5", "--epsilon=1"]
    words += ["--items-per-person=auto"]
    dry = CliRunner().invoke(app, [*words, "--dry-run", f"--save={kept}"])
    assert dry.exit_code == 0, dry.output
    said = " ".join(dry.output.split())
    assert "is found first, from ε = 0.025" in said
    assert "at most 10 % of all persons, and at most 360, have more" in said
    assert "the last for all: 6 rungs from 1 to 9" in said
    assert "if all do" in said
    assert "Say how many items" not in said
    assert CliRunner().invoke(app, ["run", str(kept), "--dry-run"]).output == dry.output
    found = CliRunner().invoke(app, [*words, f"--out={page}", "--format=json"])
    assert found.exit_code == 0, found.output
    fields = json.loads(found.stdout)
    assert fields["bounds"] == ["3"]
    assert "at most 3 items of each" in fields["question"]["score"]
    assert "What was found first" in page.read_text()
    wrong = CliRunner().invoke(app, [*words[:-1], "--items-per-person=some"])
    assert wrong.exit_code == 2
    assert "Traceback" not in wrong.output
