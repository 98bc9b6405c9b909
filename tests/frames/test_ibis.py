"""Tables of Ibis with DuckDB behind them: the query becomes a relation, and DuckDB's rules hold."""

from __future__ import annotations

from fractions import Fraction

import pytest

from overbar import frames
from overbar.errors import ParameterError, ScoreError
from overbar.frames.catalogue import catalogue_of
from tests.frames.engines import duckdb_of, scores_of, table_of

ibis = pytest.importorskip("ibis", reason="Ibis is in the extra test")
pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis

GRID = Fraction(1, 8)
#: Labels, persons and values that engines have ideas of their own about.
ROWS = [
    ("tea", 1, 2.5), ("tea", 1, 2.5), ("tea", 2, float("nan")), ("tea", 3, float("inf")),
    ("tea ", 3, -0.0), ("Tea", 4, 1e300), ("té", 4, 0.1), ("té", 5, None), (None, 6, 1.0),
    ("rum", None, 1.0), ("", 7, 1.0), ("a/b~c", 7, 5e-324), ("tea", 8, -1e300),
]  # fmt: skip


@pytest.fixture(scope="module")
def table():
    connection = ibis.duckdb.connect()
    return connection.create_table("rows", table_of(ROWS))


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"items_per_person": 9},
        *({"value": "much", "value_range": e} for e in ((0, 2), (-3, 3))),
    ],
)
@pytest.mark.parametrize("listed", [None, ["tea", "rum", "té"]])
def test_scores_are_those_of_a_loop(table, columns, listed):
    catalogue = catalogue_of(listed)
    found = scores_of(table, grid=GRID, catalogue=catalogue, **columns)
    assert found == scores_of(duckdb_of(table_of(ROWS)), grid=GRID, catalogue=catalogue, **columns)
    if not columns and listed is None:
        assert {label: steps * GRID for label, steps in found.items()} == counted(ROWS)


def counted(rows):
    """Count persons by hand."""
    pairs = {(item, person) for item, person, _ in rows if item is not None and person is not None}
    return {item: sum(one == item for one, _ in pairs) for item, _ in pairs}


def test_a_query_of_ibis_is_asked_as_it_stands(table):
    some = table.filter(table.who > 2).rename(product="what")
    found = frames.check(some, item="product", person="who", show_true_counts=True)
    assert found.persons == 5
    assert dict(found.largest)["tea"] == 2
    answer = frames.top(
        some, item="product", person="who", catalogue=["tea", "rum"], cutoff=1, epsilon=200
    )
    assert answer.labels == ("tea",)


def test_what_is_refused(table):
    with pytest.raises(ParameterError, match="Ibis on DuckDB"):
        frames.check(table.what, item="what")
    with pytest.raises(ParameterError, match="write a memtable of Ibis into it first"):
        frames.check(ibis.memtable(table_of(ROWS)), item="what")
    other = ibis.table({"what": "string"}, name="rows")
    with pytest.raises(ScoreError, match="IbisError"):
        frames.check(other, item="what")
    for listed in (table.select("what"), table.what):
        with pytest.raises(ParameterError, match="catalogue must be a list"):
            frames.top(table, item="what", person="who", catalogue=listed, cutoff=1, epsilon=1)


def test_other_engines_behind_ibis_are_refused():
    polars = ibis.polars.connect()
    rows = polars.create_table("rows", table_of(ROWS))
    with pytest.raises(ParameterError, match="DuckDB behind it, got one of polars"):
        frames.check(rows, item="what")
