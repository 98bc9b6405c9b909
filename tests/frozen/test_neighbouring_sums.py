"""Sums of odd numbers of neighbouring tables, on every engine and from every kind of file.

No score moves by more than a person may add, no row decides an error, and all is as in a plain
loop. Two leaks are put back on each engine, and each must be caught: what is no number counts as
the highest, and a row more decides that an error is raised.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial

import pytest

from tests.frozen import seam, spark
from tests.frozen.drawn_sums import FILES, answers, in_a_database, in_a_file, in_memory, pairs
from tests.frozen.engines import ENGINES, table_of

#: How many pairs are drawn of each engine: files and servers take longer.
TIMES = int(os.environ.get("OVERBAR_NEIGHBOURS", "100")) / 100
HERE, FROM_FILES, SERVED, ON_SPARK = (max(2, int(n * TIMES)) for n in (20, 5, 8, 2))
LEAKS = {"NaN is the highest": "other than a loop", "a row decides an error": "one side raised"}
#: So many are drawn until a leak shows.
UNTIL = 30


def none_is_wrong(drawn, opened):
    for pair in drawn:
        found = answers(pair, opened)
        assert pair.faults(found) == [], (pair, found)
        assert not isinstance(found[0], str), found


def caught(leak, drawn, opened, patch):
    """Tell whether a leak is seen."""
    seam.broken(patch, leak)
    return any(LEAKS[leak] in pair.faults(answers(pair, opened)) for pair in drawn)


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_of_neighbours(engine):
    none_is_wrong(pairs(engine, HERE), partial(in_memory, engine))


@pytest.mark.parametrize("kind", FILES)
def test_sums_of_neighbours_from_files(kind, tmp_path):
    far = kind == "parquet"
    none_is_wrong(pairs(kind, FROM_FILES, far), partial(in_a_file, kind, folder=tmp_path))


def test_sums_of_neighbours_in_a_database(database):
    none_is_wrong(pairs("database", SERVED), partial(in_a_database, database=database))


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("engine", ENGINES)
def test_control_a_leak_is_caught(engine, leak, monkeypatch):
    assert caught(leak, pairs(engine, UNTIL), partial(in_memory, engine), monkeypatch)


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("kind", FILES)
def test_control_a_leak_is_caught_in_files(kind, leak, tmp_path, monkeypatch):
    opened = partial(in_a_file, kind, folder=tmp_path)
    assert caught(leak, pairs(kind, UNTIL, kind == "parquet"), opened, monkeypatch)


@pytest.mark.parametrize("leak", LEAKS)
def test_control_a_leak_is_caught_in_a_database(leak, database, monkeypatch):
    opened = partial(in_a_database, database=database)
    assert caught(leak, pairs("database", UNTIL), opened, monkeypatch)


@pytest.mark.skipif(not spark.THERE, reason="Spark needs Java 17")
def test_spark_and_its_leaks(monkeypatch):
    """One session for all: to start it takes longer than to ask it."""
    pytest.importorskip("pyspark")
    session = spark.spark_session()

    @contextmanager
    def opened(rows):
        yield session.createDataFrame(table_of(rows))

    try:
        none_is_wrong(pairs("Spark", ON_SPARK), opened)
        for leak in LEAKS:
            with monkeypatch.context() as patch:
                drawn = pairs("Spark", UNTIL)[1:]  # from where it does not take long
                assert caught(leak, drawn, opened, patch), leak
    finally:
        session.stop()
