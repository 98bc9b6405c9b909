"""--where: rows are told apart one by one, and none can make a comparison fail."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from overbar.cli.tables import ReadingError, Source, filters
from overbar.errors import ParameterError
from tests.cli.test_tables import rows


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


TABLE = (
    'person,item,year,country,a "b"\n1,tea,2023,DE,x\n2,tea,2024,FR,x\n3,rum,2024.5,DE,y\'z\n'
    "4,gin,nan,DE,\n5,ale,,,\n6,ale,x,DE\n7,ale,-inf,DE,\n"
)


def persons(where, name="a.csv", **options):
    return "".join(p for _, p in sorted(rows(Source.of([name], where=where, **options)), key=str))


@pytest.mark.parametrize(
    ("where", "want"),
    [
        ("year = 2024", "2"),
        ("year >= 2024", "32"),
        ("year<2024.25", "712"),
        ("year != 2024", "731"),
        ("country = 'DE' and year > 2023", "3"),
        ("country <> 'DE' AND item = 'tea'", "2"),
        ("year = '2024'", "2"),
        ('"a ""b""" = \'y\'\'z\'', "3"),
        ("country < 'E'", "76431"),
        ("country = ''", ""),
        ("year = '01.07.2024'", ""),
    ],
)
def test_what_holds(where, want):
    Path("a.csv").write_text(TABLE.replace(',a "b"', ',"a ""b"""'))
    assert sorted(persons(where)) == sorted(want)


def test_control_a_cast_that_can_fail_stops_at_a_row(monkeypatch):
    Path("a.csv").write_text("person,item,year\n1,tea,2024\n")
    monkeypatch.setattr(filters, "number_of", lambda column, _: f"cast({column} as double)")
    assert persons("year = 2024") == "1"
    Path("a.csv").write_text("person,item,year\n1,tea,2024\n2,tea,x\n")
    with pytest.raises(duckdb.Error):
        persons("year = 2024")


def test_typed_columns_are_compared_by_what_they_are():
    with duckdb.connect("a.duckdb") as engine:
        engine.execute(
            "create table t as select n::varchar as person, 'tea' as item, n as whole, n / 4 as "
            "part, n::decimal(20, 2) as exact, n > 2 as flag, date '2024-01-01' + n::integer as "
            "day, timestamp '2024-01-01' + to_hours(n) as moment from range(1, 5) as r (n)"
        )
    for where, want in {
        "whole = 2": "2",
        "part >= 0.75": "34",
        "exact < 2": "1",
        "flag = 'true'": "34",
        "day > '2024-01-03'": "34",
        "moment <= '2024-01-01 02:00:00'": "12",
    }.items():
        assert sorted(persons(where, "a.duckdb")) == list(want), where
    for where, message in {
        "whole = 'x'": "'whole' is BIGINT; compare it with a number",
        "day = 2024": "'day' is DATE; compare it with a text in quotes",
        "day = '02.01.2024'": "'day' has days; write them as '2024-07-01'",
        "flag = 'yes'": "'flag' is 'true' or 'false'",
        "year = 2024": "no column 'year' for --where",
    }.items():
        with pytest.raises(ReadingError, match=message):
            persons(where, "a.duckdb")


def test_another_condition_is_another_question():
    Path("a.csv").write_text(TABLE)
    digests = {Source.of(["a.csv"], where=one).digest("b.db") for one in (None, "x = 1", "x = '1'")}
    assert len(digests) == 3
    source = Source.of(["a.csv"], where="year = 2024")
    assert source.name == source.in_words() == 'a.csv where "year" = 2024'
    with pytest.raises(ParameterError, match="each option needs a column of its own"):
        Source.of(["a.csv"], where="Item = 'x'").columns(["item"], "person", None, None)
    columns = source.columns(["item"], "person", None, None)
    assert dict(columns) == {"item": "item", "person": "person"}


DAYS = ["2024-06-30", "2024-07-01", "2024-07-01T09:00", "2024-07-02 08:00", "31.07.2024", "x", ""]


@pytest.mark.parametrize(
    ("where", "want"),
    [
        ("day >= '2024-07-01'", "123"),
        ("day > '2024-07-01 08:00'", "23"),
        ("day >= '2024-07-01T09:00'", "23"),
        ("day < '2024-07-02'", "012"),
        ("day != '2024-07-01'", "023"),
        ("day = '31.07.2024'", "4"),
        ("day != '31.07.2024'", "01235"),
    ],
)
def test_a_day_is_compared_with_what_is_written_as_a_day(where, want):
    lines = "".join(f"{place},tea,{day}\n" for place, day in enumerate(DAYS))
    Path("a.csv").write_text(f"person,item,day\n{lines}")
    assert sorted(persons(where)) == list(want)


@pytest.mark.parametrize(
    "text",
    ["01.07.2024", "1.7.24", "07/01/2024", "2024/07/01", "2024-7-1", "1. Juli 2024", "Jul 1, 2024"],
)
def test_another_way_to_write_a_day_has_no_order(text):
    Source.of(["a.csv"], where=f"day = '{text}'")
    with pytest.raises(ParameterError, match=r"looks like a day.*write it as '2024-07-01'"):
        Source.of(["a.csv"], where=f"day >= '{text}'")


@pytest.mark.parametrize("text", ["100", "12,50", "1.234,5"])
def test_a_number_in_quotes_has_no_order(text):
    with pytest.raises(ParameterError, match=r"looks like a number.*without quotes"):
        Source.of(["a.csv"], where=f"amount < '{text}'")
