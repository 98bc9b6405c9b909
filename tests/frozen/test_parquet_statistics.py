"""What a Parquet file states about its columns decides nothing: engines answer as a loop does.

`python -m tests.frozen.drawn_parquet 500` draws 2,000 files; a test run draws some.
"""

from __future__ import annotations

import math
from fractions import Fraction

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from overbar.frames import check
from tests.frozen import drawn_parquet, seam
from tests.frozen.drawn_parquet import INF, NAN, Nasty, Question, disagreements, table_of

pytestmark = pytest.mark.one_in(3)

#: Seeds whose files the predicates of yesterday get wrong.
CAUGHT = (3, 13, 20, 36)
NUMBERS = [NAN, 1.0, 2.5, -0.0, 0.0, 5e-324, 2.0**53, 7.0, -3.0, None, NAN, 1e300]
#: Files: which numbers they hold, in which order, and how they are written.
SHAPES = {
    "mixed": (NUMBERS, {}),
    "infinite": ([*NUMBERS, INF, -INF], {}),
    "all NaN": ([NAN] * 8, {}),
    "one value and NaN": ([NAN, 2.5, NAN, 2.5], {}),
    "one infinity and NaN": ([NAN, INF, NAN, INF], {}),
    "minus zero and NaN": ([NAN, -0.0, 0.0, NAN], {}),
    "nothing": ([None] * 4, {}),
    "sorted": (sorted(x for x in NUMBERS if x is not None and not math.isnan(x)) + [NAN] * 3, {}),
    "many groups": (NUMBERS, {"row_group_size": 1}),
    "dictionary": (NUMBERS * 5, {"use_dictionary": True, "row_group_size": 20}),
    "no dictionary": (NUMBERS * 5, {"use_dictionary": False, "write_page_index": True}),
}
READERS = {
    "pyarrow": pyarrow.parquet.read_table,
    "pandas": pandas.read_parquet,
    "pandas, arrow": lambda name: pandas.read_parquet(name, dtype_backend="pyarrow"),
    "polars": polars.read_parquet,
    "polars, lazy": polars.scan_parquet,
    "duckdb": lambda name: duckdb.connect().read_parquet(name),
}


def nasty_of(numbers):
    """Return rows in which each number is an item, a person and a value of others."""
    persons = numbers[1:] + numbers[:1]
    values = numbers[2:] + numbers[:2]
    kinds = dict.fromkeys(("item", "person", "v", "w"), "double")
    return Nasty(kinds, list(zip(numbers, persons, values, values, strict=True)))


def asked(frame):
    """Return what an engine says of counts and sums."""
    return [question.engine(frame) for question in QUESTIONS]


QUESTIONS = [Question(None, None, None), *(Question(ends, 2, None) for ends in [(0, 100), (-5, 0)])]


@pytest.mark.parametrize(
    ("shape", "statistics"),
    # A file that states nothing decides nothing: what is read then goes by the values alone.
    [*((shape, True) for shape in SHAPES), ("infinite", False)],
)
def test_every_engine_answers_as_a_loop(shape, statistics, tmp_path):
    numbers, how = SHAPES[shape]
    nasty, name = nasty_of(numbers), str(tmp_path / "a.parquet")
    pyarrow.parquet.write_table(table_of(nasty), name, write_statistics=statistics, **how)
    wanted = [question.loop(nasty) for question in QUESTIONS]
    for engine, read in READERS.items():
        assert asked(read(name)) == wanted, engine
        found = check(read(name), item="item", person="person", value="v")
        assert (found.counted, found.no_number) == drawn_parquet.without_a_number(nasty), engine


@pytest.mark.parametrize("shape", ["mixed", "infinite", "all NaN"])
def test_so_does_a_database(shape, database):
    nasty = nasty_of(SHAPES[shape][0])
    table = database.table("item float8, person float8, v float8, w float8", nasty.rows)
    assert asked(table) == [question.loop(nasty) for question in QUESTIONS]


def test_drawn_files_are_read_as_a_loop_reads_them(tmp_path):
    assert [one for seed in CAUGHT for one in disagreements(seed, tmp_path)] == []


def test_control_predicates_that_statistics_reach_are_caught(tmp_path, monkeypatch):
    _as_yesterday(monkeypatch)
    assert all(disagreements(seed, tmp_path) for seed in CAUGHT)


def _as_yesterday(monkeypatch):
    seam.broken(monkeypatch, "statistics decide")


def with_nan(path, more):
    """Write 4,998 persons with NaN and one with 1.5; `more` brings another."""
    values = [NAN] * 4_998 + [1.5, *more]
    people = pyarrow.array(range(len(values)))
    columns = {"what": [7] * len(values), "who": people, "much": values}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return str(path)


def neighbours(path):
    """Return the sums of two neighbours, by the command line's reader and by an own relation."""
    found = []
    for more in ([], [2.5]):
        name = with_nan(path, more)
        sums = {"grid": Fraction(1, 2), "value": {"much": (0, 100)}}
        with seam.opened([name], "what", "who", "much") as there:
            one = (
                seam.scores(there, **sums)[7] / 2,
                len(seam.file_rows([name], "what", "who", where="much > 2")),
            )
        with duckdb.connect() as engine:
            found.append((*one, seam.scores(engine.read_parquet(name), **sums)[7] / 2))
    return found


def test_one_more_person_adds_what_is_theirs(tmp_path):
    assert neighbours(tmp_path / "a.parquet") == [(1.5, 0, 1.5), (4.0, 1, 4.0)]


def test_control_one_more_person_moves_everybody(tmp_path, monkeypatch):
    _as_yesterday(monkeypatch)
    before, after = neighbours(tmp_path / "a.parquet")
    assert before[0] == 1.5
    assert after[0] > 400_000
    assert after[2] > 400_000


@pytest.mark.parametrize("kind", [pyarrow.float16(), pyarrow.float32(), pyarrow.float64()])
def test_a_nan_among_persons_and_items_raises_nothing(kind, tmp_path):
    for odd in (1.0, math.nan):
        cells = pyarrow.array([1.0, 2.0, odd]).cast(kind)
        table = pyarrow.table({"what": cells, "who": cells})
        pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
        with duckdb.connect() as engine:
            found = seam.scores(engine.read_parquet(str(tmp_path / "a.parquet")))
        assert found == {1: 1, 2: 1}
