"""Quantiles of a table: every engine ranks what a plain loop does, and one ledger row pays."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import polars
import pytest
from typer.testing import CliRunner

import overbar
from overbar import LedgerError, ParameterError, ScoreError, frames
from overbar.cli import app
from overbar.frames import narwhals_table, postgres_table, scoring
from overbar.frames.catalogue import catalogue_of
from overbar.frames.ladders import MOST_RUNGS, ladder_of
from overbar.frames.measure import OF, values_measure
from overbar.frames.quantiles import QuantileQuestion
from overbar.frames.scoring import persons_below
from overbar.plans import Groups
from overbar.plans.plan_file import plan_text, read_plan
from tests.frames.engines import ENGINES, table_of
from tests.reference import frames as reference

pytestmark = pytest.mark.one_in(2)

NASTY = [
    *(0.0, -0.0, 0.1, -0.1, 0.00001, 1e-300, -7.5, 12.0, 12.0000049, 99.0, 100.0, 1e13, -1e13),
    *(3e13, 1e300, -1e300, math.inf, -math.inf, math.nan, None, 2.0**53, 2.0**62),
]
LADDERS = {"numbers": None, "whole": "whole", "steps": "0:100:0.5", "list": (-8, "0.1", 12, 50)}


def nasty_rows(seed, size=200):
    draw = random.Random(seed)
    persons = [None, *range(40)]
    return [("x", draw.choice(persons), draw.choice(NASTY)) for _ in range(size)]


def value_steps(value, digits):
    """Return a number in fine steps by itself, as a float does; None where there is none."""
    if value is None or math.isnan(value):
        return None
    power = float(10 ** abs(digits))
    steps = value * power if digits >= 0 else value / power
    return math.floor(min(max(steps, -(2.0**61)), 2.0**61) + 0.5)


def one_value(steps, of):
    if of == "sum":
        return min(max(sum(steps), -(2**62)), 2**62)
    if of == "mean":
        return Fraction(min(max(sum(steps), -(2**62)), 2**62), len(steps))
    return max(steps) if of == "largest" else min(steps)


def in_a_loop(rows, of, ladder, digits):
    """Return how many persons have a value up to each rung."""
    values = defaultdict(list)
    for _, who, much in rows:
        steps = value_steps(much, digits)
        if who is not None and steps is not None:
            values[who].append(steps)
    ones = [one_value(steps, of) for steps in values.values()]
    ends = [rung * Fraction(10) ** digits for rung in ladder.rungs]
    return [sum(one <= end for one in ones) for end in ends[:-1]] + [len(ones)]


def ranked(frame, of, ladder):
    return persons_below(frame, values_measure("much", "who", of), ladder).tolist()


#: Each way to one value on two ladders, and each ladder by two ways.
NAMES = list(LADDERS)
WAYS = [(of, NAMES[(place + more) % 4]) for place, of in enumerate(OF[:4]) for more in (0, 1)]


@pytest.mark.parametrize(("of", "wish"), WAYS)
def test_every_engine_ranks_as_a_loop_does(of, wish):
    ladder = ladder_of(LADDERS[wish])
    digits = ladder.amounts("much", polars_float()).digits
    rows = nasty_rows(len(of))
    expected = in_a_loop(rows, of, ladder, digits)
    for name, make in ENGINES.items():
        assert ranked(make(table_of(rows)), of, ladder) == expected, name
    assert ranked(ENGINES["polars"](table_of([])), of, ladder) == [0] * len(ladder.rungs)


def polars_float():
    import narwhals

    return narwhals.Float64()


@pytest.mark.parametrize("engine", ENGINES)
def test_any_is_one_value_of_each_person_by_lot(engine):
    rows = [("x", who, value) for who in range(400) for value in (1.0, 1.0, 5.0)]
    ladder = ladder_of((1, 5))
    ones, all_ = ranked(ENGINES[engine](table_of(rows)), "any", ladder)
    assert all_ == 400
    assert 100 < ones < 300  # of different values each is as likely: a miss below 1e-20


GROUPS = ["south", "north", "é", "absent"]
KEY = "key"


def rows_in_groups(seed=4):
    """Return nasty rows with a group in the place of the item, some in none that is listed."""
    draw = random.Random(seed)
    where = [*GROUPS[:-1], "West", "", None]
    return [(draw.choice(where), who, much) for _, who, much in nasty_rows(seed)]


def groups_in_a_loop(rows, of, ladder, digits, most):
    """Return how many persons of each group have a value up to each rung, in `most` groups each."""
    held = defaultdict(set)
    for where, who, much in rows:
        if where in GROUPS and who is not None and value_steps(much, digits) is not None:
            held[who].add(where)
    kept = {
        (who, where)
        for who, groups in held.items()
        for where in reference.kept(who, groups, most, KEY)
    }
    assert most == 4 or len(kept) < sum(map(len, held.values()))
    return [
        in_a_loop([row for row in rows if row[0] == where and (row[1], where) in kept],
                  of, ladder, digits)
        for where in GROUPS
    ]  # fmt: skip


def ranked_groups(frame, of, ladder, most):
    measure = values_measure("much", "who", of, "what", Groups(4, most))
    values = scoring.ranked(frame, measure, ladder, catalogue_of(GROUPS))
    return [ladder.below(*each).tolist() for each in values]


@pytest.fixture
def one_key(monkeypatch):
    for module in (narwhals_table, postgres_table):
        monkeypatch.setattr(module, "fresh_key", lambda: KEY)


@pytest.mark.parametrize(("of", "most"), [("sum", 1), ("mean", 2), ("largest", 4)])
def test_every_engine_ranks_each_group_as_a_loop_does(one_key, of, most):
    ladder, rows = ladder_of("whole"), rows_in_groups()
    digits = ladder.amounts("much", polars_float()).digits
    expected = groups_in_a_loop(rows, of, ladder, digits, most)
    for name, make in ENGINES.items():
        assert ranked_groups(make(table_of(rows)), of, ladder, most) == expected, name


def test_a_database_ranks_each_group_as_a_loop_does(one_key, database):
    ladder, rows = ladder_of("whole"), rows_in_groups()
    digits = ladder.amounts("much", polars_float()).digits
    there = database.table("what text, who bigint, much float8", rows)
    for of, most in (("sum", 1), ("mean", 2), ("smallest", 4)):
        expected = groups_in_a_loop(rows, of, ladder, digits, most)
        assert ranked_groups(there, of, ladder, most) == expected


def test_a_database_ranks_as_a_loop_does(database):
    rows = nasty_rows(5)
    there = database.table("what text, who bigint, much float8", rows)
    exact = database.table(
        "what text, who bigint, much numeric",
        [(what, who, much) for what, who, much in rows if much is None or math.isfinite(much)],
    )
    whole = database.table("who bigint, much bigint", [(1, 3), (1, 4), (2, None), (None, 9)])
    for of, wish in WAYS:
        ladder = ladder_of(LADDERS[wish])
        digits = ladder.amounts("much", polars_float()).digits
        assert ranked(there, of, ladder) == in_a_loop(rows, of, ladder, digits)
    assert ranked(exact, "sum", ladder_of(None))[-1] > 0
    assert ranked(whole, "sum", ladder_of("0:10:1")) == [0] * 7 + [1] * 4
    assert ranked(there, "any", ladder_of(None))[-1] == ranked(there, "sum", ladder_of(None))[-1]


def test_one_person_is_one_more_on_some_rung_at_most():
    ladder = ladder_of("whole")
    for seed in range(5):
        rows = nasty_rows(seed, 60)
        who = random.Random(seed).choice([row[1] for row in rows if row[1] is not None])
        fewer = [row for row in rows if row[1] != who]
        for of in OF[:-1]:
            one, other = (
                np.diff([0, *ranked(polars.from_arrow(table_of(some)), of, ladder)])
                for some in (rows, fewer)
            )
            assert Counter((one - other).tolist())[1] <= 1
            assert set((one - other).tolist()) <= {0, 1}


def sales(persons=40_000):
    return polars.DataFrame({"who": range(persons), "much": [12, 55, 340, 55] * (persons // 4)})


def test_the_answer_is_near_and_says_how_near():
    answer = frames.quantile(sales(), value="much", person="who", at=("0.2", "0.5"), epsilon=2)
    persons, low, middle = answer.counts
    assert 39_000 < persons.value < 41_000
    assert (low.value, middle.value) == (12, 55)
    assert middle.low <= 55 <= middle.high
    assert answer.guarantee == overbar.PureDP(2)
    first, _ = repr(answer).split("\n", 1)
    assert first.endswith("on a public ladder. PureDP(epsilon=2), spent all of it")
    assert list(answer.to_frame().columns) == ["at", "value", "low", "high"]
    alone = frames.quantile(sales(), value="much", person="who", epsilon=2, intervals=False)
    assert alone.counts[1] == (55, 55, 55)


def in_areas():
    return sales(8000).with_columns(area=polars.Series(["n", "s"] * 4000))


IN_AREAS = {"value": "much", "person": "who", "epsilon": 4, "groups": {"area": ["s", "n", "x"]}}


def test_groups_are_asked_by_themselves_and_cost_what_a_person_is_in(tmp_path):
    answer = frames.quantile(in_areas(), **IN_AREAS, groups_per_person=1, intervals=False)
    assert answer.labels == tuple((area, line) for area in "snx" for line in ("persons", "0.5"))
    values = dict(zip(answer.labels, (count.value for count in answer.counts), strict=True))
    assert values["s", "0.5"] == 55
    assert 12 <= values["n", "0.5"] <= 340
    assert abs(values["n", "persons"] - 4000) < 100 > values["x", "persons"]
    for most in (1, 2):
        plan = QuantileQuestion.of(**IN_AREAS, groups_per_person=most).plan
        assert overbar.guarantee(plan) == overbar.PureDP(4)
        assert overbar.guarantee(plan.labels).epsilon == Fraction(4, most)
        assert read_plan(plan_text(plan)) == plan
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=4)
    booking = ledger.booking("sales", request_id="first")
    asked = {**IN_AREAS, "groups_per_person": 2, "booking": booking}
    first, again = (frames.mean(in_areas(), **asked) for _ in range(2))
    assert again.counts == first.counts
    assert list(map(type, again.counts)) == list(map(type, first.counts))
    assert first.spent == again.spent == 4


def test_one_row_of_a_ledger_pays_and_a_retry_gets_the_same(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=1)
    asked = {"value": "much", "person": "who", "at": (0.5,), "epsilon": "0.75"}
    booking = ledger.booking("sales", request_id="first")
    first = frames.quantile(sales(), **asked, booking=booking)
    again = frames.quantile(sales(), **asked, booking=booking)
    assert again.counts == first.counts
    assert str(again).splitlines()[1:] == str(first).splitlines()[1:]
    assert "0.25" in ledger.standing("sales").left
    with pytest.raises(LedgerError):
        frames.quantile(sales(), **asked, booking=ledger.booking("sales"))
    with pytest.raises(LedgerError):
        frames.quantile(sales(), **asked, ladder="whole", booking=booking)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"value": "none"}, "value must name a column"),
        ({"of": "last"}, "of must be sum, mean"),
        ({"person": "much"}, "must be two columns"),
        ({"ladder": "0:1"}, "LOW:HIGH:STEP"),
        ({"ladder": (3, 2)}, "rising numbers"),
        ({"ladder": f"0:{MOST_RUNGS}:1"}, "rising numbers"),
        ({"at": (0.9, 0.1)}, "rising order"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"threshold": 3}, "threshold"),
        ({"groups": ["n"], "groups_per_person": 1}, "the public list of its groups"),
        ({"groups": {"area": ["n"]}}, "groups_per_person must be given"),
        ({"groups": {"who": ["n"]}, "groups_per_person": 1}, "a column of their own"),
        ({"groups": {"area": ["n"]}, "groups_per_person": 1, "of": "any"}, "of must be sum"),
        ({"groups": {"area": ["n"]}, "groups_per_person": 1}, "must name a column"),
    ],
)
def test_bad_questions_are_refused(wrong, words):
    asked = {"value": "much", "person": "who", "epsilon": 1} | wrong
    with pytest.raises((ParameterError, TypeError), match=words):
        frames.quantile(sales(8), **asked)


def test_a_column_of_text_is_refused_by_its_type():
    table = polars.DataFrame({"who": ["a"], "much": ["hunter2"]})
    with pytest.raises(ParameterError, match="must be a column of numbers") as caught:
        frames.quantile(table, value="much", person="who", epsilon=1)
    assert "hunter2" not in str(caught.value)
    assert not isinstance(caught.value, ScoreError)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"c{who},{value}" for who in range(3000) for value in ("10", "", "x", "2.5")]
    (tmp_path / "sales.csv").write_text("customer,amount\n" + "\n".join(lines) + "\n")
    return CliRunner()


def run(runner, *words, code=0):
    found = runner.invoke(app, ["quantile", "sales.csv", *words])
    assert found.exit_code == code, found.output
    return found


ASKED = ("--value", "amount", "--person", "customer", "--at", "0.5,0.9", "--epsilon", "2")


def test_the_verb_gives_the_same_answer_in_every_form(shop, tmp_path):
    outs = [f"answer.{kind}" for kind in ("json", "csv", "html", "parquet")]
    words = [word for out in outs for word in ("--out", out)]
    table = run(shop, *ASKED, "--format", "table", *words, "--save", "question.toml").output
    assert "12.5" not in table  # which is no rung
    assert "2 quantiles" in table
    fields = json.loads((tmp_path / "answer.json").read_text())
    assert fields["labels"] == ["persons", "0.5", "0.9"]
    assert fields["counts"][1]["value"] == "13"
    assert fields["question"]["ladder"].startswith("numbers: 3,243 rungs")
    assert fields["guarantee"]["epsilon"] == "2"
    assert (tmp_path / "answer.csv").read_text().startswith("found,at,value,low,high\n1,persons,")
    page = (tmp_path / "answer.html").read_text()
    assert "How sure it is, in persons" in page
    assert polars.read_parquet(tmp_path / "answer.parquet").columns[1:] == [
        "at",
        "value",
        "low",
        "high",
    ]
    again = shop.invoke(app, ["run", "question.toml", "--dry-run", "--force"])
    assert "quantiles at 0.5, 0.9" in again.output


def test_the_verb_asks_each_group(shop, tmp_path):
    lines = [f"c{who},{'ns'[who % 2]},{who % 50}" for who in range(2000)]
    (tmp_path / "sales.csv").write_text("customer,area,amount\n" + "\n".join(lines) + "\n")
    groups = ("--groups", "area=n,s", "--groups-per-person", "1")
    outs = [word for kind in ("json", "csv", "parquet") for word in ("-o", f"a.{kind}")]
    shown = run(shop, *ASKED, *groups, "--format", "table", *outs).output
    assert "4 quantiles in 2 groups" in " ".join(shown.split())
    assert "In s, of about" in " ".join(shown.split())
    fields = json.loads((tmp_path / "a.json").read_text())
    assert fields["labels"][:4] == [["n", "persons"], ["n", "0.5"], ["n", "0.9"], ["s", "persons"]]
    assert (tmp_path / "a.csv").read_text().startswith("found,area,at,value,low,high\n1,n,persons,")
    assert polars.read_parquet(tmp_path / "a.parquet").columns[1:3] == ["area", "at"]
    mean = [word for word in ASKED if word not in ("--at", "0.5,0.9")]
    dry = CliRunner().invoke(app, ["mean", "sales.csv", *mean, *groups, "--dry-run"])
    assert dry.exit_code == 0, dry.output
    words = " ".join(dry.output.split())
    assert "items-per-person" not in words
    assert "The list of groups must be public too." in words
    assert (
        "mean of the sum of amount of each customer in each area, at most 1 area of each" in words
    )
    asked = ("--person", "customer", "--number", "amount", "--epsilon", "1", *groups)
    said = CliRunner().invoke(app, ["describe", "sales.csv", *asked])
    assert said.exit_code == 2
    assert "Ask quantile, mean or top about each group" in " ".join(said.output.split())


def test_a_dry_run_shows_the_ladder_and_reads_nothing(shop, tmp_path):
    (tmp_path / "sales.csv").unlink()
    shown = run(shop, *ASKED, "--ladder", "0:20:0.5", "--of", "mean", "--dry-run").output
    words = " ".join(shown.split())
    assert "0:20:0.5: 41 rungs from 0 to 20" in words
    assert "no data was touched" in words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--item", "amount", *ASKED), "--item must be left out"),
        (ASKED[2:], "--value must be given"),
        (ASKED[:-2], "--epsilon must be given"),
        ((*ASKED, "--of", "last"), "--of must be sum, mean"),
        ((*ASKED, "--ladder", "fine"), "--ladder must be"),
    ],
)
def test_bad_use_is_one_line(shop, words, said):
    found = run(shop, *words, code=2)
    assert said in found.output
    assert "Traceback" not in found.output


def test_a_question_knows_its_words():
    question = QuantileQuestion.of(value="much", person="who", epsilon=1, of="mean")
    assert question.in_words.startswith("quantiles at 0.5 of the mean of much of each who, on the")
    assert "persons" in question.forecast
