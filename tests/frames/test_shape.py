"""The shape of a table: every engine counts what a plain loop does; types decide, and no row."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache

import numpy as np
import polars
import pyarrow
import pytest
from typer.testing import CliRunner

import overbar
from overbar import ParameterError, frames
from overbar.cli import app
from overbar.frames import shape
from overbar.frames.ladders import ladder_of
from overbar.frames.measure import persons_measure, values_measure
from overbar.frames.scoring import RankedValues, persons_below, ranked
from overbar.frames.shape import ColumnKind, ShapeQuestion
from overbar.mechanism.counting import Day
from tests.frames.engines import ENGINES, duckdb_of
from tests.frames.test_quantile import nasty_rows

pytestmark = pytest.mark.one_in(2)

DAYS = [
    *(None, date(1, 1, 1), date(1899, 12, 31), date(1900, 1, 1), date(1969, 12, 31)),
    *(date(1970, 1, 1), date(2000, 2, 29), date(2024, 2, 29), date(2100, 12, 31), date.max),
]
MOMENTS = [None if day is None else datetime(*day.timetuple()[:3], 23, 59, 59) for day in DAYS]
WHO = [7, 1, 2, 3, None, 5, 6, 6, 1, 9]


@cache
def days_in_a_loop(largest):
    """Return how many persons have a day up to each rung."""
    own = defaultdict(list)
    for who, day in zip(WHO, DAYS, strict=True):
        if who is not None and day is not None:
            own[who].append((day - date(1970, 1, 1)).days)
    ones = [max(days) if largest else min(days) for days in own.values()]
    rungs = list(map(int, ladder_of("days").rungs))
    return [sum(one <= rung for one in ones) for rung in rungs[:-1]] + [len(ones)]


@pytest.mark.parametrize("of", ["largest", "smallest"])
def test_every_engine_counts_days_as_a_loop_does(of):
    table = pyarrow.table({"who": WHO, "day": DAYS, "moment": MOMENTS})
    expected = days_in_a_loop(of == "largest")
    for name, make in ENGINES.items():
        for column in ("day", "moment"):
            if column == "day" and name.startswith("pandas"):
                continue  # which has objects for dates
            measure = values_measure(column, "who", of)
            found = persons_below(make(table), measure, ladder_of("days"))
            assert found.tolist() == expected, (name, column)


def test_days_that_python_does_not_know_are_no_days():
    days = pyarrow.array([2**31 - 1, -(2**31), 65_536 * 366, 0], pyarrow.int32())
    table = pyarrow.table({"who": [1, 2, 3, 4], "day": days.cast(pyarrow.date32())})
    for make in (lambda table: table, polars.from_arrow, duckdb_of):
        found = persons_below(make(table), values_measure("day", "who", "sum"), ladder_of("days"))
        assert found[-1] == 1


def test_a_database_counts_days_and_persons_as_a_loop_does(database):
    rows = list(zip(WHO, DAYS, MOMENTS, MOMENTS, strict=True))
    there = database.table("who bigint, day date, moment timestamp, zoned timestamptz", rows)
    for column in ("day", "moment"):
        for of in ("largest", "smallest"):
            found = persons_below(there, values_measure(column, "who", of), ladder_of("days"))
            assert found.tolist() == days_in_a_loop(of == "largest")
    assert persons_below(there, values_measure("zoned", "who", "any"), ladder_of("days"))[-1] == 6
    assert persons_below(there, persons_measure("who"), ladder_of((0, 1)))[-1] == 7
    kinds = [each.kind for each in shape.typed_columns(there)]
    assert kinds == ["number", "day", "day", "day"]
    answer = frames.describe(there, person="who", day=["day", "moment"], epsilon=1)
    assert len(answer) == 1 + 2 * 6


@pytest.mark.parametrize("engine", ENGINES)
def test_everybody_with_a_row_is_a_person(engine):
    table = pyarrow.table({"who": [1, 1, 2, None, 3], "x": [None] * 5})
    measure = persons_measure("who")
    assert persons_below(ENGINES[engine](table), measure, ladder_of((0, 1))).tolist() == [3, 3]


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_within_bounds_are_those_of_a_loop(engine):
    from tests.frames.engines import table_of

    rows, low, high = nasty_rows(4), Fraction(-8), Fraction(100)
    frame = ENGINES[engine](table_of(rows))
    (values,) = ranked(frame, values_measure("much", "who", "largest"), ladder_of(None))
    own = defaultdict(list)
    for _, who, much in rows:
        if who is not None and much is not None and not math.isnan(much):
            own[who].append(much)
    steps = 2**16
    expected = sum(
        math.floor((min(max(*some, -8), 100) - 46) / 54 * steps + 0.5) for some in own.values()
    )
    assert abs(values.total(low, high) - expected) <= len(own)  # values are read to 0.00001


def test_one_person_moves_a_sum_by_half_of_the_range():
    values = np.array([-(10**18), -5, 0, 3, 10**18], dtype=np.int64)
    for low, high in ((0, 3), (-7, -6), (2, 2), (0, 10**13)):
        for value in values:
            one = RankedValues(np.array([value]), np.array([1]), 2)
            assert abs(one.total(Fraction(low), Fraction(high))) <= 2**16


def survey(persons=30_000):
    city = ["Rome", "Oslo", "Rome", None, "Ulm", "Rome"]
    return polars.DataFrame(
        {
            "who": range(persons),
            "age": [20, 40, 40, 60, 40, None] * (persons // 6),
            "born": [date(2000, 1, 1) + timedelta(n % 1000) for n in range(persons)],
            "city": city * (persons // 6),
            "odd": [[1]] * persons,
        }
    )


def test_the_shape_of_a_table():
    answer = frames.describe(survey(), person="who", epsilon=4, delta="1e-6")
    lines = dict(zip(answer.labels, answer.counts, strict=True))
    assert abs(lines["", "persons", ""].value - 30_000) < 1000
    assert abs(lines["age", "persons", ""].value - 25_000) < 1000
    assert [lines["age", "number", at].value for at in ("0.5", "0.75")] == [40, 40]
    middle = lines["born", "day", "0.5"]
    assert isinstance(middle, Day)
    assert middle.shown.startswith("2001-0")
    assert abs(lines["city", "text", "Rome"].value - 15_000) < 1000
    assert ("odd", "persons", "") not in lines
    assert answer.guarantee.implies(4, "1e-6")
    assert answer.to_frame().shape[0] == len(answer)
    page = answer._repr_html_()
    assert "Columns of text" in page
    assert page.count("<svg") == 3  # a picture for each column


def test_many_rows_of_a_person_are_one_value():
    rows = polars.DataFrame({"who": [1, 1, 1, 2] * 2000, "x": [1.0, 2.0, 9.0, 4.0] * 2000})
    for of in ("mean", "any"):
        answer = frames.describe(rows, person="who", number="x", epsilon=1000, of=of)
        assert [count.value for count in answer.counts[:2]] == [2, 2]


def test_a_hundred_columns_with_a_delta_need_far_less_noise():
    names = [f"c{number}" for number in range(100)]
    plans = [
        ShapeQuestion.of(None, person="who", number=names, epsilon=1, delta=delta).plan
        for delta in (0, "1e-6")
    ]
    pure, other = (plan.columns[0].plan.query_noise.scale for plan in plans)
    assert pure > 8 * other
    assert overbar.guarantee(plans[0]) == overbar.PureDP(1)
    assert overbar.guarantee(plans[1]).implies(1, "1e-6")
    assert not overbar.guarantee(plans[1]).implies("0.97", "1e-6")  # nothing is left lying
    for plan in plans:
        assert overbar.Plan.from_json(plan.to_json()) == plan


def test_types_decide_and_no_row():
    found = shape.typed_columns(survey(6))
    assert found == [
        *(ColumnKind("who", "number"), ColumnKind("age", "number"), ColumnKind("born", "day")),
        ColumnKind("city", "text"),
    ]
    texts = polars.DataFrame({"who": [1], "age": ["30"]})
    with pytest.raises(ParameterError, match="must be a column of numbers"):
        frames.describe(texts, person="who", number=["age"], epsilon=1)
    with pytest.raises(ParameterError, match="must be a column of dates"):
        frames.describe(texts, person="who", day=["age"], epsilon=1)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"number": ["none"]}, "must name a column"),
        ({"number": ["age", "age"]}, "named once"),
        ({"number": ["who"]}, "must be two columns"),
        ({"of": "last"}, "of must be sum, mean"),
        ({"epsilon": 0}, "epsilon must be positive"),
    ],
)
def test_bad_questions_are_refused(wrong, words):
    with pytest.raises(ParameterError, match=words):
        frames.describe(survey(6), **{"person": "who", "epsilon": 1} | wrong)


def test_no_row_decides_which_columns_there_are():
    nothing = polars.DataFrame({"who": [1, 2], "x": [None, None], "y": [1, 2]})
    with pytest.raises(ParameterError, match="must have a type, which 'x' has not"):
        frames.describe(nothing, person="who", epsilon=1)
    for named in ({"number": ["x", "y"]}, {"number": ["y"], "day": ["x"]}):
        lines = frames.describe(nothing, person="who", epsilon=1, **named).labels
        assert len([name for name, _, _ in lines if name == "x"]) == 6


def test_what_was_spent_is_all_of_it_however_many_lines_come_out(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("survey", epsilon=3)
    booking = ledger.booking("survey", request_id="first")
    first, again = (
        frames.describe(survey(), person="who", number=["age"], epsilon=1, booking=booking)
        for _ in range(2)
    )
    assert first.spent == again.spent == 1


def test_a_ledger_pays_once_and_gives_the_same_again(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("survey", epsilon=3, delta="1e-5")
    asked = {"person": "who", "epsilon": 1, "delta": "1e-6"}
    booking = ledger.booking("survey", request_id="first")
    first = frames.describe(survey(), **asked, booking=booking)
    again = frames.describe(survey(), **asked, booking=booking)
    assert again.counts == first.counts
    assert (repr(again.spent), again.spent.renyi(2)) == (repr(first.spent), first.spent.renyi(2))
    assert [type(count) for count in again.counts] == [type(count) for count in first.counts]
    assert again.receipt.repeated
    mean = frames.mean(
        survey(),
        value="born",
        person="who",
        epsilon=1,
        booking=ledger.booking("survey", request_id="b"),
    )
    same = frames.mean(
        survey(),
        value="born",
        person="who",
        epsilon=1,
        booking=ledger.booking("survey", request_id="b"),
    )
    assert str(same).splitlines()[1:] == str(mean).splitlines()[1:]


@pytest.mark.parametrize("of", ["sum", "mean", "any"])
def test_a_mean_is_near_and_its_bounds_are_outside(of):
    rows = polars.DataFrame({"who": range(30_000), "x": [10.5, 20.0, 59.5] * 10_000})
    answer = frames.mean(rows, value="x", person="who", epsilon=2, of=of)
    persons, low, high, mean = answer.counts
    assert answer.labels == ("persons", "low", "high", "mean")
    assert low.value <= 10
    assert high.value >= 60
    assert 29.5 < mean.value < 30.5
    assert mean.low < mean.value < mean.high
    assert answer.guarantee == overbar.PureDP(2)
    assert persons.low < 30_000 < persons.high or abs(persons.value - 30_000) < 100


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey(3000).drop("odd").write_parquet("survey.parquet")
    survey(3000).drop("odd").write_csv("survey.csv")
    return CliRunner()


def run(runner, *words, code=0):
    found = runner.invoke(app, list(words))
    assert found.exit_code == code, found.output
    assert "Traceback" not in found.output
    return found.output


def test_the_verb_describes_by_types_and_by_names(files, tmp_path):
    asked = ("--person", "who", "--epsilon", "4", "--delta", "1e-6")
    outs = [word for kind in ("json", "csv", "html", "parquet") for word in ("-o", f"a.{kind}")]
    shown = run(files, "describe", "survey.parquet", *asked, "--format", "table", *outs)
    assert "Rome" in shown
    assert "Persons: 3," in shown or "Persons: 2," in shown
    fields = json.loads((tmp_path / "a.json").read_text())
    assert fields["item"] == ["column", "line", "at"]
    assert fields["labels"][0] == ["", "persons", ""]
    assert (tmp_path / "a.csv").read_text().startswith("found,column,line,at,value,low,high\n")
    assert polars.read_parquet(tmp_path / "a.parquet").columns[1:4] == ["column", "line", "at"]
    page = (tmp_path / "a.html").read_text()
    assert page.count('class="gauge"') == 3
    named = ("--number", "age", "--day", "born", "--text", "city")
    shown = run(
        files, "describe", "survey.csv", *asked, *named, "--save", "q.toml", "--format", "table"
    )
    assert "2001-" in shown
    again = run(files, "run", "q.toml", "--dry-run")
    assert "the shape of 3 columns (age, born, city)" in " ".join(again.split())
    rest = ("--day", "born", "--text", "city", "--number", "*")
    dry = run(files, "describe", "survey.csv", *asked, *rest, "--dry-run")
    assert "(age, born, city)" in dry


def test_a_text_file_does_not_say_what_it_holds(files):
    asked = ("--person", "who", "--epsilon", "4")
    said = run(files, "describe", "survey.csv", *asked, code=2)
    assert "--number, --day and --text must name columns" in said
    said = run(files, "describe", "survey.csv", *asked, "--item", "city", code=2)
    assert "and not --item" in said
    assert "--person must be given" in run(files, "describe", "survey.csv", code=2)


def test_days_and_means_by_the_verbs(files):
    asked = ("--person", "who", "--epsilon", "4", "--format", "csv")
    by_type = run(files, "quantile", "survey.parquet", "--value", "born", *asked)
    said = run(files, "quantile", "survey.csv", "--value", "born", "--ladder", "days", *asked)
    for shown in (by_type, said):
        assert "0.5,2001-0" in shown
    shown = run(files, "mean", "survey.csv", "--value", "age", *asked)
    assert any(f"mean,{years}." in shown for years in range(36, 46))
    words = run(files, "mean", "survey.csv", "--value", "age", *asked[:4], "--dry-run")
    assert "mean of the sum of age of each who, within bounds" in " ".join(words.split())
