"""Groups and items of several columns in PostgreSQL: as the reference and DuckDB have them."""

from __future__ import annotations

import datetime
from fractions import Fraction

import pyarrow
import pytest

from overbar import ParameterError, frames
from overbar.frames import contributions, postgres_query
from overbar.frames.catalogue import catalogue_of, in_groups
from tests.frames import test_groups, test_joined_items
from tests.frames.engines import ENGINES, scores_of
from tests.frames.test_groups import ASK, GROUPS, ITEMS, KEY, LISTED, WHAT
from tests.reference import frames as reference

pytestmark = pytest.mark.one_in(2)

ONE = Fraction(1)
DECLARED = {"text": "text", "whole": "bigint", "boolean": "boolean", "date": "date"}


def copied(database, table, what="text"):
    """Return a table of Arrow as one in the database."""
    kinds = {"where": "text", "what": DECLARED[what], "who": "bigint", "much": "float8"}
    declared = ", ".join(f'"{name}" {kinds[name]}' for name in table.column_names)
    return database.table(declared, [tuple(row.values()) for row in table.to_pylist()])


@pytest.mark.parametrize("most", [None, 1, 2])
@pytest.mark.parametrize("groups", [1, 2, 5])
def test_scores_and_lots_are_those_of_the_reference(groups, most, database, monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])
    rows = test_groups.drawn()
    table = copied(database, test_groups.table_with(rows))
    own = reference.in_groups(rows, groups, most, KEY.hex(), LISTED)
    texts = [(reference.one_text(what), *rest) for what, *rest in own]
    asked = {
        "grid": ONE,
        "groups_per_person": groups,
        "items_per_person": most,
        "by": "where",
        "groups": GROUPS,
    }
    asked["catalogue"] = in_groups(GROUPS, ITEMS, WHAT)
    assert scores_of(table, **asked) == reference.counts(texts)
    found = scores_of(table, value="much", value_range=(-2, 5), **asked)
    assert found == reference.sums(texts, -2, 5, ONE)


def test_the_answer_is_that_of_duckdb(database, replace_entropy):
    here = test_groups.table_with(test_groups.drawn(3000))
    asked = {**ASK, "catalogue": ITEMS, "groups_per_person": 2, "cutoff": 2, "items_per_person": 2}
    answers = set()
    for seed in range(3):
        given = set()
        for table in (copied(database, here), ENGINES["duckdb"](here)):
            replace_entropy(seed)
            found = frames.top(table, **asked, epsilon=8, counts=True)
            given.add((found.labels, found.indices, found.counts, found.spent))
            found = frames.select(table, **asked, epsilon=1, threshold=9)
            given.add((found.labels, found.indices))
        assert len(given) == 2
        answers |= given
    assert len(answers) > 4  # the seeds do matter


@pytest.mark.parametrize("kind", DECLARED)
def test_combinations_are_those_of_duckdb(kind, database, replace_entropy):
    rows = test_joined_items.drawn(kind)
    here = test_joined_items.table_with(rows, kind)
    both = copied(database, here, kind), ENGINES["duckdb"](here)
    asked = test_joined_items.ASK
    some = list(dict.fromkeys(whats for whats, _ in rows if None not in whats))[:9]
    groups = list(dict.fromkeys(what for _, what in some))
    for more in (
        {},
        {"items_per_person": 3},
        {"items_per_person": 2, "catalogue": catalogue_of(some, WHAT)},
        {"item": "where", "by": "what", "groups": groups, "groups_per_person": 1,
         "catalogue": in_groups(groups, ["a/b", "~"], ["what", "where"])},
    ):  # fmt: skip
        found = []
        for table in both:
            replace_entropy(7)
            scores = scores_of(table, grid=ONE, **asked | more)
            listed = more.get("catalogue")
            wanted = scores if listed is None else set(listed.written)
            found.append({item: score for item, score in scores.items() if item in wanted})
        assert found[0] == found[1]
        assert found[0]
    answers = set()
    for table in both:
        replace_entropy(8)
        unlisted = {"delta": "0.1", "items_per_person": 20, "candidates": 50, "epsilon": 60}
        unlisted["delta_is_large"] = True
        answers.add(frames.select(table, threshold=5, cutoff=9, **unlisted, **asked).labels)
    assert len(answers) == 1
    assert {tuple(map(type, label)) for label in answers.pop()} == {tuple(map(type, some[0]))}


def test_declared_scores_of_combinations(database):
    table = database.table(
        '"where" text, what integer, much float8', [("a", 1, 2.5), ("a", 1, 3.5), ("~", 2, None)]
    )
    asked = {"grid": ONE / 2, "person": None, "score": "much", "sensitivity": 1, "item": WHAT}
    assert scores_of(table, **asked) == {"a/1": 7, "~0/2": 0}


@pytest.mark.parametrize("long", ["where", "what", "who"])
def test_a_text_that_is_too_long_is_missing(long, database, monkeypatch):
    """One of 600 MB would stop the query, and tell about its row. A tilde is written as two."""
    monkeypatch.setattr(postgres_query, "LONGEST", 2_002)
    table = database.table('"where" text, what text, who text', [("a", "x", "1"), ("a", "x", "2")])
    several = {"by": "where", "groups": ["a"], "groups_per_person": 1, "items_per_person": 1}
    for place, more, counted in (("some", 0, 3), ("more", 1, 2)):
        text = f"repeat('~', {(2_002 if long == 'who' else 1_000) + more})"
        row = [text if name == long else f"'{name[:1]}'" for name in ("where", "what", "who")]
        database.sql(
            f"CREATE VIEW {long}_{place} AS TABLE t{database._made} UNION ALL "
            f"SELECT {', '.join(row)}"
        )
        source = database.source(f"{long}_{place}")
        assert sum(scores_of(source, grid=ONE, item=WHAT, items_per_person=1).values()) == counted
        listed = in_groups(["a"], ["x"], WHAT)
        assert scores_of(source, grid=ONE, catalogue=listed, **several) == {"a/x": 2}
    assert scores_of(table, grid=ONE, item=WHAT) == {"a/x": 2}


REFUSED = {
    "groups must name a column, got 'x'": {"groups": {"x": ["a"]}},
    "groups must be a column of text, whole": {"groups": {"much": ["a"]}},
    "column 'where' holds, which is text, got boolean": {"groups": {"where": [True]}},
    "column 'day' holds, which is date, got whole": {"item": "day", "catalogue": [1]},
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals_go_by_the_columns_alone(message, database):
    day = datetime.date(2024, 2, 29)
    for rows in ((), [("a", "x", 1, 2, day)]):
        table = database.table('"where" text, what text, who int, much numeric, day date', rows)
        asked = {**ASK, "catalogue": ITEMS, "groups_per_person": 1, "cutoff": 1, "epsilon": 1}
        with pytest.raises(ParameterError, match=message):
            frames.top(table, **asked | REFUSED[message])


def test_keys_come_first_in_a_database_too(database):
    """They were refused as no table. 4,000 persons at ε = 20: a miss has chance below e^-1000."""
    here = pyarrow.table({"what": ["tea"] * 4000 + ["rum"] * 3, "who": [*range(4000), 1, 2, 3]})
    asked = {"item": "what", "person": "who", "cutoff": 1, "epsilon": 20, "delta": "1e-12"}
    for table in (copied(database, here), here):
        assert frames.top(table, **asked).labels == ("tea",)
