"""Over drawn neighbouring tables of every engine and type: no score moves by more than the
sensitivity, none moves down, and no table raises where its neighbour does not.

`make campaign NAME=neighbours` draws 20,000 pairs; a test run draws some of each.
"""

from __future__ import annotations

import os
import random
from functools import partial

import pytest

from tests.frozen import seam
from tests.frozen.drawn_tables import FAMILIES, asked, draw, pools
from tests.frozen.seam import KEY
from tests.reference.frames import counts

pytestmark = pytest.mark.one_in(3)

#: How many pairs are drawn in all, and how many of a thousand for each engine: files take longest.
PAIRS = int(os.environ.get("OVERBAR_NEIGHBOURS", "100"))
SHARES = {
    "pandas": 300, "pyarrow": 300, "polars": 220, "polars, lazy": 100, "duckdb": 25,
    "duckdb over Arrow": 25, "jsonl": 10, "sqlite": 10, "csv": 5, "parquet": 5,
    "json": 5, "xlsx": 5, "cp1252.csv": 5,
}  # fmt: skip
#: Pairs of one test.
PART = 500
PARTS = [
    (engine, range(first, min(first + PART, pairs)))
    for engine, pairs in ((name, max(5, PAIRS * share // 1000)) for name, share in SHARES.items())
    for first in range(0, pairs, PART)
]
#: Types that are drawn more often than others.
FAVOURED = {
    "pandas": ["object"] * 12 + ["whatever whole numbers become"] * 3,
    "pyarrow": ["string"] * 3,
    "polars": ["Object"] * 3,
}


def pair(engine, seed, folder, kinds=None):
    """Return the answers of two neighbours, and those that the labels say they should give."""
    dice = random.Random(f"{engine} {seed}")
    most = dice.choice([None, None, 1, 2])
    all_kinds = [*FAMILIES.get(engine, ["file"]), *FAVOURED.get(engine, [])]
    item, person = kinds or (dice.choice(all_kinds), dice.choice(all_kinds))
    items, persons = pools(engine, item, person)
    drawn = draw(dice, items, persons)
    known = [label for label in items if label is not None][:6] or ["tea"]
    listed = None if dice.random() < 0.5 else known
    ask = partial(seam.scores, items_per_person=most, catalogue=listed)
    answers = asked(ask, engine, (item, person), drawn, seed, folder)
    wanted = [counts(drawn.rows(side), most, KEY, listed) for side in (True, False)]
    return answers, wanted, (item, person, most, listed)


def faults(answers, monotonic=True):
    """Return what a pair of neighbours gives away, in a word."""
    with_them, without = answers
    if isinstance(with_them, str) or isinstance(without, str):
        return [] if with_them == without else ["one side raised"]
    moves = [with_them.get(key, 0) - without.get(key, 0) for key in {*with_them, *without}]
    return ["moved"] if any(not -(not monotonic) <= move <= 1 for move in moves) else []


@pytest.mark.parametrize(("engine", "seeds"), PARTS, ids=str)
def test_neighbours_differ_by_one_person(engine, seeds, tmp_path):
    refused = 0
    for seed in seeds:
        answers, wanted, how = pair(engine, seed, tmp_path)
        assert not faults(answers), (engine, seed, how, answers)
        if isinstance(answers[0], str):
            refused += 1
            assert answers[0].startswith("ParameterError"), (engine, seed, how, answers)
        else:
            assert answers == wanted, (engine, seed, how)
    assert refused < len(seeds) * 0.8 or len(seeds) < 50
    print(f"{engine}: {len(seeds)} pairs, {refused} refused by their types")


@pytest.mark.parametrize(
    ("engine", "kinds", "fault", "first"),
    [
        ("pandas", ("boolean", "object"), "moved", 190),
        ("pandas", ("object", "object"), "one side raised", 50),
        ("pyarrow", ("string", "string"), "one side raised", 0),
        ("pandas", ("large_string of Arrow", "Int64"), "one side raised", 18),
        ("duckdb over Arrow", ("string", "int64"), "one side raised", 66),
        ("duckdb", ("collated varchar", "bigint"), "moved", 72),
    ],
)
def test_control_labels_by_a_look_at_the_first_rows_are_caught(
    engine, kinds, fault, first, tmp_path, monkeypatch
):
    seam.broken(monkeypatch, "labels by a look at the first rows")
    seeds = range(first, first + 200)  # from where it does not take long
    assert any(fault in faults(pair(engine, seed, tmp_path, kinds)[0]) for seed in seeds)


def test_control_long_labels_of_pandas_as_they_are_typed_are_caught(tmp_path, monkeypatch):
    seam.broken(monkeypatch, "labels as they are typed")
    kinds = ("Int64", "whatever whole numbers become")
    assert any("moved" in faults(pair("pandas", seed, tmp_path, kinds)[0]) for seed in range(300))
