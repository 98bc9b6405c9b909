"""Rows of PostgreSQL that take part, and a look at a table there: as a plain loop has them."""

from __future__ import annotations

import pytest

from overbar import ParameterError, ScoreError, frames
from tests.frozen import seam

COLUMNS = (
    "what text, who integer, year integer, part double precision, exact numeric, flag boolean, "
    'day date, moment timestamp, note text COLLATE "C", "a ""b%" text, zone timestamptz'
)
#: Each has something that a careless comparison stops at.
ROWS = [
    ("tea", 1, 2023, 0.5, "1e400", True, "2024-01-31", "2024-01-31 08:00", "2024-01-31T09", "x"),
    ("tea", 2, 2024, float("nan"), "NaN", False, "infinity", "infinity", "no day", "y'z\\"),
    ("tea", 3, None, None, None, None, None, None, None, None),
    ("tea", 4, 2024, float("-inf"), "-0.1", True, "-infinity", "-infinity", "2024-02-01", "%s"),
    ("tea", 5, -7, 1e-320, "0", None, "0044-03-15 BC", None, "", "Ä"),
    ("tea", 6, 2**31 - 1, 2024.25, "2024.250", False, "2024-02-01", "2024-02-01", "~", "b"),
]
#: What is written, and who takes part.
CASES = {
    "year = 2024": {2, 4},
    "year >= 2024": {2, 4, 6},
    "year <> 2024.5": {1, 2, 4, 5, 6},
    "part > 0": {1, 5, 6},
    "part <= 2024.25": {1, 4, 5, 6},
    "part <> 0.5": {4, 5, 6},
    "exact < 2024.25": {4, 5},
    "exact >= 2024.25": {1, 6},
    "flag = 'true'": {1, 4},
    "flag <> 'true'": {2, 6},
    "day >= '2024-02-01'": {2, 6},
    "day < '2024-02-01'": {1, 4, 5},
    "moment > '2024-01-31 07:59'": {1, 2, 6},
    "moment = '2024-02-01'": {6},
    "note >= '2024-01-31 08'": {1, 4},
    "note = '2024-01-31T09'": {1},
    "note < '~'": {1, 2, 4, 5},
    "\"a \"\"b%\" = 'y''z\\'": {2},
    '"a ""b%" = \'%s\'': {4},
    '"a ""b%" > \'z\'': {5},
    "year = 2024 AND part < 0": {4},
    "year = 2024 AND year = 2023": set(),
}


@pytest.fixture(scope="module")
def rows(database):
    return database.table(COLUMNS, [(*row, "2024-01-31 08:00+02") for row in ROWS], "odd_rows")


def taken(database, written):
    """Return what opens the table with the rows of which that is true."""
    return seam.opened([database.plain], "what", "who", table="odd_rows", where=written)


def persons(table):
    return set(seam.scores(table, item="who", person="what"))


@pytest.mark.parametrize("written", CASES)
@pytest.mark.usefixtures("rows")
def test_rows_that_take_part(database, written):
    with taken(database, written) as some:
        assert persons(some) == CASES[written]


def test_control_a_cast_that_can_fail_stops_at_a_row(rows, database):
    """What is written for floats would stop at a number that is none."""
    database.sql("CREATE VIEW careless AS SELECT * FROM odd_rows WHERE exact::float8 > 1")
    with pytest.raises(ScoreError, match="its engine raised NumericValueOutOfRange"):
        persons(database.source("careless"))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("yaer = 1", "where must name a column, got 'yaer'"),
        ("what = 1", "'what' is text; compare it with a text in quotes"),
        ("year = 'x'", "'year' is integer; compare it with a number"),
        ("exact = 'x'", "'exact' is numeric; compare it with a number"),
        ("flag = 'yes'", "'true' or 'false'"),
        ("day = '2024-02-31'", "'day' is date; write a day as"),
        ("day = '20240201'", "'day' is date; write a day as"),
        ("moment = '2024-02-01 08:00+02:00'", "write a day as"),
        ("zone > '2024-02-01'", "timestamp with time zone; cast it in a view"),
        ("what = 'a\0b'", "no text has a NUL"),
    ],
)
@pytest.mark.usefixtures("rows")
def test_what_cannot_be_compared_is_told_by_types(database, written, said):
    with (
        pytest.raises(ParameterError, match=said.replace("(", "\\(")),
        taken(database, written) as some,
    ):
        persons(some)


@pytest.mark.usefixtures("rows")
def test_scores_of_rows_that_take_part(database):
    asked = {"item": "what", "person": "who", "catalogue": ["tea"], "cutoff": 1, "epsilon": 200}
    with taken(database, "part > 0") as some:
        found = frames.select(some, **asked, threshold=1, counts=True)
    assert [count.shown for count in found.counts] == ["3"]
    with taken(database, "part > 5000") as none:
        assert len(frames.select(none, **asked, threshold=2)) == 0


LOOKED_AT = [
    ("tea", 1, 1.0), ("tea", 1, 2.0), ("tea", 2, None), (None, 2, 1.0), ("rum", None, 1.0),
    ("rum", 3, float("nan")), ("x" * 600_000, 3, 1.0), ("Rum ", 4, 1.0), ("ale", 4, 0.5),
]  # fmt: skip


def test_a_look_at_a_table_has_what_a_look_at_its_rows_has(database):
    import polars

    table = database.table("what text, who integer, much double precision", LOOKED_AT, "looked")
    here = polars.DataFrame(
        LOOKED_AT, schema={"what": str, "who": polars.Int64, "much": float}, orient="row"
    )
    for more in ({}, {"value": "much"}, {"catalogue": ["rum", "gin"], "show_true_counts": True}):
        ours, theirs = (
            frames.check(one, item="what", person="who", **more).to_dict() for one in (table, here)
        )
        assert ours == theirs
    alone = frames.check(table, item="what").to_dict()
    assert alone == frames.check(here, item="what").to_dict()
    with pytest.raises(ParameterError, match="catalogue"):
        frames.check(table, item="what", person="who", catalogue=[1, 2])
    with pytest.raises(ParameterError, match="must name a column, got 'waht'"):
        frames.check(table, item="waht", person="who")
