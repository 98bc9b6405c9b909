"""In a round a table is read once: who keeps what, and what it weighs, are from the same rows."""

from __future__ import annotations

import random

import duckdb
import narwhals as nw
import polars
import pytest

from overbar.frames import contributions, key_search
from overbar.frames.contributions import bounded
from overbar.frames.measure import measure_of
from overbar.frames.scoring import pairs_of
from overbar.mechanisms.key_values import STEPS
from overbar.planning.key_rounds import set_union

UNION = set_union(1, "0.01", items_per_person=30, rounds=1, by_bits=False)
ROWS = polars.DataFrame({"who": [1] * 40, "what": [f"key {n}" for n in range(40)]})


def of_duckdb(seed):
    """A view that draws a sample whenever it is read."""
    connection = duckdb.connect()
    connection.execute("select setseed(?)", [seed]).fetchall()
    connection.from_arrow(ROWS.to_arrow()).create("rows")
    return connection.sql("select * from rows where random() < 0.05")


def of_polars(seed):
    generator = random.Random(seed)
    return ROWS.lazy().map_batches(lambda rows: rows.sample(generator.choice((2, 38))))


def in_two_readings(pairs, most, key, _):
    """The broken twin: a person's keys are counted in one reading and kept in another."""
    held = pairs.group_by("person").agg(nw.len().alias("held")).collect()["held"].to_list()
    kept = min(most, *held, most)  # of the one person there is
    for part in bounded(pairs, most, key):
        yield part.with_columns(nw.lit(kept).alias("kept"))


def lengths(make):
    """By how much one person moves the weights, squared, in whole units."""
    for number in range(40):
        pairs = pairs_of(make(number / 40), measure_of(item="what", person="who"))
        steps = key_search.weighed(pairs, UNION, ()).steps.tolist()
        yield sum(step**2 for step in steps)


@pytest.mark.parametrize("make", [of_duckdb, of_polars])
def test_one_person_moves_one_at_most_where_a_view_draws_a_sample(make):
    assert 0 < max(lengths(make)) <= STEPS**2


@pytest.mark.parametrize("make", [of_duckdb, of_polars])
def test_control_two_readings_move_more(make, monkeypatch):
    monkeypatch.setattr(contributions, "bounded", in_two_readings)
    assert any(length > STEPS**2 for length in lengths(make))
