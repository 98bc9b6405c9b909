"""A real Spark session on this machine: the same scores and the same answers as everywhere else.

One session serves all checks, because starting it takes longer than they do. Spark's recipe for a
cluster is run in it too, as it stands in the documentation.
"""

from __future__ import annotations

import datetime
import json
import re
import runpy
import sys
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from overbar import frames
from overbar.frames import contributions, key_search
from overbar.frames.catalogue import catalogue_of
from tests.frames import (
    orders,
    test_groups,
    test_long_labels,
    test_one_spelling,
    test_watch,
)
from tests.frames.engines import ENGINES, scores_of, table_of
from tests.frames.test_keys import drawn_rows, table_with
from tests.frames.test_labels import pairs
from tests.frames.test_select import COLUMNS, QUESTIONS, rows_of
from tests.frozen import drawn_parquet, spark, test_far_days
from tests.frozen.spark import spark_session
from tests.frozen.test_parquet_statistics import QUESTIONS as ASKED
from tests.frozen.test_parquet_statistics import SHAPES, asked, nasty_of
from tests.reference import frames as reference
from tests.reference.sampling import seeded

pyspark = pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(not spark.THERE, reason="Spark needs Java 17"),
]

KEY = bytes(range(16))
GRID = Fraction(1, 8)
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "scaling.md"


@pytest.fixture(scope="module")
def session():
    session = spark_session()
    yield session
    session.stop()


@pytest.mark.parametrize("shape", ["infinite", "many groups"])
def test_spark_reads_parquet_as_a_loop_does(session, shape, tmp_path):
    nasty, (_, how) = nasty_of(SHAPES[shape][0]), SHAPES[shape]
    pyarrow.parquet.write_table(drawn_parquet.table_of(nasty), tmp_path / "a.parquet", **how)
    found = asked(session.read.parquet(str(tmp_path / "a.parquet")))
    assert found == [question.loop(nasty) for question in ASKED]


def test_spark_counts_whom_a_loop_counts(session):
    for when in ("text", "date"):
        rows = test_watch.nasty(when, "text")
        frame = session.createDataFrame(test_watch.table_of(rows, when, "text"))
        assert test_watch.sets_of(frame) == test_watch.in_a_loop(rows)


def test_spark_agrees_with_everyone_else(session, replace_entropy, monkeypatch):
    brought = []
    collect = type(session.range(1)).toArrow

    def noted(frame):
        table = collect(frame)
        brought.append(table.num_rows)
        return table

    monkeypatch.setattr(type(session.range(1)), "toArrow", noted)
    rows = [*rows_of(3, 300), (None, None, None), ("a'b\x00c", 1, float("nan"))]
    rows += [("tea", 5, float("inf")), ("tea", 5, float("-inf")), ("rum", 6, -1e308)]
    frame = session.createDataFrame(table_of(rows)).cache()

    with mock.patch.object(contributions, "system", lambda count: KEY[:count]):
        assert scores_of(frame, grid=Fraction(1)) == reference.counts(rows)
        # Only what the race needs has come back: one row for each item.
        assert brought == [len(reference.counts(rows))]
        assert scores_of(frame, grid=Fraction(1), items_per_person=2) == reference.counts(
            rows, 2, KEY.hex()
        )
        listed = ["tea", "gin", "absent"]
        assert scores_of(
            frame, grid=Fraction(1), items_per_person=1, catalogue=catalogue_of(listed)
        ) == reference.counts(rows, 1, KEY.hex(), listed)
        sums = scores_of(frame, grid=GRID, value="much", value_range=(-2, 3))
        assert sums == scores_of(table_of(rows), grid=GRID, value="much", value_range=(-2, 3))

    for case in (orders.attack(300), orders.prices(3_000)):
        assert orders.disagreements(session.createDataFrame, case, orders=1) == 0
    whole = [2**63 - 1, 2**60, 5 - 2**60, 2**53 + 1, None, -(2**63), -(2**53)]
    columns = {"what": ["a"] * 7, "who": [1] * 7, "much": whole}
    wholes = session.createDataFrame(pyarrow.table(columns))
    for ends, steps in (((0, 10), 6), ((0, 10**19), 0)):
        amounts = {"value": "much", "value_range": ends, "grid": Fraction(ends[1], 10)}
        assert scores_of(wholes, **amounts) == {"a": steps}

    columns = {"what": [2.0, 2.5, float("nan"), 2.0, None], "who": ["a", "b", "c", "a", "d"]}
    floats = session.createDataFrame(pyarrow.table(columns))
    assert scores_of(floats, grid=Fraction(1), catalogue=catalogue_of(range(0, 9, 2))) == {2: 1}
    day = datetime.date(2024, 2, 29)
    columns = {"what": [day, day, None], "who": [True, False, True]}
    days = session.createDataFrame(pyarrow.table(columns))
    assert scores_of(days, grid=Fraction(1), items_per_person=1) == {day: 2}
    spelled = session.createDataFrame(test_one_spelling.table_of(test_one_spelling.ROWS))
    with mock.patch.object(contributions, "system", lambda count: KEY[:count]):
        found = scores_of(spelled, grid=Fraction(1), items_per_person=2)
    assert found == reference.counts(test_one_spelling.SPELLED, 2, KEY.hex())
    rows = test_long_labels.drawn_rows()
    with mock.patch("overbar.frames.texts.LONGEST", test_long_labels.LONG):
        found = scores_of(session.createDataFrame(table_of(rows, person="text")), grid=Fraction(1))
    assert found == reference.counts(test_long_labels.short(rows))
    far = session.createDataFrame(pairs(test_far_days.days_of(test_far_days.DAYS)))
    assert scores_of(far, grid=Fraction(1)) == test_far_days.KNOWN

    nothing = session.sql("select null as what, 1 as who")  # of type void
    for listed in (None, ["tea"], [1], range(9), [True], [day]):
        known = None if listed is None else catalogue_of(listed)
        assert scores_of(nothing, grid=Fraction(1), catalogue=known) == {}
    assert scores_of(nothing, grid=Fraction(1), item="who", person="what") == {}

    odd = session.sql(
        "select what collate utf8_lcase as what, who from values "
        "('TEA', 1), ('tea', 2), ('tea', 3), (cast(x'ff' as string), 4) as rows(what, who)"
    )
    for most in (None, 1):  # neither a collation nor what is not UTF-8 changes others' labels
        found = scores_of(odd, grid=Fraction(1), items_per_person=most)
        assert found == {"TEA": 1, "tea": 2}

    whats = [("a/b", 1), ("a", 11), ("", -7), (None, 1)]
    columns = {"x": [x for x, _ in whats], "y": [y for _, y in whats], "who": [1, 2, 2, 3]}
    several = session.createDataFrame(pyarrow.table(columns))
    texts = [(reference.one_text(what), who) for what, who in zip(whats, (1, 2, 2), strict=False)]
    asked = {"grid": Fraction(1), "item": ["x", "y"], "items_per_person": 1}
    with mock.patch.object(contributions, "system", lambda count: KEY[:count]):
        assert scores_of(several, **asked) == reference.counts(texts, 1, KEY.hex())
        listed = catalogue_of(whats[1:3], ["x", "y"])
        assert scores_of(several, **asked, catalogue=listed) == reference.counts(
            texts[1:], 1, KEY.hex()
        )

        rows = test_groups.drawn(200)
        in_groups = session.createDataFrame(test_groups.table_with(rows))
        listed = catalogue_of(test_groups.LISTED, test_groups.WHAT)
        for most in (None, 1):
            own = reference.in_groups(rows, 2, most, KEY.hex(), test_groups.LISTED)
            texts = [(reference.one_text(what), who) for what, who, _ in own]
            asked = {"groups_per_person": 2, "items_per_person": most}
            asked |= {"by": "where", "groups": test_groups.GROUPS}
            found = scores_of(in_groups, grid=Fraction(1), catalogue=listed, **asked)
            assert found == reference.counts(texts)

    table = table_of(rows_of(1))
    shuffled = table.take(np.random.default_rng(2).permutation(table.num_rows))
    big = session.createDataFrame(shuffled).cache()
    for question in ("listed", "unlisted", "sums"):
        answers = []
        for some in (big, ENGINES["polars"](table)):
            replace_entropy(7)
            found = frames.select(some, **COLUMNS, **QUESTIONS[question])
            answers.append((found.labels, found.indices, found.spent))
        assert answers[0] == answers[1]


def test_keys_are_those_of_arrow(session, monkeypatch):
    """Text with odd signs; the second round leaves aside what is out."""
    asked = {"item": "what", "person": "who", "epsilon": 8, "delta": "1e-6", "rounds": 2}
    table = table_with(drawn_rows("text", 2000))
    answers = []
    for frame in (table, session.createDataFrame(table).cache()):
        source = seeded(3)
        monkeypatch.setattr(key_search, "system", source)
        monkeypatch.setattr(contributions, "system", source)
        answers.append(frames.keys(frame, **asked, items_per_person=4).labels)
    assert answers[0] == answers[1]
    assert len(answers[0]) > 5


def test_the_recipe_for_a_cluster_runs(session, tmp_path, monkeypatch, capsys):
    """The script of the documentation, in the session that is here; it stops it, so it comes last.

    It asks for a session as under spark-submit, which would start a second Spark for this one test.
    """
    blocks = re.findall(r"```text\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)
    script = tmp_path / "select_products.py"
    script.write_text(next(block for block in blocks if "SparkSession.builder" in block))
    rows = [(item, person) for place, item in enumerate("abc") for person in range(900 * place)]
    parquet.write_table(table_of(rows), tmp_path / "rows.parquet")
    parquet.write_table(pyarrow.table({"x": list("xcba")}), tmp_path / "listed.parquet")
    given = [script, tmp_path / "rows.parquet", "--catalogue", tmp_path / "listed.parquet",
             "--item", "what", "--person", "who",
             "--threshold", "450", "--cutoff", "2", "--epsilon", "1"]  # fmt: skip
    monkeypatch.setattr(sys, "argv", list(map(str, given)))
    runpy.run_path(str(script), run_name="__main__")
    said = capsys.readouterr().out
    answer = json.loads(said.strip().splitlines()[-1])
    assert sorted(answer["items"]) == ["b", "c"]
    assert answer["guarantee"] == "PureDP(epsilon=1)"
    assert "1800" not in said
    assert pyspark.sql.SparkSession.getActiveSession() is None
