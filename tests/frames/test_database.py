"""Tables in PostgreSQL: what DuckDB answers, whatever the types, and nothing of a row is told."""

from __future__ import annotations

import logging
import pickle
import traceback
from datetime import date
from fractions import Fraction
from itertools import permutations

import psycopg
import pyarrow
import pytest

import overbar
from overbar import ParameterError, ScoreError, frames
from overbar.frames import DatabaseTable, contributions, postgres_query
from tests.frames import test_long_labels, test_one_spelling
from tests.frames.engines import ENGINES, scores_of, table_of
from tests.frames.test_select import COLUMNS, QUESTIONS, rows_of
from tests.frozen import test_far_days
from tests.reference import frames as reference

ONE = Fraction(1)
SECRET = "hunter2/@?x"
WRITTEN = "hunter2%2F%40%3Fx"


def shop(database, rows):
    return database.table("what text, who bigint, much float8", [tuple(row) for row in rows])


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_is_that_of_duckdb(question, database, replace_entropy):
    rows = [
        (None if item is None else str(item), who, float(much)) for item, who, much in rows_of(1)
    ]
    there, here = shop(database, rows), ENGINES["duckdb"](table_of(rows))
    answers = set()
    for seed in range(4):
        given = set()
        for table in (there, here):
            replace_entropy(seed)
            found = frames.select(table, **COLUMNS, **QUESTIONS[question])
            given.add((found.labels, found.indices, found.spent))
        assert len(given) == 1
        answers |= given
    assert len(answers) > 1  # the seeds do matter


def test_top_and_keys_are_those_of_duckdb(database, replace_entropy, monkeypatch):
    rows = [(item, who, None) for place, item in enumerate("abcde") for who in range(90 * place)]
    there, here = shop(database, rows), ENGINES["duckdb"](table_of(rows))
    asked = {"catalogue": list("zabcde"), "cutoff": 3, "epsilon": "0.1"}
    found = set()
    for table in (there, here):
        replace_entropy(5)
        found.add(frames.top(table, **COLUMNS, **asked).labels)
        # e has 360 persons of one item each in the noise of ε = 100: a miss has chance below 1e-20
        assert "e" in frames.keys(table, **COLUMNS, epsilon=100, delta="1e-6").labels
    assert len(found) == 1


NAN, INFINITE = float("nan"), float("inf")
#: Types, values, and what they are counted as: None where a value has no label.
LABELS = {
    "text": [("tea", "tea"), ("Tea", "Tea"), ("tea ", "tea "), ("e\u0301", "e\u0301"), ("é", "é")],
    "varchar(9)": [("tea", "tea"), ("", ""), (None, None)],
    "char(5)": [("tea", "tea"), ("tea  ", "tea"), ("rum", "rum")],
    "name": [("tea", "tea")],
    "smallint": [(-3, -3), (7, 7)],
    "bigint": [(2**63 - 1, 2**63 - 1), (-(2**63), -(2**63)), (0, 0)],
    "real": [(0.5, None), (3.0, 3), (NAN, None), (-INFINITE, None)],
    "double precision": [
        (2.0**53, None), (2.0**53 - 1, 2**53 - 1), (-0.0, 0), (0.0, 0), (1e308, None),
        (5e-324, None), (NAN, None), (INFINITE, None),
    ],
    "boolean": [(True, True), (False, False), (None, None)],
    "uuid": [("00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000a")],
}  # fmt: skip


@pytest.mark.parametrize("declared", LABELS)
def test_labels_count_by_their_bytes_and_no_value_raises(declared, database):
    """Each value is held by one person of its own; labels that are one have as many persons."""
    rows = [(value, who) for who, (value, _) in enumerate(LABELS[declared])]
    table = database.table(f"what {declared}, who integer", rows * 2)
    labels = [label for _, label in LABELS[declared] if label is not None]
    assert scores_of(table, grid=ONE) == {label: labels.count(label) for label in labels}
    turned = scores_of(table, grid=ONE, item="who", person="what")
    assert turned == {w: 1 for w, (_, label) in enumerate(LABELS[declared]) if label is not None}


def test_dates_of_all_times(database):
    table = database.table("what date, who integer")
    for who, day in enumerate(("-infinity", "0044-03-15 BC", "0001-01-01", "9999-12-31",
                               "10000-01-01", "infinity", "2024-02-29")):  # fmt: skip
        database.connection.execute(f"INSERT INTO t{database._made} VALUES (%s, %s)", (day, who))
    found = scores_of(table, grid=ONE)
    assert [day.isoformat() for day in found] == ["0001-01-01", "2024-02-29", "9999-12-31"]
    days = pyarrow.array([d for d in found if d.year == 2024], pyarrow.date32())
    listed = overbar.frames.catalogue.catalogue_of(days)
    assert list(scores_of(table, grid=ONE, catalogue=listed).values()) == [1]
    assert scores_of(table, grid=ONE, item="who", person="what") == {2: 1, 3: 1, 6: 1}
    table, name = database.table("what date, who integer"), f"t{database._made}"
    days = [int(day) for day in test_far_days.DAYS if -2_440_588 <= day < 2_145_031_949]  # it holds
    database.connection.execute(
        f"INSERT INTO {name} SELECT date '1970-01-01' + day, day FROM unnest(%s::int[]) AS d (day)",
        (days,),
    )
    assert scores_of(table, grid=ONE) == test_far_days.KNOWN


def test_persons_have_one_spelling_and_labels_a_longest(database, monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: test_one_spelling.KEY[:count])
    table = database.table("what text, who text", test_one_spelling.ROWS)
    database.sql("ALTER ROLE CURRENT_USER SET standard_conforming_strings = off")
    for _ in range(2):  # whatever the server takes a backslash for
        found = scores_of(table, grid=ONE, items_per_person=2)
        wanted = reference.counts(test_one_spelling.SPELLED, 2, test_one_spelling.KEY.hex())
        assert found == wanted
        database.sql("ALTER ROLE CURRENT_USER RESET standard_conforming_strings")
    monkeypatch.setattr(postgres_query, "LONGEST", test_long_labels.LONG)
    rows = test_long_labels.drawn_rows()
    table = database.table("what text, who text", rows)
    assert scores_of(table, grid=ONE) == reference.counts(test_long_labels.short(rows))
    rows = [("ab", "cd", 1), ("é~" * 5, "e" * 8, 2), ("/" * 8, "", 3)]
    table = database.table("x text, y text, who integer", rows)
    assert scores_of(table, grid=ONE, item=["x", "y"]) == {"ab/cd": 1, "~1" * 8 + "/": 1}


def test_domains_and_enumerations(database):
    database.sql(
        "CREATE DOMAIN code AS integer CHECK (VALUE > 0)", "CREATE DOMAIN inner_code AS code",
        "CREATE TYPE drink AS ENUM ('tea', 'rum')",
    )  # fmt: skip
    table = database.table("what drink, who inner_code", [("tea", 1), ("tea", 2), ("rum", 1)])
    assert scores_of(table, grid=ONE) == {"tea": 2, "rum": 1}
    assert scores_of(table, grid=ONE, item="who", person="what") == {1: 2, 2: 1}


def test_persons_that_the_database_calls_one_are_refused(database):
    """Made up in the catalogue of the database: the server of these tests has no such collation."""
    database.sql(
        "CREATE COLLATION nocase (locale = 'C')",
        "UPDATE pg_collation SET collisdeterministic = false WHERE collname = 'nocase'",
    )
    rows = [("Tea", 1), ("tea", 1), ("TEA", 2)]
    table = database.table("what text COLLATE nocase, who bigint", rows)
    assert scores_of(table, grid=ONE) == {"Tea": 1, "tea": 1, "TEA": 1}
    with pytest.raises(ParameterError, match=r"different texts are one; make a view"):
        scores_of(table, grid=ONE, item="who", person="what")


#: What a float column may hold: all of it, in one column.
FLOATS = [1e308, -1e308, 5e-324, -5e-324, NAN, INFINITE, -INFINITE, 0.1, 0.2, -0.0, 2.0**53, None]
RANGES = [(0, 3), (-2, 100), ("0.001", "0.25"), (0, 10**14), (-(10**16), 10**16)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("ends", RANGES, ids=str)
@pytest.mark.parametrize("declared", ["double precision", "numeric", "bigint"])
def test_sums_are_those_of_duckdb(declared, ends, database):
    values = FLOATS
    if declared == "bigint":
        values = [2**63 - 1, -(2**63), 0, 1, -7, None, 2**53 + 1]
    elif declared == "numeric":
        values = ["0.1", "0.2", "-7.25", "NaN", "1e130", "1e-130", "-1e130", None]
    rows = [("tea", who, v) for who, v in enumerate(values)] + [("rum", 1, v) for v in values]
    table = database.table(f"what text, who bigint, much {declared}", rows)
    numbers = values if declared == "bigint" else [None if v is None else float(v) for v in values]
    kind = pyarrow.int64() if declared == "bigint" else pyarrow.float64()
    here = pyarrow.table({
        "what": ["tea"] * len(values) + ["rum"] * len(values),
        "who": [*range(len(values)), *[1] * len(values)], "much": pyarrow.array(numbers * 2, kind),
    })  # fmt: skip
    grid = max(ONE / 2**10, Fraction(ends[1]) / 2**20)
    both = [
        scores_of(frame, grid=grid, value="much", value_range=ends)
        for frame in (table, ENGINES["duckdb"](here))
    ]
    assert both[0] == both[1]


def test_control_a_sum_of_floats_as_postgres_does_it_stops_at_a_row(database):
    shop(database, [("tea", who, value) for who, value in enumerate(FLOATS)])
    for wrong in ("much * 1e8", "much / 1e3", "much::bigint"):
        with pytest.raises(psycopg.errors.NumericValueOutOfRange):
            database.sql(f"SELECT {wrong} FROM t{database._made}")


@pytest.mark.parametrize("ends", [None, (-5, 5)])
def test_declared_scores(ends, database):
    table = database.table("what text, much float8, whole integer", [
        ("a", 1.5, 1), ("a", NAN, 9), ("b", None, None), ("c", INFINITE, -3), ("d", -INFINITE, 2),
    ])  # fmt: skip
    asked = {"grid": ONE / 2, "person": None, "sensitivity": 1, "value_range": ends}
    high = {"c": 0, "d": 0} if ends is None else {"c": 10, "d": -10}
    assert scores_of(table, score="much", **asked) == {"a": 3, "b": 0} | high
    assert scores_of(table, score="whole", **asked)["c"] == -6


CATALOGUES = [["tea", "a\0b", "none"], ["tea"], ["none"]]


@pytest.mark.parametrize("listed", CATALOGUES, ids=str)
def test_only_listed_items_come_back(listed, database):
    table = shop(database, [("tea", 1, 0.0), ("rum", 1, 0.0), ("rum", 2, 0.0)])
    catalogue = overbar.frames.catalogue.catalogue_of(listed)
    found = scores_of(table, grid=ONE, catalogue=catalogue)
    assert found == ({"tea": 1} if "tea" in listed else {})
    numbers = [range(3), range(0, 9, 2), range(7, -8, -3), [1, 5], [True]]
    wanted = [{1: 2, 2: 1}, {2: 1}, {1: 2}, {1: 2}, None]
    for given, want in zip(numbers, wanted, strict=True):
        other = overbar.frames.catalogue.catalogue_of(given)
        if want is None:
            with pytest.raises(ParameterError, match="which is whole, got boolean"):
                scores_of(table, grid=ONE, item="who", person="what", catalogue=other)
        else:
            asked = {"item": "who", "person": "what", "catalogue": other}
            assert scores_of(table, grid=ONE, **asked) == want


def test_odd_names(database):
    database.sql('CREATE SCHEMA "a.b"', 'CREATE TABLE "a.b"."50%s ""x""" ("%(n)s" text, who int)',
                 'INSERT INTO "a.b"."50%s ""x""" VALUES (\'tea\', 1)',
                 'CREATE TABLE "with.point" (what text, who int)')  # fmt: skip
    table = database.source('a.b.50%s "x"')
    assert scores_of(table, grid=ONE, item="%(n)s") == {"tea": 1}
    listed = overbar.frames.catalogue.catalogue_of(["tea"])
    assert scores_of(table, grid=ONE, item="%(n)s", catalogue=listed) == {"tea": 1}
    assert scores_of(database.source("with.point"), grid=ONE) == {}


REFUSED = {
    "item must name a column, got 'x'; there are 'what', 'who', 'much', 'day'": {"item": "x"},
    "person must be a column of text, whole": {"person": "much"},
    "value must be a column of numbers": {
        "value": "what", "value_range": (0, 1), "item": "who", "person": "day",
    },
    "score must be a column of numbers": {"person": None, "score": "much", "sensitivity": 1},
}  # fmt: skip


def test_refusals_go_by_the_columns_alone(database):
    table = database.table("what text, who bigint, much numeric, day date")
    for words, asked in REFUSED.items():
        with pytest.raises(ParameterError, match=words):
            scores_of(table, grid=ONE, **asked)
    with pytest.raises(ScoreError, match="there is no table 'nowhere'"):
        scores_of(database.source("nowhere"), grid=ONE)
    with pytest.raises(ParameterError, match=r"such as shop\.sales"):
        DatabaseTable(database.plain)
    with pytest.raises(ParameterError, match="name one"):
        DatabaseTable(f"{database.plain}&table=a", "b")


def test_a_database_in_another_encoding_is_refused(server):
    with psycopg.connect(server.plain, autocommit=True) as connection:
        connection.execute(
            "CREATE DATABASE old ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' "
            "TEMPLATE template0"
        )
    table = DatabaseTable(server.plain.replace("/postgres?", "/old?"), "pg_catalog.pg_class")
    with pytest.raises(ScoreError, match="encoding UTF8"):
        scores_of(table, grid=ONE, item="relname", person="relkind")


# What is told ------------------------------------------------------------------------------------


def told(error):
    """All that an error could show: itself, what it stands on, and the variables of our frames."""
    shown = [repr(error), repr(error.__context__), repr(error.__cause__)]
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename not in (__file__, scores_of.__code__.co_filename):
            shown += map(repr, frame.f_locals.values())
    return "".join(shown)


def test_a_failing_view_tells_nothing_of_its_rows(database, capfd, caplog):
    """Whatever a function of the owner raises or remarks with a row in it."""
    caplog.set_level(logging.DEBUG)
    shop(database, [("tea", 40_404_404, 0.0)])
    database.sql(
        "CREATE FUNCTION loud(bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE NOTICE 'noted %', $1; RAISE EXCEPTION 'row %', $1 USING DETAIL = $1, HINT = $1; "
        "END $$",
        f"CREATE VIEW loudly AS SELECT what, public.loud(who) AS who FROM t{database._made}",
        f"CREATE VIEW stops AS SELECT what, who / (who - who) AS who FROM t{database._made}",
    )
    for view in ("loudly", "stops"):
        with pytest.raises(ScoreError, match="its engine raised") as caught:
            frames.select(
                database.source(view), **COLUMNS, catalogue=["tea"], threshold=1, cutoff=1,
                epsilon=1,
            )  # fmt: skip
        assert "40404404" not in told(caught.value)
    assert "40404404" not in "".join([*capfd.readouterr(), caplog.text])


def test_a_password_is_told_to_nobody(database, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    place = database.plain.replace("postgres:@", f"ann:{WRITTEN}@")
    table = DatabaseTable(place.replace("/test_database?", "/nowhere?"), "t")
    seen = [repr(table), str(table), table.name]
    asked = {**COLUMNS, "catalogue": ["a"], "threshold": 1, "cutoff": 1, "epsilon": 1}
    for wrong in (lambda: pickle.dumps(table), lambda: frames.select(table, **asked)):
        with pytest.raises((overbar.errors.SecrecyError, ScoreError)) as caught:
            wrong()
        seen.append(told(caught.value))
    with pytest.raises(ParameterError, match="not readable") as caught:
        DatabaseTable(f"postgresql://ann:{SECRET}@here/base", "t")
    seen.append(told(caught.value))
    together = "".join([*seen, *capfd.readouterr(), caplog.text])
    assert not any(part in together for part in (SECRET, WRITTEN, "hunter2"))


def test_nothing_can_be_written_through_a_view(database):
    shop(database, [("tea", 1, 0.0)])
    database.sql(
        f"CREATE FUNCTION more() RETURNS bigint LANGUAGE sql AS "
        f"'INSERT INTO public.t{database._made} VALUES (NULL, 2, 0) RETURNING who'",
        f"CREATE VIEW writes AS SELECT what, public.more() AS who FROM t{database._made}",
    )
    with pytest.raises(ScoreError, match="its engine raised ReadOnlySqlTransaction"):
        scores_of(database.source("writes"), grid=ONE)


def test_lots_are_those_of_duckdb_for_labels_of_every_kind(database, replace_entropy):
    days = [date(1, 1, 1), date(999, 12, 31), date(2024, 2, 29), date(9999, 12, 31)]
    rows = [(day, who % 3 == 0, f"é{who % 5}", who) for who in range(40) for day in days]
    there = database.table("day date, flag boolean, word text, who integer", rows)
    names = ("day", "flag", "word", "who")
    here = pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    for item, person in permutations(names, 2):
        found = []
        for table in (there, ENGINES["duckdb"](here)):
            replace_entropy(7)
            found.append(scores_of(table, grid=ONE, item=item, person=person, items_per_person=2))
        assert found[0] == found[1]
        assert sum(found[0].values()) <= 2 * len({row[names.index(person)] for row in rows})
